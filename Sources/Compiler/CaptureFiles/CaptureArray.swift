// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import JSONReading

/// An array of several axes, as NumPy and PyTorch write it: numbers in lists, lists in lists.
///
///     "weights": [[[0.1, 0.2], [0.3, 0.4]], [0.5, 0.6]]
///                 ╰─ weights[0], of [2, 2] ─╯  ╰─ weights[1], of [2]
struct CaptureArray {
  /// The path that messages call it by.
  let name: String
  private let value: JSONValue
  private let json: JSONDocument

  init(_ value: JSONValue, _ name: String, of json: JSONDocument) {
    (self.value, self.name, self.json) = (value, name, json)
  }

  var place: Place { value.place }

  /// The elements of the first axis; nil where it is no list.
  var count: Int? {
    switch value.content {
    case .array(let elements): elements.count
    case .numbers(let numbers): numbers.count
    case .null, .boolean, .number, .string, .object: nil
    }
  }

  /// Whether it has one axis.
  var isFlat: Bool { if case .numbers = value.content { true } else { false } }

  /// The arrays of a list.
  func elements() throws(CaptureError) -> [CaptureArray] {
    guard case .array(let elements) = value.content else {
      throw error("must be a list of arrays, this is \(isFlat ? "a list of numbers" : value.kind)")
    }
    return elements.enumerated().map { CaptureArray($1, "\(name)[\($0)]", of: json) }
  }

  func error(_ message: String) -> CaptureError {
    CaptureError(place: place, message: "\(name) \(message)")
  }

  /// The numbers of an array of a shape, the last axis contiguous.
  func numbers(_ shape: [Int]) throws(CaptureError) -> [Float] {
    var result: [Float] = []
    try collect(shape[...], in: &result)
    return result
  }

  /// The numbers of an array of a shape, with its axes the other way round: what Keras keeps as `[kernel, in, out]`
  /// is `[out, in, kernel]` with us.
  func numbers(turning shape: [Int]) throws(CaptureError) -> [Float] {
    let numbers = try numbers(shape)
    var result = numbers
    for (position, number) in numbers.enumerated() {
      var (rest, target) = (position, 0)
      for extent in shape.reversed() {
        target = target * extent + rest % extent
        rest /= extent
      }
      result[target] = number
    }
    return result
  }

  private func collect(_ shape: ArraySlice<Int>, in result: inout [Float]) throws(CaptureError) {
    guard let extent = shape.first else { preconditionFailure("an array has an axis") }
    let rest = shape.dropFirst()
    guard let count else { throw error("must be an array, this is \(value.kind)") }
    guard count == extent else {
      let what = rest.isEmpty ? "number" : "row"
      throw error("has \(counted(count, what)), and must have \(extent)")
    }
    switch value.content {
    case .array where !rest.isEmpty:
      for element in try elements() { try element.collect(rest, in: &result) }
    case .numbers(let numbers) where rest.isEmpty:
      for (index, number) in numbers.enumerated() {
        guard Float(number).isFinite else {
          throw CaptureError(
            place: json.place(ofElement: index, in: value),
            message: "\(name)[\(index)] is \(written(number)), which is too large for a 32-bit float")
        }
        result.append(Float(number))
      }
    case .array(let elements):
      let other = elements.firstIndex { if case .number = $0.content { false } else { true } } ?? 0
      throw CaptureError(
        place: elements[other].place,
        message: "\(name)[\(other)] must be a number, this is \(elements[other].kind)")
    case .numbers:
      throw CaptureError(
        place: json.place(ofElement: 0, in: value), message: "\(name)[0] must be an array, this is a number")
    case .null, .boolean, .number, .string, .object: preconditionFailure("what is no array has no count")
    }
  }
}
