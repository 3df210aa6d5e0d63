// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import JSONReading

extension Capture {
  /// Reads a recurrent network of PyTorch with a dense layer behind it, as Proteus and its relatives keep it.
  ///
  ///     src ─┬─▶ rec1 ─▶ rec2 ─▶ lin ─▶(+)─▶ dst        model_data: unit_type, num_layers, hidden_size, skip …
  ///          ╰─────────── skip ─────────╯               state_dict: rec.weight_ih_l0 …, lin.weight, lin.bias
  ///
  /// Inputs beyond the first are knobs, from 0 to 1. Files state no rate: players run them at 44100 Hz.
  init(state json: JSONDocument) throws(CaptureError) {
    let fields = try CaptureFields(json.root, "", of: json)
    try fields.check(["model_data", "state_dict", "samplerate", "metadata"])
    let data = try fields.fields("model_data")
    try data.check([
      "model", "input_size", "skip", "output_size", "unit_type", "num_layers", "hidden_size", "bias_fl",
    ])
    place = data.place
    ratePlace = fields.place
    try readOrigin(fields, standard: 44_100)
    if let model = try data.optionalText("model"), model != "SimpleRNN" {
      throw data.error("model", "is \(quoted(model)), which is not known; known is SimpleRNN")
    }
    let cell = try RecurrentState(data, of: try fields.fields("state_dict"))
    let width = try data.integer("input_size", in: 1...CaptureKnob.maximumInputs, standard: 1)
    let outputs = try data.integer("output_size", in: 1...Limits.rows, standard: 1)
    let skips = try data.integer("skip", in: 0...1, standard: 0) == 1
    guard outputs == 1 || !skips else {
      throw data.error("skip", "is 1, and output_size \(outputs); 1 is read with it")
    }
    var text = CaptureText()
    knobs = CaptureKnob.unnamed(width - 1, at: data.place("input_size"))
    var taken = "src"
    if let turned = try CaptureKnob.value(of: knobs, at: place, in: &text) {
      taken = try text.define("rec_in", "concatenate([src, \(turned)])", at: place)
    }
    let heard = try cell.write(taken, inputs: width, outputs: outputs, in: &text)
    try text.define("dst", heard + (skips ? " + src" : ""), at: place)
    prewarm = Self.silence
    (lines, tensors) = (text.lines, text.tensors)
  }
}

/// The arrays of a recurrent network and the dense layer behind it, by PyTorch's names and in its layouts.
private struct RecurrentState {
  private let unit: Unit
  private let units, layers: Int
  private let state: CaptureFields

  private enum Unit: String, CaseIterable {
    case lstm = "LSTM"
    case gru = "GRU"
    case rnn = "RNN"

    var gates: Int {
      switch self {
      case .lstm: 4
      case .gru: 3
      case .rnn: 1
      }
    }
  }

  init(_ data: CaptureFields, of state: CaptureFields) throws(CaptureError) {
    let type = try data.text("unit_type")
    guard let unit = Unit(rawValue: type) else {
      let known = alternatives(Unit.allCases.map(\.rawValue), "and")
      throw data.error("unit_type", "is \(quoted(type)), which is not known; known are \(known)")
    }
    (self.unit, self.state) = (unit, state)
    units = try data.integer("hidden_size", in: 1...Limits.extent)
    layers = try data.integer("num_layers", in: 1...Capture.maximumLines, standard: 1)
  }

  /// Writes the layers.
  ///
  /// - Returns: the expression of the last one.
  func write(
    _ input: String, inputs: Int, outputs: Int, in text: inout CaptureText
  ) throws(CaptureError) -> String {
    var (x, channels) = (input, inputs)
    var known: [String] = []
    for layer in 0..<layers {
      let line = try cell(x, channels, layer, &known, in: &text)
      x = try text.define("rec\(layer + 1)", line, at: state.place)
      channels = units
    }
    try state.check(known + ["lin.weight", "lin.bias"])
    let lin = CaptureLayer(
      name: "lin", title: "lin", place: state.place("lin.weight"), inputs: units, outputs: outputs)
    let weight = try state.array("lin.weight").numbers([outputs, units])
    let bias = try state.optionalArray("lin.bias")?.numbers([outputs])
    return lin.expression(
      x, .init(weight: weight, bias: bias, inputs: units, outputs: outputs), in: &text)
  }

  private func cell(
    _ x: String, _ channels: Int, _ layer: Int, _ known: inout [String], in text: inout CaptureText
  ) throws(CaptureError) -> String {
    let rows = unit.gates * units
    var arguments: [String] = []
    func keep(_ label: String, _ name: String, _ shape: [Int], isOptional: Bool = false) throws(CaptureError)
    {
      let key = "rec.\(name)_l\(layer)"
      known.append(key)
      if isOptional && !state.has(key) { return }
      let numbers = try state.array(key).numbers(shape)
      arguments.append("\(label): " + text.keep(key, shape, numbers, at: state.place(key)))
    }
    try keep("weight", "weight_ih", [rows, channels])
    try keep("recurrent", "weight_hh", [rows, units])
    try keep("bias", "bias_ih", [rows], isOptional: true)
    try keep("recurrentBias", "bias_hh", [rows], isOptional: true)
    return "\(unit.rawValue.lowercased())(\(x), \(arguments.joined(separator: ", ")), axis: 0)"
  }
}
