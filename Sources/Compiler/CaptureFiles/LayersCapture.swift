// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import JSONReading

extension Capture {
  /// Reads a network as RTNeural keeps it: the layers of a Keras model, one after the other.
  ///
  ///     src ─▶ in_gain ─┬─▶ layer ─▶ layer ─▶(+)─▶ out_gain ─▶ dst
  ///                     ╰───── in_skip ───────╯
  ///
  /// Gains, which AIDA-X adds, are in decibels. A recurrent network of two or three inputs and one output is one of
  /// AIDA-X's with knobs: its player lets the signal into the first input only.
  init(layers json: JSONDocument) throws(CaptureError) {
    let fields = try CaptureFields(json.root, "", of: json)
    try fields.check([
      "in_shape", "layers", "in_skip", "in_gain", "out_gain", "samplerate", "metadata", "input_batch",
      "output_batch",
    ])
    place = fields.place("in_shape")
    ratePlace = fields.place
    let width = try fields.channels(ofShape: "in_shape", upTo: Limits.rows)
    let list = try fields.list("layers", of: "layers")
    let hasKnobs = (2...3).contains(width) ? try Self.isRecurrent(list) : false
    inputs = hasKnobs ? 1 : width
    try readOrigin(fields, standard: 48_000)
    let gains = (before: try Self.gain("in_gain", fields), after: try Self.gain("out_gain", fields))
    let skips = try fields.integer("in_skip", in: 0...1, standard: 0) == 1
    var text = CaptureText()
    var taken = "src"
    if let gain = gains.before {
      taken = try text.define("driven", "src * \(gain)", at: fields.place("in_gain"))
    }
    knobs = CaptureKnob.unnamed(width - inputs, at: place)
    let isPlain = gains.after == nil && !skips
    var (value, channels, isRecurrent) = (taken, width, false)
    if let turned = try CaptureKnob.value(of: knobs, at: place, in: &text) {
      value = try text.define("layer_in", "concatenate([\(taken), \(turned)])", at: place)
    }
    for (index, entry) in list.enumerated() {
      let layer = try KerasLayer(entry, number: index + 1, inputs: channels)
      let expression = try layer.expression(value, in: &text)
      let isLast = index == list.count - 1
      value = try text.define(isLast && isPlain ? "dst" : layer.name, expression, at: entry.place)
      channels = layer.outputs
      prewarm = min(prewarm + layer.lookback, Limits.prewarm)
      isRecurrent = isRecurrent || layer.isRecurrent
    }
    if isRecurrent { prewarm = min(prewarm + Self.silence, Limits.prewarm) }
    if !isPlain {
      if skips {
        guard channels == 1 else {
          throw fields.error(
            "in_skip", "is 1, and \(channels) channels come out of the layers; 1 is read with it")
        }
        let first = inputs == 1 ? taken : "slice(\(taken), axis: 0, start: 0, count: 1)"
        value = "(\(value) + \(first))"
      }
      try text.define(
        "dst", value + (gains.after.map { " * \($0)" } ?? ""),
        at: fields.place(gains.after == nil ? "in_skip" : "out_gain"))
    }
    (lines, tensors) = (text.lines, text.tensors)
  }

  /// Whether layers begin with a recurrent one and end in one channel.
  private static func isRecurrent(_ list: [CaptureFields]) throws(CaptureError) -> Bool {
    guard let first = try list[0].optionalText("type"), ["lstm", "gru"].contains(first) else { return false }
    return try list[list.count - 1].channels(ofShape: "shape", upTo: Limits.extent) == 1
  }

  /// The factor of a gain in decibels, as expressions say it; nil for one that changes nothing.
  private static func gain(_ key: String, _ fields: CaptureFields) throws(CaptureError) -> String? {
    guard let decibels = try fields.optionalNumber(key), decibels != 0 else { return nil }
    guard decibels <= 200 else { throw fields.error(key, "is \(written(decibels)) dB; 200 are the most") }
    return decibels > -90 ? "decibelsToGain(\(written(decibels)))" : "0"
  }
}
