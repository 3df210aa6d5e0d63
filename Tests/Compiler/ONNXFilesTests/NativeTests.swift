// SPDX-License-Identifier: Apache-2.0

import Foundation
import Legato
import TestEquipment
import Testing

/// Files run natively wherever a model does, and as the model files that are made of them.
@Suite struct NativeTests {
  private static let names = [
    "Conv-11 pads=[2, 1] strides=[2] dilations=[2]",
    "MaxPool-12 kernel_shape=[3, 2] strides=[2, 2] pads=[1, 0, 1, 1]",
    "Where infinite", "LayerNormalization-17", "TopK-11", "Slice-13", "a loop of four turns",
    "a loop of eighty turns", "a scan of ninety positions, both ways",
    "the batch is kept by arithmetic of shapes",
  ]

  /// Compares the outputs of one step with those of a case.
  private func check(_ model: Model, _ one: ONNXCase) throws {
    let compilation = try model.compilation(extents: model.symbols.isEmpty ? [:] : one.extents)
    var runner = try StepRunner(compilation)
    let inputs = try zip(model.inputs, one.inputs).map {
      ($0.name, try Tensor(shape: $1.shape, values: $1.numbers))
    }
    let made = try runner.step(Dictionary(uniqueKeysWithValues: inputs))
    for (name, expected) in zip(model.outputs, one.outputs) {
      let tensor = try #require(made[name])
      #expect(tensor.shape == expected.shape)
      for (number, other) in zip(tensor.values, expected.numbers) {
        #expect(number == other || abs(number - other) <= 1e-5 + 1e-4 * abs(other))
      }
    }
  }

  @Test(arguments: names) func eachComputesTheSame(name: String) throws {
    let one = try #require(ONNXCase.named(name))
    let folder = try TemporaryFolder()
    // What a file is, its bytes say.
    let model = try Model(contentsOf: try folder.make("net.bin", one.model))
    #expect(model.isTranslated && !model.isCapture && !model.executesStream)
    #expect(Set(model.symbols) == Set(one.extents.keys))
    try check(model, one)
    let bound = try Model(contentsOf: folder("net.bin"), extents: one.extents)
    #expect(bound.symbols.isEmpty)
    let (text, weights) = try bound.imported(weightsIn: "net.safetensors")
    try folder.make("net.safetensors", weights)
    try check(try Model(contentsOf: try folder.make("net.json", text)), one)
  }

  /// A file within a model of ours.
  @Test func aModelUsesIt() throws {
    let one = try #require(ONNXCase.named("the batch is kept by arithmetic of shapes"))
    let folder = try TemporaryFolder()
    try folder.make("net.onnx", one.model)
    let outer = try folder.make(
      "outer.json",
      """
      { "legato": 1, "clock": "step", "inputs": { "a": { "shape": [2, 3, 4] } },
        "graph": { "y": "2 * model('net.onnx', a)" }, "outputs": ["y"] }
      """)
    #expect { try Model(contentsOf: outer) } throws: {
      "\($0)".contains(
        "the model 'net.onnx' has axes without numbers: 'batch' of 'x'; give each one, such as --bind batch=1"
      )
    }
    let model = try Model(contentsOf: outer, extents: ["batch": 2])
    var doubled = one
    doubled.outputs[0].numbers = one.outputs[0].numbers.map { 2 * $0 }
    try check(model, doubled)
  }

  /// The text is for people to read.
  @Test func theTextReadsWell() throws {
    let folder = try TemporaryFolder()
    let bytes = ONNXBytes.model(
      [
        ONNXBytes.node("Relu", ["x"], ["/act/Relu_output_0"]), ONNXBytes.node("Shape", ["x"], ["unused"]),
        ONNXBytes.node("Reshape", ["/act/Relu_output_0", "s"], ["y"]),
      ], tensors: [ONNXBytes.tensor("s", [-1])])
    let model = try Model(contentsOf: try folder.make("net.onnx", bytes))
    let text = try model.imported(weightsIn: "net.safetensors").model
    #expect(
      text == """
        {
          "legato": 1,
          "name": "net",
          "clock": "step",
          "inputs": {
            "x": { "shape": [2, 3] }
          },
          "graph": {
            "act_Relu_output_0": "relu(x)",
            "y": "reshape(act_Relu_output_0, [6])"
          },
          "outputs": ["y"]
        }

        """)
  }
}
