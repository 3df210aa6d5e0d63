// SPDX-License-Identifier: Apache-2.0

import GraphIR
import JSONReading

extension ModelDocumentDecoder {
  /// Decodes nested arrays of numbers, and names of files; the first thing that is wrong with a weight ends it.
  mutating func decodeWeights(
    _ value: JSONValue?
  ) -> (weights: [ModelDocument.Weight], file: ModelDocument.FileReference?) {
    var weights: [ModelDocument.Weight] = []
    var file: ModelDocument.FileReference?
    for member in decodeTable(value, "weights", limit: ModelDocument.maximumWeights, "weights") {
      let isNamed = checkLength(ofName: member.key, at: member.keyPlace)
      if case .string(let text) = member.value.content {
        if member.key == ModelDocument.Keys.weightsFile {
          file = .init(path: text.text, place: text.place)
          unread.hidesWeights = true
        } else {
          // Whether the file has it, who reads the file knows.
          unread.weights.insert(member.key)
          guard let reference = decodeReference(text), isNamed else { continue }
          weights.append(.init(name: member.key, place: member.keyPlace, source: .tensor(reference)))
        }
        continue
      }
      if case .object = member.value.content {
        unread.weights.insert(member.key)
        guard let reference = decodeSound(member), isNamed else { continue }
        weights.append(.init(name: member.key, place: member.keyPlace, source: .sound(reference)))
        continue
      }
      var values: [Float] = []
      guard let shape = decodeWeightShape(member.value),
        appendValues(of: member.value, shape: shape[...], to: &values), isNamed
      else {
        unread.weights.insert(member.key)
        continue
      }
      weights.append(
        .init(
          name: member.key, place: member.keyPlace, source: .numbers(shape: shape, Numbers(values))))
    }
    return (weights, file)
  }

  /// The weights of another function of the same file.
  mutating func shareWeights(
    of known: FunctionFile
  ) -> (weights: [ModelDocument.Weight], file: ModelDocument.FileReference?) {
    if known.weightsFile != nil { unread.hidesWeights = true }
    for weight in known.weights {
      switch weight.source {
      case .numbers: break
      case .tensor, .sound: unread.weights.insert(weight.name)
      }
    }
    return (known.weights, known.weightsFile)
  }

  /// { "file": "cab.wav" }.
  private mutating func decodeSound(_ member: JSONMember) -> ModelDocument.FileReference? {
    let what = "the weights \(quoted(member.key))"
    guard let fields = decodeFields(member.value, what, keys: ModelDocument.Keys.sound) else { return nil }
    guard let file = fields["file"] else {
      report("\(what) has no 'file'; name a sound file, such as \"cab.wav\"", at: member.value.place)
      return nil
    }
    return decodeString(file, "'file'").map { .init(path: $0.text, place: $0.place) }
  }

  /// "amp.safetensors:layer.weight"; the name of a tensor may have colons, that of a file has none.
  private mutating func decodeReference(_ text: JSONString) -> ModelDocument.TensorReference? {
    let parts = text.text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else {
      report(
        "a weight of a file is written as the file, a colon and the name of the tensor, such as "
          + "\"amp.safetensors:layer.weight\"; this is \(quoted(text.text))", at: text.place)
      return nil
    }
    return .init(file: String(parts[0]), tensor: String(parts[1]), place: text.place)
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
