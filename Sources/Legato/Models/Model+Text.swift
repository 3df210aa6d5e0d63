// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import JSONReading
internal import ModelFiles

extension Model {
  /// The model as it was read, before anything in it is believed: a line for each entry of the file; of a chain, of
  /// each file.
  public var documentText: String {
    composed.family.documents.map(\.text).joined(separator: "\n")
  }

  /// The graph that the model declares, in the text form. No code is made for it.
  ///
  /// - Parameters:
  ///   - extents: A number for each of `symbols`.
  ///   - sampleRate: nil is the model's own, or 48000 where it states none.
  /// - Throws: `ModelError.invalid` with every problem of the model.
  public func graphText(
    extents: [String: Int] = [:], sampleRate: Double? = nil
  ) throws(ModelError) -> String {
    try graph(extents: extents, sampleRate: sampleRate).description
  }
}

extension ModelDocument {
  fileprivate var text: String {
    var lines = ["model \"\(name)\""]
    lines += sampleRate.map { ["sampleRate \($0.hertz)"] } ?? []
    lines += inputs.map { input in
      let axes = input.shape.map { Model.Extent($0.extent).description }
      let image = input.image.map { ", an image, \($0)" } ?? ""
      return "input \(input.name) [\(axes.joined(separator: ", "))]\(image)"
    }
    lines += parameters.map { parameter in
      let unit = parameter.unit.map { " " + printable($0) } ?? ""
      return "parameter \(parameter.name) = \(written(parameter.defaultValue))"
        + " in \(written(parameter.minimum))…\(written(parameter.maximum))\(unit)"
        + ", \(parameter.scale.rawValue), ramp \(written(parameter.ramp)) s"
    }
    lines += weights.map { weight in
      let source =
        switch weight.source {
        case .numbers(let shape, _): "\(shape)"
        case .tensor(let reference): "= \(quoted(reference.tensor)) of \(quoted(reference.file))"
        case .sound(let reference): "= the impulse response in \(quoted(reference.path))"
        }
      return "weights \"\(printable(weight.name))\" \(source)"
    }
    lines += weightsFile.map { ["weights of \(quoted($0.path))"] } ?? []
    lines += graph.map { "\($0.name) = \($0.expression.text)" }
    lines += outputs.map { output in
      let labels =
        switch output.labels?.source {
        case .names(let names)?: ", \(counted(names.count, "label"))"
        case .file(let path)?: ", labels of \(quoted(path))"
        case nil: ""
        }
      return "output \(output.name)\(labels)"
    }
    lines += presets.map { preset in
      let settings = preset.settings.map { "\($0.parameter) = \(written($0.value))" }
      return "preset \"\(printable(preset.name))\": \(settings.joined(separator: ", "))"
    }
    lines += training?.lines ?? []
    return lines.joined(separator: "\n") + "\n"
  }
}

extension ModelDocument.Training {
  fileprivate var lines: [String] {
    var lines = targets.map { target in
      "target \(target.name) [\(target.shape.map { Model.Extent($0.extent).description }.joined(separator: ", "))]"
    }
    lines += loss.map { ["loss = \($0.expression)"] } ?? []
    lines += metrics.map { "metric \($0.name) = \($0.expression)" }
    lines += trainable.map { ["learns \($0.map { quoted($0) }.joined(separator: ", "))"] } ?? []
    if let optimizer {
      let numbers = optimizer.numbers.sorted { $0.key < $1.key }.map { ", \($0.key) \(written($0.value))" }
      let schedule = optimizer.schedule.map { ", schedule \($0.kind.rawValue)" } ?? ""
      lines.append(
        "optimizer \(optimizer.rule.rawValue)\(numbers.joined())\(optimizer.isNesterov ? ", nesterov" : "")\(schedule)"
      )
    }
    lines += Count.allCases.compactMap { count in counts[count].map { "\(count.rawValue) \($0)" } }
    lines += validate.map { ["validate \(written($0))"] } ?? []
    return lines
  }
}
