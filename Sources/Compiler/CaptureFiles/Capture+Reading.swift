// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
package import JSONReading

extension Capture {
  /// Reads a capture; the first thing that is wrong with it is thrown.
  ///
  /// - Parameter size: how much of the network to take where the file has several sizes of it, from 0 to 1.
  package init(reading json: JSONDocument, size: Double = 1) throws(CaptureError) {
    let fields = try CaptureFields(json.root, "", of: json)
    try Self.checkVersion(fields)
    place = fields.place("config")
    ratePlace = fields.place("sample_rate")
    sampleRate = try fields.integer("sample_rate", in: Self.sampleRates, standard: 48_000)
    let found = try CaptureKnob.all(of: fields)
    let width = found.reduce(0) { $0 + $1.inputs }
    let network = try Self.network(fields, knobs: width, size: size)
    inputs = network.inputs - width
    guard inputs >= 1 else {
      throw CaptureError(
        place: place, message: "config has \(counted(width, "input")) of knobs, and \(network.inputs) in all")
    }
    prewarm = min(network.settling, Limits.prewarm)
    var text = CaptureText()
    knobs = CaptureKnob.named(found)
    let signal = CaptureSignal(
      signal: "src", channels: inputs,
      knobs: try CaptureKnob.value(of: knobs, at: place, in: &text).map { ($0, width) })
    try Self.write(network, fields, signal, names: CaptureNames(), in: &text)
    (lines, tensors) = (text.lines, text.tensors)
    try readMetadata(fields)
  }

  /// Writes a network with the weights that stand beside its configuration.
  ///
  /// - Returns: the name of the value that comes out.
  @discardableResult
  static func write(
    _ network: any CaptureArchitecture, _ fields: CaptureFields, _ input: CaptureSignal, names: CaptureNames,
    in text: inout CaptureText
  ) throws(CaptureError) -> String {
    var cursor = try WeightCursor(fields, isOptional: network.hasParts)
    let output = try network.write(input, names: names, &cursor, in: &text)
    try cursor.finish()
    return output
  }

  /// The network that an object with an architecture, a configuration and weights describes.
  static func network(
    _ fields: CaptureFields, knobs: Int = 0, size: Double
  ) throws(CaptureError) -> any CaptureArchitecture {
    let architecture = try fields.text("architecture")
    let config = try fields.fields("config")
    switch architecture {
    case "Linear": return try LinearCapture(config)
    case "ConvNet": return try ConvNetCapture(config)
    case "LSTM", "ConcatLSTM", "CatLSTM": return try LSTMCapture(config, knobs: knobs)
    case "WaveNet", "ConcatWaveNet", "CatWaveNet":
      return try WaveNetCapture(config, knobs: knobs, size: size)
    case "Sequential", "sequential": return try SequentialCapture(config, of: fields, size: size)
    case "SlimmableContainer": return try ContainerCapture(config, of: fields, size: size)
    default:
      let known = ["Linear", "ConvNet", "LSTM", "WaveNet", "Sequential", "SlimmableContainer"]
      let hint = nearestName(to: architecture, among: known).map { "did you mean \(quoted($0))?" }
      throw fields.error(
        "architecture",
        "is \(quoted(architecture)), which is not known; \(hint ?? "known are \(alternatives(known, "and"))")"
      )
    }
  }

  /// Refuses versions of the format that came later: what their fields mean is not known.
  private static func checkVersion(_ fields: CaptureFields) throws(CaptureError) {
    guard let version = try fields.optionalText("version") else { return }
    let parts = version.split(separator: ".", omittingEmptySubsequences: false).prefix(3).map { Int($0) }
    guard parts.count >= 2, let major = parts[0], let minor = parts[1], major >= 0, minor >= 0 else {
      throw fields.error("version", "is \(quoted(version)); a version is written as 0.7.0")
    }
    // Networks with knobs count versions of their own.
    guard major == 0 && minor <= 7 || major == 1 && minor == 0 else {
      throw fields.error("version", "is \(quoted(version)); captures are read up to 0.7")
    }
  }

  private mutating func readMetadata(_ fields: CaptureFields) throws(CaptureError) {
    guard let metadata = try fields.optionalFields("metadata") else { return }
    levels = Levels(
      loudness: try metadata.optionalNumber("loudness"),
      input: try metadata.optionalNumber("input_level_dbu"),
      output: try metadata.optionalNumber("output_level_dbu"))
    func text(_ key: String) throws(CaptureError) -> String? {
      guard let text = try metadata.optionalText(key), !text.isEmpty else { return nil }
      return text
    }
    name = try text("name")
    author = try text("modeled_by")
    let gear = [try text("gear_make"), try text("gear_model")].compactMap(\.self).joined(separator: " ")
    let kind = [try text("gear_type"), try text("tone_type")].compactMap { $0?.replacing("_", with: " ") }
    let parts = [gear].filter { !$0.isEmpty } + kind
    description = parts.isEmpty ? nil : parts.joined(separator: ", ")
  }
}
