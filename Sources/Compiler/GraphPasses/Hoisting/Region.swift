// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// A box of positions in a value: a range for each fixed axis. Frames are never cut.
struct Region: Hashable {
  var ranges: [Range<Int>]

  init(_ ranges: [Range<Int>]) { self.ranges = ranges }

  /// All positions of a shape.
  init(whole shape: Shape) { ranges = shape.fixed.map { 0..<$0 } }

  var extents: [Int] { ranges.map(\.count) }

  /// How many positions there are.
  var count: Int { ranges.reduce(1) { $0 * $1.count } }

  func isWhole(of shape: Shape) -> Bool { extents == shape.fixed }

  /// The smallest region that holds both.
  func hull(with other: Region?) -> Region {
    guard let other else { return self }
    return Region(
      zip(ranges, other.ranges).map { a, b in
        Swift.min(a.lowerBound, b.lowerBound)..<Swift.max(a.upperBound, b.upperBound)
      })
  }

  func with(_ axis: Int, _ range: Range<Int>) -> Region {
    var result = self
    result.ranges[axis] = range
    return result
  }

  /// The same box, so many positions further along each axis.
  func moved(by distances: [Int]) -> Region {
    Region(zip(ranges, distances).map { $0.moved(by: $1) })
  }

  /// How far `other` begins from where this one does, along each axis.
  func distances(to other: Region) -> [Int] {
    zip(ranges, other.ranges).map { $1.lowerBound - $0.lowerBound }
  }
}

extension Range<Int> {
  func moved(by distance: Int) -> Range<Int> { lowerBound + distance..<upperBound + distance }
}
