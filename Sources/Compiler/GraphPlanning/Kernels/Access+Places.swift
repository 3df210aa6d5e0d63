// SPDX-License-Identifier: Apache-2.0

/// The places that a walk comes to, from the least to the greatest.
extension Access {
  /// Numbers, or rows, of the memory.
  func places(of loops: Loops) -> ClosedRange<Int> { Self.range(offset, strides, innerStride, loops) }

  /// Of a history, frames back.
  func delays(of loops: Loops) -> ClosedRange<Int> { Self.range(delay, delayStrides, 0, loops) }

  /// The places at the first position of a walk along the first axis.
  func atOnePosition(of loops: Loops) -> ClosedRange<Int> {
    var (loops, strides) = (loops, strides)
    loops.extents.removeFirst()
    strides.removeFirst()
    return Self.range(offset, strides, innerStride, loops)
  }

  private static func range(
    _ offset: Int, _ strides: [Int], _ inner: Int, _ loops: Loops
  ) -> ClosedRange<Int> {
    var (low, high) = (offset, offset)
    func reach(_ distance: Int) { (low, high) = (low + min(0, distance), high + max(0, distance)) }
    for (extent, stride) in zip(loops.extents, strides) { reach((extent - 1) * stride) }
    if case .count(let count) = loops.inner { reach((count - 1) * inner) }
    return low...high
  }
}
