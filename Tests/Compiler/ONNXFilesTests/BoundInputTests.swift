// SPDX-License-Identifier: Apache-2.0

import Foundation
import Legato
import TestEquipment
import Testing

/// Numbers in place of what an ONNX file leaves open: inputs of one integer, and axes that it writes as -1.
@Suite struct BoundInputTests {
  /// `-x` at a rate of 8000, `|x|` at others.
  private static let branching: [UInt8] = {
    func branch(_ op: String) -> [UInt8] {
      ONNXBytes.graph([ONNXBytes.node(op, ["x"], ["r"])], outputs: ["r"])
    }
    let nodes = [
      ONNXBytes.node("Equal", ["rate", "low"], ["isLow"]),
      ONNXBytes.node(
        "If", ["isLow"], ["y"], name: "choice",
        attributes: [
          ONNXBytes.attribute("then_branch", graph: branch("Neg")),
          ONNXBytes.attribute("else_branch", graph: branch("Abs")),
        ]),
    ]
    return ONNXBytes.model(
      ONNXBytes.graph(
        nodes, tensors: [ONNXBytes.tensor("low", [8000], shape: [])],
        inputs: [ONNXBytes.port("x", ["-1"]), ONNXBytes.port("rate", [], element: 7)], outputs: ["y"]))
  }()

  private func model(_ folder: TemporaryFolder, _ extents: [String: Int]) throws -> Model {
    let path = folder("net.onnx")
    try Data(Self.branching).write(to: URL(filePath: path))
    return try Model(contentsOf: path, extents: extents)
  }

  @Test(arguments: [(8000, [-1, 2] as [Float]), (16000, [1, 2])])
  func aNumberStandsInPlaceOfAnInput(rate: Int, wanted: [Float]) throws {
    let folder = try TemporaryFolder()
    let model = try model(folder, ["rate": rate])
    #expect(model.inputs.map(\.name) == ["x"] && model.symbols == ["x_0"])
    // Who asks for the axes says the number again.
    #expect(try model.extents(of: ["x": [2]], known: ["rate": rate]) == ["rate": rate, "x_0": 2])
    var runner = try StepRunner(model.compilation(extents: ["x_0": 2]))
    let x = try Tensor(shape: [2], values: [1, -2])
    #expect(try runner.run(["x": x])["y"]?.values == wanted)
  }

  /// By the file's name, and by that of expressions, unless an axis is called so.
  @Test(arguments: [("in/rate", "x", true), ("in_rate", "x", true), ("in_rate", "in_rate", false)])
  func eitherNameMeansTheInput(said: String, axis: String, isInput: Bool) throws {
    let folder = try TemporaryFolder()
    let bytes = ONNXBytes.model(
      ONNXBytes.graph(
        [
          ONNXBytes.node("Cast", ["in/rate"], ["r"], attributes: [ONNXBytes.attribute("to", 1)]),
          ONNXBytes.node("Add", ["x", "r"], ["y"]),
        ],
        inputs: [ONNXBytes.port("x", [axis]), ONNXBytes.port("in/rate", [], element: 7)], outputs: ["y"]))
    let model = try Model(contentsOf: try folder.make("net.onnx", bytes), extents: [said: 3])
    #expect(model.inputs.map(\.name) == (isInput ? ["x"] : ["x", "in_rate"]))
    #expect(model.symbols == (isInput ? [axis] : []))
  }

  @Test func anInputMayBeZeroAndAnAxisMayNot() throws {
    let folder = try TemporaryFolder()
    #expect(try model(folder, ["rate": 0]).inputs.map(\.name) == ["x"])
    let error = #expect(throws: ModelError.self) { try model(folder, ["x_0": 0]) }
    #expect("\(error!)".contains("the axis 'x_0' is said to have 0 positions; 1 are the fewest"), "\(error!)")
  }

  /// Elements by their numbers in the format: uint8, int8, int32, uint64.
  @Test(arguments: [
    (2, 256, "0 to 255"), (2, -1, "0 to 255"), (3, -129, "-128 to 127"),
    (6, 1 << 31, "-2147483648 to 2147483647"), (13, -1, "0 to 9223372036854775807"),
  ])
  func aNumberIsOfTheInputsType(element: Int, number: Int, range: String) throws {
    let folder = try TemporaryFolder()
    let bytes = ONNXBytes.model(
      ONNXBytes.graph(
        [ONNXBytes.node("Neg", ["x"], ["y"])],
        inputs: [ONNXBytes.port("x", ["3"]), ONNXBytes.port("rate", [], element: element)], outputs: ["y"]))
    let path = try folder.make("net.onnx", bytes)
    let error = #expect(throws: ModelError.self) { try Model(contentsOf: path, extents: ["rate": number]) }
    #expect("\(error!)".contains("the input 'rate' is said to be \(number); it takes \(range)"), "\(error!)")
  }

  @Test func axesWithoutNamesAreApart() throws {
    let folder = try TemporaryFolder()
    let bytes = ONNXBytes.model([ONNXBytes.node("Neg", ["x"], ["y"])], axes: ["?", "-1", "", "3"])
    let model = try Model(contentsOf: try folder.make("net.onnx", bytes))
    #expect(model.symbols == ["x_0", "x_1", "x_2"])
  }

  @Test func anAxisWithoutANameIsNoneOfAnotherInput() throws {
    let folder = try TemporaryFolder()
    let bytes = ONNXBytes.model(
      ONNXBytes.graph(
        [ONNXBytes.node("Neg", ["x"], ["y"]), ONNXBytes.node("Neg", ["z"], ["w"])],
        inputs: [ONNXBytes.port("x", ["-1"]), ONNXBytes.port("z", ["x_0"])], outputs: ["y", "w"]))
    let model = try Model(contentsOf: try folder.make("net.onnx", bytes))
    #expect(model.symbols == ["x_0_", "x_0"])
    #expect(try model.extents(of: ["x": [4], "z": [2]]) == ["x_0_": 4, "x_0": 2])
  }

  @Test func anInputThatDecidesIsNamed() throws {
    let folder = try TemporaryFolder()
    let model = try model(folder, [:])
    #expect(model.inputs.map(\.name) == ["x", "rate"])
    let error = #expect(throws: ModelError.self) { try model.compilation(extents: ["x_0": 2]) }
    #expect(
      "\(error!)".contains(
        "node 'choice' (If): the condition is computed when the model runs; it must be a constant; "
          + "--bind rate=N puts a number in place of the input 'rate'"), "\(error!)")
  }

  /// `x` in the shape of twice `half`, and its first numbers.
  private static let shaped: [UInt8] = ONNXBytes.model(
    ONNXBytes.graph(
      [
        ONNXBytes.node("Add", ["half", "half"], ["shape"]),
        ONNXBytes.node("Reshape", ["x", "shape"], ["y"], name: "form"),
        ONNXBytes.node("Slice", ["x", "zero", "in/end"], ["z"], name: "cut"),
      ], tensors: [ONNXBytes.tensor("zero", [0])],
      inputs: [
        ONNXBytes.port("x", ["8"]), ONNXBytes.port("half", ["n"], element: 7),
        ONNXBytes.port("in/end", ["1"], element: 6),
      ], outputs: ["y", "z"]))

  @Test func arraysStandInPlaceOfInputs() throws {
    let folder = try TemporaryFolder()
    let path = try folder.make("net.onnx", Self.shaped)
    for end in ["in/end", "in_end"] {
      let model = try Model(contentsOf: path, constants: ["half": Tensor([1, 2]), end: Tensor([3])])
      #expect(model.inputs.map(\.name) == ["x"] && model.symbols.isEmpty)
      var runner = try StepRunner(model.compilation())
      let x = Tensor([1, 2, 3, 4, 5, 6, 7, 8])
      let made = try runner.run(["x": x])
      #expect(made["y"]?.shape == [2, 4] && made["y"]?.values == x.values && made["z"]?.values == [1, 2, 3])
      // Written down, they stand in the graph.
      let imported = try Model(model.imported(weightsIn: "").model)
      #expect(imported.inputs.map(\.name) == ["x"])
    }
  }

  /// Of 32 and of 64 bits the largest stand for no bound; floats have them as the number behind.
  @Test(arguments: [Float(Int32.max), Float(Int64.max)]) func theLargestAreNoBound(end: Float) throws {
    let folder = try TemporaryFolder()
    let path = try folder.make("net.onnx", Self.shaped)
    let model = try Model(contentsOf: path, constants: ["half": Tensor([1, 2]), "in/end": Tensor(end)])
    var runner = try StepRunner(model.compilation())
    #expect(try runner.run(["x": Tensor([1, 2, 3, 4, 5, 6, 7, 8])])["z"]?.values.count == 8)
  }

  /// A truth, and a float, are single numbers as well as an integer is.
  @Test(arguments: [(9, 1, "Neg"), (9, 0, "Abs"), (1, 2, "Neg")])
  func singleNumbersOfAnyKind(element: Int, number: Int, op: String) throws {
    let folder = try TemporaryFolder()
    func branch(_ op: String) -> [UInt8] {
      ONNXBytes.graph([ONNXBytes.node(op, ["x"], ["r"])], outputs: ["r"])
    }
    let bytes = ONNXBytes.model(
      ONNXBytes.graph(
        [
          ONNXBytes.node("Cast", ["choice"], ["is"], attributes: [ONNXBytes.attribute("to", 9)]),
          ONNXBytes.node(
            "If", ["is"], ["y"],
            attributes: [
              ONNXBytes.attribute("then_branch", graph: branch("Neg")),
              ONNXBytes.attribute("else_branch", graph: branch("Abs")),
            ]),
        ], inputs: [ONNXBytes.port("x", ["2"]), ONNXBytes.port("choice", [], element: element)],
        outputs: ["y"]))
    let path = try folder.make("net.onnx", bytes)
    let error = #expect(throws: ModelError.self) { try Model(contentsOf: path) }
    #expect(
      "\(error!)".hasSuffix("--bind choice=N puts a number in place of the input 'choice'"), "\(error!)")
    for model in [
      try Model(contentsOf: path, extents: ["choice": number]),
      try Model(contentsOf: path, constants: ["choice": Tensor([Float(number)])]),
    ] {
      var runner = try StepRunner(model.compilation())
      #expect(try runner.run(["x": Tensor([-1, 2])])["y"]?.values == (op == "Neg" ? [1, -2] : [1, 2]))
    }
  }

  @Test func whatDependsOnInputsNamesThem() throws {
    let folder = try TemporaryFolder()
    let model = try Model(contentsOf: try folder.make("net.onnx", Self.shaped))
    let error = #expect(throws: ModelError.self) { try model.compilation(extents: ["n": 2]) }
    #expect(
      "\(error!)".contains(
        "node 'form' (Reshape): the shape is computed when the model runs; it must be a constant; "
          + "--bind half=[…] puts numbers in place of the input 'half'"), "\(error!)")
    #expect("\(error!)".contains("--bind in/end=N puts a number in place of the input 'in/end'"), "\(error!)")
  }

  @Test(
    arguments: [
      ("half", [2.5, 1], "the input 'half' takes whole numbers, and 2.5 is none"),
      ("in/end", [1, 2], "the input 'in/end' has the shape [1], and what stands in its place [2]"),
      (
        "in/end", [3e9],
        "the input 'in/end' takes whole numbers up to 16777216, which floats hold, and not 3000000000.0"
      ),
      (
        "half", [.infinity, 1],
        "the input 'half' takes whole numbers up to 16777216, which floats hold, and not inf"
      ),
      ("half", [.nan, 1], "the input 'half' takes whole numbers, and nan is none"),
      (
        "end", [1],
        "no input is called 'end', in whose place numbers could stand; it has 'x', 'half' and 'in/end'"
      ),
    ] as [(String, [Float], String)])
  func whatCannotStandThereIsRefused(name: String, numbers: [Float], message: String) throws {
    let folder = try TemporaryFolder()
    let path = try folder.make("net.onnx", Self.shaped)
    let error = #expect(throws: ModelError.self) {
      try Model(contentsOf: path, constants: [name: Tensor(numbers)])
    }
    #expect("\(error!)".hasSuffix("net.onnx: \(message)"), "\(error!)")
  }
}
