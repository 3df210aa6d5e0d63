// SPDX-License-Identifier: Apache-2.0

/// A table of pointers to chosen rows, from one of their frames on: what an entry point takes.
///
///     chosen rows 2, 2, 0      at frame 128      ▶ row 2 + 128 · row 2 + 128 · row 0 + 128
///
/// The memory that has the rows must outlive the table.
@safe
package struct ChosenRows: ~Copyable, @unchecked Sendable {
  private let table: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>
  private let units: UnsafeMutableBufferPointer<Int>
  /// The frame that the table points at.
  private var frame = 0

  /// Chooses rows of some memory; nil chooses each one once.
  package init(_ memory: borrowing RowMemory, _ rows: [Int]? = nil) {
    let rows = rows ?? Array(0..<memory.count)
    unsafe table = .allocate(capacity: rows.count)
    unsafe units = .allocate(capacity: rows.count)
    for (index, row) in rows.enumerated() {
      let (start, unit) = unsafe memory.place(of: row)
      unsafe table.initializeElement(at: index, to: start)
      unsafe units.initializeElement(at: index, to: unit)
    }
  }

  deinit {
    unsafe table.deallocate()
    unsafe units.deallocate()
  }

  /// The number of chosen rows.
  package var count: Int { @_noLocks get { unsafe table.count } }

  /// The table, with pointers at one frame of all rows; it is valid until the next call.
  @_noLocks package mutating func at(_ frame: Int) -> UnsafeBufferPointer<UnsafeMutablePointer<Float>> {
    let distance = frame - self.frame
    if distance != 0 {
      // Not `+=`: under the thread sanitizer the compiler makes broken code of a pointer that is changed in place.
      for row in 0..<count { unsafe table[row] = table[row] + distance * units[row] }
      self.frame = frame
    }
    return unsafe UnsafeBufferPointer(table)
  }

  /// The table as an entry point takes it for inputs.
  var sources: UnsafePointer<UnsafePointer<Float>?>? {
    @_noLocks get {
      unsafe UnsafeRawPointer(table.baseAddress)?.assumingMemoryBound(to: UnsafePointer<Float>?.self)
    }
  }

  /// The table as an entry point takes it for outputs.
  var results: UnsafePointer<UnsafeMutablePointer<Float>?>? {
    @_noLocks get {
      unsafe UnsafeRawPointer(table.baseAddress)?.assumingMemoryBound(to: UnsafeMutablePointer<Float>?.self)
    }
  }

  /// Copies the numbers of one frame of each row to the row of others at the same place.
  @_noLocks func copy(to others: borrowing ChosenRows) {
    for row in 0..<count {
      for index in unsafe 0..<units[row] { unsafe others.table[row][index] = table[row][index] }
    }
  }

  /// Lets a row be the same as one of other rows.
  mutating func share(_ row: Int, with other: Int, of rows: borrowing ChosenRows) {
    precondition(unsafe units[row] == rows.units[other], "rows of one memory have numbers alike")
    unsafe table[row] = rows.table[other] + (frame - rows.frame) * units[row]
  }

  /// A row's numbers up to a frame.
  package func numbers(_ row: Int, frames: Int) -> [Float] {
    unsafe Array(
      UnsafeBufferPointer(start: table[row] - frame * units[row], count: frames * units[row]))
  }
}
