// SPDX-License-Identifier: Apache-2.0

/// Graphs of several ops: what people build.
extension Models {
  /// Inputs that are added, each with a gain to turn.
  static func mix(_ count: Int) -> String {
    var lines = ["graph \"Mix\" stream 48000"]
    for index in 0..<count { lines.append("input in\(index) [1, frames]") }
    for index in 0..<count {
      lines.append("parameter gain\(index) [frames] = 0.5 minimum 0 maximum 1 ramp 960 scale linear")
    }
    let terms = (0..<count).map { "in\($0) * gain\($0)" }
    return (lines + ["dst = " + terms.joined(separator: " + "), "output dst = dst"]).joined(separator: "\n")
  }

  /// Diamonds one behind the other: a value goes two ways, which meet.
  static func diamonds(_ count: Int) -> String {
    var lines: [String] = []
    var source = "src"
    for index in 0..<count {
      lines += [
        "left\(index) = tanh(\(source) * 1.5)", "right\(index) = abs(\(source)) * 0.5",
        "met\(index) = left\(index) - right\(index)",
      ]
      source = "met\(index)"
    }
    return stream(2, lines + ["dst = \(source) + src * 0.25"])
  }

  /// A drive without transcendental functions: clipped, bent, and mixed with what came in.
  static let toneShaping = stream(
    2,
    [
      "parameter drive [frames] = 3 minimum 1 maximum 10 ramp 960 scale linear",
      "parameter mix [frames] = 0.7 minimum 0 maximum 1 ramp 960 scale linear",
      "driven = max(min(src * drive + 0.05, 1), -1)",
      "bent = driven * 1.5 - driven * driven * driven * 0.5",
      "dst = bent * mix + src * (1 - mix)",
    ])

  /// One echo of a quarter of a second.
  static let echo = stream(
    2, ["late = delay(src, frames: 12000)", "dst = src * 0.8 + tanh(late * 0.7) * 0.5"])

  /// Echoes that repeat: a cycle.
  static let feedbackEcho = stream(
    2, ["late = delay(sent, frames: 12000)", "sent = src + tanh(late * 0.6)", "dst = src * 0.8 + late * 0.5"])

  /// Echoes without more.
  static let feedbackDelay = stream(2, ["dst = src + 0.5 * delay(dst, frames: 12000)"])

  /// The same where a parameter says how late they are.
  static let tappedFeedbackDelay = stream(
    2,
    [
      "parameter time [frames] = 12000 minimum 1000 maximum 24000 ramp 960 scale linear",
      "late = delay(dst, by: time, minimum: 1000, maximum: 24000, interpolation: \"none\")",
      "dst = src + 0.5 * late",
    ])

  /// The simplest filter.
  static func onePole(_ channels: Int) -> String {
    stream(channels, ["dst = src * 0.1 + 0.9 * delay(dst, frames: 1)"])
  }

  /// Middle and side, the side made wider: slices and a concatenation.
  static let widener = stream(
    2,
    [
      "left = slice(src, axis: 0, start: 0, count: 1)", "right = slice(src, axis: 0, start: 1, count: 1)",
      "middle = (left + right) * 0.5", "side = (left - right) * 0.8",
      "dst = concatenate([middle + side, middle - side], axis: 0)",
    ])

  /// A layer as in neural amplifiers: convolution, bias, activation, and what came in added.
  static let residualLayer = stream(
    16,
    [
      weights("w", [16, 16, 3]), weights("b", [16]),
      "dst = src + tanh(conv1d(src, \"w\", bias: \"b\", dilation: 4))",
    ])

  /// Small convolutions one behind the other, each with a bias and an activation.
  static func convolutions(_ count: Int) -> String {
    layers(count, weights("w", [4, 4, 3])) { "conv1d(\($0), \"w\", bias: \"b\", dilation: \(1 << ($1 % 5)))" }
  }

  /// The same with matrices.
  static func matrices(_ count: Int) -> String {
    layers(count, weights("w", [4, 4])) { source, _ in "dense(\(source), \"w\", bias: \"b\", axis: 0)" }
  }

  private static func layers(_ count: Int, _ weight: String, _ layer: (String, Int) -> String) -> String {
    var lines = [weight, weights("b", [4])]
    var source = "src"
    for index in 0..<count {
      lines.append("v\(index) = tanh(\(layer(source, index)))")
      source = "v\(index)"
    }
    return stream(4, lines + ["dst = \(source) + src"])
  }
}
