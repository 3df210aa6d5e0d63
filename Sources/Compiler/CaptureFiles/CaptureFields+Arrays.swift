// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import JSONReading

extension CaptureFields {
  /// An array of any shape; nil where the field is missing.
  func optionalArray(_ key: String) -> CaptureArray? {
    value(key).map { CaptureArray($0, name(key), of: json) }
  }

  func array(_ key: String) throws(CaptureError) -> CaptureArray {
    guard let array = optionalArray(key) else { throw missing(key) }
    return array
  }

  /// The channels of a shape: [null, null, 16] has batches, frames and 16 channels.
  func channels(ofShape key: String, upTo most: Int) throws(CaptureError) -> Int {
    guard let shape = value(key) else { throw missing(key) }
    var (axes, last): (Int, Double?) = (0, nil)
    switch shape.content {
    case .array(let elements):
      axes = elements.count
      if case .number(let number)? = elements.last?.content { last = number }
    case .numbers(let numbers): (axes, last) = (numbers.count, numbers.last)
    case .null, .boolean, .number, .string, .object: break
    }
    guard let last else {
      throw error(key, "must be a shape such as [null, null, 16], whose last number is that of channels")
    }
    guard axes <= 3 else {
      throw error(key, "has \(axes) axes; networks with more than one axis of channels are not read")
    }
    return try integer(last, name(key), in: 1...most, at: shape.place)
  }

  /// A whole number above 0, which Keras writes as a list of one for each axis.
  func extent(_ key: String, standard: Int? = nil) throws(CaptureError) -> Int {
    guard let value = value(key), case .numbers(let numbers) = value.content else {
      return try integer(key, in: 1...Limits.extent, standard: standard)
    }
    guard numbers.count == 1 else {
      throw error(key, "has \(counted(numbers.count, "number")); a layer along the frames has 1")
    }
    return try integer(numbers[0], name(key), in: 1...Limits.extent, at: value.place)
  }
}
