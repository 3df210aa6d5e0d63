// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// The flat array of a capture's weights, and how much of it has been taken.
///
///     "weights": [0.1, -0.2, 0.3, …]
///                 ╰ lstm1 ────╯ ╰ next
struct WeightCursor {
  private let fields: CaptureFields
  private let numbers: [Double]
  private var position = 0

  /// - Parameters:
  ///   - fields: the object that has the weights.
  ///   - isOptional: whether there need not be any.
  init(_ fields: CaptureFields, isOptional: Bool = false) throws(CaptureError) {
    self.fields = fields
    numbers = isOptional && !fields.has("weights") ? [] : try fields.numbers("weights")
  }

  /// The next numbers, as many as a shape has.
  ///
  /// - Parameter what: the part of the network that they are for, as messages call it.
  mutating func take(_ shape: [Int], _ what: @autoclosure () -> String) throws(CaptureError) -> [Float] {
    var count = 1
    for extent in shape {
      let (product, overflows) = count.multipliedReportingOverflow(by: extent)
      count = overflows ? Int.max : product
    }
    guard count <= numbers.count - position else {
      let extents = shape.map(String.init).joined(separator: " × ")
      throw fields.error(
        "weights",
        "has too few numbers: \(what()) needs \(shape.count > 1 ? extents : counted(count, "number")) from number "
          + "\(position + 1) on, and there are \(numbers.count)")
    }
    var result: [Float] = []
    result.reserveCapacity(count)
    for index in position..<position + count {
      let number = Float(numbers[index])
      guard number.isFinite else {
        throw CaptureError(
          place: fields.place(ofElement: index, of: "weights"),
          message:
            "\(fields.name("weights"))[\(index)], of \(what()), is \(written(numbers[index])), which is too large "
            + "for a 32-bit float")
      }
      result.append(number)
    }
    position += count
    return result
  }

  /// Refuses numbers that nothing has taken.
  func finish() throws(CaptureError) {
    guard position == numbers.count else {
      throw fields.error(
        "weights", "has \(counted(numbers.count, "number")), and the network takes \(position)")
    }
  }
}
