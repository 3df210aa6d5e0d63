// SPDX-License-Identifier: Apache-2.0

/// Readings on their way to windows.
///
///     window 4, hop 2     0 1 2 3 4 5 6     ─▶     0 1 2 3     2 3 4 5     and 4 5 6 are kept
package struct WindowCutter {
  /// The last place that a gap leads to: some centuries at any rate.
  private static let lastPlace = 1 << 53

  package struct Window {
    /// The place of the first reading.
    package let begin: Int
    package let readings: ArraySlice<Float>
    /// The times of the first reading and the last one in seconds, where the source knows them.
    package let times: (first: Double, last: Double)?
  }

  private let window, hop, width: Int
  /// Readings that windows are still made of; the first of them is `position`.
  private var kept: [Float] = []
  /// The times of these; nil where nothing says them.
  private var times: [Double]?
  private var position = 0
  /// Readings that will belong to no window, where the hop is longer than the window.
  private var skipped = 0

  package init(window: Int, hop: Int, columns: Int) {
    precondition(window > 0 && hop > 0 && columns > 0, "windows have readings, and readings numbers")
    (self.window, self.hop, width) = (window, hop, columns)
  }

  /// Takes whole readings with their times, and hands out the windows that are whole then.
  package mutating func cut(_ readings: [Float], times: [Double]? = nil) -> [Window] {
    precondition(readings.count.isMultiple(of: width), "readings are whole")
    let count = readings.count / width
    precondition(times?.count ?? count == count, "each reading has its time")
    let passed = min(skipped, count)
    skipped -= passed
    position += passed
    if let times, kept.isEmpty || self.times != nil {
      self.times = (self.times ?? []) + times[passed...]
    } else {
      self.times = nil
    }
    kept += readings[(passed * width)...]
    var windows: [Window] = []
    var begin = 0
    while kept.count / width - begin >= window {
      windows.append(
        Window(
          begin: position + begin, readings: kept[begin * width..<(begin + window) * width],
          times: self.times.map { ($0[begin], $0[begin + window - 1]) }))
      let next = min(begin + hop, kept.count / width)
      skipped = begin + hop - next
      begin = next
    }
    kept.removeFirst(begin * width)
    self.times?.removeFirst(begin)
    position += begin
    return windows
  }

  /// Forgets readings that are no whole window yet, and passes over some that are missing.
  package mutating func forget(missing: Int = 0) {
    let (next, overflow) = (position + kept.count / width).addingReportingOverflow(max(0, missing))
    // A source of somebody else may say any number: behind the last place windows have room.
    position = max(position, overflow ? Self.lastPlace : min(next, Self.lastPlace))
    (kept, times, skipped) = ([], nil, 0)
  }

  /// Begins anew at place 0.
  package mutating func reset() {
    forget()
    position = 0
  }
}
