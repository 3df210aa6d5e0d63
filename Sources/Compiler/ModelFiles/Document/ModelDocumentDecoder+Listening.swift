// SPDX-License-Identifier: Apache-2.0

import GraphIR
import JSONReading

/// The section `"listen"`: windows of readings.
extension ModelDocumentDecoder {
  /// - Parameters:
  ///   - value: the section.
  ///   - document: the rest of the file.
  mutating func decodeListening(_ value: JSONValue?, of document: ModelDocument) -> ModelDocument.Listening? {
    guard let value, let fields = decodeFields(value, "'listen'", keys: ModelDocument.Keys.listening) else {
      return nil
    }
    var listening = ModelDocument.Listening()
    for count in ModelDocument.Listening.Count.allCases {
      let range = 1...ModelDocument.Listening.most
      listening.counts[count] = decodeCount(fields[count.rawValue], "'\(count.rawValue)'", in: range)
    }
    listening.columns = decodeColumns(fields["columns"])
    let limit = ModelDocument.maximumInputs
    for member in decodeTable(fields["states"], "states", limit: limit, "states") {
      let inputs = document.inputs.map(\.name)
      guard inputs.contains(member.key) else {
        report(unknown("input", member.key, among: inputs), at: member.keyPlace)
        continue
      }
      guard let output = decodeString(member.value, "the state of \(quoted(member.key))")?.text else {
        continue
      }
      let outputs = document.outputs.map(\.name)
      guard outputs.contains(output) else {
        report(unknown("output", output, among: outputs), at: member.value.place)
        continue
      }
      listening.states[member.key] = output
    }
    return listening
  }

  private mutating func decodeColumns(_ value: JSONValue?) -> [String]? {
    guard let value else { return nil }
    guard case .array(let elements) = value.content else {
      wrongType(value, "'columns'", mustBe: "a list of names, such as [\"acc_x\", \"acc_y\"]")
      return nil
    }
    guard (1...ModelDocument.Listening.mostColumns).contains(elements.count) else {
      let most = ModelDocument.Listening.mostColumns
      report(
        elements.isEmpty
          ? "'columns' is empty; leave it out where columns have no names"
          : "'columns' has \(elements.count) names; \(most) are the most", at: value.place)
      return nil
    }
    var names: [String] = []
    for element in elements {
      guard let name = decodeString(element, "a column")?.text, checkLength(ofName: name, at: element.place)
      else { return nil }
      guard !names.contains(name) else {
        report("the column \(quoted(name)) stands twice", at: element.place)
        return nil
      }
      names.append(name)
    }
    return names
  }
}
