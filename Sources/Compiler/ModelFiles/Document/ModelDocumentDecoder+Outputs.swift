// SPDX-License-Identifier: Apache-2.0

import GraphIR
import JSONReading

extension ModelDocumentDecoder {
  /// - Parameter place: that of the object that has to have them.
  mutating func decodeOutputs(_ value: JSONValue?, of place: Place) -> [ModelDocument.Output] {
    guard let value else {
      report("'outputs' is missing; it lists the names of the values that leave the model", at: place)
      return []
    }
    let elements: [JSONValue]
    switch value.content {
    case .array(let array): elements = array
    case .numbers:
      report("'outputs' must be a list of names, this has numbers", at: value.place)
      return []
    case .null, .boolean, .number, .string, .object:
      wrongType(value, "'outputs'", mustBe: "a list of names")
      return []
    }
    guard !elements.isEmpty else {
      report("'outputs' is empty; it lists the names of the values that leave the model", at: value.place)
      return []
    }
    guard elements.count <= ModelDocument.maximumOutputs else {
      let limit = ModelDocument.maximumOutputs
      report("a model may have at most \(limit) outputs, this one has \(elements.count)", at: value.place)
      return []
    }
    return decodeOutputNames(elements)
  }

  private mutating func decodeOutputNames(_ elements: [JSONValue]) -> [ModelDocument.Output] {
    var outputs: [ModelDocument.Output] = []
    var places: [String: Place] = [:]
    for element in elements {
      guard let output = decodeOutput(element) else { continue }
      let name = output.name
      if let first = places[name] {
        report(
          "the output \(quoted(name)) stands twice; it stands first at \(first.line):\(first.column)",
          at: output.place)
      } else {
        places[name] = output.place
        outputs.append(output)
      }
    }
    return outputs
  }

  /// "scores", or { "name": "scores", "labels": ["cat", "dog"] }.
  private mutating func decodeOutput(_ value: JSONValue) -> ModelDocument.Output? {
    guard case .object = value.content else {
      guard let name = decodeString(value, "an output")?.text, checkName(name, at: value.place) else {
        return nil
      }
      return ModelDocument.Output(name: name, place: value.place)
    }
    guard let fields = decodeFields(value, "an output", keys: ModelDocument.Keys.output) else { return nil }
    let labels = fields["labels"].flatMap { decodeLabels($0) }
    guard let field = fields["name"] else {
      report("an output has no 'name'; it is that of a value", at: value.place)
      return nil
    }
    guard let name = decodeString(field, "'name'")?.text, checkName(name, at: field.place) else { return nil }
    return ModelDocument.Output(name: name, place: field.place, labels: labels)
  }

  private mutating func decodeLabels(_ value: JSONValue) -> ModelDocument.Labels? {
    switch value.content {
    case .string(let path): return .init(source: .file(path.text), place: value.place)
    case .array(let elements):
      guard (1...ModelDocument.maximumLabels).contains(elements.count) else {
        report(
          "'labels' has \(counted(elements.count, "name")); from 1 to \(ModelDocument.maximumLabels) are read",
          at: value.place)
        return nil
      }
      var names: [String] = []
      for element in elements {
        guard let name = decodeString(element, "a label")?.text, checkLength(ofName: name, at: element.place)
        else { return nil }
        names.append(name)
      }
      return .init(source: .names(names), place: value.place)
    case .null, .boolean, .number, .numbers, .object:
      wrongType(value, "'labels'", mustBe: "a list of names, or the name of a file with one in each line")
      return nil
    }
  }
}
