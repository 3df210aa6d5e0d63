// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import JSONReading

extension Capture {
  /// Reads a file of Neural Amp Modeler.
  ///
  /// - Parameter size: how much of the network to take where the file has several sizes of it, from 0 to 1.
  init(modeler json: JSONDocument, size: Double) throws(CaptureError) {
    let fields = try CaptureFields(json.root, "", of: json)
    guard fields.has("architecture") else {
      throw CaptureError(
        place: fields.place,
        message:
          "a capture says of what kind its network is, \"architecture\": \"WaveNet\", and this file does not; "
          + "a model begins with \"legato\": 1")
    }
    var whole = CaptureWhole(size: size)
    let found = try CaptureKnob.all(of: fields)
    try whole.add(fields)
    place = fields.place("config")
    let width = found.reduce(0) { $0 + $1.inputs }
    let network = try Self.network(fields, knobs: width, of: &whole)
    sampleRate = whole.rate?.hertz ?? 48_000
    ratePlace = whole.rate?.place ?? fields.place
    inputs = network.inputs - width
    guard inputs >= 1 else {
      throw CaptureError(
        place: place, message: "config has \(counted(width, "input")) of knobs, and \(network.inputs) in all")
    }
    prewarm = network.settling(at: sampleRate)
    guard prewarm <= Limits.prewarm else {
      throw CaptureError(
        place: place, message: "config looks back \(prewarm) frames; \(Limits.prewarm) are the most")
    }
    var text = CaptureText()
    knobs = CaptureKnob.named(found)
    let signal = CaptureSignal(
      signal: "src", channels: inputs,
      knobs: try CaptureKnob.value(of: knobs, at: place, in: &text).map { ($0, width) })
    try Self.write(network, fields, signal, names: CaptureNames(), in: &text)
    guard text.longestName <= Self.longestName else {
      throw CaptureError(
        place: place,
        message: "parts stand within parts so deep that a name has \(text.longestName) characters; "
          + "\(Self.longestName) are the most")
    }
    (lines, tensors) = (text.lines, text.tensors)
    hasSizes = whole.hasSizes
    // Of several sizes each knows its own best.
    for part in whole.chosen.reversed() { try readLevels(part) }
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
  ///
  /// - Parameters:
  ///   - knobs: how many values stand beside the signal; nil for a part, which has none.
  ///   - whole: what the capture says of all its parts.
  static func network(
    _ fields: CaptureFields, knobs: Int? = nil, of whole: inout CaptureWhole
  ) throws(CaptureError) -> any CaptureArchitecture {
    let architecture = try fields.text("architecture")
    let config = try fields.fields("config")
    if knobs == nil, try CaptureKnob.stand(in: config, of: architecture) {
      throw fields.error("architecture", "is \(architecture) with knobs, which only a whole capture has")
    }
    return try network(architecture, config, naming: fields, knobs: knobs ?? 0, of: &whole)
  }

  /// The network of an architecture.
  ///
  /// - Parameter fields: the object that names the architecture; nil where nothing does.
  static func network(
    _ architecture: String, _ config: CaptureFields, naming fields: CaptureFields? = nil, knobs: Int = 0,
    of whole: inout CaptureWhole
  ) throws(CaptureError) -> any CaptureArchitecture {
    switch architecture {
    case "Linear": return try LinearCapture(config)
    case "ConvNet": return try ConvNetCapture(config)
    case "LSTM", "ConcatLSTM", "CatLSTM": return try LSTMCapture(config, knobs: knobs)
    case "WaveNet", "ConcatWaveNet", "CatWaveNet":
      return try WaveNetCapture(config, knobs: knobs, of: &whole)
    case "Sequential", "sequential": return try SequentialCapture(config, of: &whole)
    case "SlimmableContainer": return try ContainerCapture(config, of: &whole)
    default:
      let known = ["Linear", "ConvNet", "LSTM", "WaveNet", "Sequential", "SlimmableContainer"]
      let hint = nearestName(to: architecture, among: known).map { "did you mean \(quoted($0))?" }
      throw (fields ?? config).error(
        "architecture",
        "is \(quoted(architecture)), which is not known; \(hint ?? "known are \(alternatives(known, "and"))")"
      )
    }
  }

  private mutating func readMetadata(_ fields: CaptureFields) throws(CaptureError) {
    try readLevels(fields)
    guard let metadata = try fields.optionalFields("metadata") else { return }
    self.metadata = fields.text(of: "metadata")
    func text(_ key: String) throws(CaptureError) -> String? {
      guard let text = try metadata.optionalText(key), !text.isEmpty else { return nil }
      return text
    }
    name = try text("name")
    author = try text("modeled_by")
    // The trainer asks for none; who publishes a capture adds it.
    license = try text("license")
    let gear = [try text("gear_make"), try text("gear_model")].compactMap(\.self).joined(separator: " ")
    let kind = [try text("gear_type"), try text("tone_type")].compactMap { $0?.replacing("_", with: " ") }
    let parts = [gear].filter { !$0.isEmpty } + kind
    description = parts.isEmpty ? nil : parts.joined(separator: ", ")
  }

  /// Takes the levels that are not known yet.
  private mutating func readLevels(_ fields: CaptureFields) throws(CaptureError) {
    guard let metadata = try fields.optionalFields("metadata") else { return }
    let stated = Levels(
      loudness: try metadata.optionalNumber("loudness"),
      input: try metadata.optionalNumber("input_level_dbu"),
      output: try metadata.optionalNumber("output_level_dbu"))
    levels = Levels(
      loudness: levels.loudness ?? stated.loudness, input: levels.input ?? stated.input,
      output: levels.output ?? stated.output)
  }
}
