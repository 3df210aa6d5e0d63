// SPDX-License-Identifier: Apache-2.0

/// Layers, and a stack of them that is also written by hand.
extension Models {
  static func convolution(_ channels: Int) -> String {
    stream(channels, weights("w", [channels, channels, 3]), "dst = conv1d(src, \"w\")")
  }

  static func dense(_ channels: Int) -> String {
    stream(channels, weights("w", [channels, channels]), "dst = dense(src, \"w\", axis: 0)")
  }

  /// A step of a matrix times a vector.
  static func matrix(_ size: Int) -> String {
    """
    graph "Matrix" step 48000
    input src [\(size)]
    \(weights("w", [size, size]))
    dst = dense(src, "w", axis: 0)
    output dst = dst
    """
  }

  /// The stack's second layer alone.
  static var stackLayer: String {
    stream(
      16, text("w", [16, 16, 3], stackWeights(16)), text("b", [16], stackBias),
      "dst = conv1d(src, \"w\", \"b\", dilation: \(HandConvolution.dilations[1]))")
  }

  /// From 1 channel to 16, on to 16, and back to 1: kernel 3, tanh behind each layer but the last, whose kernel is 1.
  static var stack: String {
    var lines = [
      "graph \"Stack\" stream 48000", "input src [1, frames]", text("first", [16, 1, 3], stackWeights(1)),
      text("further", [16, 16, 3], stackWeights(16)), text("head", [1, 16, 1], stackHead),
      text("b", [16], stackBias), text("last", [1], [stackBias[0]]),
    ]
    var source = "src"
    for (layer, dilation) in HandConvolution.dilations.enumerated() {
      let weights = layer == 0 ? "first" : "further"
      lines.append("t\(layer) = tanh(conv1d(\(source), \"\(weights)\", \"b\", dilation: \(dilation)))")
      source = "t\(layer)"
    }
    lines += ["dst = conv1d(\(source), \"head\", \"last\")", "output dst = dst"]
    return lines.joined(separator: "\n")
  }

  /// [output][input][tap], so that sound neither dies nor saturates on its way.
  static func stackWeights(_ inputs: Int) -> [Float] {
    let scale: Float = inputs == 1 ? 0.125 : 0.03125
    return (0..<16 * inputs * 3).map { Float(($0 * 7919) % 17 - 8) * scale }
  }

  static let stackBias = (0..<16).map { Float($0 % 5 - 2) / 16 }
  static let stackHead = (0..<16).map { Float($0 % 7 - 3) / 8 }

  /// An impulse response that rings out, with a gain of about 1.
  static func impulseResponse(_ taps: Int) -> [Float] {
    (0..<taps).map { Float(($0 * 7919) % 17 - 8) / 32 * Float(taps - $0) / Float(taps * ($0 / 16 + 1)) }
  }

  static func finiteResponse(_ taps: Int) -> String {
    stream(2, text("taps", [taps], impulseResponse(taps)), "dst = fir(src, \"taps\")")
  }

  static func text(_ name: String, _ shape: [Int], _ numbers: [Float]) -> String {
    let numbers = numbers.map { String($0) }.joined(separator: ", ")
    return "weights \"\(name)\" [\(shape.map(String.init).joined(separator: ", "))] = [\(numbers)]"
  }
}
