// SPDX-License-Identifier: Apache-2.0

package import GraphIR

/// The weights of a program as they will stand in its memory, of which nothing is written before all is decided.
///
///     | "w", all of it | "v", from its second column on, column by column |        each area begins at a cache line
///
/// An area says which of a graph's numbers come there in which order. So passes change the order and no number is
/// copied on the way: the graph has them, and `numbers` writes them down, once.
package struct PackedWeights: Hashable, Sendable {
  /// A loop of a walk through numbers; behind a row of the innermost axis there is room for zeros.
  package typealias Axis = Numbers.Axis

  private struct Area: Hashable {
    let range: Range<Int>
    let source: Numbers
    /// The number at which the walk begins.
    let first: Int
    /// The loops of the walk, the slowest first; none for a single number.
    let axes: [Axis]

    /// Whether it is a part of the source in its own order.
    var isNatural: Bool { axes == [Axis(extent: range.count, stride: 1)] }
  }

  private var areas: [Area] = []

  package init() {}

  /// The numbers, with the gaps between areas.
  package var count: Int { areas.last?.range.upperBound ?? 0 }
  package var isEmpty: Bool { areas.isEmpty }

  /// Adds numbers in the order of a walk through them, and says where they begin.
  package mutating func append(_ source: Numbers, from first: Int = 0, _ axes: [Axis]) -> Int {
    let size = axes.reduce(1) { $0 * $1.room }
    let start = size > 1 ? (count + 15) & ~15 : count
    areas.append(Area(range: start..<start + size, source: source, first: first, axes: axes))
    return start
  }

  package mutating func append(_ source: Numbers) -> Int {
    append(source, [Axis(extent: source.count, stride: 1)])
  }

  /// Adds what stands in one area of these weights, in the order of a walk through that.
  mutating func append(from place: Int, _ axes: [Axis]) -> Int {
    let area = area(at: place)
    precondition(area.isNatural, "what is packed once has its order")
    return append(area.source, from: area.first + place - area.range.lowerBound, axes)
  }

  /// Adds a range of other weights, as far as it is not a part of an order: that is taken whole.
  ///
  /// - Returns: the first place of those weights that is there, and where it is in these.
  mutating func append(_ range: Range<Int>, of other: PackedWeights) -> (from: Int, to: Int) {
    let area = other.area(at: range.lowerBound)
    guard area.isNatural else {
      return (area.range.lowerBound, append(area.source, from: area.first, area.axes))
    }
    let first = area.first + range.lowerBound - area.range.lowerBound
    return (range.lowerBound, append(area.source, from: first, [Axis(extent: range.count, stride: 1)]))
  }

  private func area(at place: Int) -> Area {
    areas[max(areas.partitioningIndex(where: { $0.range.lowerBound > place }), 1) - 1]
  }

  /// The bytes of all areas that have numbers of each source.
  package var bytes: [ObjectIdentifier: Int] {
    areas.reduce(into: [:]) {
      $0[ObjectIdentifier($1.source), default: 0] += $1.range.count * MemoryLayout<Float>.stride
    }
  }

  /// All numbers in memory of their own; gaps are 0.
  ///
  /// Each array is let go when it is packed, the largest ones first: so weights that can be made again are in memory
  /// once, and room for a large one is taken before that of the others is.
  /// - Throws: `Numbers.Unavailable` where some of them were let go before, and cannot be had.
  package func numbers() throws(Numbers.Unavailable) -> Numbers {
    var left: [ObjectIdentifier: Int] = [:]
    for area in areas { left[ObjectIdentifier(area.source.origin), default: 0] += 1 }
    return try Numbers(count: count) { memory throws(Numbers.Unavailable) in
      for area in areas.sorted(by: { $0.range.count > $1.range.count }) {
        let source = area.source
        try source.copy(from: area.first, area.axes, to: area.range.lowerBound, of: &memory)
        let origin = ObjectIdentifier(source.origin)
        left[origin]! -= 1
        if left[origin] == 0 { source.letGo() }
      }
    }
  }
}
