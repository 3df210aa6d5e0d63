// SPDX-License-Identifier: Apache-2.0

/// Overlapping stretches of a fixed axis.
///
///     x              0 1 2 3 4 5 6         an axis of 7
///     size 3, hop 2  0 1 2
///                        2 3 4             becomes two: [3 positions, 3 of each]
///                            4 5 6
///
/// The numbers of a stretch lie `dilation` apart. A size of 1 takes every hop-th number.
package struct Window: Hashable, Sendable {
  package var axis: Int
  package var size: Int
  package var hop: Int
  package var dilation: Int

  package init(axis: Int, size: Int, hop: Int = 1, dilation: Int = 1) {
    self.axis = axis
    self.size = size
    self.hop = hop
    self.dilation = dilation
  }

  /// The numbers of x from the first to the last of a stretch.
  private var reach: Int? {
    let (span, overflow) = (size - 1).multipliedReportingOverflow(by: dilation)
    return overflow ? nil : span + 1
  }

  /// The distances in x for the axes of the result, by those for the axes of x.
  package func strides(_ own: [Int]) -> [Int] {
    own[..<axis] + [own[axis] * hop, own[axis] * dilation] + own[(axis + 1)...]
  }

  func resultShape(_ x: Shape) throws(TypingError) -> Shape {
    let extent = try x.extent(axis)
    guard [size, hop, dilation].allSatisfy((1...Limits.extent).contains) else {
      throw TypingError(
        "size, hop and dilation of a window must lie in 1…\(Limits.extent); they are \(size), \(hop) and \(dilation)"
      )
    }
    guard let reach, reach <= extent else {
      throw TypingError(
        "a window of \(size) numbers, \(dilation) apart, does not fit axis \(axis) of \(x), which has \(extent)"
      )
    }
    var result = x
    result.fixed.replaceSubrange(axis...axis, with: [(extent - reach) / hop + 1, size])
    guard result.fixed.count <= Limits.rank else {
      throw TypingError("the result would have \(result.fixed.count) axes; \(Limits.rank) are the most")
    }
    return result
  }
}
