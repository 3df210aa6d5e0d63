// SPDX-License-Identifier: Apache-2.0

import CaptureFiles
import GraphIR
import ImageFiles
import JSONReading
package import TensorFiles

extension ModelDocument {
  /// A capture or network as a model file that says the same, to read and to edit.
  ///
  ///     { "legato": 1, "name": "Tiny", "inputs": …, "weights": { "file": "amp.safetensors" }, "graph": … }
  ///
  /// - Parameter weights: the path of the file that `tensorFile` is written to, as the model says it.
  package func text(weightsIn weights: String) -> String {
    func quoted(_ text: String) -> String { text.asJSON }
    var members: [(key: String, value: String)] = [("legato", String(version)), ("name", quoted(name))]
    if let description { members.append(("description", quoted(description))) }
    if let author { members.append(("author", quoted(author))) }
    if let license { members.append(("license", quoted(license))) }
    if clock == .step { members.append(("clock", quoted(Clock.step.rawValue))) }
    if let sampleRate { members.append(("sampleRate", String(sampleRate.hertz))) }
    if prewarm > 0 { members.append(("prewarm", String(prewarm))) }
    func table(_ rows: [(name: String, text: String)]) -> String {
      "{\n" + rows.map { "    \(quoted($0.name)): \($0.text)" }.joined(separator: ",\n") + "\n  }"
    }
    func object(_ fields: [(String, String)]) -> String {
      "{ " + fields.map { "\(quoted($0.0)): \($0.1)" }.joined(separator: ", ") + " }"
    }
    members.append(
      (
        "inputs",
        table(inputs.map { ($0.name, Self.text($0)) })
      ))
    if !parameters.isEmpty {
      members.append(
        (
          "parameters",
          table(
            parameters.map { parameter in
              var fields = [
                ("default", written(parameter.defaultValue)), ("minimum", written(parameter.minimum)),
                ("maximum", written(parameter.maximum)),
              ]
              if let unit = parameter.unit { fields.append(("unit", quoted(unit))) }
              if parameter.scale != .linear { fields.append(("scale", quoted(parameter.scale.rawValue))) }
              fields.append(("ramp", written(parameter.ramp)))
              if let midi = parameter.midi { fields.append(("midi", String(midi))) }
              if let description = parameter.description {
                fields.append(("description", quoted(description)))
              }
              return (parameter.name, object(fields))
            })
        ))
    }
    let said = zip(Keys.levels, [levels.loudness, levels.input, levels.output])
    let known = said.compactMap { key, level in level.map { (key, written($0)) } }
    if !known.isEmpty { members.append(("levels", object(known))) }
    if !self.weights.isEmpty { members.append(("weights", object([(Keys.weightsFile, quoted(weights))]))) }
    members.append(("graph", table(graph.map { ($0.name, quoted($0.expression.text)) })))
    members.append(("outputs", Self.text(outputs)))
    if let training { members.append(("train", Self.text(training))) }
    if let listening { members.append(("listen", Self.text(listening))) }
    return "{\n" + members.map { "  \(quoted($0.key)): \($0.value)" }.joined(separator: ",\n") + "\n}\n"
  }

  /// The fields of an input in a file: { "shape": [3, 128, 128], "type": "image", … }.
  package static func text(_ input: Input) -> String {
    let fields =
      [("shape", text(input.shape))] + fields(input.image)
      + (input.description.map { [("description", $0.asJSON)] } ?? [])
    return "{ " + fields.map { "\($0.0.asJSON): \($0.1)" }.joined(separator: ", ") + " }"
  }

  /// How a picture becomes an input's numbers.
  private static func fields(_ image: ImageConversion?) -> [(String, String)] {
    guard let image else { return [] }
    func list(_ numbers: [Double]) -> String { "[\(numbers.map { written($0) }.joined(separator: ", "))]" }
    let normalization =
      switch image.normalization {
      case .range(let black, let white): list([black, white]).asJSON
      case .standard(let mean, let deviation):
        "{ \"mean\": \(list(mean)), \"deviation\": \(list(deviation)) }"
      }
    return [
      ("type", "image".asJSON), ("format", image.format.rawValue.asJSON), ("normalize", normalization),
      ("resize", image.resize.rawValue.asJSON),
    ] + (image.crop.map { [("crop", written($0))] } ?? [])
  }

  static func text(_ outputs: [Output]) -> String {
    let all = outputs.map { output in
      let labels: String? =
        switch output.labels?.source {
        case .names(let names): text(names)
        case .file(let path): path.asJSON
        case nil: nil
        }
      return labels.map { "{ \"name\": \(output.name.asJSON), \"labels\": \($0) }" } ?? output.name.asJSON
    }
    return "[\(all.joined(separator: ", "))]"
  }

  static func text(_ listening: Listening) -> String {
    var members = Listening.Count.allCases.compactMap { count in
      listening.counts[count].map { "\(count.rawValue.asJSON): \($0)" }
    }
    if let columns = listening.columns { members.append("\"columns\": \(text(columns))") }
    if !listening.states.isEmpty {
      let states = listening.states.sorted { $0.key < $1.key }.map { "\($0.key.asJSON): \($0.value.asJSON)" }
      members.append("\"states\": { \(states.joined(separator: ", ")) }")
    }
    return members.isEmpty ? "{}" : "{ \(members.joined(separator: ", ")) }"
  }

  private static func text(_ names: [String]) -> String {
    "[\(names.map(\.asJSON).joined(separator: ", "))]"
  }

  /// How a network learns: what other programs say of that.
  private static func text(_ training: Training) -> String {
    var members: [String] = []
    if !training.targets.isEmpty {
      let targets = training.targets.map { "\($0.name.asJSON): { \"shape\": \(text($0.shape)) }" }
      members.append("\"targets\": { \(targets.joined(separator: ", ")) }")
    }
    if let loss = training.loss { members.append("\"loss\": \(loss.expression.asJSON)") }
    if let names = training.trainable, !names.isEmpty {
      members.append("\"trainable\": [\(names.map(\.asJSON).joined(separator: ", "))]")
    }
    if let optimizer = training.optimizer {
      let numbers = optimizer.numbers.sorted { $0.key < $1.key }.map {
        "\($0.key.asJSON): \(written($0.value))"
      }
      members.append(
        "\"optimizer\": { \(optimizer.rule.rawValue.asJSON): { \(numbers.joined(separator: ", ")) } }")
    }
    return "{\n    \(members.joined(separator: ",\n    "))\n  }"
  }

  private static func text(_ shape: [ShapeEntry]) -> String {
    let axes = shape.map { entry in
      switch entry.extent {
      case .number(let number): String(number)
      case .symbol(let name): name.asJSON
      }
    }
    return "[" + axes.joined(separator: ", ") + "]"
  }

  /// The numbers that stand in the file itself, as a file of their own, with what a capture says about itself.
  ///
  /// - Parameter file: the name of that file in messages.
  package func tensorFile(_ file: String) throws(TensorFileError) -> TensorFileText {
    let tensors = weights.compactMap { weight -> Weights? in
      switch weight.source {
      case .numbers(let shape, let numbers): Weights(name: weight.name, shape: shape, values: numbers)
      case .tensor, .sound: nil
      }
    }
    return try TensorFileText(
      tensors, metadata: capture?.metadata.map { ["metadata": $0] } ?? [:], file: file)
  }
}
