// SPDX-License-Identifier: Apache-2.0

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
/// A loop that is not at one of the frames computes something that is not read, and keeps its state. Of fewer
/// frames than it takes to fill the lanes there is no middle. Where numbers are time-varying, a few moments
/// go at once, see `WavefrontColumns`.
struct WavefrontEmission {
  private let emitter: KernelEmitter
  private let front: Wavefront
  /// nil where all is read moment by moment.
  private let columns: ColumnReading?
  private var builder: FunctionBuilder { emitter.builder }

  init(_ emitter: KernelEmitter, _ schedule: WavefrontSchedule) {
    self.emitter = emitter
    front = schedule.front
    columns = schedule.columns.map { ColumnReading(emitter, $0) }
  }

  func emit() {
    let width = builder.width
    defer { builder.width = width }
    guard !front.loops[0].space.extents.isEmpty else { return self.emit(rows: [[]]) }
    emitter.rowGroups(of: front.rows, by: front.rowsAtOnce) { emit(rows: $0.map { [$0] }) }
  }

  private func emit(rows: [[String]]) {
    builder.width = front.lanes(rows: rows.count)
    if let columns { emit(columns, rows: rows) } else { emitMoments(rows: rows) }
  }

  private func emit(_ columns: ColumnReading, rows: [[String]]) {
    let round = WavefrontRound(emitter, front, rows: rows, besides: columns.columns.reads)
    let end = builder.define("add i64 \(emitter.stretch.count), \(front.beginning)")
    // Columns of a few lanes have room in registers.
    let transposed = builder.width < columns.moments ? nil : TransposedColumns(columns, rows: rows)
    transposed?.begin()
    let ended = builder.loop(to: end, step: columns.moments, carrying: round.begun) { time, carried in
      guard let transposed else {
        let read = columns.transposed(of: rows, from: time)
        return round.moments(columns.moments, carried, from: time) { moment in
          columns.completed(read.mapValues { $0[moment] })
        }
      }
      let halves = transposed.halves(at: time)
      return round.moments(columns.moments, carried, from: time) { moment in
        transposed.transpose(before: moment, behind: time, into: halves.next)
        return transposed.columns(of: moment, in: halves.now)
      }
    }
    round.remember(ended)
  }

  private func emitMoments(rows: [[String]]) {
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
