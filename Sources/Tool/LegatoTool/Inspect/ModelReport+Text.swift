// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import CommandLineInterface
internal import GraphIR
internal import Legato

extension Console {
  /// A report as people read it.
  func text(_ report: ModelReport) -> String {
    var sections = [heading(printable(report.name)) + (report.description.map { "\n  " + clean($0) } ?? "")]
    append("inputs", report.inputs.map { row($0, report.clock) }, to: &sections)
    append("outputs", report.outputs.map { row($0, report.clock) }, to: &sections)
    append("parameters", report.parameters.map(row), to: &sections)
    append("weights", report.weights.map { row($0, report.clock) }, to: &sections)
    append("presets", report.presets.map(row), to: &sections)
    append("levels", levels(report), to: &sections)
    append(
      "one context",
      [
        ["workspace", "\(counted(report.workspaceBytes, "byte")), of which \(report.stateBytes) are state"],
        ["code", "\(counted(report.codeBytes, "byte")), shared by all contexts"],
        ["weights", "\(counted(report.weightsBytes, "byte")), shared by all contexts"],
        ["latency", counted(report.latencyFrames, "frame")],
        [
          "compiled for",
          "\(report.channelText) at \(report.sampleRate) Hz, on \(report.cpu)",
        ],
      ] + channels(report) + rate(report), to: &sections)
    return sections.joined(separator: "\n\n") + "\n"
  }

  private func append(_ title: String, _ rows: [[String]], to sections: inout [String]) {
    if !rows.isEmpty { sections.append(heading(title) + "\n" + Self.table(rows)) }
  }

  private func levels(_ report: ModelReport) -> [[String]] {
    let loudness = report.loudness.map { ["loudness", "\(written($0)) dB; --normalize brings it to -18 dB"] }
    let input = report.inputLevel.map {
      ["input", "\(written($0)) dBu at full scale; --calibrate fits it to a device"]
    }
    let output = report.outputLevel.map { ["output", "\(written($0)) dBu at full scale"] }
    return [loudness, input, output].compactMap(\.self)
  }

  private func channels(_ report: ModelReport) -> [[String]] {
    guard report.clock == "step" else {
      return report.symbols.isEmpty ? [] : [["channels", "left open: as many as --channels says"]]
    }
    return report.symbols.map { printable($0) }.map {
      ["axis \($0)", "left open: as long as --bind \($0)=N says"]
    }
  }

  private func rate(_ report: ModelReport) -> [[String]] {
    guard let hertz = report.statedRate else { return [] }
    return [["rate", "states \(hertz) Hz" + (report.statedIn.map { ", in \($0)" } ?? "")]]
  }

  private func row(_ port: ModelReport.Port, _ clock: String) -> [String] {
    let axes = (port.declared ?? port.shape).map(\.description).joined(separator: ", ")
    let facts = [
      port.original.map { "\(quoted($0)) in the file" },
      port.image.map { "an image, \($0)" }, port.labels.map { counted($0, "label") },
      port.description.map(clean),
    ].compactMap(\.self)
    // The samples of a stream are floats.
    return [port.name, "[\(axes)]"] + (clock == "step" ? [port.type] : []) + [facts.joined(separator: "; ")]
  }

  private func row(_ parameter: ModelReport.Parameter) -> [String] {
    let unit = parameter.unit.map { " " + printable($0) } ?? ""
    let range = "\(shortest(parameter.minimum)) to \(shortest(parameter.maximum))\(unit)"
    let ramp = parameter.ramp > 0 ? "ramp \(written((parameter.ramp * 1e6).rounded() / 1e3)) ms" : "steps"
    return [
      parameter.name, shortest(parameter.default), range, parameter.scale,
      ramp + (parameter.midi.map { ", MIDI \($0)" } ?? ""),
      clean(parameter.description ?? ""),
    ]
  }

  private func row(_ weights: ModelReport.Weights, _ clock: String) -> [String] {
    let source = weights.file.map { file in
      "\(weights.type ?? "") in \(PathText.printable(file)), \(counted(weights.fileBytes ?? 0, "byte"))"
    }
    return [
      printable(weights.name), "\(weights.shape)", source ?? "in the model",
      "\(counted(weights.programBytes, "byte")) in the program",
      "\(counted(weights.products, "product")) a \(clock == "step" ? "step" : "frame")",
    ]
  }

  private func row(_ preset: ModelReport.Preset) -> [String] {
    let values = preset.values.sorted { $0.key < $1.key }.map { "\($0.key)=\(shortest($0.value))" }
    return [printable(preset.name), values.joined(separator: " ")]
  }

  /// A description from a file, whatever characters are in it, as one line.
  private func clean(_ text: String) -> String { printable(text, limit: 1000) }
}
