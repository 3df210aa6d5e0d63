// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import GraphPlanning

/// Writes loops that feed each other as one loop over moments, in which each of them is at another frame.
///
///     lane              0          1          2          3            2 loops of 2 rows
///     at moment n    loop 0     loop 0     loop 1     loop 1
///                    row 0      row 1      row 0      row 1
///                    frame n    frame n    frame n-1  frame n-1
///
///     moments 0 ..< 1                  fill the lanes
///     moments 1 ..< frames             write a frame each; all loops are at one of the frames
///     moments frames ..< 1 + frames    write a frame each; the first loops have nothing to do any more
///
/// A loop that is not at one of the frames computes something that nobody hears, and remembers what it did. Of fewer
/// frames than it takes to fill the lanes there is no middle.
struct WavefrontEmission {
  private let emitter: KernelEmitter
  private let front: Wavefront
  private var builder: FunctionBuilder { emitter.builder }
  private var graph: Graph { emitter.graph }

  /// nil where a cycle is not of this form, and while numbers move that would have to stand still.
  init?(_ emitter: KernelEmitter, _ cycle: CycleKernel) {
    guard emitter.motion == .settled, emitter.plan.goal == .speed,
      let front = Wavefront(cycle, in: emitter.plan, frames: emitter.stretch.most)
    else { return nil }
    self.emitter = emitter
    self.front = front
  }

  func emit() {
    let width = builder.width
    defer { builder.width = width }
    guard !front.loops[0].space.extents.isEmpty else { return self.emit(rows: [[]]) }
    emitter.rowGroups(of: front.rows, by: front.rowsAtOnce) { emit(rows: $0.map { [$0] }) }
  }

  private func emit(rows: [[String]]) {
    var width = 1
    while width < front.loops.count * rows.count { width *= 2 }
    builder.width = width
    let round = WavefrontRound(emitter, front, rows: rows)
    let (frames, beginning) = (emitter.stretch.count, front.beginning)
    let filled = builder.loop(to: String(beginning), carrying: round.begun) { moment, carried in
      round.moment(carried, at: moment)
    }
    builder.declare("declare i64 @llvm.usub.sat.i64(i64, i64)")
    let whole = builder.define("call i64 @llvm.usub.sat.i64(i64 \(frames), i64 \(beginning))")
    let isWhole = builder.define("icmp ne i64 \(whole), 0")
    let middle = builder.when(isWhole, carrying: filled) {
      builder.loop(to: whole, carrying: filled) { frame, carried in
        round.moment(carried, at: emitter.add(frame, beginning), writing: frame, isWhole: true)
      }
    }
    let ended = builder.loop(from: whole, to: frames, carrying: middle) { frame, carried in
      round.moment(carried, at: emitter.add(frame, beginning), writing: frame)
    }
    round.remember(ended)
  }
}
