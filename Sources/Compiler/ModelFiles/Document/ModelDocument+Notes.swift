// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
import JSONReading

/// Notes beside the graph of an ONNX file, of readings, labels and parameters, for which it has no other place.
///
///     prediction_window      50                                                       as Turi Create calls it
///     legato.parameter.gain  { "default": 1, "minimum": 0, "maximum": 2, "scale": "linear", "ramp": 0 }
///     legato.model           { "sampleRate": 10, "outputs": [{ "name": "p", "labels": ["rest", "run"] }], "listen": … }
///
/// A note that means nothing, or was made for another network, is passed over.
extension ModelDocument {
  private static let noteOfWindow = "prediction_window"
  private static let noteOfModel = "legato.model"

  /// - Parameters:
  ///   - window: Readings in a window; nil for a model that does not say how it listens.
  ///   - outputs: With the labels of those that have some.
  /// - Returns: None where there is nothing to say.
  package func notes(
    window: Int?, outputs: [(name: String, labels: [String]?)]
  ) -> [(key: String, value: String)] {
    guard listening != nil || outputs.contains(where: { $0.labels != nil }) else { return [] }
    var members = sampleRate.map { ["\"sampleRate\": \($0.hertz)"] } ?? []
    let labelled = outputs.map { output in
      Output(
        name: output.name, place: .start,
        labels: output.labels.map { Labels(source: .names($0), place: .start) })
    }
    members.append("\"outputs\": \(Self.text(labelled))")
    if var listening {
      listening.states = listening.states.filter { state in outputs.contains { $0.name == state.value } }
      members.append("\"listen\": \(Self.text(listening))")
    }
    return (window.map { [(Self.noteOfWindow, String($0))] } ?? [])
      + [(Self.noteOfModel, "{ \(members.joined(separator: ", ")) }")]
  }

  /// The parameter that a note on an input says.
  ///
  /// - Parameter value: The one that the input has in the file, and so for other programs.
  /// - Returns: Nil where the note means nothing, or another value.
  static func parameter(_ note: String, named name: String, value: Float) -> Parameter? {
    guard let json = try? JSONDocument(Array("{ \"parameter\": \(note) }".utf8)) else { return nil }
    var decoder = ModelDocumentDecoder(file: "", json: json)
    let parameters = decoder.decodeParameters(json.root)
    guard decoder.isContent, parameters.count == 1, var parameter = parameters.first,
      Float(parameter.defaultValue) == value
    else { return nil }
    parameter.name = name
    return parameter
  }

  /// Takes over what notes say.
  mutating func take(notes: [String: String]) {
    if let text = notes[Self.noteOfModel], let json = try? JSONDocument(Array(text.utf8)) {
      var decoder = ModelDocumentDecoder(file: file, json: json)
      if let fields = decoder.decodeFields(json.root, "the note", keys: Keys.model) {
        let said = decoder.decodeOutputs(fields["outputs"], of: json.root.place)
        let rate = decoder.decodeSampleRate(fields["sampleRate"])
        let stated = decoder.decodeListening(fields["listen"], of: self)
        if decoder.isContent {
          (sampleRate, listening) = (rate, stated)
          for row in outputs.indices {
            guard case .names? = said.first(where: { $0.name == outputs[row].name })?.labels?.source else {
              continue
            }
            outputs[row].labels = said.first { $0.name == outputs[row].name }?.labels
          }
        }
      }
    }
    if let window = notes[Self.noteOfWindow].flatMap({ Int($0) }), (1...Listening.most).contains(window) {
      var stated = listening ?? Listening()
      stated.counts[.window] = window
      listening = stated
    }
  }
}
