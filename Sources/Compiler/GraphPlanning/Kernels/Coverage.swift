// SPDX-License-Identifier: Apache-2.0

/// The numbers (or rows) of places that were written: a bit for each.
struct Coverage {
  private struct Marks {
    var words: [UInt64]
    var missing: Int

    init(_ count: Int) {
      words = [UInt64](repeating: 0, count: (count + 63) / 64)
      missing = count
    }

    mutating func mark(_ range: Range<Int>) {
      var begin = range.lowerBound
      while begin < range.upperBound {
        let (word, first) = (begin / 64, begin % 64)
        let length = min(64 - first, range.upperBound - begin)
        let mask = (UInt64.max >> UInt64(64 - length)) << UInt64(first)
        missing -= (mask & ~words[word]).nonzeroBitCount
        words[word] |= mask
        begin += length
      }
    }

    func has(_ range: Range<Int>) -> Bool {
      range.allSatisfy { words.indices.contains($0 / 64) && words[$0 / 64] >> UInt64($0 % 64) & 1 == 1 }
    }
  }

  private var places: [Location: Marks] = [:]

  /// Adds what a walk comes to in a place of `count` numbers; what lies beyond them does not count.
  mutating func add(_ access: Access, _ loops: Loops, of count: Int) {
    // Taken out while it changes, so that it is not copied.
    var marks = places.removeValue(forKey: access.location) ?? Marks(count)
    defer { places[access.location] = marks }
    guard marks.missing > 0 else { return }
    Self.runs(of: access, loops) { marks.mark($0.clamped(to: 0..<count)) }
  }

  /// Whether all numbers that a walk comes to were written.
  func covers(_ access: Access, _ loops: Loops) -> Bool {
    guard let marks = places[access.location] else { return false }
    var isWritten = true
    Self.runs(of: access, loops) { isWritten = isWritten && marks.has($0) }
    return isWritten
  }

  /// The numbers that a walk comes to, in runs of such as lie side by side.
  private static func runs(of access: Access, _ loops: Loops, _ body: (Range<Int>) -> Void) {
    var axes = Array(zip(access.strides, loops.extents))
    if case .count(let count) = loops.inner { axes.append((access.innerStride, count)) }
    axes = axes.filter { $0.1 > 1 && $0.0 != 0 }.sorted { $0.0 < $1.0 }
    // The axes that continue each other are one run; the others repeat it.
    var length = 1
    while let (stride, extent) = axes.first, stride == length {
      length *= extent
      axes.removeFirst()
    }
    func visit(_ axis: Int, _ start: Int) {
      guard axis < axes.count else { return body(start..<start + length) }
      for round in 0..<axes[axis].1 { visit(axis + 1, start + round * axes[axis].0) }
    }
    visit(0, access.offset)
  }

  /// Whether all of a place's numbers, `count` of them, were written.
  func isWhole(_ location: Location, _ count: Int) -> Bool { (places[location]?.missing ?? count) == 0 }
}
