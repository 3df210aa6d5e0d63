// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// Checks the invariants of schedules, independently of how they were chosen.
///
/// Each computes what its kernel computes, and writes what it writes; what goes through all frames of one row before
/// those of the next one reads of what it writes only its own row's past; what is not written frame by frame is read by
/// nobody else; vectors are no wider than the machine's or than a span, and go beyond the end only where there is room;
/// the stack has room.
package struct ScheduleVerifier {
  private let kernels: KernelGraph
  private let target: Target
  private let variant: Variant
  private let readers: [Location: Int]
  /// The most frames that the kernels at hand go through at a time.
  private var frames = Plan.tileFrames
  /// The widest vector along them.
  private var width: Int
  private var violations: [String] = []

  static func violations(in plan: Plan) -> [String] {
    let (kernels, schedules) = (plan.kernelGraph, plan.schedules)
    let readers = kernels.readersOfPlaces
    var violations: [String] = []
    func check(_ kernel: Kernel?, _ code: Schedules.Code?, _ name: String) {
      switch (kernel, code) {
      case (let kernel?, let code?):
        violations += self.violations(in: code, of: kernel, kernels, readers, for: plan.target, name)
      case (nil, nil): break
      case (nil, _?), (_?, nil): violations.append("\(name) is not what has to run")
      }
    }
    if kernels.blockKernels.count != schedules.blockCodes.count
      || kernels.kernels.count != schedules.steps.count
    {
      return ["not each kernel has one schedule"]
    }
    for (index, (kernel, code)) in zip(kernels.blockKernels, schedules.blockCodes).enumerated() {
      check(kernel, code, "block kernel \(index)")
    }
    for (index, (kernel, step)) in zip(kernels.kernels, schedules.steps).enumerated() {
      let code = step.timeVarying ?? step.settled
      check(kernel, code, "kernel \(index)")
      if step.followsParameters != kernels.hasVariants(kernel) {
        violations.append(
          "kernel \(index) is taken for one that \(step.followsParameters ? "" : "never ")varies")
      }
      if step.followsParameters, code?.variant != .timeVarying {
        violations.append("kernel \(index) does not follow parameters")
      }
    }
    guard plan.goal == .speed else { return violations }
    check(kernels.settling.map(Kernel.map), schedules.settling, "the settling kernel")
    for (index, (kernel, step)) in zip(kernels.kernelsWhileSettled, schedules.steps).enumerated() {
      check(kernel, step.settled, "kernel \(index) while settled")
    }
    return violations
  }

  /// - Parameter readers: How many walks read each place of the graph.
  package static func violations(
    in code: Schedules.Code, of kernel: Kernel, _ kernels: KernelGraph, _ readers: [Location: Int],
    for target: Target, _ name: String
  ) -> [String] {
    var verifier = ScheduleVerifier(
      kernels: kernels, target: target, variant: code.variant, readers: readers, width: target.lanes)
    verifier.check(code.schedule, of: kernel, name)
    return verifier.violations
  }

  private mutating func expect(_ isTrue: Bool, _ text: @autoclosure () -> String) {
    if !isTrue { violations.append(text()) }
  }

  private mutating func check(_ schedule: Schedule, of kernel: Kernel, _ name: String) {
    switch (schedule, kernel) {
    case (.map(let own, let stages), .map(let map)):
      expect(own.isSameWork(as: map), "\(name) computes something else")
      check(stages, own.space, Array(own.loads.values), own.stores.map(\.access), name)
      expect(!own.hasColumns, "\(name) goes along columns")
    case (.turn(let own, let width), .map(let map)):
      expect(own.isSameWork(as: map) && own.isTurn, "\(name) does something else than to turn")
      expect(width >= 4 && width <= self.width && frames >= width, "\(name) has squares of \(width)")
    case (.transposition(let own, let axis, let width), .map(let map)):
      expect(own.isSameWork(as: map), "\(name) computes something else")
      expect(own.axisOfTransposition(width: width) == axis, "\(name) does something else than to transpose")
      expect(width >= 4 && width <= target.lanes, "\(name) has squares of \(width)")
    case (.fold(let own, let stages), .fold(let fold)):
      expect(own == fold, "\(name) computes something else")
      let (reads, writes) = kernel.accesses
      check(stages, own.space, reads, writes, name)
    case (.sample(let own), .sample(let sample)):
      expect(own == sample && sample.result == nil, "\(name) holds something else")
    case (.phase(let own, let result, let way), .sample(let sample)):
      expect(own == sample && sample.result == result, "\(name) computes something else")
      if case .multiplied(let stages) = way {
        let standsStill = own.source.innerStride == 0 && !kernels.varies(own.source, in: variant)
        expect(standsStill && frames > 1, "\(name) multiplies steps that differ")
        check(stages, Space(extents: [], inner: .frames), [], [result], name)
      }
      if case .added = way { expect(frames > 1, "\(name) adds up more than the frame at hand") }
      if case .frameByFrame = way { expect(frames == 1, "\(name) has a phase for one frame of many") }
    case (_, .cycle(let cycle)): check(schedule, of: cycle, name)
    case (_, .map), (_, .fold), (_, .sample): violations.append("\(name) is no cycle")
    }
  }

  private mutating func check(
    _ stages: Stages, _ space: Space, _ reads: [Access], _ writes: [Access], _ name: String
  ) {
    var widest = frames == 1 ? 1 : width
    if case .count(let count) = space.inner { widest = Stages.width(of: count, lanes: target.lanes) }
    expect(stages.vectors >= 1 && (1...widest).contains(stages.width), "\(name) has too wide vectors")
    let along = (reads + writes).filter { $0.innerStride != 0 }
    if stages.width > 1 {
      let isSideBySide = along.allSatisfy { $0.innerStride == 1 }
      let isInVectors = reads.allSatisfy(\.isReadInVectors) && writes.allSatisfy(\.isWrittenInVectors)
      expect(
        isSideBySide || space.inner != .frames && isInVectors, "\(name) goes in vectors over what lies apart")
    }
    if stages.endsWhole {
      expect(
        along.allSatisfy(kernels.hasRoomBehindEnd) && !reads.contains(where: \.isCounted),
        "\(name) goes beyond the end of what has no room there")
    }
  }

  // MARK: Cycles

  private mutating func check(_ schedule: Schedule, of cycle: CycleKernel, _ name: String) {
    switch schedule {
    case .map, .turn, .transposition, .fold, .sample, .phase: violations.append("\(name) is a cycle")
    case .spans(let spans):
      expect(
        spans.frames >= spans.width && spans.frames <= cycle.span && spans.frames.isMultiple(of: spans.width),
        "\(name) has spans of \(spans.frames) frames, of which \(cycle.span) do not depend on each other")
      checkAll(spans.kernels, of: cycle, frames: min(frames, spans.frames), width: spans.width, name)
    case .frameByFrame(let all):
      expect(cycle.layout == .rows, "\(name) goes frame by frame through columns")
      checkAll(all, of: cycle, frames: 1, width: 1, name)
    case .columnByColumn(let all):
      expect(cycle.layout == .columns, "\(name) goes through columns that are rows")
      checkAll(all, of: cycle, frames: 1, width: width, name)
    case .positionByPosition(let all, let positions):
      expect(cycle.positions == positions, "\(name) goes through other positions")
      checkAll(all, of: cycle, frames: frames, width: width, name)
    case .loopByLoop(let all):
      let apart = CycleKernel(span: cycle.span, cycle.kernels.map { .cycle(CycleKernel(span: 1, [$0])) })
      checkAll(all, of: apart, frames: frames, width: width, name)
      checkOrder(of: cycle, name)
    case .hold(let hold): expectLoop(of: cycle, name) { $0.check(hold, of: $1, name) }
    case .loop(let loop): expectLoop(of: cycle, name) { $0.check(loop, of: $1, name) }
    case .tiledLoop(let tiles):
      expectLoop(of: cycle, name) { verifier, _ in
        verifier.expect(tiles.numbers.fitStack, "\(name) needs more memory than the stack has")
        verifier.check(tiles.front, of: cycle, name)
      }
    case .wavefront(let front):
      expect(front.columns?.fitStack ?? true, "\(name) needs more memory than the stack has")
      check(front.front, of: cycle, name)
    }
  }

  private mutating func checkAll(
    _ schedules: [Schedule], of cycle: CycleKernel, frames: Int, width: Int, _ name: String
  ) {
    let around = (self.frames, self.width)
    expect(width <= self.width, "\(name) has too wide vectors")
    (self.frames, self.width) = (frames, width)
    expect(schedules.count == cycle.kernels.count, "\(name) leaves out kernels")
    for (index, (schedule, kernel)) in zip(schedules, cycle.kernels).enumerated() {
      check(schedule, of: kernel, "\(name).\(index)")
    }
    (self.frames, self.width) = around
  }

  /// No kernel reads what a later one writes.
  private mutating func checkOrder(of cycle: CycleKernel, _ name: String) {
    for (index, kernel) in cycle.kernels.enumerated() {
      let later = Set(cycle.kernels[(index + 1)...].flatMap(\.accesses.writes).map(\.location))
      expect(
        !kernel.accesses.reads.contains { later.contains($0.location) },
        "\(name).\(index) reads what is written behind it")
    }
  }

  // MARK: One loop

  /// Checks the one loop of a cycle, each of whose rows must go through its frames without the others.
  private mutating func expectLoop(
    of cycle: CycleKernel, _ name: String, _ check: (inout ScheduleVerifier, MapKernel) -> Void
  ) {
    guard let map = Kernel.cycle(cycle).loop else { return violations.append("\(name) is not one loop") }
    for access in map.loads.values {
      let writes = map.stores.map(\.access).filter { $0.location == access.location }
      guard let write = writes.first else { continue }
      // Of an input's memory that an output takes, each number is read before it is overwritten.
      guard case .history = access.location else {
        violations.append("\(name) reads what it writes itself")
        continue
      }
      let isOwn = writes.count == 1 && access.readsThePast(of: write)
      let isOld = access.index == nil && access.delay >= frames && access.delayStrides.allSatisfy { $0 == 0 }
      expect(isOwn || isOld, "\(name) reads what another row writes in the same frames")
    }
    check(&self, map.collapsed)
  }

  private mutating func check(_ schedule: HoldSchedule, of map: MapKernel, _ name: String) {
    let (loop, graph) = (schedule.loop, kernels.graph)
    let held = Set(loop.holds.map(\.value))
    var past: Set<ValueID> = []
    for hold in loop.holds {
      let node = graph.definition(of: hold.value)
      let before = map.loads.filter { $0.value == hold.memory.remembering(1) }.map(\.key)
      past.formUnion(before)
      let (taken, kept) = hold.isInverted ? (2, 1) : (1, 2)
      expect(
        node.op == .select && node.operands[0] == hold.condition && node.operands[taken] == hold.taken
          && before.contains(node.operands[kept]) && map.stores.contains(Store(hold.value, hold.memory)),
        "\(name) does something else than to hold")
    }
    var whole = loop.rest
    whole.nodes = map.nodes
    whole.stores += loop.stores.map { Store(loop.holds[$0.hold].value, $0.access) }
    for value in past { whole.loads[value] = map.loads[value] }
    let others = Set(map.nodes.filter { !held.contains(graph[$0].result) })
    expect(whole.isSameWork(as: map) && others == Set(loop.rest.nodes), "\(name) computes something else")
    let used =
      loop.rest.nodes.flatMap { graph[$0].operands } + loop.rest.stores.compactMap(\.value)
      + loop.holds.flatMap { [$0.condition, $0.taken] } + map.loads.values.compactMap(\.index?.value)
    expect(held.union(past).isDisjoint(with: used), "\(name) computes of what it holds")
    expect(schedule.rowsAtOnce > 0, "\(name) holds no rows")
    for place in schedule.writtenAtEnd {
      expect(readers[place] == 1, "\(name) does not write what is read elsewhere")
    }
  }

  private mutating func check(_ schedule: LoopSchedule, of map: MapKernel, _ name: String) {
    expect(schedule.rowsAtOnce > 0, "\(name) goes through no rows")
    var whole = schedule.map
    for memory in schedule.memories {
      for load in memory.loads {
        whole.loads[load.value] = memory.access.remembering(load.delay)
        expect(1...memory.depth ~= load.delay, "\(name) remembers too few frames")
      }
      if !memory.isWritten {
        whole.stores.append(Store(memory.value, memory.access))
        expect(
          readers[memory.access.location] == memory.loads.count,
          "\(name) does not write what is read elsewhere")
      }
    }
    expect(whole.isSameWork(as: map), "\(name) computes something else")
  }

  // MARK: Wavefronts

  private mutating func check(_ front: Wavefront, of cycle: CycleKernel, _ name: String) {
    let maps = cycle.kernels.compactMap(\.elementwise)
    expect(
      cycle.span == 1 && maps.count == cycle.kernels.count && maps.count == front.loops.count
        && zip(front.loops, maps).allSatisfy { $0.isSameWork(as: $1) },
      "\(name) computes something else")
    expect(
      front.lag > 0 && front.rowsAtOnce > 0
        && front.loops.count * front.rowsAtOnce <= Wavefront.mostLanes(for: target),
      "\(name) takes more lanes than there are")
    violations += WavefrontVerifier(front, in: kernels, readers, frames: frames).violations.map {
      "\(name) \($0)"
    }
  }
}

extension MapKernel {
  /// Whether it computes the same nodes of the same places, and writes them to the same; in loops that may be joined.
  fileprivate func isSameWork(as other: MapKernel) -> Bool {
    let (own, other) = (collapsed, other.collapsed)
    return own.space == other.space && own.nodes == other.nodes && own.loads == other.loads
      && Set(own.stores) == Set(other.stores)
  }
}
