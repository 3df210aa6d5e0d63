// SPDX-License-Identifier: Apache-2.0

import GraphIR
import Legato
import TestEquipment
import Testing

/// Several nodes in a row that are one op here, and others that look nearly like them.
@Suite struct IdiomTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// The model of nodes that make `y` of `x` and `i`, `[4]` each, of positions of `t [5]`, and of some numbers.
  private func model(_ nodes: [[UInt8]], producer: String = "") throws -> Model {
    let numbers = ["zero": 0, "one": 1, "three": 3, "four": 4].sorted { $0.value < $1.value }
    let casts = numbers.map { name, _ in
      ONNXBytes.node("Cast", ["\(name)_integer"], [name], attributes: [ONNXBytes.attribute("to", 1)])
    }
    let graph = ONNXBytes.graph(
      casts + nodes, tensors: numbers.map { ONNXBytes.tensor("\($0)_integer", [$1], shape: []) },
      inputs: [ONNXBytes.port("x", ["4"]), ONNXBytes.port("i", ["4"]), ONNXBytes.port("t", ["5"])],
      outputs: ["y"])
    let bytes = ONNXBytes.model(graph) + ONNXBytes.field(2, producer)
    return try Model(contentsOf: folder.make("net.onnx", bytes))
  }

  private func ops(_ model: Model) throws -> [String] {
    try model.graph(extents: [:], sampleRate: nil).nodes.map { "\($0.op)" }
  }

  private func y(_ model: Model, x: [Float], i: [Float]) throws -> [Float] {
    var runner = try StepRunner(model.compilation())
    return try runner.run(["x": Tensor(x), "i": Tensor(i), "t": Tensor([10, 11, 12, 13, 14])])["y"]!.values
  }

  private static func kept(_ most: String, least: String = "zero", to element: Int = 7) -> [[UInt8]] {
    [
      ONNXBytes.node("IsNaN", ["i"], ["isNoNumber"]),
      ONNXBytes.node("Where", ["isNoNumber", "zero", "i"], ["number"]),
      ONNXBytes.node("Floor", ["number"], ["whole"]),
      ONNXBytes.node("Clip", ["whole", least, most], ["within"]),
      ONNXBytes.node("Cast", ["within"], ["place"], attributes: [ONNXBytes.attribute("to", element)]),
      ONNXBytes.node("Gather", ["t", "place"], ["y"]),
    ]
  }

  @Test func positionsThatAreKept() throws {
    let model = try model(Self.kept("four"))
    #expect(try ops(model).filter { !$0.hasPrefix("input") } == ["gather(axis: 0)"])
    #expect(try y(model, x: [0, 0, 0, 0], i: [.nan, -3, 2.9, 1e9]) == [10, 10, 12, 14])
  }

  /// Other bounds are bounds.
  @Test(
    arguments: [
      (kept("three"), [10, 10, 12, 13]), (kept("four", least: "one"), [11, 11, 12, 14]),
      (kept("four", to: 6), [10, 10, 12, 14]),
    ] as [([[UInt8]], [Float])])
  func positionsThatAreKeptOtherwise(nodes: [[UInt8]], wanted: [Float]) throws {
    let model = try model(nodes)
    #expect(try ops(model).count > 5)
    #expect(try y(model, x: [0, 0, 0, 0], i: [.nan, -3, 2.9, 1e9]) == wanted)
  }

  @Test(
    arguments: [
      (["Equal x i c", "Not c y"], "binary(GraphIR.BinaryOp.notEqual)", [1, 0, 1, 1]),
      (
        ["Sign x s", "Abs x a", "Floor a f", "Mul s f y"], "unary(GraphIR.UnaryOp.truncate)",
        [2, -2, -0.0, 7]
      ),
      // The same names at other places.
      (["Equal x i c", "Not c n", "Not n y"], "binary(GraphIR.BinaryOp.subtract)", [0, 1, 0, 0]),
      (
        ["Sign i s", "Abs x a", "Floor a f", "Mul s f y"], "binary(GraphIR.BinaryOp.multiply)", [2, -2, 0, 7]
      ),
      (
        ["Div x i q", "Floor q f", "Mul f i p", "Sub x p y"], "binary(GraphIR.BinaryOp.subtract)",
        [0.5, 0, 1.5, 3]
      ),
      (
        ["Div i x q", "Floor q f", "Mul i f p", "Sub x p y"], "binary(GraphIR.BinaryOp.subtract)",
        [2.5, 0, 7.5, 7]
      ),
    ] as [([String], String, [Float])])
  func formulas(nodes: [String], last: String, wanted: [Float]) throws {
    let model = try model(
      nodes.map { text in
        let words = text.split(separator: " ").map(String.init)
        return ONNXBytes.node(words[0], Array(words[1..<words.count - 1]), [words.last!])
      })
    #expect(try ops(model).last == last)
    #expect(try y(model, x: [2.5, -2.25, -0.5, 7], i: [1, -2.25, 2, 4]) == wanted)
  }

  /// The remainder of ours does not round the quotient first, which others may count on.
  @Test(arguments: [("Legato", "modulo"), ("pytorch", "subtract")]) func remainders(
    producer: String, op: String
  )
    throws
  {
    let nodes = [
      ("Div", ["x", "i"], "q"), ("Floor", ["q"], "f"), ("Mul", ["i", "f"], "p"), ("Sub", ["x", "p"], "y"),
    ]
    let model = try model(nodes.map { ONNXBytes.node($0.0, $0.1, [$0.2]) }, producer: producer)
    #expect(try ops(model).last == "binary(GraphIR.BinaryOp.\(op))")
    #expect(try y(model, x: [2.5, -2.25, -0.5, 7], i: [1, -2.25, 2, 4]) == [0.5, 0, 1.5, 3])
  }

  /// An index that is stretched on the way, or has no lower bound, is another one; constants are known.
  @Test func nearMisses() throws {
    let one = ONNXBytes.node("Reshape", ["zero", "axes"], ["wide"])
    let axes = ONNXBytes.node(
      "Constant", [], ["axes"],
      attributes: [ONNXBytes.attribute("value", tensor: ONNXBytes.tensor("", [1, 1]))])
    var nodes = Self.kept("four")
    nodes[1] = ONNXBytes.node("Where", ["isNoNumber", "wide", "i"], ["number"])
    let wide = try model([axes, one] + nodes)
    var runner = try StepRunner(wide.compilation())
    let made = try runner.run([
      "x": Tensor([0, 0, 0, 0]), "i": Tensor([3, 2, 1, 0]), "t": Tensor([0, 1, 2, 3, 4]),
    ])
    #expect(made["y"]?.shape == [1, 4] && made["y"]?.values == [3, 2, 1, 0])

    nodes = Self.kept("four")
    nodes[3] = ONNXBytes.node("Clip", ["whole", "", "four"], ["within"])
    #expect(try y(model(nodes), x: [0, 0, 0, 0], i: [0, 1, -1, 9]) == [10, 11, 14, 14])

    let cast = ONNXBytes.node("Cast", ["infinite"], ["c"], attributes: [ONNXBytes.attribute("to", 9)])
    let infinite = ONNXBytes.node("Div", ["one", "zero"], ["infinite"])
    let known = try model([infinite, cast, ONNXBytes.node("Where", ["c", "i", "x"], ["y"])])
    #expect(try y(known, x: [1, 1, 1, 1], i: [1, 2, 3, 4]) == [1, 2, 3, 4])
  }

  /// Nodes without what they need are told so.
  @Test(arguments: ["Not", "Mul", "Sub", "Where", "Gather"]) func nodesWithoutInputs(op: String) throws {
    for inputs in [[], ["x"]] where op != "Not" || inputs.isEmpty {
      #expect(throws: ModelError.self) { try model([ONNXBytes.node(op, inputs, ["y"])]) }
    }
  }

  /// A choice by numbers is one by whether they are 0; one by positions and by truths of its own stays.
  @Test func choices() throws {
    let cast = ONNXBytes.node("Cast", ["x"], ["c"], attributes: [ONNXBytes.attribute("to", 9)])
    let model = try model([cast, ONNXBytes.node("Where", ["c", "i", "zero"], ["y"])])
    #expect(try ops(model).last == "select" && !ops(model).contains("binary(GraphIR.BinaryOp.notEqual)"))
    #expect(try y(model, x: [0, -0.0, .nan, 0.25], i: [1, 2, 3, 4]) == [0, 0, 3, 4])
  }
}
