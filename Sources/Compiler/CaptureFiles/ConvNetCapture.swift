// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// A convolutional network: blocks of a convolution over two frames, a normalisation and an activation; then a dense
/// layer.
///
/// A normalisation is part of the convolution before it: scale and offset go into weights and bias.
struct ConvNetCapture: CaptureArchitecture {
  private let channels: Int
  private let dilations: [Int]
  private let isNormalized: Bool
  private let activation: CaptureActivation
  private let groups: Int
  private let config: CaptureFields
  let inputs: Int
  let outputs: Int

  init(_ config: CaptureFields) throws(CaptureError) {
    try config.check([
      "channels", "dilations", "batchnorm", "activation", "groups", "in_channels", "out_channels",
    ])
    channels = try config.integer("channels", in: 1...Limits.extent)
    dilations = try config.integers("dilations", in: 1...Limits.extent)
    isNormalized = try config.boolean("batchnorm")
    activation = try CaptureActivation(
      try config.choices("activation", count: 1, of: "a network of this kind has")?[0] ?? .none,
      config.name("activation"),
      at: config.place("activation"))
    groups = try config.integer("groups", in: 1...Limits.extent, standard: 1)
    inputs = try config.integer("in_channels", in: 1...Limits.rows, standard: 1)
    outputs = try config.integer("out_channels", in: 1...Limits.rows, standard: 1)
    self.config = config
  }

  func memory(at rate: Int) -> Int { dilations.reduce(0, +) }

  func write(
    _ input: CaptureSignal, names: CaptureNames, _ cursor: inout WeightCursor, in text: inout CaptureText
  ) throws(CaptureError) -> String {
    var x = input.signal
    for (index, dilation) in dilations.enumerated() {
      let name = "block\(index + 1)"
      let layer = CaptureLayer(
        name: names.tensor(name), title: name, place: config.place, inputs: index == 0 ? inputs : channels,
        outputs: channels, kernel: 2, dilation: dilation, groups: groups, hasBias: !isNormalized)
      var weights = try layer.take(from: &cursor)
      if isNormalized { try normalize(&weights, name, &cursor) }
      let convolved = layer.expression(x, weights, in: &text)
      let active = try activation.expression(
        convolved, channels: channels, name: names.value(name), at: config.place, in: &text)
      x = try text.define(names.value(name), active, at: config.place)
    }
    let head = CaptureLayer(
      name: names.tensor("head"), title: "head", place: config.place, inputs: channels, outputs: outputs)
    return try text.define(names.output, try head.expression(x, from: &cursor, in: &text), at: config.place)
  }

  /// Takes what a normalisation learned, and lets a convolution do it.
  private func normalize(
    _ weights: inout CaptureLayer.Weights, _ name: String, _ cursor: inout WeightCursor
  ) throws(CaptureError) {
    let mean = try cursor.take([channels], "the mean of \(name)")
    let variance = try cursor.take([channels], "the variance of \(name)")
    let factor = try cursor.take([channels], "the scale of \(name)")
    let offset = try cursor.take([channels], "the offset of \(name)")
    let epsilon = try cursor.take([1], "the epsilon of \(name)")[0]
    let row = weights.weight.count / channels
    var bias: [Float] = []
    for channel in 0..<channels {
      let size = (Double(variance[channel]) + Double(epsilon)).squareRoot()
      let scale = Double(factor[channel]) / size
      guard size > 0, Float(scale).isFinite else {
        throw config.error(
          "batchnorm",
          "has the variance \(written(variance[channel])) and the epsilon \(written(epsilon)) in \(name), channel "
            + "\(channel + 1); their sum must be above 0")
      }
      for place in channel * row..<(channel + 1) * row {
        weights.weight[place] = Float(Double(weights.weight[place]) * scale)
      }
      bias.append(Float(Double(offset[channel]) - Double(mean[channel]) * scale))
    }
    guard (weights.weight + bias).allSatisfy(\.isFinite) else {
      throw config.error("batchnorm", "makes weights of \(name) that are too large for a 32-bit float")
    }
    weights.bias = bias
  }
}
