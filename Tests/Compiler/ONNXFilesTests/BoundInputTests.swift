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
}
