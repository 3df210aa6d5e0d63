// SPDX-License-Identifier: Apache-2.0

import Foundation
import GraphIR
import Legato
import TestEquipment
import Testing

/// The interface of a file of ours that is read again: parameters, kinds of numbers, and the names of outputs.
@Suite struct ReadAgainTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func again(_ file: [UInt8]) throws -> Model {
    try Model(contentsOf: folder.make("\(UUID().uuidString).onnx", file))
  }

  private static let turned = """
    { "legato": 1, "name": "Turned", "clock": "step", "inputs": { "x": { "shape": [3] } },
      "parameters": {
        "gain": { "default": 0.1, "minimum": 0, "maximum": 2, "unit": "dB", "description": "How \\"loud\\" it is." },
        "tone": { "default": 800, "minimum": 20, "maximum": 20000, "scale": "logarithmic" },
        "idle": { "default": -1, "minimum": -1, "maximum": 1e-7 } },
      "graph": { "y": "gain * x + tone * delay(gain, 1)", "z": "gain" }, "outputs": ["y", "z", "x"] }
    """

  /// All that the ranges and words of parameters are, but for the ramp, which steps do not have.
  private func words(_ model: Model) -> [String] {
    model.parameters.map {
      "\($0.name) \($0.initial) \($0.range) \($0.unit) \($0.isLogarithmic) \($0.summary)"
    }
  }

  @Test func parametersComeBack() throws {
    let model = try Model(Self.turned)
    let imported = try again(model.onnx())
    #expect(words(imported) == words(model) && imported.parameters.count == 3)
    #expect(imported.inputs.map(\.name) == ["x"] && imported.outputs == ["y", "z", "x"])
    #expect(try words(again(imported.onnx())) == words(model))
    #expect(try words(Model(imported.imported(weightsIn: "").model)) == words(model))
    let graphs = try [model, imported].map { try $0.graph(extents: [:], sampleRate: nil).canonical() }
    #expect(graphs[0].parameters == graphs[1].parameters)
    // Turned, both compute the same.
    var first = try StepRunner(model.compilation())
    var second = try StepRunner(imported.compilation())
    let x = try Tensor(shape: [3], values: [1, -2, 0.5])
    for (gain, tone) in [(0.1, 800), (2, 20), (0.5, 1000)] as [(Float, Float)] {
      for (name, value) in [("gain", gain), ("tone", tone)] {
        first.parameter(named: name)?.set(value)
        second.parameter(named: name)?.set(value)
      }
      let (own, other) = (try first.step(["x": x]), try second.step(["x": x]))
      #expect(own.mapValues(\.values) == other.mapValues(\.values))
      #expect(own["z"]?.values == [gain])
    }
  }

  @Test func settingsAreDefaults() throws {
    let file = try Model(Self.turned).onnx(settings: [ParameterSetting(name: "gain", value: 1.5)])
    #expect(try again(file).parameters.map(\.initial) == [1.5, 800, -1])
  }

  /// Parameters of a model that another one uses have a dot in their names, which expressions do not say.
  @Test func parametersOfParts() throws {
    try folder.make("part.json", Array(Self.turned.utf8))
    let path = try folder.make(
      "whole.json",
      Array(
        """
        { "legato": 1, "name": "Whole", "clock": "step", "inputs": { "x": { "shape": [3] } },
          "graph": { "p": "model('part.json', x)", "y": "p.y" }, "outputs": ["y"] }
        """.utf8))
    let model = try Model(contentsOf: path)
    #expect(model.parameters.map(\.name) == ["p.gain", "p.tone", "p.idle"])
    #expect(try again(model.onnx()).parameters.map(\.name) == ["p_gain", "p_tone", "p_idle"])
  }

  /// The parameters of a block of an effect are those of the effect.
  @Test func parametersOfBlocks() throws {
    let model = try Model(
      """
      { "legato": 1, "name": "Effect", "inputs": { "src": { "shape": [1, "frames"] } },
        "parameters": { "gain": { "default": 0.5, "minimum": 0, "maximum": 2 } },
        "graph": { "dst": "gain * src + 0.5 * delay(dst, 1)" }, "outputs": ["dst"] }
      """)
    let imported = try again(model.onnx(block: 8))
    #expect(words(imported) == words(model) && imported.inputs.map(\.name) == ["src"])
  }

  /// A note that means nothing, or another number than the file has, leaves the number.
  @Test(arguments: [
    "nonsense", "{}", "12", "", #"{ "default": 0.2, "minimum": 0, "maximum": 2 }"#,
    #"{ "default": 0.1, "minimum": 2, "maximum": 0 }"#, #"{ "default": 0.1, "minimum": 0 }"#,
    #"{ "default": 0.1, "minimum": 0, "maximum": 2 }, "b": { "default": 0.1, "minimum": 0, "maximum": 2 }"#,
    #"{ "default": 0.1, "minimum": 0, "maximum": 2, "colour": "red" }"#,
  ]) func notesThatMeanNothing(note: String) throws {
    func noting(_ name: String, _ text: String) throws -> [UInt8] {
      try Model(Self.turned).onnx()
        + ONNXBytes.field(14, ONNXBytes.field(1, "legato.parameter.\(name)") + ONNXBytes.field(2, text))
    }
    let model = try again(noting("gain", note))
    #expect(model.parameters.map(\.name) == ["tone", "idle"])
    var runner = try StepRunner(model.compilation())
    #expect(try runner.run(["x": Tensor([1, -2, 10])])["y"]?.values == [0.1, -0.2, 1])
    // Nor does one on something else.
    let known = #"{ "default": 0.1, "minimum": 0, "maximum": 2 }"#
    #expect(try again(noting("x", known)).parameters.count == 3)
    #expect(try again(noting("y", known)).parameters.count == 3)
  }

  /// Tokens, truths and integers go in and come out as the first file has them.
  ///
  /// From the second time on the graph is the same, but where truths are numbers: of `Not` there is no op.
  @Test(arguments: ["Not", "Identity"]) func kindsOfNumbersStay(op: String) throws {
    let graph =
      ONNXBytes.graph(
        [
          ONNXBytes.node("Greater", ["tokens", "limit"], ["isLarge"]),
          ONNXBytes.node("Mul", ["tokens", "limit"], ["product"]),
          ONNXBytes.node("Cast", ["x"], ["whole"], attributes: [ONNXBytes.attribute("to", 6)]),
          ONNXBytes.node(op, ["mask"], ["rest"]),
        ], tensors: [ONNXBytes.tensor("limit", [4], shape: [])],
        inputs: [
          ONNXBytes.port("tokens", ["3"], element: 7), ONNXBytes.port("x", ["3"]),
          ONNXBytes.port("mask", ["3"], element: 9),
        ], outputs: [])
      + [("isLarge", 9), ("product", 7), ("whole", 6), ("rest", 9), ("tokens", 7)].flatMap {
        ONNXBytes.field(12, ONNXBytes.port($0.0, ["3"], element: $0.1))
      }
    func types(_ model: Model) -> [String] {
      model.inputs.map { "\($0.name) \($0.type)" } + model.outputs.map { "\($0) \(model.type(ofOutput: $0))" }
    }
    let first = try again(ONNXBytes.model(graph))
    let second = try again(first.onnx())
    let third = try again(second.onnx())
    #expect(
      types(first) == [
        "tokens int64", "x float32", "mask bool", "isLarge bool", "product int64", "whole int32", "rest bool",
        "tokens int64",
      ])
    #expect(types(second) == types(first) && types(third) == types(first))
    #expect(try EqualGraphTests.nodes(second) == EqualGraphTests.nodes(third))
    for model in [first, second, third] {
      var runner = try StepRunner(model.compilation())
      let made = try runner.run([
        "tokens": Tensor([1, 5, -7]), "x": Tensor([1.5, -2.5, 3]), "mask": Tensor([1, 0, 1]),
      ])
      #expect(made["isLarge"]?.values == [0, 1, 0])
      #expect(made["rest"]?.values == (op == "Not" ? [0, 1, 0] : [1, 0, 1]))
      #expect(made["product"]?.values == [4, 20, -28] && made["whole"]?.values == [1, -2, 3])
      #expect(made["tokens"]?.values == [1, 5, -7])
    }
  }
}
