// SPDX-License-Identifier: Apache-2.0

internal import RealtimeCore

/// Rows of numbers in one piece of memory.
@safe final class NumberRows {
  /// Numbers of each row in a frame.
  private let units: [Int]
  private let begins: [Int]
  private let memory: UnsafeMutableBufferPointer<Float>
  private let table: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>?>

  init(_ units: [Int], frames: Int) {
    self.units = units
    var size = 0
    begins = units.map { unit in
      defer { size += unit * frames }
      return size
    }
    unsafe memory = .allocate(capacity: max(1, size))
    unsafe memory.initialize(repeating: 0)
    unsafe table = .allocate(capacity: max(1, units.count))
    unsafe table.initialize(repeating: nil)
  }

  deinit {
    unsafe memory.deallocate()
    unsafe table.deallocate()
  }

  func fill(_ signals: [[Float]], from begin: Int, frames: Int) {
    for (row, signal) in signals.enumerated() {
      let first = begin * units[row]
      for index in 0..<frames * units[row] { unsafe memory[begins[row] + index] = signal[first + index] }
    }
  }

  /// Gives a pointer to each row's numbers from a frame on.
  func withTable<Result>(
    from frame: Int, _ body: (UnsafeMutablePointer<UnsafeMutablePointer<Float>?>?) -> Result
  ) -> Result {
    for row in units.indices {
      unsafe table[row] = memory.baseAddress! + begins[row] + frame * units[row]
    }
    return unsafe body(table.baseAddress)
  }

  subscript(row: Int, index: Int) -> Float { unsafe memory[begins[row] + index] }

  /// The first of some frames with a number that is not finite.
  func firstFrame(of frames: Int) -> Int? {
    var first: Int?
    for (begin, unit) in zip(begins, units) {
      let row = unsafe UnsafeMutableBufferPointer(rebasing: memory[begin..<begin + frames * unit])
      // The exponents of infinities and not-a-numbers are the largest: a maximum of integers finds whether there are.
      var largest: UInt32 = 0
      for index in row.indices { unsafe largest = max(largest, row[index].bitPattern & 0x7FFF_FFFF) }
      guard largest >= Float.infinity.bitPattern else { continue }
      let frame = unsafe row.firstIndex { !$0.isFinite }.map { $0 / unit }
      first = [first, frame].compactMap(\.self).min()
    }
    return first
  }
}

extension [ProgramLayout.Port] {
  /// For each row the numbers that it has in a frame: one in a stream, all of a port in a step.
  var rowUnits: [Int] { flatMap { [Int](repeating: $0.rowLength ?? 1, count: $0.rows) } }
}
