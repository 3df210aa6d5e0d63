// SPDX-License-Identifier: Apache-2.0

internal import GraphPlanning

/// Writes a loop of many rows with a row in each lane.
///
///     y = b * x + a * delay(y, 1)        of 16 rows
///
///     for each 16 frames
///       16 vectors of x, each of a row, transposed into 16 vectors, each of a frame
///       one y after the other, of all rows at once
///       16 vectors of y, each of a frame, transposed into 16 vectors, each of a row
///     for each frame that is left
///       x from row to row into a vector, y from the vector into row after row
///
/// Legal for a loop of which each row remembers only itself, and reads of whatever else it writes nothing before the
/// end of the stretch: each lane computes what its row would compute alone, by the same instructions, so that no bit
/// changes. Time-varying numbers are found along the frames before, see `SpreadNumbers`.
struct TiledLoopEmission {
  private let emitter: KernelEmitter
  private let schedule: TiledLoopSchedule
  private var front: Wavefront { schedule.front }
  private var builder: FunctionBuilder { emitter.builder }

  init(_ emitter: KernelEmitter, _ schedule: TiledLoopSchedule) {
    self.emitter = emitter
    self.schedule = schedule
  }

  func emit() {
    let width = builder.width
    defer { builder.width = width }
    let spread = SpreadNumbers(schedule, emitter)
    emitter.rowGroups(of: front.rows, by: front.rowsAtOnce) { emit(rows: $0.map { [$0] }, spread) }
  }

  private func emit(rows: [[String]], _ spread: SpreadNumbers) {
    builder.width = TiledLoopSchedule.leastRows
    while builder.width < rows.count { builder.width *= 2 }
    let round = WavefrontRound(emitter, front, rows: rows) { step, _ in schedule.numbers.steps.contains(step)
    }
    let frames = emitter.stretch.count
    var carried = round.begun
    var whole = "0"
    // A few rows come into lanes more easily one by one.
    if rows.count >= TiledLoopSchedule.leastRows {
      whole = builder.define("and i64 \(frames), \(-builder.width)")
      carried = builder.when(builder.define("icmp ne i64 \(whole), 0"), carrying: carried) {
        builder.loop(to: whole, step: builder.width, carrying: carried) { frame, carried in
          round.tile(carried, at: frame) { spread.columns(of: emitter.add(frame, $0)) }
        }
      }
    }
    carried = builder.when(builder.define("icmp ult i64 \(whole), \(frames)"), carrying: carried) {
      builder.loop(from: whole, to: frames, carrying: carried) { frame, carried in
        round.moment(
          carried, at: frame, writing: frame, isWhole: true, columns: spread.columns(of: frame))
      }
    }
    round.remember(carried)
  }
}
