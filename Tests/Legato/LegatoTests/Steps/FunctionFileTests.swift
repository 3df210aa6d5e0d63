// SPDX-License-Identifier: Apache-2.0

import GraphIR
import GraphPasses
import Legato
import TestEquipment
import Testing

/// The functions of a model file, from Swift.
@Suite("Functions of a file") struct FunctionFileTests {
  static let codec = """
    { "legato": 1, "name": "Codec", "weights": { "w": [[1, 2], [3, 4]] },
      "functions": {
        "encode": { "inputs": { "x": { "shape": [2] } }, "graph": { "z": "dense(x, 'w')" }, "outputs": ["z"] },
        "decode": { "inputs": { "z": { "shape": ["n", 2] } }, "graph": { "x": "matmul(z, 'w')" }, "outputs": ["x"] }
      } }
    """

  @Test("each is a model by its name, and computes with the weights that they share")
  func computes() throws {
    let folder = try TemporaryFolder()
    try folder.make("codec.json", Self.codec)
    let path = folder.path + "/codec.json"
    #expect(try Model.functions(contentsOf: path) == ["encode", "decode"])
    let encode = try Model(contentsOf: path, function: "encode")
    #expect(encode.function == "encode" && encode.name == "Codec encode" && encode.outputs == ["z"])
    var encoder = try StepRunner(encode.compilation())
    #expect(try encoder.run(["x": Tensor(shape: [2], values: [1, 10])])["z"]?.values == [21, 43])
    let decode = try Model(contentsOf: path, function: "decode")
    var decoder = try StepRunner(decode.compilation(extents: ["n": 1]))
    #expect(try decoder.run(["z": Tensor(shape: [1, 2], values: [21, 43])])["x"]?.values == [150, 214])
    #expect(try Model(Self.codec, function: "encode").inputs.map(\.name) == ["x"])
    #expect(throws: ModelError.self) { try Model(contentsOf: path) }
    #expect(throws: ModelError.self) { try Model(contentsOf: path, function: "code") }
  }

  @Test("a model that is made of several holds what they share once")
  func shares() throws {
    let folder = try TemporaryFolder()
    try folder.make(
      "pair.json",
      """
      { "legato": 1, "weights": { "w": [[1, 2], [3, 4]] }, "functions": {
          "f": { "inputs": { "x": { "shape": [2] } }, "graph": { "y": "dense(x, 'w')" }, "outputs": ["y"] },
          "g": { "inputs": { "x": { "shape": [2] } }, "graph": { "y": "tanh(dense(x, 'w'))" }, "outputs": ["y"] } } }
      """)
    let both = try Model(
      """
      { "legato": 1, "clock": "step", "inputs": { "x": { "shape": [2] } },
        "graph": { "y": "model('pair.json#f', model('pair.json#g', x))" }, "outputs": ["y"] }
      """, folder: folder.path)
    let graph = try both.graph(extents: [:], sampleRate: nil)
    #expect(graph.weights.count == 2 && graph.weights[0].values === graph.weights[1].values)
    #expect(Pipeline().run(graph).graph.weights.count == 1)
  }
}
