// SPDX-License-Identifier: Apache-2.0

import GraphIR

extension ModelDocumentDecoder {
  /// Decodes nested arrays of numbers; the first thing that is wrong with a weight ends it.
  mutating func decodeWeights(_ value: JSONValue?) -> [ModelDocument.Weight] {
    var weights: [ModelDocument.Weight] = []
    for member in decodeTable(value, "weights", limit: ModelDocument.maximumWeights, "weights") {
      let isNamed = checkLength(ofName: member.key, at: member.keyPlace)
      var values: [Float] = []
      guard let shape = decodeWeightShape(member.value),
        appendValues(of: member.value, shape: shape[...], to: &values), isNamed
      else {
        unread.weights.insert(member.key)
        continue
      }
      weights.append(
        ModelDocument.Weight(name: member.key, place: member.keyPlace, shape: shape, values: values))
    }
    return weights
  }

  /// The shape that the first elements suggest.
  private mutating func decodeWeightShape(_ value: JSONValue) -> [Int]? {
    var shape: [Int] = []
    var first = value
    while case .array(let elements) = first.content {
      guard let next = elements.first else {
        report("an array of a weight cannot be empty", at: first.place)
        return nil
      }
      shape.append(elements.count)
      first = next
    }
    if case .numbers(let numbers) = first.content { shape.append(numbers.count) }
    guard shape.count <= ModelDocument.maximumDimensions else {
      let limit = ModelDocument.maximumDimensions
      report("a weight may have at most \(limit) dimensions, this one has \(shape.count)", at: value.place)
      return nil
    }
    return shape
  }

  private mutating func appendValues(
    of value: JSONValue, shape: ArraySlice<Int>, to values: inout [Float]
  ) -> Bool {
    switch value.content {
    case .number(let number):
      guard shape.isEmpty else { return mixed(at: value.place) }
      guard Float(number).isFinite else { return tooLarge(number, at: value.place) }
      values.append(Float(number))
      return true
    case .numbers(let numbers):
      guard shape.count == 1 else { return mixed(at: value.place) }
      guard checkCount(numbers.count, of: value, shape: shape) else { return false }
      for (index, number) in numbers.enumerated() {
        guard Float(number).isFinite else {
          return tooLarge(number, at: json.place(ofElement: index, in: value))
        }
        values.append(Float(number))
      }
      return true
    case .array(let elements):
      guard !shape.isEmpty else { return mixed(at: value.place) }
      guard checkCount(elements.count, of: value, shape: shape) else { return false }
      for element in elements {
        guard appendValues(of: element, shape: shape.dropFirst(), to: &values) else { return false }
      }
      return true
    case .null, .boolean, .string, .object:
      wrongType(value, "a weight", mustBe: "a number or nested arrays of numbers")
      return false
    }
  }

  private mutating func checkCount(_ count: Int, of value: JSONValue, shape: ArraySlice<Int>) -> Bool {
    guard let expected = shape.first, count == expected else {
      let others = shape.first.map(String.init) ?? "none"
      report(
        "the rows of a weight must be equally long; this one has \(count), the first one \(others)",
        at: value.place)
      return false
    }
    return true
  }

  private mutating func mixed(at place: Place) -> Bool {
    report("the rows of a weight must be equally deep; here are numbers and arrays side by side", at: place)
    return false
  }

  private mutating func tooLarge(_ number: Double, at place: Place) -> Bool {
    report("the number \(written(number)) is too large for a 32-bit float", at: place)
    return false
  }
}
