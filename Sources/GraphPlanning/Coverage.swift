// SPDX-License-Identifier: Apache-2.0

/// Which numbers (or rows) of places were written.
struct Coverage {
  private var ranges: [Location: [Range<Int>]] = [:]
  private var whole: Set<Location> = []

  /// Adds what a walk comes to.
  mutating func add(_ access: Access, _ loops: Loops) {
    guard !whole.contains(access.location) else { return }
    var axes = Array(zip(access.strides, loops.extents))
    if case .count(let count) = loops.inner { axes.append((access.innerStride, count)) }
    axes = axes.filter { $0.1 > 1 }.sorted { $0.0 < $1.0 }
    // The axes that continue each other are one run; the others repeat it.
    var length = 1
    while let (stride, extent) = axes.first, stride == length {
      length *= extent
      axes.removeFirst()
    }
    var starts = [access.offset]
    for (stride, extent) in axes {
      starts = starts.flatMap { start in (0..<extent).map { start + $0 * stride } }
    }
    ranges[access.location, default: []] += starts.map { $0..<$0 + length }
  }

  /// Whether all numbers from 0 up to a count were written.
  mutating func isWhole(_ location: Location, _ count: Int) -> Bool {
    if whole.contains(location) { return true }
    var end = 0
    for range in (ranges[location] ?? []).sorted(by: { $0.lowerBound < $1.lowerBound }) {
      guard range.lowerBound <= end else { break }
      end = max(end, range.upperBound)
    }
    guard end >= count else { return false }
    whole.insert(location)
    ranges[location] = nil
    return true
  }
}
