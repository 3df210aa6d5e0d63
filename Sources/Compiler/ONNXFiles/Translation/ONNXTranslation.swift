// SPDX-License-Identifier: Apache-2.0

package import GraphIR

/// An ONNX file, translated: what a model file would say in its place.
///
///     net.onnx  Conv(x, W, B), Relu        ─▶  y = relu(conv2d(…, weight: 'W', bias: 'B'))   lines
///                                              W [8, 3, 3, 3], B [8]                         tensors
///
/// Values are floats when the model runs: integers are exact below 2^24, and truths are 0 or 1.
package struct ONNXTranslation: Sendable {
  /// A line of the graph.
  package struct Line: Sendable {
    package let name: String
    package let expression: String
  }

  package struct Input: Sendable {
    package let name: String
    package let shape: [Int]
  }

  /// Learned numbers, the last axis contiguous.
  package struct Tensor: Sendable {
    package let name: String
    package let shape: [Int]
    package let numbers: Numbers
  }

  package let name: String
  package let description: String
  package let inputs: [Input]
  package let lines: [Line]
  package let tensors: [Tensor]
  package let outputs: [String]
  /// Steps of zeros that run before the first one.
  package let prewarm: Int
  /// Inputs and outputs of one shape, which may be what the network remembers: `h:hn`, as the file calls them.
  package let pairs: [String]

  /// - Parameters:
  ///   - extents: numbers for the axes that the file only names, such as `["batch": 1]`.
  ///   - external: opens files beside the model's own in which tensors stand.
  package init(
    _ file: ONNXFile, extents: [String: Int], external: @escaping ONNXExternalFiles
  ) throws(ONNXErrors) {
    let translator = ONNXTranslator(file, extents: extents, external: external)
    self = try translator.translation()
  }

  init(
    name: String, description: String, inputs: [Input], lines: [Line], tensors: [Tensor], outputs: [String],
    prewarm: Int, pairs: [String]
  ) {
    (self.name, self.description, self.inputs, self.lines) = (name, description, inputs, lines)
    (self.tensors, self.outputs, self.prewarm, self.pairs) = (tensors, outputs, prewarm, pairs)
  }
}
