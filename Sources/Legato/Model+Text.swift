// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import ModelFiles

extension Model {
  /// The model as it was read, before anything in it is believed: a line for each entry of the file.
  public var documentText: String {
    var lines = ["model \"\(name)\""]
    lines += inputs.map { "input \($0.name) [\($0.shape.map(\.description).joined(separator: ", "))]" }
    lines += document.parameters.map { parameter in
      let unit = parameter.unit.map { " " + printable($0) } ?? ""
      return "parameter \(parameter.name) = \(written(parameter.defaultValue))"
        + " in \(written(parameter.minimum))…\(written(parameter.maximum))\(unit)"
        + ", \(parameter.scale.rawValue), ramp \(written(parameter.ramp)) s"
    }
    lines += document.weights.map { "weights \"\(printable($0.name))\" \($0.shape)" }
    lines += document.graph.map { "\($0.name) = \($0.expression.text)" }
    lines += document.outputs.map { "output \($0.name)" }
    lines += document.presets.map { preset in
      let settings = preset.settings.map { "\($0.parameter) = \(written($0.value))" }
      return "preset \"\(printable(preset.name))\": \(settings.joined(separator: ", "))"
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The graph that the model declares, in the text form. No code is made for it.
  ///
  /// - Parameter extents: A number for each of `symbols`.
  /// - Throws: `ModelError.invalid` with every problem of the model.
  public func graphText(
    extents: [String: Int] = [:], sampleRate: Double = 48_000
  ) throws(ModelError) -> String {
    try graph(extents: extents, sampleRate: sampleRate).description
  }
}
