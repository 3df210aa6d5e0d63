// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// A layer of a WaveNet with its weights, as it is written.
///
///     x ─▶ conv ─▶(+)─▶ activation ─┬─▶ layer1x1 ─▶(+)─▶ next x
///     │            ▲                └─▶ head1x1 ──▶ head     ▲
///     │   condition ─▶ input_mixin                           │
///     ╰──────────────────────────────────────────────────────╯
struct WaveNetLayer {
  private let array: WaveNetArray
  private let layer: WaveNetArray.Layer
  private let names: CaptureNames
  private let name: String
  private let conv, mixin: (CaptureLayer, CaptureLayer.Weights)
  private let layer1x1, head1x1: (CaptureLayer, CaptureLayer.Weights)?
  private var films: [CaptureFilm.Position: CaptureFilm] = [:]

  /// Takes the weights of a layer.
  init(
    _ array: WaveNetArray, _ index: Int, _ names: CaptureNames, _ name: String,
    from cursor: inout WeightCursor
  ) throws(CaptureError) {
    (self.array, layer, self.names, self.name) = (array, array.layers[index], names, name)
    let title = "\(array.path), layer \(index + 1)"
    let isGated = if case .none = layer.gating { false } else { true }
    let (middle, keptMiddle) = (
      array.bottleneck * (isGated ? 2 : 1), array.keptBottleneck * (isGated ? 2 : 1)
    )
    func taken(_ layer: CaptureLayer) throws(CaptureError) -> (CaptureLayer, CaptureLayer.Weights) {
      (layer, try layer.take(from: &cursor))
    }
    func tensor(_ part: String) -> String { names.tensor("\(name).\(part)".replacing("_", with: ".")) }
    conv = try taken(
      CaptureLayer(
        name: tensor("conv"), title: "conv of \(title)", place: array.place, inputs: array.channels,
        outputs: middle,
        kernel: layer.kernel, dilation: layer.dilation, groups: array.groups, keptInputs: array.kept,
        keptOutputs: keptMiddle))
    mixin = try taken(
      CaptureLayer(
        name: tensor("mixin"), title: "input_mixin of \(title)", place: array.place, inputs: array.condition,
        outputs: middle, groups: array.mixinGroups, hasBias: false, keptOutputs: keptMiddle))
    layer1x1 =
      try array.layer1x1.map { groups throws(CaptureError) in
        try taken(
          CaptureLayer(
            name: tensor("layer1x1"), title: "layer1x1 of \(title)", place: array.place,
            inputs: array.bottleneck,
            outputs: array.channels, groups: groups, keptInputs: array.keptBottleneck, keptOutputs: array.kept
          ))
      }
    head1x1 =
      try array.head1x1.map { head throws(CaptureError) in
        try taken(
          CaptureLayer(
            name: tensor("head1x1"), title: "head1x1 of \(title)", place: array.place,
            inputs: array.bottleneck,
            outputs: head.channels, groups: head.groups, keptInputs: array.keptBottleneck))
      }
    for position in CaptureFilm.Position.allCases {
      guard let shape = array.films[position] else { continue }
      let (channels, kept) =
        switch position {
        case .convPre, .layer1x1Post: (array.channels, array.kept)
        case .convPost, .mixinPost, .activationPre: (middle, keptMiddle)
        case .mixinPre: (array.condition, array.condition)
        case .activationPost: (array.bottleneck, array.keptBottleneck)
        case .head1x1Post: (array.headInputs, array.headInputs)
        }
      films[position] = try CaptureFilm(
        shape, tensor(position.rawValue.replacing("_film", with: "")), "\(position.rawValue) of \(title)",
        at: array.place,
        condition: array.condition, channels: channels, kept: kept, from: &cursor)
    }
  }

  /// Writes the layer.
  ///
  /// - Parameter isLast: whether nobody reads the next x.
  /// - Returns: the next x, and what goes to the head.
  func write(
    _ x: String, _ condition: CaptureSignal, isLast: Bool, in text: inout CaptureText
  ) throws(CaptureError) -> (next: String, head: String) {
    func value(_ part: String) -> String { names.value("\(name)_\(part)") }
    func modulated(
      _ x: String, _ position: CaptureFilm.Position
    ) throws(CaptureError) -> String {
      guard let film = films[position] else { return x }
      return try film.expression(x, condition.signal, name: value(position.rawValue), in: &text)
    }
    let convolved = try modulated(
      conv.0.expression(try modulated(x, .convPre), conv.1, in: &text), .convPost)
    var mixed = condition
    if films[.mixinPre] != nil {
      mixed = CaptureSignal(
        signal: try modulated(condition.signal, .mixinPre), channels: condition.channels)
    }
    let sum = convolved + " + " + (try modulated(mixin.0.expression(mixed, mixin.1, in: &text), .mixinPost))
    var active = try activated(try modulated(sum, .activationPre), value, in: &text)
    active = try text.define(value("a"), try modulated(active, .activationPost), at: array.place)
    var head = active
    if let head1x1 {
      let made = try modulated(head1x1.0.expression(active, head1x1.1, in: &text), .head1x1Post)
      head = try text.define(value("head1x1"), made, at: array.place)
    }
    guard !isLast else { return (x, head) }
    var step = active
    if let layer1x1 {
      step = try modulated(layer1x1.0.expression(active, layer1x1.1, in: &text), .layer1x1Post)
    }
    return (try text.define(names.value(name), "\(x) + \(step)", at: array.place), head)
  }

  private func activated(
    _ sum: String, _ value: (String) -> String, in text: inout CaptureText
  ) throws(CaptureError) -> String {
    let channels = array.keptBottleneck
    func of(
      _ activation: CaptureActivation, _ x: String, _ part: String
    ) throws(CaptureError) -> String {
      try activation.expression(
        x, channels: array.bottleneck, kept: channels, name: value(part), at: array.place, in: &text)
    }
    switch layer.gating {
    case .none: return try of(layer.activation, sum, "active")
    case .gated(.function("sigmoid", "")):
      if case .function("tanh", "") = layer.activation { return "gated(\(sum))" }
    case .gated, .blended: break
    }
    let both = try text.define(value("z"), sum, at: array.place)
    func half(_ start: Int) -> String { "slice(\(both), axis: 0, start: \(start), count: \(channels))" }
    switch layer.gating {
    case .none: preconditionFailure("a layer without a gate has one half")
    case .gated(let second):
      return "(\(try of(layer.activation, half(0), "first"))) * (\(try of(second, half(channels), "second")))"
    case .blended(let second):
      let first = try text.define(value("first"), half(0), at: array.place)
      let blend = try text.define(value("blend"), try of(second, half(channels), "second"), at: array.place)
      return "\(blend) * (\(try of(layer.activation, first, "active"))) + (1 - \(blend)) * \(first)"
    }
  }
}
