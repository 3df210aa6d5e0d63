// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import GraphPlanning

/// Writes the function that the context calls: it walks over the block tile by tile, and runs the steps in each.
///
/// A tile holds at most 128 frames; it also ends where a ramp lands, so that within a tile a parameter either moves
/// all the time or stands still, and at multiples of the plan's alignment of the absolute position.
struct EntryEmission {
  /// The names of a kernel's functions.
  struct Step {
    var settled: String
    var moving: String
  }

  let plan: Plan
  let blockKernels: [String]
  let settling: String?
  let steps: [Step]
  let builder: FunctionBuilder

  init(_ plan: Plan, blockKernels: [String], settling: String?, steps: [Step]) {
    self.plan = plan
    self.blockKernels = blockKernels
    self.settling = settling
    self.steps = steps
    builder = FunctionBuilder(target: plan.target, width: 1)
    builder.declare("declare i64 @llvm.umin.i64(i64, i64)")
  }

  /// - Parameter isInternal: whether only the module itself calls the function.
  func function(_ name: String, isInternal: Bool = false) -> String {
    let position = load("i64", WorkspaceLayout.positionOffset, align: 8)
    if !blockKernels.isEmpty { computeStaleBlockValues() }
    switch plan.graph.clock {
    case .stream:
      let isAny = builder.define("icmp ne i64 %frames, 0")
      builder.when(isAny) { walk(from: position) }
    case .step:
      call(steps.map(\.settled), done: "0", position: position, count: "1")
    }
    return """
      define \(isInternal ? "internal " : "")void @\(name)(ptr %inputs, ptr %outputs, ptr %workspace, ptr %weights, i64 %frames) #0 {
      entry:
      \(builder.text)  ret void
      }

      """
  }

  // MARK: Values of stepped parameters

  private func computeStaleBlockValues() {
    let stale = load("i32", WorkspaceLayout.blockStaleOffset)
    builder.when(builder.define("icmp ne i32 \(stale), 0")) {
      call(blockKernels, done: "0", position: "0", count: "1")
      store("i32 0", WorkspaceLayout.blockStaleOffset)
    }
  }

  // MARK: Tiles

  private var smoothed: [Int] {
    plan.graph.parameters.indices.filter { plan.graph.parameters[$0].rampFrames > 0 }
  }

  private var anyMotion: Bool {
    plan.graph.clock == .stream && (settling != nil || steps.contains { $0.settled != $0.moving })
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
    let left = builder.define("sub i64 %frames, \(done)")
    var count = builder.define("call i64 @llvm.umin.i64(i64 \(left), i64 \(room(at: here)))")
    if anyMotion {
      count = runSteps(done: done, position: here, count: count)
    } else {
      call(steps.map(\.settled), done: done, position: here, count: count)
    }
    builder.line("br label %\(latch)")
    builder.place(label: latch)
    builder.line("\(next) = add i64 \(done), \(count)")
    let more = builder.define("icmp ult i64 \(next), %frames")
    builder.line("br i1 \(more), label %\(head), label %\(end)")
    builder.place(label: end)
  }

  /// The most frames that a tile at this position may hold.
  private func room(at position: String) -> String {
    guard plan.tileAlignment > 0 else { return String(Plan.tileFrames) }
    let into = builder.define("and i64 \(position), \(plan.tileAlignment - 1)")
    return builder.define("sub i64 \(plan.tileAlignment), \(into)")
  }

  /// Runs the steps of a tile for parameters that stand still or move; the number of frames it took.
  private func runSteps(done: String, position: String, count: String) -> String {
    let (look, settled, moving, behind) = (
      builder.label("ramps"), builder.label("settled"), builder.label("moving"), builder.label("run")
    )
    let stale = load("i32", WorkspaceLayout.settledStaleOffset)
    let needsLook = builder.define("icmp ne i32 \(stale), 0")
    let start = builder.currentLabel
    builder.line("br i1 \(needsLook), label %\(look), label %\(settled)")

    builder.place(label: look)
    let (shorter, moves, ramps) = advanceRamps(count)
    let settle = builder.label("settle")
    builder.line("br i1 \(moves), label %\(moving), label %\(settle)")
    builder.place(label: settle)
    call([settling].compactMap(\.self), done: "0", position: "0", count: "1")
    store("i32 0", WorkspaceLayout.settledStaleOffset)
    let settleEnd = builder.currentLabel
    builder.line("br label %\(settled)")

    builder.place(label: settled)
    let whole = builder.define("phi i64 [ \(count), %\(start) ], [ \(shorter), %\(settleEnd) ]")
    call(steps.map(\.settled), done: done, position: position, count: whole)
    builder.line("br label %\(behind)")

    builder.place(label: moving)
    call(steps.map(\.moving), done: done, position: position, count: shorter)
    countElapsed(shorter, ramps)
    let movingEnd = builder.currentLabel
    builder.line("br label %\(behind)")

    builder.place(label: behind)
    return builder.define("phi i64 [ \(whole), %\(settled) ], [ \(shorter), %\(movingEnd) ]")
  }

  // MARK: Ramps

  /// What code has found out about a ramp: names of its elapsed frames and of whether it moves.
  private struct Ramp {
    let parameter: Int
    let elapsed: String
    let isMoving: String
  }

  /// Lands the ramps whose next frame is their target, and shortens the tile to the next landing.
  ///
  /// `length - elapsed - 2` as an unsigned number is one frame less than a ramp still moves; its largest value says
  /// that the ramp lands, and the one below that the parameter stands still.
  private func advanceRamps(_ count: String) -> (count: String, moves: String, ramps: [Ramp]) {
    var lefts: [String] = []
    var ramps: [Ramp] = []
    for parameter in smoothed {
      let elapsed = load("i32", WorkspaceLayout.rampOffset(of: parameter, .elapsed))
      let rest = builder.define(
        "sub i32 \(load("i32", WorkspaceLayout.rampOffset(of: parameter, .length))), \(elapsed)")
      let left = builder.define("sub i32 \(rest), 2")
      let isMoving = builder.define("icmp sge i32 \(left), 0")
      lefts.append(left)
      ramps.append(Ramp(parameter: parameter, elapsed: elapsed, isMoving: isMoving))
    }
    let least = extreme(of: lefts, "umin")
    let most = extreme(of: lefts, "umax")
    builder.when(builder.define("icmp eq i32 \(most), -1")) { landRamps() }
    let room = builder.define("add i64 \(builder.define("zext i32 \(least) to i64")), 1")
    let shorter = builder.define("call i64 @llvm.umin.i64(i64 \(count), i64 \(room))")
    return (shorter, builder.define("icmp sge i32 \(least), 0"), ramps)
  }

  private func extreme(of names: [String], _ intrinsic: String) -> String {
    precondition(!names.isEmpty, "code looks for ramps where no parameter has one")
    builder.declare("declare i32 @llvm.\(intrinsic).i32(i32, i32)")
    return names.dropFirst().reduce(names[0]) {
      builder.define("call i32 @llvm.\(intrinsic).i32(i32 \($0), i32 \($1))")
    }
  }

  /// Lands each ramp whose next frame is its target; a loop, because it is rare and many parameters are long.
  private func landRamps() {
    builder.loop(to: String(plan.graph.parameters.count)) { parameter, _ in
      let bytes = builder.define("mul i64 \(parameter), \(WorkspaceLayout.rampBytes)")
      let ramp = builder.address("%workspace", bytes: bytes)
      func place(_ field: WorkspaceLayout.RampField) -> String {
        builder.address(ramp, bytes: String(WorkspaceLayout.rampOffset(of: 0, field)))
      }
      let elapsed = builder.define("load i32, ptr \(place(.elapsed)), align 4")
      let length = builder.define("load i32, ptr \(place(.length)), align 4")
      let rest = builder.define("sub i32 \(length), \(elapsed)")
      builder.when(builder.define("icmp eq i32 \(rest), 1")) {
        let target = builder.define("load float, ptr \(place(.target)), align 4")
        builder.line("store float \(target), ptr \(place(.start)), align 4")
        builder.line("store float 0.0, ptr \(place(.step)), align 4")
        builder.line("store i32 0, ptr \(place(.length)), align 4")
        builder.line("store i32 0, ptr \(place(.elapsed)), align 4")
      }
      return []
    }
  }

  private func countElapsed(_ count: String, _ ramps: [Ramp]) {
    let frames = builder.define("trunc i64 \(count) to i32")
    for ramp in ramps {
      let passed = builder.define("add i32 \(ramp.elapsed), \(frames)")
      let elapsed = builder.define("select i1 \(ramp.isMoving), i32 \(passed), i32 0")
      store("i32 \(elapsed)", WorkspaceLayout.rampOffset(of: ramp.parameter, .elapsed))
    }
  }

  // MARK: Text

  private func call(_ names: [String], done: String, position: String, count: String) {
    for name in names {
      builder.line(
        "call void @\(name)(ptr %inputs, ptr %outputs, ptr %workspace, ptr %weights, i64 \(done), "
          + "i64 \(position), i64 \(count))")
    }
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
