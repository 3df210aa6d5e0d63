// SPDX-License-Identifier: Apache-2.0

internal import TensorFiles

/// How far the numbers of one tensor are from those of another one of the same shape.
package struct TensorDifference: Equatable {
  /// The numbers that are further away than a tolerance.
  package let count: Int
  /// The largest distance; infinite where one of two is no number, or infinite.
  package let largest: Double
  /// Where that is, and the two numbers there.
  package let position: [Int]
  package let found, expected: Float

  /// - Returns: nil where no number is further away.
  ///
  /// Not-a-number is where it is expected, and so is an infinity.
  package init?(of found: Tensor, from expected: Tensor, beyond tolerance: Double) {
    precondition(found.shape == expected.shape, "tensors of one shape are compared")
    var (count, worst, largest) = (0, 0, 0.0)
    let (values, wanted) = (found.values, expected.values)
    for place in values.indices {
      let (value, other) = (values[place], wanted[place])
      guard value != other, !(value.isNaN && other.isNaN) else { continue }
      let difference = abs(Double(value) - Double(other))
      let distance = difference.isNaN ? .infinity : difference
      guard distance > tolerance else { continue }
      count += 1
      if distance > largest { (worst, largest) = (place, distance) }
    }
    guard count > 0 else { return nil }
    (self.count, self.largest) = (count, largest)
    position = FloatArray.position(of: worst, in: found.shape)
    (self.found, self.expected) = (values[worst], wanted[worst])
  }
}
