// SPDX-License-Identifier: Apache-2.0

/// Readings on their way to windows.
///
///     window 4, hop 2     0 1 2 3 4 5 6     ─▶     0 1 2 3     2 3 4 5     and 4 5 6 are kept
package struct WindowCutter {
  private let window, hop, width: Int
  /// Readings that windows are still made of; the first of them is `position`.
  private var kept: [Float] = []
  private var position = 0
  /// Readings that will belong to no window, where the hop is longer than the window.
  private var skipped = 0

  package init(window: Int, hop: Int, columns: Int) {
    precondition(window > 0 && hop > 0 && columns > 0, "windows have readings, and readings numbers")
    (self.window, self.hop, width) = (window, hop, columns)
  }

  /// Takes whole readings, and hands out the windows that are whole then, with the places that they begin at.
  package mutating func cut(_ readings: [Float]) -> [(begin: Int, readings: ArraySlice<Float>)] {
    precondition(readings.count.isMultiple(of: width), "readings are whole")
    let passed = min(skipped, readings.count / width)
    skipped -= passed
    position += passed
    kept += readings[(passed * width)...]
    var windows: [(begin: Int, readings: ArraySlice<Float>)] = []
    var begin = 0
    while kept.count / width - begin >= window {
      windows.append((position + begin, kept[begin * width..<(begin + window) * width]))
      let next = min(begin + hop, kept.count / width)
      skipped = begin + hop - next
      begin = next
    }
    kept.removeFirst(begin * width)
    position += begin
    return windows
  }

  /// Forgets readings that are no whole window yet, and passes over some that are missing.
  package mutating func forget(missing: Int = 0) {
    position += kept.count / width + missing
    (kept, skipped) = ([], 0)
  }

  /// Begins anew at place 0.
  package mutating func reset() { (kept, position, skipped) = ([], 0, 0) }
}
