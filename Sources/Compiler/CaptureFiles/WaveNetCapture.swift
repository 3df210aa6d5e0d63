// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// A WaveNet: rows of layers whose activations add up in a head, each layer looking further back than the one before.
///
///     src ─▶ array 1 ─▶ array 2 ─▶          each layer also reads the condition, which is src or a network of it
///               ╰─ head ─▶ + ╰─ head ─▶ head_scale ─▶ dst
struct WaveNetCapture: CaptureArchitecture {
  private let arrays: [WaveNetArray]
  private let head: Head?
  private let condition: (network: any CaptureArchitecture, fields: CaptureFields)?
  private let config: CaptureFields
  let inputs: Int

  /// Layers behind all arrays: an activation and a convolution each.
  private struct Head {
    let channels, outputs: Int
    let kernels: [Int]
    let activation: CaptureActivation
    let place: Place
  }

  /// - Parameters:
  ///   - knobs: how many values stand beside the signal.
  ///   - whole: what the capture says of all its parts.
  init(_ config: CaptureFields, knobs: Int, of whole: inout CaptureWhole) throws(CaptureError) {
    try config.check(["layers", "head", "head_scale", "condition_dsp", "in_channels", "params", "parametric"])
    let width = try config.integer("in_channels", in: 1...Limits.rows, standard: 1) + knobs
    _ = try config.number("head_scale")
    var condition: (any CaptureArchitecture, CaptureFields)?
    if let fields = try config.optionalFields("condition_dsp") {
      guard knobs == 0 else { throw config.error("condition_dsp", "stands beside knobs, which is not known") }
      try whole.add(fields)
      let network = try Capture.network(fields, of: &whole)
      guard network.inputs == width else {
        throw config.error("condition_dsp", "takes \(network.inputs) channels, and the network \(width)")
      }
      condition = (network, fields)
    }
    var arrays: [WaveNetArray] = []
    let conditionWidth = condition?.0.outputs ?? width
    for (index, fields) in try config.list("layers", of: "arrays").enumerated() {
      let array = try WaveNetArray(
        fields, width: knobs > 0 ? width : nil, isFirst: index == 0, size: whole.size)
      try whole.add(layers: array.layers.count, of: fields)
      if array.hasSizes { whole.hasSizes = true }
      let before = arrays.last
      let expected = before?.channels ?? width
      guard array.inputs == expected else {
        throw fields.error("input_size", "is \(array.inputs), and \(expected) channels go in")
      }
      guard array.condition == conditionWidth else {
        throw fields.error(
          "condition_size", "is \(array.condition), and the condition has \(conditionWidth) channels")
      }
      if let before, before.head.channels != array.headInputs {
        throw fields.error(
          "head", "adds \(array.headInputs) channels to the \(before.head.channels) of the layers before")
      }
      if knobs > 0 {
        guard array.films.isEmpty, array.mixinGroups == 1 else {
          throw CaptureError(
            place: array.place,
            message: "\(array.path) has knobs beside modulations or groups, which is not known")
        }
      }
      arrays.append(array)
    }
    (inputs, self.arrays, self.condition, self.config) = (width, arrays, condition, config)
    head = try config.optionalFields("head").map { fields throws(CaptureError) in
      try Self.head(fields, inputs: arrays[arrays.count - 1].head.channels)
    }
  }

  private static func head(_ fields: CaptureFields, inputs: Int) throws(CaptureError) -> Head {
    try fields.check(["channels", "activation", "out_channels", "kernel_sizes", "in_channels"])
    let known = try fields.integer("in_channels", in: 1...Limits.extent, standard: inputs)
    guard known == inputs else {
      throw fields.error("in_channels", "is \(known), and \(inputs) channels come out of the layers")
    }
    return Head(
      channels: try fields.integer("channels", in: 1...Limits.extent),
      outputs: try fields.integer("out_channels", in: 1...Limits.rows),
      kernels: try fields.integers("kernel_sizes", in: 1...WaveNetArray.maximumSpan),
      activation: try CaptureActivation(
        try fields.choices("activation", count: 1, of: "this head has")?[0] ?? .none,
        fields.name("activation"),
        at: fields.place("activation")), place: fields.place)
  }

  var outputs: Int { head?.outputs ?? arrays[arrays.count - 1].head.channels }

  func memory(at rate: Int) -> Int {
    let behind = head?.kernels.reduce(0) { $0 + ($1 - 1) } ?? 0
    return arrays.reduce((condition?.network.memory(at: rate) ?? 0) + behind) { $0 + $1.span }
  }

  func write(
    _ input: CaptureSignal, names: CaptureNames, _ cursor: inout WeightCursor, in text: inout CaptureText
  ) throws(CaptureError) -> String {
    var modulator = input
    if let condition {
      let made = try Capture.write(
        condition.network, condition.fields, input, names: names.part("condition"), in: &text)
      modulator = CaptureSignal(signal: made, channels: condition.network.outputs)
    }
    var (x, sum) = (input, String?.none)
    for (index, array) in arrays.enumerated() {
      let next = index + 1 < arrays.count ? arrays[index + 1] : nil
      let name = "array\(index + 1)"
      (x, sum) = try write(
        array, name, x, modulator, sum, kept: index == 0 ? nil : arrays[index - 1].kept,
        headOutputs: next.flatMap { $0.kept < $0.channels ? $0.kept : nil }, isLast: next == nil, names,
        &cursor,
        in: &text)
    }
    guard var result = sum else { preconditionFailure("a WaveNet has layers") }
    var behind: [(CaptureLayer, CaptureLayer.Weights)] = []
    if let head {
      var channels = arrays[arrays.count - 1].head.channels
      for (index, kernel) in head.kernels.enumerated() {
        let isLast = index == head.kernels.count - 1
        let layer = CaptureLayer(
          name: names.tensor("head.layer\(index + 1)"), title: "layer \(index + 1) of the head",
          place: head.place,
          inputs: channels, outputs: isLast ? head.outputs : head.channels, kernel: kernel)
        behind.append((layer, try layer.take(from: &cursor)))
        channels = head.channels
      }
    }
    let scale = written(try cursor.take([1], "head_scale")[0])
    result = "\(result) * (\(scale))"
    guard let head else { return try text.define(names.output, result, at: config.place) }
    for (index, (layer, weights)) in behind.enumerated() {
      let name = names.value("head\(index + 1)")
      let x = try text.define("\(name)_in", result, at: head.place)
      let active = try head.activation.expression(
        x, channels: layer.inputs, name: name, at: head.place, in: &text)
      let isLast = index == behind.count - 1
      result = try text.define(
        isLast ? names.output : name, layer.expression(active, weights, in: &text), at: head.place)
    }
    return result
  }

  /// Writes an array.
  ///
  /// - Parameters:
  ///   - sum: what the arrays before give to the head.
  ///   - kept: the channels that come from the array before, of which some may have been left out.
  ///   - headOutputs: the channels of the head that are kept.
  private func write(
    _ array: WaveNetArray, _ name: String, _ input: CaptureSignal, _ condition: CaptureSignal, _ sum: String?,
    kept: Int?, headOutputs: Int?, isLast: Bool, _ names: CaptureNames, _ cursor: inout WeightCursor,
    in text: inout CaptureText
  ) throws(CaptureError) -> (CaptureSignal, String) {
    let rechannel = CaptureLayer(
      name: names.tensor("\(name).rechannel"), title: "rechannel of \(array.path)", place: array.place,
      inputs: array.inputs, outputs: array.channels, hasBias: false, keptInputs: kept, keptOutputs: array.kept
    )
    let first = rechannel.expression(input, try rechannel.take(from: &cursor), in: &text)
    var x = try text.define(names.value("\(name)_in"), first, at: array.place)
    var sum = sum
    for index in array.layers.indices {
      let layer = try WaveNetLayer(
        array, index, names, "\(name)_layer\(index + 1)", from: &cursor)
      let ends = isLast && index == array.layers.count - 1
      let (next, head) = try layer.write(x, condition, isLast: ends, in: &text)
      x = next
      if let before = sum {
        sum = try text.define(
          names.value("\(name)_layer\(index + 1)_sum"), "\(before) + \(head)", at: array.place)
      } else {
        sum = head
      }
    }
    let head = CaptureLayer(
      name: names.tensor("\(name).head"), title: "head of \(array.path)", place: array.place,
      inputs: array.headInputs, outputs: array.head.channels, kernel: array.head.kernel,
      hasBias: array.head.hasBias, keptInputs: array.head1x1 == nil ? array.keptBottleneck : nil,
      keptOutputs: headOutputs)
    guard let all = sum else { preconditionFailure("an array has layers") }
    let made = try head.expression(all, from: &cursor, in: &text)
    let result = try text.define(names.value("\(name)_head"), made, at: array.place)
    return (CaptureSignal(signal: x, channels: array.kept), result)
  }
}
