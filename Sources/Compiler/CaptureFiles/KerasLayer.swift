// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// A layer of Keras with its arrays, as RTNeural's script keeps it.
///
///     { "type": "dense", "activation": "tanh", "shape": [null, null, 8], "weights": [[[…], …], […]] }
///         ─▶  tanh(dense(x, weight: 'layer1.weight', bias: 'layer1.bias', axis: 0))
///
/// | type | arrays |
/// |---|---|
/// | dense, time-distributed-dense | `[in, out]`, a bias `[out]` |
/// | conv1d | `[kernel, in / groups, out]`, a bias; the last of the kernel is the latest frame |
/// | lstm | `[in, 4 out]`, `[out, 4 out]`, a bias `[4 out]`; gates i, f, c, o |
/// | gru | `[in, 3 out]`, `[out, 3 out]`, biases `[2, 3 out]`, or `[3 out]` where the reset comes first; gates z, r, h |
/// | prelu | `[1, out]` slopes |
/// | batchnorm | factor and offset, if any; mean and variance |
struct KerasLayer {
  let name: String
  let inputs: Int
  let outputs: Int
  /// The earlier frames that it reads.
  let lookback: Int
  private let kind: Kind
  private let fields: CaptureFields
  private let arrays: [CaptureArray]
  private let kernel, dilation, groups: Int

  private enum Kind: String, CaseIterable {
    case dense
    case timeDistributedDense = "time-distributed-dense"
    case conv1d
    case lstm
    case gru
    case prelu
    case batchnorm
    case activation
  }

  init(_ fields: CaptureFields, number: Int, inputs: Int) throws(CaptureError) {
    (self.fields, self.inputs, name) = (fields, inputs, "layer\(number)")
    kind = try Self.kind(fields)
    let own: [String] =
      switch kind {
      case .conv1d: ["kernel_size", "dilation", "groups"]
      case .batchnorm: ["epsilon"]
      case .dense, .timeDistributedDense, .lstm, .gru, .prelu, .activation: []
      }
    try fields.check(["name", "type", "activation", "shape", "weights"] + own)
    outputs = try fields.channels(ofShape: "shape", upTo: Limits.extent)
    let isConvolution = kind == .conv1d
    kernel = isConvolution ? try fields.extent("kernel_size") : 1
    dilation = isConvolution ? try fields.extent("dilation", standard: 1) : 1
    groups = isConvolution ? try fields.extent("groups", standard: 1) : 1
    lookback = min((kernel - 1) * dilation, Limits.prewarm)
    arrays = try fields.optionalArray("weights")?.elements() ?? []
    switch kind {
    case .prelu, .batchnorm, .activation:
      guard outputs == inputs else {
        throw fields.error("shape", "ends in \(outputs), and \(counted(inputs, "channel")) go in")
      }
    case .dense, .timeDistributedDense, .conv1d, .lstm, .gru: break
    }
  }

  private static func kind(_ fields: CaptureFields) throws(CaptureError) -> Kind {
    let type = try fields.text("type")
    if let kind = Kind(rawValue: type) { return kind }
    let known = Kind.allCases.map(\.rawValue)
    let hint = nearestName(to: type, among: known).map { "did you mean \(quoted($0))?" }
    throw fields.error(
      "type",
      "is \(quoted(type)), a layer that is not known; \(hint ?? "known are \(alternatives(known, "and"))")")
  }

  var isRecurrent: Bool { kind == .lstm || kind == .gru }

  func expression(_ x: String, in text: inout CaptureText) throws(CaptureError) -> String {
    switch kind {
    case .dense, .timeDistributedDense, .conv1d: try activated(try convolution(x, in: &text))
    case .lstm: try lstm(x, in: &text)
    case .gru: try gru(x, in: &text)
    case .prelu: try slopes(x, in: &text)
    case .batchnorm: try normalization(x, in: &text)
    case .activation: try activated(x, isAll: true)
    }
  }

  // MARK: Layers

  private func convolution(_ x: String, in text: inout CaptureText) throws(CaptureError) -> String {
    try checkArrays([1, 2])
    guard inputs.isMultiple(of: groups), outputs.isMultiple(of: groups) else {
      throw fields.error(
        "groups", "is \(groups), which does not divide \(inputs) channels in and \(outputs) out")
    }
    let shape = (kind == .conv1d ? [kernel] : []) + [inputs / groups, outputs]
    let weight = try arrays[0].numbers(turning: shape)
    let layer = CaptureLayer(
      name: name, title: fields.path, place: fields.place, inputs: inputs, outputs: outputs, kernel: kernel,
      dilation: dilation, groups: groups)
    let bias = arrays.count > 1 ? try arrays[1].numbers([outputs]) : nil
    return layer.expression(x, .init(weight: weight, bias: bias, inputs: inputs, outputs: outputs), in: &text)
  }

  private func lstm(_ x: String, in text: inout CaptureText) throws(CaptureError) -> String {
    try checkRecurrent()
    let rows = 4 * outputs
    let weight = try arrays[0].numbers(turning: [inputs, rows])
    let recurrent = try arrays[1].numbers(turning: [outputs, rows])
    let bias = arrays.count > 2 ? try arrays[2].numbers([rows]) : nil
    return
      "lstm(\(x), \(keep([("weight", weight), ("recurrent", recurrent), ("bias", bias)], rows, in: &text)), axis: 0)"
  }

  private func gru(_ x: String, in text: inout CaptureText) throws(CaptureError) -> String {
    try checkRecurrent()
    let rows = 3 * outputs
    let weight = try arrays[0].numbers(turning: [inputs, rows])
    let recurrent = try arrays[1].numbers(turning: [outputs, rows])
    var biases: [[Float]] = []
    let resetsFirst = arrays.count > 2 && arrays[2].isFlat
    if arrays.count > 2 {
      let numbers = try arrays[2].numbers(resetsFirst ? [rows] : [2, rows])
      biases = stride(from: 0, to: numbers.count, by: rows).map { Array(numbers[$0..<$0 + rows]) }
    }
    let parts = [("weight", weight), ("recurrent", recurrent)] + zip(["bias", "recurrentBias"], biases)
    let kept = keep(parts.map { ($0.0, resetFirst($0.1)) }, rows, in: &text)
    return "gru(\(x), \(kept)\(resetsFirst ? ", reset: 'before'" : ""), axis: 0)"
  }

  /// The gates z, r, h as r, z, h.
  private func resetFirst(_ numbers: [Float]) -> [Float] {
    let third = numbers.count / 3
    return Array(numbers[third..<2 * third] + numbers[..<third] + numbers[(2 * third)...])
  }

  /// The arguments of a recurrent layer, with its arrays kept.
  private func keep(_ parts: [(String, [Float]?)], _ rows: Int, in text: inout CaptureText) -> String {
    parts.compactMap { label, numbers in
      guard let numbers else { return nil }
      let columns = label == "weight" ? inputs : outputs
      let shape = label.hasSuffix("ias") ? [rows] : [rows, columns]
      return "\(label): " + text.keep("\(name).\(label)", shape, numbers, at: fields.place)
    }.joined(separator: ", ")
  }

  private func slopes(_ x: String, in text: inout CaptureText) throws(CaptureError) -> String {
    try checkArrays([1])
    try checkActivation([])
    let rows = try arrays[0].elements()
    guard rows.count == 1, let count = rows[0].count else {
      throw arrays[0].error(
        "has \(counted(rows.count, "row")); slopes that are the same in all frames have 1")
    }
    let slopes = try rows[0].numbers([count == 1 ? 1 : outputs])
    guard slopes.count == outputs else { return "leakyRelu(\(x), slope: \(written(slopes[0])))" }
    return "prelu(\(x), \(text.keep("\(name).slope", [outputs], slopes, at: fields.place)))"
  }

  private func normalization(_ x: String, in text: inout CaptureText) throws(CaptureError) -> String {
    try checkArrays([2, 4])
    try checkActivation([])
    let epsilon = try fields.number("epsilon")
    let numbers = try arrays.map { array throws(CaptureError) in try array.numbers([outputs]) }
    if let channel = numbers[numbers.count - 1].firstIndex(where: { Double($0) + epsilon <= 0 }) {
      throw arrays[arrays.count - 1].error(
        "has the variance \(written(numbers[numbers.count - 1][channel])) in channel \(channel + 1), and epsilon is "
          + "\(written(epsilon)); their sum must be above 0")
    }
    let labels = arrays.count == 4 ? ["weight", "bias", "mean", "variance"] : ["mean", "variance"]
    let kept = zip(labels, numbers).map { label, numbers in
      "\(label): " + text.keep("\(name).\(label)", [outputs], numbers, at: fields.place)
    }
    return "batchNorm(\(x), \(kept.joined(separator: ", ")), epsilon: \(written(epsilon)))"
  }

  // MARK: Activations and checks

  private static let activations = ["tanh", "relu", "sigmoid", "softmax", "elu"]

  /// - Parameter isAll: whether the activation is all that the layer is, and must be there.
  private func activated(_ x: String, isAll: Bool = false) throws(CaptureError) -> String {
    guard let activation = try checkActivation(Self.activations) else {
      guard !isAll else {
        throw CaptureError(
          place: fields.place, message: "\(fields.path) is an activation, and does not say which")
      }
      return x
    }
    return activation == "softmax" ? "softmax(\(x), axis: 0)" : "\(activation)(\(x))"
  }

  @discardableResult
  private func checkActivation(_ known: [String]) throws(CaptureError) -> String? {
    guard let activation = try fields.optionalText("activation"), !["", "linear"].contains(activation) else {
      return nil
    }
    guard known.contains(activation) else {
      let hint = known.isEmpty ? "none is" : "known are \(alternatives(known, "and"))"
      throw fields.error(
        "activation",
        "is \(quoted(activation)), which is not known of the type \(quoted(kind.rawValue)); \(hint)")
    }
    return activation
  }

  /// Cells have the activations that they began with: Keras writes that of the cell, tanh.
  private func checkRecurrent() throws(CaptureError) {
    try checkActivation(["tanh"])
    try checkArrays([2, 3])
  }

  private func checkArrays(_ counts: [Int]) throws(CaptureError) {
    guard counts.contains(arrays.count) else {
      throw fields.error(
        "weights",
        "has \(counted(arrays.count, "array")), and a layer of the type \(quoted(kind.rawValue)) has "
          + counts.map(String.init).joined(separator: " or "))
    }
  }
}
