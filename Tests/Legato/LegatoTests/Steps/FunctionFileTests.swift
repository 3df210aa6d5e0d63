// SPDX-License-Identifier: Apache-2.0

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
}
