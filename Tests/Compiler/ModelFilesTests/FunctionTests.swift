// SPDX-License-Identifier: Apache-2.0

import GraphIR
import ModelFiles
import TestEquipment
import Testing

/// Several models of steps in one file.
@Suite struct FunctionTests {
  static let codec = """
    {
      "legato": 1, "name": "Codec", "description": "All of it.",
      "weights": { "w": [[1, 2], [3, 4]] },
      "functions": {
        "encode": {
          "description": "Numbers of a pair.",
          "inputs": { "x": { "shape": [2] } },
          "parameters": { "gain": { "default": 1, "minimum": 0, "maximum": 2 } },
          "graph": { "z": "gain * dense(x, 'w')" },
          "outputs": ["z"]
        },
        "decode": {
          "inputs": { "z": { "shape": [2] } },
          "graph": { "x": "matmul(z, 'w')" },
          "outputs": [{ "name": "x", "labels": ["left", "right"] }]
        }
      }
    }
    """

  private func document(_ function: String?, of text: String = codec) throws(Diagnostics) -> ModelDocument {
    try ModelDocument.decode(Array(text.utf8), file: "codec.json", function: function)
  }

  private func messages(_ function: String?, of text: String = codec) -> [String] {
    do throws(Diagnostics) {
      let model = ComposedModel(
        ModelFamily(
          try document(function, of: text), identity: Array("codec.json".utf8),
          reader: UsedFiles(["codec.json": text]).reader))
      try model.checkUses()
      _ = try Graph(importing: model, extents: [:], sampleRate: 48_000)
      return []
    } catch { return error.all.map(\.description) }
  }

  @Test("a function is read as a file that says what it has of its own and what all share")
  func reads() throws {
    #expect(try ModelDocument.functions(of: Self.codec.utf8, file: "codec.json") == ["encode", "decode"])
    let encode = try document("encode")
    #expect(encode.name == "Codec encode" && encode.description == "Numbers of a pair.")
    #expect(encode.inputs.map(\.name) == ["x"] && encode.parameters.map(\.name) == ["gain"])
    #expect(encode.clock == .step && encode.weights.map(\.name) == ["w"])
    let decode = try document("decode")
    #expect(decode.name == "Codec decode" && decode.description == "All of it.")
    #expect(decode.parameters.isEmpty && decode.graph.map(\.name) == ["x"])
    #expect(decode.outputs.map(\.labels?.source) == [.names(["left", "right"])])
    #expect(try ModelDocument.functions(of: ModelUseTests.gain.utf8, file: "gain.json") == [])
  }

  @Test("what is wrong is said at its place in the file")
  func mistakes() {
    #expect(messages("encode") == [] && messages("decode") == [])
    let list = "codec.json:4:16: the file has the functions 'encode' and 'decode', and none is named"
    #expect(messages(nil) == [list])
    #expect(
      messages("decod") == ["codec.json:4:16: unknown function 'decod'; did you mean 'decode'?"])
    #expect(
      messages("f", of: ModelUseTests.gain)
        == ["codec.json:1:1: the file has no functions, and so none that is called 'f'"])
    #expect(
      messages("decode", of: Self.codec.replacing("matmul(z,", with: "matmul(y,"))
        == ["codec.json:14:31: no value is called 'y'"])
    // The other one is none of this one's business.
    #expect(messages("encode", of: Self.codec.replacing("matmul(z,", with: "matmul(y,")) == [])
    #expect(
      messages("decode", of: Self.codec.replacing("\"outputs\": [{", with: "\"inpust\": [{")).last
        == "codec.json:15:7: unknown key 'inpust'; did you mean 'inputs'?")
    let frames = messages(
      "encode", of: Self.codec.replacing("\"x\": { \"shape\": [2]", with: "\"x\": { \"shape\": [\"frames\"]"))
    #expect(frames == ["codec.json:7:36: a model of steps has no 'frames'; write a number, or another name"])
    #expect(
      messages("decode", of: "{ \"legato\": 1, \"functions\": { \"decode\": {} } }")
        == [
          "codec.json:1:31: 'outputs' is missing; it lists the names of the values that leave the model"
        ])
    #expect(
      messages(nil, of: "{ \"legato\": 1, \"functions\": {} }")
        == ["codec.json:1:29: the file has no functions, and none is named"])
  }

  @Test("models use a function by the file and its name, and functions use each other")
  func uses() throws {
    let files = UsedFiles(["codec.json": Self.codec])
    let both = "'z': 'model(`codec.json#encode`, src)', 'dst': 'model(`codec.json#decode`, z)'"
    let model = try files.composed(UsedFiles.model(both, shape: "[2]"))
    try model.checkUses()
    let graph = try Graph(importing: model, extents: [:], sampleRate: 48_000)
    #expect(graph.weights.count == 2 && graph.weights.allSatisfy { $0.values == [1, 2, 3, 4] })
    #expect(graph.weights[0].values === graph.weights[1].values)
    // One function of the file is read, and gives the next one what they share.
    #expect(files.read == ["codec.json"])
    try files.composed(UsedFiles.model(both, shape: "[2]"), mostWeights: 4).checkUses()
    #expect(graph.parameters.map(\.name) == ["z.gain"])
    func refusal(_ definitions: String) throws -> [String] {
      let model = try files.composed(UsedFiles.model(definitions, shape: "[2]"))
      do throws(Diagnostics) { try model.checkUses() } catch { return error.all.map(\.description) }
      return []
    }
    let unknown = try refusal("'dst': 'model(`codec.json#code`, src)'")
    #expect(unknown.count == 1 && unknown[0].contains("unknown function 'code'"), "\(unknown)")
    let unnamed = try refusal("'dst': 'model(`codec.json`, src)'")
    #expect(unnamed.count == 1 && unnamed[0].contains("and none is named"), "\(unnamed)")

    let whole = Self.codec.replacing(
      "\"functions\": {",
      with: """
        "functions": { "whole": { "inputs": { "x": { "shape": [2] } },
          "graph": { "z": "model('codec.json#encode', x)" }, "outputs": ["z"] },
        """)
    #expect(messages("whole", of: whole) == [])
    let endless = whole.replacing("codec.json#encode", with: "codec.json#whole")
    let refusals = messages("whole", of: endless)
    #expect(
      refusals.count == 1
        && refusals[0].contains("a model cannot use itself: codec.json#whole uses codec.json#whole"),
      "\(refusals)")
  }
}
