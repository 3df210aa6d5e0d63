// SPDX-License-Identifier: Apache-2.0

extension Shape {
  /// Why nothing can have this shape, as the predicate of a sentence; nil where something can.
  ///
  /// Whatever is given to a graph has to pass: who computes with shapes relies on extents that are positive and on
  /// products that fit.
  package var flaw: String? {
    guard rank <= Limits.rank else { return "would have \(rank) axes; \(Limits.rank) are the most" }
    guard fixed.product != nil else {
      return "would have the shape \(self); 1 to \(Limits.elements) numbers are possible"
    }
    guard frames == nil || frames == FramesAxis() else {
      return "would have the shape \(self); the axis of time is 'frames'"
    }
    return nil
  }
}

extension [Int] {
  /// The product of positive extents, or nil where one is not positive or the product is above the limit.
  var product: Int? {
    var result = 1
    for extent in self {
      let (product, overflow) = result.multipliedReportingOverflow(by: extent)
      guard extent >= 1, !overflow, product <= Limits.elements else { return nil }
      result = product
    }
    return result
  }
}
