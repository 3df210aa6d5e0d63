// SPDX-License-Identifier: Apache-2.0

internal import RealtimeCore

/// Rows of numbers in one piece of memory, with a fence around each where one is asked for.
///
///     | fence | row 0 | fence | row 1 | fence |
@safe final class NumberRows {
  /// Numbers of each row in a frame.
  private let units: [Int]
  private let begins: [Int]
  /// Places that belong to no row.
  private let fences: [Range<Int>]
  private let memory: UnsafeMutableBufferPointer<Float>
  private let table: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>?>

  /// What stands in a fence: a not-a-number that no arithmetic makes.
  private static let fence = Float(bitPattern: 0x7FA5_5A5A)

  /// - Parameter fence: Numbers before, between and behind the rows.
  init(_ units: [Int], frames: Int, fence: Int = 0) {
    self.units = units
    var end = fence
    var begins: [Int] = []
    var fences = [0..<fence]
    for unit in units {
      begins.append(end)
      end += unit * frames + fence
      fences.append(end - fence..<end)
    }
    self.begins = begins
    self.fences = fences
    unsafe memory = .allocate(capacity: max(1, end))
    unsafe memory.initialize(repeating: 0)
    for range in fences { for index in range { unsafe memory[index] = Self.fence } }
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

  /// Whether the rows begin as these signals do from a frame on, bit by bit.
  func holds(_ signals: [[Float]], from begin: Int, frames: Int) -> Bool {
    signals.enumerated().allSatisfy { row, signal in
      let first = begin * units[row]
      return (0..<frames * units[row]).allSatisfy { index in
        unsafe memory[begins[row] + index].bitPattern == signal[first + index].bitPattern
      }
    }
  }

  /// Whether nothing was written beside the rows.
  var fencesAreWhole: Bool {
    fences.joined().allSatisfy { unsafe memory[$0].bitPattern == Self.fence.bitPattern }
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

extension Context {
  /// Executes from rows to rows, at a frame of both; `frames` is 1 in a step.
  mutating func execute(frames: Int, _ inputs: NumberRows, _ outputs: NumberRows, from begin: Int = 0) {
    unsafe inputs.withTable(from: begin) { sources in
      unsafe outputs.withTable(from: begin) { results in
        let constants = unsafe UnsafeRawPointer(sources)?.assumingMemoryBound(to: UnsafePointer<Float>?.self)
        unsafe execute(frames: frames, inputs: constants, outputs: results)
      }
    }
  }
}
