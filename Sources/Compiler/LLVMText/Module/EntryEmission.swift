// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import GraphPlanning

/// Writes the function that the context calls: it walks over the block tile by tile, and runs the steps in each.
///
/// A tile holds at most 128 frames; it also ends where a ramp lands, so that within a tile a parameter is
/// either time-varying or settled, and at multiples of the plan's alignment of the absolute position.
struct EntryEmission {
  /// A function, and where the numbers that it is told begin in the module's table.
  struct Call {
    var name: String
    var numbers: Int?
  }

  /// How the codes of a kernel are called.
  struct Step {
    /// Pasts that are moved on before it.
    var moves: [Call] = []
    /// nil where there is nothing to do while parameters are settled.
    var settled: Call?
    /// nil where the same code does.
    var timeVarying: Call?
    /// Whether what it computes follows parameters.
    var followsParameters: Bool
  }

  let plan: Plan
  let blockKernels: [Call]
  let settling: Call?
  let steps: [Step]
  let builder: FunctionBuilder

  init(_ plan: Plan, blockKernels: [Call], settling: Call?, steps: [Step]) {
    self.plan = plan
    self.blockKernels = blockKernels
    self.settling = settling
    self.steps = steps
    builder = FunctionBuilder(target: plan.target, width: 1)
    builder.declare("declare i64 @llvm.umin.i64(i64, i64)")
  }

  /// The function behind its first word, `define`, which says who may call it.
  func function(_ name: String) -> String {
    let position = load("i64", WorkspaceLayout.positionOffset, align: 8)
    if !blockKernels.isEmpty { computeStaleBlockValues() }
    switch plan.graph.clock {
    case .stream:
      let isAny = builder.define("icmp ne i64 %frames, 0")
      builder.when(isAny) { walk(from: position) }
    case .step:
      call(settledSteps, done: "0", position: position, count: "1")
    }
    return """
      void @\(name)(ptr %inputs, ptr %outputs, ptr %workspace, ptr %weights, i64 %frames) #0 {
      entry:
      \(builder.text)  ret void
      }

      """
  }

  // MARK: Values of stepped parameters and array parameters

  private func computeStaleBlockValues() {
    let stale = load("i32", WorkspaceLayout.blockStaleOffset)
    builder.when(builder.define("icmp ne i32 \(stale), 0")) {
      call(blockKernels, done: "0", position: "0", count: "1")
      store("i32 0", WorkspaceLayout.blockStaleOffset)
    }
  }

  // MARK: Tiles

  /// Whether parameters may change while steps run.
  var anyVariation: Bool {
    plan.graph.clock == .stream && (settling != nil || steps.contains(where: \.followsParameters))
  }

  /// The loop over tiles; a tile's length is known only in it, so that it is written out instead of counted.
  private func walk(from position: String) {
    let (head, latch, end) = (builder.label("tile"), builder.label("tile.next"), builder.label("tile.done"))
    let before = builder.currentLabel
    let (done, next) = (builder.name(), builder.name())
    builder.line("br label %\(head)")
    builder.place(label: head)
    builder.line("\(done) = phi i64 [ 0, %\(before) ], [ \(next), %\(latch) ]")
    let here = builder.define("add i64 \(position), \(done)")
    findHeads(at: here)
    let left = builder.define("sub i64 %frames, \(done)")
    var count = builder.define("call i64 @llvm.umin.i64(i64 \(left), i64 \(room(at: here)))")
    if anyVariation {
      count = runSteps(done: done, position: here, count: count)
    } else {
      call(settledSteps, done: done, position: here, count: count)
    }
    builder.line("br label %\(latch)")
    builder.place(label: latch)
    builder.line("\(next) = add i64 \(builder.opaque(index: done)), \(count)")
    let more = builder.define("icmp ult i64 \(next), %frames")
    builder.line("br i1 \(more), label %\(head), label %\(end)")
    builder.place(label: end)
  }

  /// Finds the slot of a tile's first frame in all rings of each length that have a head.
  private func findHeads(at position: String) {
    for (capacity, offset) in plan.layout.headOffsets.sorted(by: { $0.key < $1.key }) {
      // The position is below 0 while a program warms up.
      let rest = builder.define("srem i64 \(position), \(capacity)")
      let isBehind = builder.define("icmp slt i64 \(rest), 0")
      let wrapped = builder.define("add i64 \(rest), \(capacity)")
      let head = builder.define("select i1 \(isBehind), i64 \(wrapped), i64 \(rest)")
      let place = builder.address("%workspace", bytes: String(offset))
      builder.line("store i64 \(head), ptr \(place), align 8")
    }
  }

  /// The most frames that a tile at this position may hold.
  private func room(at position: String) -> String {
    guard plan.tileAlignment > 0 else { return String(Plan.tileFrames) }
    let into = builder.define("and i64 \(position), \(plan.tileAlignment - 1)")
    return builder.define("sub i64 \(plan.tileAlignment), \(into)")
  }

  /// Runs the steps of a tile, settled or time-varying, and returns its number of frames.
  private func runSteps(done: String, position: String, count: String) -> String {
    let (look, varying, settle, settled, behind) = (
      builder.label("ramps"), builder.label("varying"), builder.label("settle"), builder.label("settled"),
      builder.label("run")
    )
    let stale = load("i32", WorkspaceLayout.settledStaleOffset)
    let needsLook = builder.define("icmp ne i32 \(stale), 0")
    builder.line("br i1 \(needsLook), label %\(look), label %\(settled)")

    builder.place(label: look)
    let before = landing()
    builder.when(builder.define("icmp sle i64 \(before), \(position)")) {
      call([Call(name: LandingEmission.name)], done: done, position: position, count: count)
    }
    let left = builder.define("sub i64 \(landing()), \(position)")
    let varies = builder.define("icmp ne i64 \(left), 0")
    builder.line("br i1 \(varies), label %\(varying), label %\(settle)")

    builder.place(label: varying)
    // A ramp has fewer than 2^24 frames. Written so that the census of loops sees a length above 0.
    let further = builder.define("trunc i64 \(builder.define("sub i64 \(left), 1")) to i32")
    let room = builder.define("add i64 \(builder.define("zext i32 \(further) to i64")), 1")
    let shorter = builder.define("call i64 @llvm.umin.i64(i64 \(count), i64 \(room))")
    call(timeVaryingSteps, done: done, position: position, count: shorter)
    let varyingEnd = builder.currentLabel
    builder.line("br label %\(behind)")

    builder.place(label: settle)
    call([settling].compactMap(\.self), done: "0", position: "0", count: "1")
    store("i32 0", WorkspaceLayout.settledStaleOffset)
    builder.line("br label %\(settled)")

    builder.place(label: settled)
    call(settledSteps, done: done, position: position, count: count)
    let settledEnd = builder.currentLabel
    builder.line("br label %\(behind)")

    builder.place(label: behind)
    return builder.define("phi i64 [ \(shorter), %\(varyingEnd) ], [ \(count), %\(settledEnd) ]")
  }

  /// The position at which the next ramp lands.
  private func landing() -> String { load("i64", WorkspaceLayout.SpanField.landing.offset, align: 8) }

  /// The calls of a tile while parameters are settled.
  private var settledSteps: [Call] { steps.flatMap { $0.moves + [$0.settled].compactMap(\.self) } }

  /// The calls of a tile while one of them changes.
  private var timeVaryingSteps: [Call] {
    steps.flatMap { $0.moves + [$0.timeVarying ?? $0.settled].compactMap(\.self) }
  }

  // MARK: Text

  private func call(_ calls: [Call], done: String, position: String, count: String) {
    for run in CallRun.runs(of: calls) {
      builder.loop(to: String(run.rounds)) { round, _ in
        let table = round == "0" ? KernelForm.table : row(round, run.stride)
        for call in run.calls {
          let numbers = call.numbers.map { ", ptr \(builder.address(table, bytes: String($0 * 8)))" } ?? ""
          builder.line(
            "call void @\(call.name)(ptr %inputs, ptr %outputs, ptr %workspace, ptr %weights, i64 \(done), "
              + "i64 \(position), i64 \(count)\(numbers))")
        }
        return []
      }
    }
  }

  /// The table from the numbers of a round on, which stand so far behind those of the one before it.
  private func row(_ round: String, _ stride: Int) -> String {
    builder.address(KernelForm.table, bytes: builder.define("mul i64 \(round), \(stride * 8)"))
  }

  private func load(_ type: String, _ offset: Int, align: Int = 4) -> String {
    let place = builder.address("%workspace", bytes: String(offset))
    return builder.define("load \(type), ptr \(place), align \(align)")
  }

  private func store(_ typed: String, _ offset: Int) {
    let place = builder.address("%workspace", bytes: String(offset))
    builder.line("store \(typed), ptr \(place), align 4")
  }
}
