// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import GraphPlanning

/// Writes one function of native code: a kernel of the plan.
///
/// Every such function has the same parameters: the tables of row pointers, the workspace, the weights, how many
/// frames of the block are done, the absolute position of the tile's first frame, and the tile's number of frames.
final class KernelEmitter {
  /// What the parameters do while the code runs.
  enum Motion {
    /// All of them stand still: values that depend on parameters only are single numbers.
    case settled
    /// At least one of them moves from frame to frame.
    case moving
  }

  static let parameterList =
    "ptr %inputs, ptr %outputs, ptr %workspace, ptr %weights, i64 %done, i64 %position, i64 %count"

  let plan: Plan
  let motion: Motion
  let builder: FunctionBuilder
  /// The frames that the code is written for: those of the tile, or of a span of a cycle.
  private(set) var stretch = Stretch()
  /// While a cycle runs frame by frame: the frame within the stretch.
  private var frame: String?

  init(_ plan: Plan, motion: Motion) {
    self.plan = plan
    self.motion = motion
    builder = FunctionBuilder(target: plan.target, width: plan.target.lanes, goal: plan.goal)
  }

  var graph: Graph { plan.graph }

  /// The frame of the stretch at which samples are taken: its first one, or the one that a cycle has come to.
  var sampledFrame: String { frame ?? "0" }

  /// Whether a cycle runs frame by frame.
  var isWithinCycle: Bool { frame != nil }

  /// The text of the function.
  func function(_ name: String, _ kernel: Kernel) -> String {
    emit(kernel)
    return """
      define internal void @\(name)(\(Self.parameterList)) #0 {
      entry:
      \(builder.text)  ret void
      }

      """
  }

  private func emit(_ kernel: Kernel) {
    switch kernel {
    case .map(let map): MapEmission(self, map).emit()
    case .fold(let fold): FoldEmission(self, fold).emit()
    case .sample(let sample): emit(sample)
    case .cycle(let cycle): emit(cycle)
    }
  }

  // MARK: Cycles

  /// Frames that follow each other, and of which kernels compute as many as they can at once.
  struct Stretch {
    /// The frames of the block before it.
    var done = "%done"
    /// The absolute position of its first frame.
    var position = "%position"
    var count = "%count"
    /// The most frames that it has.
    var most = Plan.tileFrames
    /// Its first frame within the tile.
    var first = "0"
  }

  /// Runs code for which the past is what the stretch has just become.
  func atEndOfStretch(_ body: () -> Void) {
    var end = stretch
    end.position = builder.define("add i64 \(stretch.position), \(stretch.count)")
    within(end, body)
  }

  /// Some of the frames of the stretch, or beside it.
  ///
  /// - Parameters:
  ///   - first: How many frames they begin behind the stretch.
  ///   - count: How many they are; nil: as many as `most`.
  func stretch(from first: String, count: String? = nil, most: Int) -> Stretch {
    Stretch(
      done: builder.define("add i64 \(stretch.done), \(first)"),
      position: builder.define("add i64 \(stretch.position), \(first)"),
      count: count ?? String(most), most: most,
      first: stretch.first == "0" ? first : builder.define("add i64 \(stretch.first), \(first)"))
  }

  /// Runs code for other frames.
  func within(_ other: Stretch, _ body: () -> Void) {
    let here = stretch
    stretch = other
    body()
    stretch = here
  }

  private func emit(_ cycle: CycleKernel) {
    let width = builder.width
    defer { builder.width = width }
    if let hold = HoldEmission(self, cycle) {
      hold.emit()
    } else if let tiles = TiledLoopEmission(self, cycle) {
      tiles.emit()
    } else if let loop = LoopEmission(self, cycle) {
      loop.emit()
    } else if let front = WavefrontEmission(self, cycle) {
      front.emit()
    } else if cycle.span == 1, cycle.kernels.count > 1, cycle.goesLoopByLoop {
      for kernel in cycle.kernels { emit(CycleKernel(span: 1, [kernel])) }
    } else if cycle.span == 1 {
      builder.width = 1
      builder.loop(to: stretch.count) { frame, _ in
        self.frame = frame
        cycle.kernels.forEach(emit)
        self.frame = nil
        return []
      }
    } else {
      // Whole vectors, as many as a span holds; only what is left of the tile ends within one.
      while builder.width > cycle.span { builder.width /= 2 }
      let span = cycle.span / builder.width * builder.width
      builder.declare("declare i64 @llvm.umin.i64(i64, i64)")
      builder.loop(to: stretch.count, step: span) { first, _ in
        let left = builder.define("sub i64 \(stretch.count), \(first)")
        let count = builder.define("call i64 @llvm.umin.i64(i64 \(left), i64 \(span))")
        within(stretch(from: first, count: count, most: min(stretch.most, cycle.span))) {
          cycle.kernels.forEach(emit)
        }
        return []
      }
    }
  }

  // MARK: Loops

  /// Runs code for each round of the fixed axes.
  func rounds(_ extents: [Int], _ indices: [String] = [], _ body: ([String]) -> Void) {
    guard indices.count < extents.count else { return body(indices) }
    guard extents[indices.count] > 1 else { return rounds(extents, indices + ["0"], body) }
    builder.loop(to: String(extents[indices.count])) { index, _ in
      rounds(extents, indices + [index], body)
      return []
    }
  }

  /// Runs code for some rows of an axis at a time, and then for those that are left.
  func rowGroups(of extent: Int, by most: Int, _ body: (_ rows: [String]) -> Void) {
    let count = min(most, extent)
    let whole = extent / count * count
    func rows(from first: String, _ count: Int) -> [String] { (0..<count).map { add(first, $0) } }
    if whole == count {
      body(rows(from: "0", count))
    } else {
      builder.loop(to: String(whole), step: count) { first, _ in
        body(rows(from: first, count))
        return []
      }
    }
    if whole < extent { body(rows(from: String(whole), extent - whole)) }
  }

  /// Runs code over the innermost axis, in vectors where all accesses allow it.
  ///
  /// - Parameter isWhole: whether the last vector of a tile's frames may go beyond their end.
  func inner(
    _ space: Space, _ accesses: [Access], vectors: Int, isWhole: Bool = false, _ body: (StagePosition) -> Void
  ) {
    switch space.inner {
    case .frames:
      if let frame {
        body(StagePosition(index: frame, vectors: 1, mask: nil))
      } else if isWhole {
        builder.wholeVectors(count: stretch.count, vectors: vectors, body)
      } else {
        builder.stages(count: stretch.count, vectors: vectors, body)
      }
    case .count(let count):
      let isVector = count > 1 && frame == nil && accesses.allSatisfy { (0...1).contains($0.innerStride) }
      let width = builder.width
      defer { builder.width = width }
      if !isVector { builder.width = 1 }
      while builder.width > count { builder.width /= 2 }
      guard count > 1 else { return body(StagePosition(index: "0", vectors: 1, mask: nil)) }
      builder.stages(count: String(count), vectors: isVector ? min(vectors, count / builder.width) : 1, body)
    }
  }

  // MARK: Numbers

  /// Whether an access gives one number for all positions of the innermost axis.
  func isScalar(_ access: Access) -> Bool { access.innerStride == 0 }

  /// Numbers of an access at a position, from the address of its round.
  func load(_ access: Access, _ address: String, at position: StagePosition) -> Lanes {
    if access.innerStride == 1 { return builder.load(address, at: unmasked(position, in: access)) }
    if access.innerStride == 0 { return builder.broadcast(builder.loadScalar(address)) }
    return builder.broadcast(builder.loadScalar(strided(access, address, position)))
  }

  func store(_ value: Lanes, _ access: Access, _ address: String, at position: StagePosition) {
    guard access.innerStride == 1 else {
      builder.line("store float \(value[0]), ptr \(strided(access, address, position)), align 4")
      return
    }
    let position = unmasked(position, in: access)
    builder.store(value, address, at: position)
    repeating(access) { builder.store(value, builder.address(address, floats: $0), at: position) }
  }

  /// Runs code that writes once more what goes into a ring's first tile, so many floats further: behind its end.
  func repeating(_ access: Access, _ body: (_ distance: String) -> Void) {
    guard case .history(let id) = access.location, graph.clock == .stream else { return }
    let capacity = plan.layout.histories[id.index].capacity
    let offset = builder.define("and i64 \(stretch.position), \(capacity - 1)")
    builder.when(builder.define("icmp ult i64 \(offset), \(Plan.tileFrames)")) { body(String(capacity)) }
  }

  /// A position of whose vectors nothing is masked where there is room for whole ones.
  private func unmasked(_ position: StagePosition, in access: Access) -> StagePosition {
    var position = position
    if hasRoomBehindEnd(access) { position.mask = nil }
    return position
  }

  /// The address of a position's first element.
  func strided(_ access: Access, _ address: String, _ position: StagePosition) -> String {
    builder.address(address, floats: multiply(position.index, access.innerStride))
  }
}
