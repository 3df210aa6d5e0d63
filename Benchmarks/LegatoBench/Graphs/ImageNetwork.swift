// SPDX-License-Identifier: Apache-2.0

/// A classifier of pictures of 32 by 32 in three colours, in the manner of MobileNet: a convolution, depthwise and pointwise
/// ones in turn, their mean, and a dense layer for ten classes.
enum ImageNetwork {
  /// Channels in and out, and the step along both axes.
  private static let blocks = [(32, 64, 1), (64, 128, 2), (128, 128, 1), (128, 256, 2), (256, 256, 1)]

  /// The model file.
  static var text: String {
    var (weights, graph): ([String], [String]) = ([], [])
    var source = "image"
    func layer(_ shape: [Int], _ arguments: String, activation: Bool = true) {
      let name = "layer\(graph.count)"
      let (weight, bias) = ("\(name).weight", "\(name).bias")
      let scale = 1 / Float(shape.dropFirst().reduce(1, *)).squareRoot()
      let numbers = (0..<shape.reduce(1, *)).map { Float(($0 * 7919) % 1021 - 510) / 510 * scale }
      weights.append("\"\(weight)\": \(nested(numbers[...], shape[...]))")
      weights.append("\"\(bias)\": \([Float](repeating: 0, count: shape[0]))")
      let layer = "\(arguments.isEmpty ? "dense" : "conv2d")(\(source), '\(weight)', '\(bias)'\(arguments))"
      graph.append("\"\(name)\": \"\(activation ? "clamp(\(layer), 0, 6)" : layer)\"")
      source = name
    }
    layer([32, 3, 3, 3], ", padding: 'same'")
    for (inputs, outputs, stride) in blocks {
      layer([inputs, 1, 3, 3], ", stride: \(stride), padding: 'same', groups: \(inputs)")
      layer([outputs, inputs, 1, 1], ", padding: 'same'")
    }
    graph.append("\"pooled\": \"mean(mean(\(source), axis: 2), axis: 1)\"")
    source = "pooled"
    layer([10, 256], "", activation: false)
    return """
      { "legato": 1, "name": "image classifier", "clock": "step", "inputs": { "image": { "shape": [3, 32, 32] } },
        "weights": { \(weights.joined(separator: ", ")) },
        "graph": { \(graph.joined(separator: ", ")) }, "outputs": ["\(source)"] }
      """
  }

  /// Numbers as lists in lists.
  private static func nested(_ numbers: ArraySlice<Float>, _ shape: ArraySlice<Int>) -> String {
    guard shape.count > 1 else { return "\(Array(numbers))" }
    let count = numbers.count / shape.first!
    let parts = (0..<shape.first!).map { row in
      nested(numbers.dropFirst(row * count).prefix(count), shape.dropFirst())
    }
    return "[\(parts.joined(separator: ", "))]"
  }
}
