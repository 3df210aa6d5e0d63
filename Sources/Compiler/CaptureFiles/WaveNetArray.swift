// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// A row of layers of a WaveNet that share their sizes, as the file describes it.
struct WaveNetArray {
  /// The most frames that a layer looks back.
  static let maximumSpan = Limits.delay

  /// A layer, as far as it differs from the others.
  struct Layer {
    let dilation, kernel: Int
    let activation: CaptureActivation
    let gating: Gating
  }

  /// The way in which the second half of a layer's channels acts on the first.
  enum Gating {
    case none
    /// The activated first half, times the activated second.
    case gated(CaptureActivation)
    /// Between the first half and what is activated of it, as the activated second half says.
    case blended(CaptureActivation)
  }

  let path: String
  let place: Place
  let inputs, condition, channels, bottleneck: Int
  let layers: [Layer]
  let groups, mixinGroups: Int
  /// The number of groups of the layer behind each activation; nil where there is none.
  let layer1x1: Int?
  let head1x1: (channels: Int, groups: Int)?
  let head: (channels: Int, kernel: Int, hasBias: Bool)
  let films: [CaptureFilm.Position: CaptureFilm.Shape]
  /// The channels that are kept where the network is made smaller, else all.
  var kept: Int
  /// Whether it can be made smaller.
  private(set) var hasSizes = false

  /// - Parameters:
  ///   - knobs: the values beside the signal, nil where the file cannot leave sizes open.
  ///   - size: how much of a network to keep that can be made smaller, from 0 to 1.
  init(_ fields: CaptureFields, width: Int?, isFirst: Bool, size: Double) throws(CaptureError) {
    try fields.check(
      [
        "input_size", "condition_size", "head", "head_size", "head_bias", "channels", "kernel_size",
        "kernel_sizes",
        "dilations", "activation", "gated", "gating_mode", "secondary_activation", "bottleneck", "head1x1",
        "layer1x1", "groups_input", "groups_input_mixin", "slimmable",
      ] + CaptureFilm.Position.allCases.map(\.rawValue))
    let most = 1...Limits.extent
    (path, place) = (fields.path, fields.place)
    inputs = try fields.integer("input_size", in: most, standard: isFirst ? width : nil)
    condition = try fields.integer("condition_size", in: most, standard: width)
    channels = try fields.integer("channels", in: most)
    bottleneck = try fields.integer("bottleneck", in: most, standard: channels)
    groups = try fields.integer("groups_input", in: most, standard: 1)
    mixinGroups = try fields.integer("groups_input_mixin", in: most, standard: 1)
    (layer1x1, head1x1) = try Self.behind(fields, bottleneck)
    head = try Self.head(fields)
    layers = try Self.layers(fields)
    films = try Self.films(fields, hasLayer1x1: layer1x1 != nil, hasHead1x1: head1x1 != nil)
    kept = channels
    if let slimmable = try fields.optionalFields("slimmable") {
      let allowed = try allowed(slimmable)
      kept = try kept(of: allowed, size, of: fields)
      hasSizes = allowed.count > 1
    }
    guard layer1x1 != nil || bottleneck == channels else {
      throw fields.error(
        "bottleneck", "is \(bottleneck) without a layer1x1; it must be the \(channels) channels")
    }
  }

  /// The frames before the latest that the array hangs on.
  var span: Int {
    layers.reduce(head.kernel - 1) { $0 + ($1.kernel - 1) * $1.dilation }
  }

  /// The channels of what goes into the head.
  var headInputs: Int { head1x1?.channels ?? bottleneck }

  var keptBottleneck: Int { kept == channels ? bottleneck : kept }

  // MARK: Reading

  private static func behind(
    _ fields: CaptureFields, _ bottleneck: Int
  ) throws(CaptureError) -> (layer: Int?, head: (channels: Int, groups: Int)?) {
    let most = 1...Limits.extent
    var layer: Int? = 1
    if let given = try fields.optionalFields("layer1x1") {
      try given.check(["active", "groups"])
      let groups = try given.integer("groups", in: most, standard: 1)
      layer = try given.boolean("active", standard: true) ? groups : nil
    }
    var head: (Int, Int)?
    if let given = try fields.optionalFields("head1x1") {
      try given.check(["active", "out_channels", "groups"])
      if try given.boolean("active", standard: false) {
        head = (
          try given.integer("out_channels", in: most), try given.integer("groups", in: most, standard: 1)
        )
      }
    }
    return (layer, head)
  }

  private static func head(
    _ fields: CaptureFields
  ) throws(CaptureError) -> (channels: Int, kernel: Int, hasBias: Bool) {
    let most = 1...Limits.extent
    guard let given = try fields.optionalFields("head") else {
      return (try fields.integer("head_size", in: most), 1, try fields.boolean("head_bias"))
    }
    try given.check(["out_channels", "kernel_size", "bias"])
    return (
      try given.integer("out_channels", in: most),
      try given.integer("kernel_size", in: 1...maximumSpan, standard: 1),
      try given.boolean("bias")
    )
  }

  private static func layers(_ fields: CaptureFields) throws(CaptureError) -> [Layer] {
    let dilations = try fields.integers("dilations", in: 1...Limits.extent)
    let count = dilations.count
    guard count <= Capture.maximumLines else {
      throw fields.error("dilations", "has \(count) numbers; \(Capture.maximumLines) are the most")
    }
    guard !(fields.has("kernel_size") && fields.has("kernel_sizes")) else {
      throw fields.error("kernel_sizes", "stands beside kernel_size; one of them says it")
    }
    let key = fields.has("kernel_sizes") ? "kernel_sizes" : "kernel_size"
    let kernels = try fields.integers(key, in: 1...maximumSpan, count: count)
    let gating = try gatings(fields, count)
    guard let activations = try fields.choices("activation", count: count) else {
      throw fields.error("activation", "is missing")
    }
    var layers: [Layer] = []
    for index in 0..<count {
      let (product, overflows) = (kernels[index] - 1).multipliedReportingOverflow(by: dilations[index])
      guard !overflows, product <= maximumSpan else {
        throw fields.error(
          "dilations",
          "of layer \(index + 1) is \(dilations[index]) with a kernel of \(kernels[index]); \(maximumSpan) "
            + "frames are the most that a layer looks back")
      }
      layers.append(
        Layer(
          dilation: dilations[index], kernel: kernels[index],
          activation: try CaptureActivation(
            activations[index], fields.name("activation"), at: fields.place("activation")),
          gating: gating[index]))
    }
    return layers
  }

  private static func gatings(_ fields: CaptureFields, _ count: Int) throws(CaptureError) -> [Gating] {
    let sigmoid = CaptureActivation.function("sigmoid", "")
    guard let modes = try fields.choices("gating_mode", count: count) else {
      let gated = try fields.boolean("gated", standard: false)
      return [Gating](repeating: gated ? .gated(sigmoid) : .none, count: count)
    }
    let seconds = try fields.choices("secondary_activation", count: count)
    var result: [Gating] = []
    for (index, mode) in modes.enumerated() {
      guard case .text(let mode) = mode else {
        throw fields.error("gating_mode", "must be none, gated or blended")
      }
      var second: CaptureActivation {
        get throws(CaptureError) {
          guard let seconds else { return sigmoid }
          return try CaptureActivation(
            seconds[index], fields.name("secondary_activation"), at: fields.place("secondary_activation"))
        }
      }
      switch mode {
      case "none": result.append(.none)
      case "gated": result.append(.gated(try second))
      case "blended": result.append(.blended(try second))
      default:
        throw fields.error("gating_mode", "must be none, gated or blended, this is \(quoted(mode))")
      }
    }
    return result
  }

  private static func films(
    _ fields: CaptureFields, hasLayer1x1: Bool, hasHead1x1: Bool
  ) throws(CaptureError) -> [CaptureFilm.Position: CaptureFilm.Shape] {
    var films: [CaptureFilm.Position: CaptureFilm.Shape] = [:]
    for position in CaptureFilm.Position.allCases {
      // Some files say false for none.
      if let flag = try? fields.boolean(position.rawValue), !flag { continue }
      guard let given = try fields.optionalFields(position.rawValue) else { continue }
      try given.check(["active", "shift", "groups"])
      let shape = CaptureFilm.Shape(
        shifts: try given.boolean("shift", standard: true),
        groups: try given.integer("groups", in: 1...Limits.extent, standard: 1))
      guard try given.boolean("active", standard: true) else { continue }
      switch position {
      case .layer1x1Post where !hasLayer1x1:
        throw fields.error(position.rawValue, "is active, and layer1x1 is not")
      case .head1x1Post where !hasHead1x1:
        throw fields.error(position.rawValue, "is active, and head1x1 is not")
      case .convPre, .convPost, .mixinPre, .mixinPost, .activationPre, .activationPost, .layer1x1Post,
        .head1x1Post:
        films[position] = shape
      }
    }
    return films
  }

  /// The numbers of channels that can be kept, from the smallest on.
  private func allowed(_ slimmable: CaptureFields) throws(CaptureError) -> [Int] {
    try slimmable.check(["method", "kwargs"])
    let method = try slimmable.text("method")
    guard method == "slice_channels_uniform" else {
      throw slimmable.error("method", "is \(quoted(method)), which is not known")
    }
    let arguments = try slimmable.optionalFields("kwargs")
    try arguments?.check(["allowed_channels", "boosting", "init_strategy"])
    let allowed =
      arguments?.has("allowed_channels") == true
      ? try arguments?.integers("allowed_channels", in: 1...channels) ?? [] : Array(1...min(channels, 65_536))
    guard allowed.last == channels, zip(allowed, allowed.dropFirst()).allSatisfy({ $0 < $1 }) else {
      throw slimmable.error("kwargs", "must list allowed_channels that grow up to the \(channels) channels")
    }
    return allowed
  }

  /// The number of channels that a size means.
  private func kept(of allowed: [Int], _ size: Double, of fields: CaptureFields) throws(CaptureError) -> Int {
    let kept = allowed[min(Int(size * Double(allowed.count)), allowed.count - 1)]
    guard kept < channels else { return kept }
    let isPlain = [groups, mixinGroups, layer1x1 ?? 1].allSatisfy { $0 == 1 } && head.kernel == 1
    guard isPlain, bottleneck == channels, head1x1 == nil, films.isEmpty else {
      throw fields.error(
        "slimmable",
        "leaves out channels of layers that have groups, head1x1, modulations, a bottleneck or a head of several "
          + "frames, which is not known; a size of 1 keeps all")
    }
    return kept
  }
}
