// SPDX-License-Identifier: Apache-2.0

/// Chooses how the code of each kernel goes through its numbers.
///
/// The ways of a cycle are tried in the order of their speed; the last one of them is legal for every cycle. Where
/// nothing is chosen, cycles go that way and maps vector by vector; code that is made small has one loop for all rows.
struct Scheduling {
  let kernels: KernelGraph
  let target: Target
  let goal: Goal
  let variant: Variant
  /// How many walks read each place.
  let readers: [Location: Int]
  /// Whether only that is chosen that is legal for every kernel.
  let isPlain: Bool

  /// The frames that kernels run for.
  private struct Frames {
    /// Numbers in a vector along them.
    var width: Int
    /// The most of them at a time.
    var most = Plan.tileFrames
    /// Whether a cycle goes through them one by one.
    var areApart = false
  }

  func schedule(_ kernel: Kernel) -> Schedule { schedule(kernel, for: Frames(width: target.lanes)) }

  private func schedule(_ kernel: Kernel, for frames: Frames) -> Schedule {
    switch kernel {
    case .map(let map) where map.isTurn: .turn(map.collapsed, width: frames.width)
    case .map(let map): schedule(map.collapsed, for: frames)
    case .fold(let fold): schedule(fold, for: frames)
    case .sample(let sample): schedule(sample, for: frames)
    case .cycle(let cycle): schedule(cycle, for: frames)
    }
  }

  // MARK: Loops without feedback

  private func schedule(_ map: MapKernel, for frames: Frames) -> Schedule {
    if goal == .speed, !isPlain, !frames.areApart {
      // The largest squares that fit in both axes.
      for width in [16, 8, 4] where width <= target.lanes {
        guard let axis = map.axisOfTransposition(width: width) else { continue }
        return .transposition(map, axis: axis, width: width)
      }
    }
    let vectors = goal == .size || isPlain ? 1 : map.vectors(in: kernels, for: target, variant)
    return .map(
      map, stages(map.space, Array(map.loads.values), map.stores.map(\.access), vectors, for: frames))
  }

  private func schedule(_ fold: FoldKernel, for frames: Frames) -> Schedule {
    let (reads, writes) = Kernel.fold(fold).accesses
    if fold.tile.isAlongTerms { return .fold(fold, .numbers) }
    return .fold(fold, stages(fold.space, reads, writes, fold.tile.vectors, for: frames))
  }

  private func schedule(_ sample: SampleKernel, for frames: Frames) -> Schedule {
    guard let result = sample.result else { return .sample(sample) }
    if frames.areApart { return .phase(sample, result, .frameByFrame) }
    guard sample.source.innerStride == 0, !kernels.varies(sample.source, in: variant) else {
      return .phase(sample, result, .added)
    }
    let space = Space(extents: [], inner: .frames)
    return .phase(
      sample, result, .multiplied(stages(space, [], [result], PhaseWay.vectors, for: frames)))
  }

  private func stages(
    _ space: Space, _ reads: [Access], _ writes: [Access], _ vectors: Int, for frames: Frames
  ) -> Stages {
    if frames.areApart { return .numbers }
    switch space.inner {
    case .frames:
      // Where something is counted, no position may lie beyond the end.
      let along = reads.filter { $0.innerStride != 0 } + writes
      let endsWhole = along.allSatisfy(kernels.hasRoomBehindEnd) && !reads.contains(where: \.isCounted)
      return Stages(width: frames.width, vectors: vectors, endsWhole: endsWhole)
    case .count(let count):
      guard count > 1, reads.allSatisfy(\.isReadInVectors), writes.allSatisfy(\.isWrittenInVectors) else {
        return .numbers
      }
      return Stages(of: count, lanes: frames.width, vectors: vectors)
    }
  }

  // MARK: Cycles

  private func schedule(_ cycle: CycleKernel, for frames: Frames) -> Schedule {
    if let positions = cycle.positions {
      return .positionByPosition(cycle.kernels.map { schedule($0, for: frames) }, positions)
    }
    guard cycle.span == 1 else { return .spans(spans(cycle, for: frames)) }
    if cycle.layout == .columns {
      let column = Frames(width: target.lanes, most: 1)
      return .columnByColumn(cycle.kernels.map { schedule($0, for: column) })
    }
    if !isPlain, let fast = fastSchedule(cycle, for: frames) { return fast }
    return .frameByFrame(cycle.kernels.map { schedule($0, for: Frames(width: 1, most: 1, areApart: true)) })
  }

  /// The schedule of a cycle that need not run frame by frame; nil where it must.
  private func fastSchedule(_ cycle: CycleKernel, for frames: Frames) -> Schedule? {
    if goal == .speed, frames.width > 1, let hold = HoldSchedule(cycle, in: self) { return .hold(hold) }
    if goal == .speed, let tiles = tiledLoop(cycle, frames: frames.most) { return .tiledLoop(tiles) }
    if let loop = LoopSchedule(cycle, in: self) { return .loop(loop) }
    if goal == .speed, let front = wavefront(cycle, frames: frames.most) { return .wavefront(front) }
    guard cycle.kernels.count > 1, cycle.goesLoopByLoop else { return nil }
    return .loopByLoop(cycle.kernels.map { schedule(CycleKernel(span: 1, [$0]), for: frames) })
  }

  private func tiledLoop(_ cycle: CycleKernel, frames: Int) -> TiledLoopSchedule? {
    guard let map = Kernel.cycle(cycle).loop,
      let front = Wavefront(
        alone: ChainedLoop(map), in: kernels, readers: readers, for: target, frames: frames)
    else { return nil }
    let numbers = TimeVaryingNumbers(of: front, in: kernels, variant)
    return numbers.fitStack ? TiledLoopSchedule(front: front, numbers: numbers) : nil
  }

  private func wavefront(_ cycle: CycleKernel, frames: Int) -> WavefrontSchedule? {
    guard let front = Wavefront(cycle, in: kernels, readers: readers, for: target, frames: frames) else {
      return nil
    }
    let columns = WavefrontColumns(of: front, in: kernels, for: target, variant)
    // Streams alone are read as fast number by number.
    guard !columns.numbers.steps.isEmpty else { return WavefrontSchedule(front: front, columns: nil) }
    return columns.fitStack ? WavefrontSchedule(front: front, columns: columns) : nil
  }

  /// Whole vectors, as many as a span holds; only what is left of the tile ends within one.
  private func spans(_ cycle: CycleKernel, for frames: Frames) -> SpanSchedule {
    var width = frames.width
    while width > cycle.span { width /= 2 }
    let span = cycle.span / width * width
    let inner = Frames(width: width, most: min(frames.most, span))
    return SpanSchedule(frames: span, width: width, kernels: cycle.kernels.map { schedule($0, for: inner) })
  }
}

extension PhaseWay {
  /// Vectors side by side where no vector waits for the one before it.
  fileprivate static let vectors = 4
}
