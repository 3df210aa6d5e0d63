// SPDX-License-Identifier: Apache-2.0

internal import GraphPlanning

/// The columns of a wavefront on the stack, of which those of the next moments are turned between the present ones.
///
///     moments      0  1  2 … 7         8  9 … 15         16 …
///     hear         half 0              half 1            half 0
///     between      columns of 8 … 15   of 16 … 23        of 24 …
///                  into half 1         into half 0       into half 1
///
/// Turning does not wait for the loops, and the loops wait for themselves: so each has what the other leaves of a
/// processor. A number that all rows share stands there once where they are more than a vector holds.
struct TurnedColumns {
  /// Where the columns of a step are within a half.
  private struct Slot {
    var step: Int
    var first: Int
    /// Lanes of each moment.
    var width: Int
    /// Whether all rows have the same, which stands here once.
    var isOnce: Bool
  }

  private let columns: WavefrontColumns
  private let rows: [[String]]
  private let slots: [Slot]
  /// The floats of a half.
  private let size: Int
  private let scratch: String
  private var emitter: KernelEmitter { columns.emitter }
  private var builder: FunctionBuilder { emitter.builder }

  /// Whether the stack has room for them.
  static func fit(_ columns: WavefrontColumns, rows: Int) -> Bool {
    4 * 2 * floats(slots(of: columns, rows: rows), columns) <= FunctionBuilder.mostReservedBytes
  }

  private static func slots(of columns: WavefrontColumns, rows: Int) -> [Slot] {
    let width = columns.front.lanes(rows: rows)
    let isWide = width > columns.emitter.plan.target.lanes
    var first = 0
    return columns.steps.map { step in
      let isOnce = isWide && columns.isShared(step)
      let slot = Slot(
        step: step, first: first, width: isOnce ? columns.front.lanes(rows: 1) : width, isOnce: isOnce)
      first += columns.moments * slot.width
      return slot
    }
  }

  private static func floats(_ slots: [Slot], _ columns: WavefrontColumns) -> Int {
    slots.reduce(0) { $0 + columns.moments * $1.width }
  }

  init(_ columns: WavefrontColumns, rows: [[String]]) {
    (self.columns, self.rows) = (columns, rows)
    slots = Self.slots(of: columns, rows: rows.count)
    size = Self.floats(slots, columns)
    scratch = columns.emitter.builder.reserve(floats: 2 * size)
  }

  /// Turns what the first moments hear.
  func begin() {
    for slot in slots { turn(slot, from: "0", into: scratch) }
  }

  /// Where the columns of the moments from a time on are, and where those of the next ones go.
  func halves(at time: String) -> (now: String, next: String) {
    let isOdd = builder.define("and i64 \(time), \(columns.moments)")
    let now = emitter.multiply(isOdd, size / columns.moments)
    let next = builder.define("sub i64 \(size), \(now)")
    return (builder.address(scratch, floats: now), builder.address(scratch, floats: next))
  }

  /// Turns a share of what is heard in the moments behind the present ones.
  func turn(before moment: Int, behind time: String, into next: String) {
    for (place, slot) in slots.enumerated() where place * columns.moments / slots.count == moment {
      turn(slot, from: emitter.add(time, columns.moments), into: next)
    }
  }

  /// What a moment hears.
  func columns(of moment: Int, in half: String) -> [Int: Lanes] {
    let width = builder.width
    var heard: [Int: Lanes] = [:]
    for slot in slots {
      builder.width = slot.width
      let lanes = builder.load(half, at: position(slot, moment))
      builder.width = width
      let places = (0..<width).map { min($0 / rows.count, slot.width - 1) }
      heard[slot.step] = slot.isOnce ? builder.shuffled(lanes, lanes, places) : lanes
    }
    return columns.completed(heard)
  }

  private func turn(_ slot: Slot, from time: String, into half: String) {
    let width = builder.width
    builder.width = slot.width
    let turned = columns.turned(slot.step, of: slot.isOnce ? [rows[0]] : rows, from: time)
    for (moment, lanes) in turned.enumerated() {
      builder.store(lanes, half, at: position(slot, moment))
    }
    builder.width = width
  }

  /// Where a moment's lanes of a step are within a half.
  private func position(_ slot: Slot, _ moment: Int) -> StagePosition {
    StagePosition(index: String(slot.first + moment * slot.width), vectors: 1, mask: nil)
  }
}
