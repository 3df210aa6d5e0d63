// SPDX-License-Identifier: Apache-2.0

/// Memory for the rows of some ports: each begins at a cache line, or has a margin on both sides where one is asked
/// for.
///
///     units 1, 1, 3, margin 4      ····│row 0│····│row 1│····│r o w   2│····
///
/// A row has `unit` numbers a frame: one of a stream's channel, all numbers of a port in a step.
@safe
package struct RowMemory: ~Copyable, @unchecked Sendable {
  /// The most frames, or steps, that a row holds.
  package let frames: Int
  private let reserved: ReservedMemory
  private let memory: UnsafeMutableBufferPointer<Float>
  private let table: UnsafeMutableBufferPointer<Row>

  /// The place of a row.
  struct Row {
    let first: Int
    let unit: Int
  }

  /// - Parameters:
  ///   - units: for each row the numbers of a frame.
  ///   - margin: numbers before, between and behind the rows.
  ///   - value: what all numbers are at first.
  /// - Throws: `ContextError.outOfMemory`.
  package init(
    units: [Int], frames: Int, margin: Int = 0, repeating value: Float = 0
  ) throws(ContextError) {
    precondition(frames >= 0 && margin >= 0, "rows have frames and margins")
    let places = Self.places(units, frames: frames, margin: margin)
    reserved = try ReservedMemory(numbers: places.end)
    unsafe memory = UnsafeMutableBufferPointer(start: reserved.numbers, count: places.end)
    if value.bitPattern != 0 { unsafe memory.update(repeating: value) }
    unsafe table = .allocate(capacity: units.count)
    _ = unsafe table.initialize(fromContentsOf: places.rows)
    self.frames = frames
  }

  deinit { unsafe table.deallocate() }

  /// The places of rows one after the other, and where the last margin ends.
  private static func places(_ units: [Int], frames: Int, margin: Int) -> (rows: [Row], end: Int) {
    var end = margin
    let rows = units.map { unit in
      let row = Row(first: end, unit: unit)
      end += unit * frames + margin
      if margin == 0 { end = (end + 15) / 16 * 16 }
      return row
    }
    return (rows, end)
  }

  /// The number of rows.
  package var count: Int { @_noLocks get { unsafe table.count } }

  /// A number of a row, counted over its frames.
  package subscript(row: Int, index: Int) -> Float {
    get { unsafe memory[place(row, index)] }
    set { unsafe memory[place(row, index)] = newValue }
  }

  private func place(_ row: Int, _ index: Int) -> Int {
    let row = unsafe table[row]
    precondition(index >= 0 && index < row.unit * frames, "a row has no such number")
    return row.first + index
  }

  /// The address of a row, and how many numbers it has in a frame; the address is valid as long as the memory.
  @_noLocks func place(of row: Int) -> (start: UnsafeMutablePointer<Float>, unit: Int) {
    let isThere = unsafe row >= 0 && row < table.count
    precondition(isThere, "there is no such row")
    return unsafe (memory.baseAddress! + table[row].first, table[row].unit)
  }

  /// Gives a row's numbers of some frames.
  package func withRow<Result>(
    _ row: Int, frames range: Range<Int>, _ body: (borrowing Span<Float>) -> Result
  ) -> Result {
    precondition(range.lowerBound >= 0 && range.upperBound <= frames, "a row has no such frames")
    let (start, unit) = unsafe place(of: row)
    return unsafe body(
      UnsafeMutableBufferPointer(start: start + range.lowerBound * unit, count: range.count * unit).span)
  }

  /// Lets a row's numbers of one frame be written where they are.
  package mutating func withMutableRow(
    _ row: Int, at frame: Int = 0, _ body: (inout MutableSpan<Float>) -> Void
  ) {
    precondition(frame >= 0 && frame < frames, "a row has no such frame")
    let (start, unit) = unsafe place(of: row)
    var span = unsafe MutableSpan(_unsafeStart: start + frame * unit, count: unit)
    body(&span)
  }

  /// Copies frames of signals, one for each row, from a frame of theirs on.
  ///
  /// - Parameter frame: where they are put.
  package mutating func fill(_ signals: [[Float]], from begin: Int, frames count: Int, at frame: Int = 0) {
    precondition(unsafe signals.count == table.count, "a signal for each row")
    precondition(frame >= 0 && frame + count <= frames, "more frames than there is memory for")
    for (row, signal) in signals.enumerated() {
      let (start, unit) = unsafe place(of: row)
      let target = unsafe UnsafeMutableBufferPointer(start: start + frame * unit, count: count * unit)
      _ = unsafe target.update(fromContentsOf: signal[begin * unit..<(begin + count) * unit])
    }
  }

  /// Copies the numbers of one frame of a row.
  package mutating func fill(row: Int, _ numbers: ArraySlice<Float>, at frame: Int = 0) {
    let (start, unit) = unsafe place(of: row)
    precondition(numbers.count == unit && frame >= 0 && frame < frames, "a frame of a row")
    _ = unsafe UnsafeMutableBufferPointer(start: start + frame * unit, count: unit).update(
      fromContentsOf: numbers)
  }

  /// Whether some frames are those of signals from a frame on, bit by bit.
  package func holds(_ signals: [[Float]], from begin: Int, frames count: Int, at frame: Int = 0) -> Bool {
    signals.indices.allSatisfy { row in
      withRow(row, frames: frame..<frame + count) { numbers in
        let first = unsafe begin * table[row].unit
        return numbers.indices.allSatisfy {
          numbers[$0].bitPattern == signals[row][first + $0].bitPattern
        }
      }
    }
  }

  // MARK: Fences

  /// A not-a-number that no arithmetic makes.
  private static var fence: Float { Float(bitPattern: 0x7FA5_5A5A) }

  /// Lets a fence stand everywhere, the margins and all frames.
  package mutating func raiseFence() { unsafe memory.update(repeating: Self.fence) }

  /// Whether the fence stands everywhere but in some frames of the rows.
  package func fenceIsWhole(except range: Range<Int>) -> Bool {
    var begin = 0
    for index in 0...count {
      // The numbers before a row's chosen frames, from the end of those of the row before on.
      let row = index < count ? unsafe table[index] : unsafe Row(first: memory.count, unit: 0)
      for place in begin..<row.first + range.lowerBound * row.unit {
        guard unsafe memory[place].bitPattern == Self.fence.bitPattern else { return false }
      }
      begin = row.first + range.upperBound * row.unit
    }
    return true
  }
}

extension [ProgramLayout.Port] {
  /// For each row the numbers that it has in a frame: one in a stream, all of a port in a step.
  package var rowUnits: [Int] { flatMap { [Int](repeating: $0.rowLength ?? 1, count: $0.rows) } }
}
