// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import GraphPlanning

/// Writes one function of native code: a kernel of the plan.
///
/// Every such function has the same parameters: the tables of row pointers, the workspace, the weights, how many
/// frames of the block are done, the absolute position of the tile's first frame, and the tile's number of frames.
final class KernelEmitter {
  static let parameterList =
    "ptr %inputs, ptr %outputs, ptr %workspace, ptr %weights, i64 %done, i64 %position, i64 %count"

  let plan: Plan
  let variant: Variant
  let builder: FunctionBuilder
  /// The frames that the code is written for: those of the tile, or of a span of a cycle.
  private(set) var stretch = Stretch()
  /// While a cycle runs frame by frame: the frame within the stretch.
  private var frame: String?
  /// While a cycle goes along an axis: the position that it has come to.
  private var walked: String?

  let schedule: Schedule

  init(_ plan: Plan, _ code: Schedules.Code) {
    self.plan = plan
    (variant, schedule) = (code.variant, code.schedule)
    // What runs rarely, is made small, or has its places before it begins shares its text with its like.
    builder = FunctionBuilder(
      target: plan.target, width: plan.target.lanes, goal: plan.goal,
      leavesOpen: variant == .timeVarying || plan.goal == .size || schedule.isStraight)
  }

  var graph: Graph { plan.graph }

  /// The frame of the stretch at which samples are taken: its first one, or the one that a cycle has come to.
  var sampledFrame: String { frame ?? "0" }

  /// The text of the kernel's function.
  func form() -> KernelForm {
    emit(schedule)
    return KernelForm(body: builder.body, numbers: builder.openNumbers ?? [])
  }

  private func emit(_ schedule: Schedule) {
    switch schedule {
    case .map(let map, let stages): MapEmission(self, map, stages).emit()
    case .turn(let turn, let width): TurnEmission(self, turn, width: width).emit()
    case .transposition(let map, let axis, let width):
      TranspositionEmission(self, map, axis: axis, width: width).emit()
    case .fold(let fold, let stages): FoldEmission(self, fold, stages).emit()
    case .sample(let sample): emit(sample)
    case .phase(let sample, let result, let way): PhaseEmission(self, sample, result, way).emit()
    case .hold(let hold): HoldEmission(self, hold).emit()
    case .tiledLoop(let tiles): TiledLoopEmission(self, tiles).emit()
    case .loop(let loop): LoopEmission(self, loop).emit()
    case .wavefront(let front): WavefrontEmission(self, front).emit()
    case .loopByLoop(let kernels): kernels.forEach(emit)
    case .frameByFrame(let kernels): emit(frameByFrame: kernels)
    case .columnByColumn(let kernels): emit(columnByColumn: kernels)
    case .positionByPosition(let kernels, let positions): emit(kernels, through: positions)
    case .spans(let spans): emit(spans)
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
    /// Its first frame within the tile.
    var first = "0"
  }

  /// Runs code for which the past is what the stretch has just become.
  func atEndOfStretch(_ body: () -> Void) {
    var end = stretch
    end.position = builder.define("add i64 \(stretch.position), \(stretch.count)")
    within(end, body)
  }

  /// Some of the frames of the stretch, or beside it, from so many frames behind its first one on.
  func stretch(from first: String, count: String) -> Stretch {
    Stretch(
      done: builder.define("add i64 \(stretch.done), \(first)"),
      position: builder.define("add i64 \(stretch.position), \(first)"), count: count,
      first: stretch.first == "0" ? first : builder.define("add i64 \(stretch.first), \(first)"))
  }

  /// Runs code for other frames.
  func within(_ other: Stretch, _ body: () -> Void) {
    let here = stretch
    stretch = other
    body()
    stretch = here
  }

  private func emit(frameByFrame kernels: [Schedule]) {
    builder.inVectors(of: 1) {
      builder.loop(to: stretch.count) { frame, _ in
        self.frame = frame
        kernels.forEach(emit)
        self.frame = nil
        return []
      }
    }
  }

  private func emit(columnByColumn kernels: [Schedule]) {
    builder.loop(to: stretch.count) { frame, _ in
      within(stretch(from: frame, count: "1")) { kernels.forEach(emit) }
      return []
    }
  }

  private func emit(_ kernels: [Schedule], through positions: CycleKernel.Positions) {
    builder.loop(to: String(positions.count)) { index, _ in
      walked = positions.isBackward ? builder.define("sub i64 \(positions.count - 1), \(index)") : index
      kernels.forEach(emit)
      walked = nil
      return []
    }
  }

  private func emit(_ spans: SpanSchedule) {
    builder.declare("declare i64 @llvm.umin.i64(i64, i64)")
    builder.inVectors(of: spans.width) {
      builder.loop(to: stretch.count, step: spans.frames) { first, _ in
        let left = builder.define("sub i64 \(stretch.count), \(first)")
        let count = builder.define("call i64 @llvm.umin.i64(i64 \(left), i64 \(spans.frames))")
        within(stretch(from: first, count: count)) { spans.kernels.forEach(emit) }
        return []
      }
    }
  }

  // MARK: Loops

  /// Runs code for each round of the fixed axes of a space, or of others in their place; of an axis in steps, for the first of
  /// so many rounds each.
  ///
  /// The first axis is the cycle's where it is walked.
  func rounds(
    of space: Space, _ extents: [Int]? = nil, inSteps steps: [Int: Int] = [:], _ body: ([String]) -> Void
  ) {
    guard space.isWalked else { return rounds(extents ?? space.extents, inSteps: steps, [], body) }
    guard let walked else { preconditionFailure("a walk without a cycle around it") }
    rounds(extents ?? space.extents, inSteps: steps, [walked], body)
  }

  /// Runs code for each round of some axes.
  func rounds(
    _ extents: [Int], inSteps steps: [Int: Int] = [:], _ indices: [String] = [], _ body: ([String]) -> Void
  ) {
    let axis = indices.count
    guard axis < extents.count else { return body(indices) }
    builder.loop(to: String(extents[axis]), step: steps[axis] ?? 1) { index, _ in
      rounds(extents, inSteps: steps, indices + [index], body)
      return []
    }
  }

  /// Runs code for some rows of an axis at a time, and then for those that are left.
  func rowGroups(of extent: Int, by most: Int, _ body: (_ rows: [String]) -> Void) {
    let count = min(most, extent)
    let whole = extent / count * count
    func rows(from first: String, _ count: Int) -> [String] { (0..<count).map { add(first, $0) } }
    builder.loop(to: String(whole), step: count) { first, _ in
      body(rows(from: first, count))
      return []
    }
    if whole < extent { body(rows(from: String(whole), extent - whole)) }
  }

  /// Runs code over the innermost axis.
  func inner(_ space: Space, _ stages: Stages, _ body: (StagePosition) -> Void) {
    switch space.inner {
    case .frames:
      if let frame {
        body(StagePosition(index: frame, vectors: 1, mask: nil))
      } else if stages.endsWhole {
        builder.wholeVectors(count: stretch.count, vectors: stages.vectors, body)
      } else {
        builder.stages(count: stretch.count, vectors: stages.vectors, body)
      }
    case .count(let count):
      builder.inVectors(of: stages.width) {
        guard count > 1 else { return body(StagePosition(index: "0", vectors: 1, mask: nil)) }
        builder.stages(count: String(count), vectors: stages.vectors, body)
      }
    }
  }

  // MARK: Numbers

  /// Whether an access gives one number for all positions of the innermost axis.
  func isScalar(_ access: Access) -> Bool { access.innerStride == 0 }

  /// Numbers of an access at a position, from the address of its round.
  func load(_ access: Access, _ address: String, at position: StagePosition) -> Lanes {
    switch access.innerStride {
    case 0: return builder.broadcast(builder.loadScalar(address))
    case 1: return builder.load(address, at: unmasked(position, in: access))
    case let apart:
      let first = strided(access, address, position)
      guard builder.width > 1 else { return builder.broadcast(builder.loadScalar(first)) }
      return builder.load(first, apart: apart, at: position)
    }
  }

  func store(_ value: Lanes, _ access: Access, _ address: String, at position: StagePosition) {
    guard access.innerStride == 1 else {
      return builder.storeScalar(value[0], strided(access, address, position))
    }
    let position = unmasked(position, in: access)
    builder.store(value, address, at: position)
    repeating(access) { builder.store(value, builder.address(address, floats: $0), at: position) }
  }

  /// Runs code that writes once more what goes into a ring's first tile, so many floats further: behind its end.
  func repeating(_ access: Access, _ body: (_ distance: String) -> Void) {
    guard case .history(let id) = access.location, plan.layout.histories[id.index].repeated > 0 else {
      return
    }
    let (ring, slot) = (plan.layout.histories[id.index], slot(id, access, []))
    builder.when(builder.define("icmp ult i64 \(slot), \(ring.repeated)")) {
      body(number(ring.capacity, of: access.location))
    }
  }

  /// A position of whose vectors nothing is masked where there is room for whole ones.
  private func unmasked(_ position: StagePosition, in access: Access) -> StagePosition {
    var position = position
    if plan.kernelGraph.hasRoomBehindEnd(access) { position.mask = nil }
    return position
  }

  /// The address of a position's first element.
  func strided(_ access: Access, _ address: String, _ position: StagePosition) -> String {
    builder.address(address, floats: multiply(position.index, access.innerStride))
  }
}
