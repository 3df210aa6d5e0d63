// SPDX-License-Identifier: Apache-2.0

/// The graphs that are measured, in text form.
enum Models {
  /// The bitcrusher; parameters in this order: resolution, saturationGain, dryWet.
  static func bitcrusher(channels: Int = 1, ramp: Int = 960) -> String {
    """
    graph "Bitcrusher" stream 48000
    input src [\(channels), frames]
    parameter resolution [frames] = 8 minimum 1 maximum 256 ramp \(ramp) scale logarithmic
    parameter saturationGain [frames] = 1 minimum 0.1 maximum 20 ramp \(ramp) scale linear
    parameter dryWet [frames] = 1 minimum 0 maximum 1 ramp \(ramp) scale linear
    saturated = tanh(src * saturationGain)
    quantized = round(saturated * resolution) / resolution
    dst = quantized * dryWet + src * (1 - dryWet)
    output dst = dst
    """
  }

  /// Bitcrushers one behind the other; parameters in this order: resolution, saturationGain, dryWet.
  static func chain(_ count: Int, channels: Int = 1) -> String {
    var lines = [
      "graph \"Chain\" stream 48000", "input src [\(channels), frames]",
      "parameter resolution [frames] = 8 minimum 1 maximum 256 ramp 960 scale logarithmic",
      "parameter saturationGain [frames] = 1 minimum 0.1 maximum 20 ramp 960 scale linear",
      "parameter dryWet [frames] = 1 minimum 0 maximum 1 ramp 960 scale linear",
    ]
    var source = "src"
    for stage in 1...count {
      lines += [
        "s\(stage) = tanh(\(source) * saturationGain)",
        "q\(stage) = round(s\(stage) * resolution) / resolution",
        "d\(stage) = q\(stage) * dryWet + \(source) * (1 - dryWet)",
      ]
      source = "d\(stage)"
    }
    return (lines + ["output dst = \(source)"]).joined(separator: "\n")
  }

  /// A stream of some channels, and definitions that end in `dst`.
  static func stream(_ channels: Int = 1, _ lines: String...) -> String { stream(channels, lines) }

  static func stream(_ channels: Int, _ lines: [String]) -> String {
    let head = ["graph \"Micro\" stream 48000", "input src [\(channels), frames]"]
    return (head + lines + ["output dst = dst"]).joined(separator: "\n")
  }

  static let copy = "graph \"Copy\" stream 48000\ninput src [1, frames]\noutput dst = src"

  /// Some weights that keep a signal small.
  static func weights(_ name: String, _ shape: [Int]) -> String {
    let count = shape.reduce(1, *)
    let values = (0..<count).map { index in "\(Double((index * 7919) % 17 - 8) / 64)" }
    return "weights \"\(name)\" \(shape) = [\(values.joined(separator: ", "))]"
  }

  /// A chain of ops of which every eighth is transcendental, each kind in turn.
  static func ops(_ count: Int) -> String {
    let plain = ["# + 0.25", "# * 0.9", "abs(#)", "min(#, 0.8)", "# - 0.3", "max(#, -0.7)", "# * src"]
    let transcendental = [
      "tanh(#)", "exp(#)", "sin(#)", "log(#)", "sigmoid(#)", "cos(#)", "pow(#, src)", "atan2(#, src)",
    ]
    var lines = ["graph \"Ops\" stream 48000", "input src [1, frames]"]
    var source = "src"
    for index in 0..<count {
      let form = index % 8 == 7 ? transcendental[index / 8 % 8] : plain[index % 8]
      let pieces = form.split(separator: "#", omittingEmptySubsequences: false)
      lines.append("v\(index) = \(pieces.joined(separator: source))")
      source = "v\(index)"
    }
    return (lines + ["output dst = \(source)"]).joined(separator: "\n")
  }
}
