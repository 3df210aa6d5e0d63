// SPDX-License-Identifier: Apache-2.0

import GraphIR
import JSONReading

extension ModelDocumentDecoder {
  mutating func decodeShape(_ value: JSONValue) -> [ModelDocument.ShapeEntry]? {
    let count: Int
    switch value.content {
    case .array(let elements): count = elements.count
    case .numbers(let numbers): count = numbers.count
    case .null, .boolean, .number, .string, .object:
      wrongType(value, "'shape'", mustBe: "a list of extents")
      return nil
    }
    guard count <= ModelDocument.maximumDimensions else {
      let limit = ModelDocument.maximumDimensions
      report("a shape may have at most \(limit) dimensions, this one has \(count)", at: value.place)
      return nil
    }
    var entries: [ModelDocument.ShapeEntry] = []
    for index in 0..<count {
      let place = json.place(ofElement: index, in: value)
      if let extent = decodeExtent(index, of: value, at: place) {
        entries.append(ModelDocument.ShapeEntry(extent: extent, place: place))
      }
    }
    return entries.count == count ? entries : nil
  }

  private mutating func decodeExtent(
    _ index: Int, of shape: JSONValue, at place: Place
  ) -> ModelDocument.ShapeEntry.Extent? {
    let element: JSONValue
    switch shape.content {
    case .numbers(let numbers): return wholeExtent(numbers[index], at: place)
    case .array(let elements): element = elements[index]
    case .null, .boolean, .number, .string, .object: preconditionFailure("only an array has elements")
    }
    switch element.content {
    case .number(let number): return wholeExtent(number, at: place)
    case .string(let symbol):
      guard checkName(symbol.text, at: place) else { return nil }
      return .symbol(symbol.text)
    case .null, .boolean, .array, .numbers, .object:
      wrongType(element, "an extent", mustBe: "a number or a name")
      return nil
    }
  }

  private mutating func wholeExtent(
    _ number: Double, at place: Place
  ) -> ModelDocument.ShapeEntry.Extent? {
    let limit = ModelDocument.maximumExtent
    guard let whole = wholeNumber(number), (1...limit).contains(whole) else {
      report("an extent must be a whole number from 1 to \(limit), this is \(written(number))", at: place)
      return nil
    }
    return .number(whole)
  }
}
