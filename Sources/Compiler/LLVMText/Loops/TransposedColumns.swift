// SPDX-License-Identifier: Apache-2.0

internal import GraphPlanning

/// The columns of a wavefront on the stack, of which those of the next moments are transposed between the present ones.
///
///     moments      0  1  2 … 7         8  9 … 15         16 …
///     read         half 0              half 1            half 0
///     between      columns of 8 … 15   of 16 … 23        of 24 …
///                  into half 1         into half 0       into half 1
///
/// Transposing does not wait for the loops, and the loops wait for themselves: so each has what the other leaves of a
/// processor. A number that all rows share stands there once where they are more than a vector holds.
struct TransposedColumns {
  private let columns: ColumnReading
  private let rows: [[String]]
  private let slots: [WavefrontColumns.Slot]
  /// The floats of a half.
  private let size: Int
  private let scratch: String
  private var emitter: KernelEmitter { columns.emitter }
  private var builder: FunctionBuilder { emitter.builder }

  init(_ columns: ColumnReading, rows: [[String]]) {
    (self.columns, self.rows) = (columns, rows)
    slots = columns.columns.slots(rows: rows.count)
    size = columns.columns.floats(slots)
    scratch = columns.emitter.builder.reserve(floats: 2 * size)
  }

  /// Transposes what the first moments read.
  func begin() {
    for slot in slots { transpose(slot, from: "0", into: scratch) }
  }

  /// The half with the columns of the moments from a time on, and the half for the next ones.
  func halves(at time: String) -> (now: String, next: String) {
    let isOdd = builder.define("and i64 \(time), \(columns.moments)")
    let now = emitter.multiply(isOdd, size / columns.moments)
    let next = builder.define("sub i64 \(size), \(now)")
    return (builder.address(scratch, floats: now), builder.address(scratch, floats: next))
  }

  /// Transposes a share of what is read in the moments behind the present ones.
  func transpose(before moment: Int, behind time: String, into next: String) {
    for (place, slot) in slots.enumerated() where place * columns.moments / slots.count == moment {
      transpose(slot, from: emitter.add(time, columns.moments), into: next)
    }
  }

  /// The columns that a moment reads.
  func columns(of moment: Int, in half: String) -> [Int: Lanes] {
    let width = builder.width
    var read: [Int: Lanes] = [:]
    for slot in slots {
      builder.width = slot.width
      let lanes = builder.load(half, at: position(slot, moment))
      builder.width = width
      let places = (0..<width).map { min($0 / rows.count, slot.width - 1) }
      read[slot.step] = slot.isOnce ? builder.shuffled(lanes, lanes, places) : lanes
    }
    return columns.completed(read)
  }

  private func transpose(_ slot: WavefrontColumns.Slot, from time: String, into half: String) {
    let width = builder.width
    builder.width = slot.width
    let transposed = columns.transposed(slot.step, of: slot.isOnce ? [rows[0]] : rows, from: time)
    for (moment, lanes) in transposed.enumerated() {
      builder.store(lanes, half, at: position(slot, moment))
    }
    builder.width = width
  }

  /// The position of a moment's lanes of a step within a half.
  private func position(_ slot: WavefrontColumns.Slot, _ moment: Int) -> StagePosition {
    StagePosition(index: String(slot.first + moment * slot.width), vectors: 1, mask: nil)
  }
}
