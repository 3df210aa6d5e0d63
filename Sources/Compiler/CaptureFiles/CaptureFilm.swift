// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// Feature-wise linear modulation: a layer makes of the condition a factor, and perhaps an offset, for each channel.
///
///     x   →   x * scale + shift,   [scale, shift] = W condition + b
struct CaptureFilm {
  /// The places of a layer where there can be one, in the order of their weights.
  enum Position: String, CaseIterable {
    case convPre = "conv_pre_film"
    case convPost = "conv_post_film"
    case mixinPre = "input_mixin_pre_film"
    case mixinPost = "input_mixin_post_film"
    case activationPre = "activation_pre_film"
    case activationPost = "activation_post_film"
    case layer1x1Post = "layer1x1_post_film"
    case head1x1Post = "head1x1_post_film"
  }

  /// The size of one, as the file says it.
  struct Shape {
    let shifts: Bool
    let groups: Int
  }

  private let layer: CaptureLayer
  private let weights: CaptureLayer.Weights
  private let channels: Int
  private let shifts: Bool

  /// Takes the weights of one.
  init(
    _ shape: Shape, _ name: String, _ title: String, at place: Place, condition: Int, channels: Int,
    kept: Int,
    from cursor: inout WeightCursor
  ) throws(CaptureError) {
    let parts = shape.shifts ? 2 : 1
    layer = CaptureLayer(
      name: name, title: title, place: place, inputs: condition, outputs: parts * channels,
      groups: shape.groups,
      keptOutputs: parts * kept)
    weights = try layer.take(from: &cursor)
    self.channels = kept
    shifts = shape.shifts
  }

  /// The modulated value.
  ///
  /// - Parameter name: a name that is free.
  func expression(
    _ x: String, _ condition: String, name: String, in text: inout CaptureText
  ) throws(CaptureError) -> String {
    let made = layer.expression(condition, weights, in: &text)
    guard shifts else { return "(\(x)) * \(made)" }
    let both = try text.define(name, made, at: layer.place)
    func half(_ start: Int) -> String { "slice(\(both), axis: 0, start: \(start), count: \(channels))" }
    return "(\(x)) * \(half(0)) + \(half(channels))"
  }
}
