// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// A convolution of a capture, along the frames: its sizes, and the way from flat weights to an expression.
///
///     out × in / groups × kernel numbers, then out of the bias
///         ─▶  dense(x, weight: 'head.weight', bias: 'head.bias', axis: 0)            of one frame
///             conv1d(x, weight: 'conv.weight', bias: 'conv.bias', dilation: 4)       of several
struct CaptureLayer {
  /// The name of its weights, and what messages call it.
  let name, title: String
  let place: Place
  let inputs, outputs: Int
  var kernel = 1
  var dilation = 1
  var groups = 1
  var hasBias = true
  /// The first channels of each, where a network is made smaller than its weights; else all.
  var keptInputs, keptOutputs: Int?

  /// The weights and the bias of a layer.
  struct Weights {
    var weight: [Float]
    var bias: [Float]?
    /// The channels, after a network was made smaller.
    var inputs, outputs: Int
  }

  func take(from cursor: inout WeightCursor) throws(CaptureError) -> Weights {
    guard inputs.isMultiple(of: groups), outputs.isMultiple(of: groups) else {
      throw CaptureError(
        place: place,
        message:
          "\(title) has \(counted(inputs, "channel")) in and \(outputs) out, which \(groups) groups do not divide"
      )
    }
    let width = inputs / groups
    var weight = try cursor.take([outputs, width, kernel], "the weight of \(title)")
    var bias = hasBias ? try cursor.take([outputs], "the bias of \(title)") : nil
    let (rows, columns) = (keptOutputs ?? outputs, keptInputs ?? inputs)
    if rows < outputs || columns < inputs {
      precondition(groups == 1, "a network in groups keeps its size")
      weight = (0..<rows).flatMap { weight[$0 * width * kernel..<($0 * width + columns) * kernel] }
      bias = bias.map { Array($0[..<rows]) }
    }
    return Weights(weight: weight, bias: bias, inputs: columns, outputs: rows)
  }

  /// The expression of the layer on a value, with the weights kept.
  func expression(_ x: String, _ weights: Weights, in text: inout CaptureText) -> String {
    let isDense = kernel == 1 && groups == 1
    let shape = [weights.outputs, weights.inputs / groups] + (isDense ? [] : [kernel])
    let weight = text.keep("\(name).weight", shape, weights.weight, at: place)
    let bias =
      weights.bias.map { ", bias: " + text.keep("\(name).bias", [weights.outputs], $0, at: place) } ?? ""
    guard !isDense else { return "dense(\(x), weight: \(weight)\(bias), axis: 0)" }
    let spread = dilation == 1 ? "" : ", dilation: \(dilation)"
    let parts = groups == 1 ? "" : ", groups: \(groups)"
    return "conv1d(\(x), weight: \(weight)\(bias)\(spread)\(parts))"
  }

  func expression(
    _ x: String, from cursor: inout WeightCursor, in text: inout CaptureText
  ) throws(CaptureError) -> String {
    expression(x, try take(from: &cursor), in: &text)
  }
}
