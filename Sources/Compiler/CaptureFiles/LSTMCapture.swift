// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// A recurrent network: layers of LSTM cells, and a dense layer.
///
///     for each layer   weights [4 units, in + units] of the gates i, f, g, o; a bias; h and c before the first frame
///     head             weights [units]; a bias
struct LSTMCapture: CaptureArchitecture {
  private let layers: Int
  private let units: Int
  private let config: CaptureFields
  let inputs: Int

  init(_ config: CaptureFields, knobs: Int) throws(CaptureError) {
    try config.check([
      "input_size", "hidden_size", "num_layers", "in_channels", "out_channels", "train_burn_in",
      "train_truncate",
      "params", "parametric",
    ])
    layers = try config.integer("num_layers", in: 1...Capture.maximumLines, standard: 1)
    units = try config.integer("hidden_size", in: 1...Limits.extent)
    inputs = try config.integer("input_size", in: 1...Limits.rows, standard: 1 + knobs)
    _ = try config.integer("out_channels", in: 1...1, standard: 1)
    let channels = try config.integer("in_channels", in: 1...Limits.rows, standard: inputs - knobs)
    guard channels == inputs - knobs else {
      let beside = knobs > 0 ? " beside \(counted(knobs, "value")) of knobs" : ""
      throw config.error("in_channels", "is \(channels), and \(inputs - knobs) go into the network\(beside)")
    }
    self.config = config
  }

  var outputs: Int { 1 }
  /// Half a second, which NeuralAmpModelerCore lets pass: a cell may keep what it keeps for ever.
  func memory(at rate: Int) -> Int { rate / 2 }

  func write(
    _ input: CaptureSignal, names: CaptureNames, _ cursor: inout WeightCursor, in text: inout CaptureText
  ) throws(CaptureError) -> String {
    var (x, width) = (input, inputs)
    for index in 1...layers {
      let h = try cell(x, width, names, index, &cursor, in: &text)
      (x, width) = (CaptureSignal(signal: h, channels: units), units)
    }
    let head = CaptureLayer(
      name: names.tensor("head"), title: "head", place: config.place, inputs: units, outputs: 1)
    return try text.define(
      names.output, try head.expression(x.signal, from: &cursor, in: &text), at: config.place)
  }

  private func cell(
    _ x: CaptureSignal, _ width: Int, _ names: CaptureNames, _ index: Int, _ cursor: inout WeightCursor,
    in text: inout CaptureText
  ) throws(CaptureError) -> String {
    let (name, place) = ("lstm\(index)", config.place)
    let rows = 4 * units
    let both = try cursor.take([rows, width + units], "the weight of \(name)")
    let bias = try cursor.take([rows], "the bias of \(name)")
    let hidden = try cursor.take([units], "the hidden state of \(name)")
    let cell = try cursor.take([units], "the cell state of \(name)")
    func columns(_ range: Range<Int>) -> [Float] {
      (0..<rows).flatMap { row in
        both[row * (width + units) + range.lowerBound..<row * (width + units) + range.upperBound]
      }
    }
    func part(_ part: String) -> String { names.tensor("\(name).\(part)") }
    let weight = text.keep(part("weight"), [rows, x.channels], columns(0..<x.channels), at: place)
    let recurrent = text.keep(part("recurrent"), [rows, units], columns(width..<width + units), at: place)
    let offset = text.keep(part("bias"), [rows], bias, at: place)
    var taken = "dense(\(x.signal), weight: \(weight), bias: \(offset), axis: 0)"
    if let knobs = x.knobs {
      let weight = text.keep(part("knobs"), [rows, knobs.count], columns(x.channels..<width), at: place)
      taken += " + dense(\(knobs.name), weight: \(weight), axis: 0)"
    }
    let (gates, c, h) = (names.value("\(name)_gates"), names.value("\(name)_c"), names.value("\(name)_h"))
    func gate(_ index: Int) -> String {
      "slice(\(gates), axis: 0, start: \(index * units), count: \(units))"
    }
    let before = previous(h, hidden, part("hidden"), in: &text)
    try text.define(gates, "\(taken) + dense(\(before), weight: \(recurrent), axis: 0)", at: place)
    try text.define(
      c,
      "sigmoid(\(gate(1))) * \(previous(c, cell, part("cell"), in: &text)) + sigmoid(\(gate(0))) * tanh(\(gate(2)))",
      at: place)
    return try text.define(h, "sigmoid(\(gate(3))) * tanh(\(c))", at: place)
  }

  /// A state of a frame earlier, which begins with what was learned.
  private func previous(_ state: String, _ first: [Float], _ name: String, in text: inout CaptureText)
    -> String
  {
    guard first.contains(where: { $0 != 0 }) else { return "delay(\(state), 1)" }
    let start = text.keep(name, [units], first, at: config.place)
    return "delay(\(state), 1, initial: \(start))"
  }
}
