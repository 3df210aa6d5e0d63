// SPDX-License-Identifier: Apache-2.0

package import GraphIR
internal import ProtobufWire

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
  /// The names of axes that were given numbers.
  package let symbols: [String]
  /// The files beside the model's own that tensors were read from, as it says them.
  package let files: [String]

  /// Whether bytes begin as an ONNX file does, and no text does.
  ///
  /// They need not be all of the file: a field that is cut off counts as it begins.
  package static func describes(_ bytes: some Collection<UInt8>) -> Bool {
    let first = Array(bytes.prefix(3))
    // The version of the format stands first, a small number; behind it a field follows, of a number from 2 to 15.
    guard first.count == 3, first[0] == 0x08, (1...32).contains(first[1]) else { return false }
    return [0x12, 0x1A, 0x22, 0x28, 0x32, 0x3A, 0x42, 0x72].contains(first[2])
  }

  /// - Parameters:
  ///   - extents: numbers for the axes that the file only names, such as `["batch": 1]`.
  ///   - external: opens files beside the model's own in which tensors stand.
  package init(
    _ bytes: [UInt8], extents: [String: Int], external: @escaping ONNXExternalFiles
  ) throws(ONNXErrors) {
    let model: ONNXModel
    do throws(ProtobufError) {
      model = try ONNXModel(decoding: bytes)
    } catch {
      throw ONNXErrors([ONNXError("the file is damaged: \(error.description)")])
    }
    let translator = ONNXTranslator(model, extents: extents, external: external)
    self = try translator.translation()
  }

  init(
    name: String, description: String, inputs: [Input], lines: [Line], tensors: [Tensor], outputs: [String],
    symbols: [String], files: [String]
  ) {
    (self.name, self.description, self.inputs, self.lines) = (name, description, inputs, lines)
    (self.tensors, self.outputs, self.symbols, self.files) = (tensors, outputs, symbols, files)
  }
}
