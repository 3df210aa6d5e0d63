// SPDX-License-Identifier: Apache-2.0

import Legato
import TestEquipment
import Testing

/// Loops that turn more than 64 times, and those that do not turn at all.
@Suite struct LongLoopTests {
  /// A loop that carries `v`, an integer that begins with 3, and ends with y = x + v. Its body reads `i`, the turn, `on`,
  /// `two`, `big` and so on, and makes `w`.
  private func model(turns: Int, _ nodes: [[UInt8]]) -> [UInt8] {
    let body = ONNXBytes.graph(
      [ONNXBytes.node("Identity", ["on"], ["still"])] + nodes,
      inputs: [ONNXBytes.port("i", []), ONNXBytes.port("on", []), ONNXBytes.port("v", [])],
      outputs: ["still", "w"])
    return ONNXBytes.model(
      [
        ONNXBytes.node(
          "Loop", ["turns", "", "first"], ["last"], name: "l",
          attributes: [ONNXBytes.attribute("body", graph: body)]),
        ONNXBytes.node("Cast", ["last"], ["float"], attributes: [ONNXBytes.attribute("to", 1)]),
        ONNXBytes.node("Add", ["x", "float"], ["y"]),
      ],
      tensors: [("turns", turns), ("first", 3), ("two", 2), ("ten", 10), ("a", 75), ("c", 74), ("m", 65_537)]
        .map { ONNXBytes.tensor($0.0, [$0.1], shape: []) }
        + [("factor", 1_103_515_245), ("more", 12_345), ("whole", 1 << 31), ("large", 1_000_000)]
        .map { ONNXBytes.tensor($0.0, [$0.1], shape: []) })
  }

  private func result(_ bytes: [UInt8]) throws -> [Float] {
    let folder = try TemporaryFolder()
    let model = try Model(contentsOf: try folder.make("net.onnx", bytes))
    var runner = try StepRunner(model.compilation())
    return try runner.step(["x": Tensor(shape: [2, 3], values: [0, 0, 0, 0, 0, 1])])["y"]!.values
  }

  private static func node(_ op: String, _ inputs: String..., to output: String = "w") -> [UInt8] {
    ONNXBytes.node(op, inputs, [output], name: "n_\(output)")
  }

  private static let asTruth = ONNXBytes.node(
    "Cast", ["b"], ["n"], attributes: [ONNXBytes.attribute("to", 7)])

  @Test("integers that stay small are exact, however often a loop turns")
  func exact() throws {
    typealias Row = (nodes: [[UInt8]], turns: Int, next: (Int, Int) -> Int)
    let rows: [Row] = [
      ([Self.node("Add", "v", "two")], 300, { v, _ in v + 2 }),
      ([Self.node("Sub", "v", "two")], 300, { v, _ in v - 2 }),
      // A count of comparisons.
      (
        [Self.node("Greater", "i", "ten", to: "b"), Self.asTruth, Self.node("Add", "v", "n")], 100,
        { v, i in v + (i > 10 ? 1 : 0) }
      ),
      // A generator whose products are below 2^24.
      (
        [
          Self.node("Mul", "v", "a", to: "p"), Self.node("Add", "p", "c", to: "q"),
          Self.node("Mod", "q", "m"),
        ],
        200, { v, _ in (v * 75 + 74) % 65_537 }
      ),
      ([Self.node("Add", "v", "i")], 1000, { v, i in v + i }),
      (
        [
          Self.node("Add", "v", "two", to: "p"), Self.node("Less", "v", "ten", to: "b"),
          Self.node("Where", "b", "p", "two"),
        ], 70, { v, _ in v < 10 ? v + 2 : 2 }
      ),
    ]
    for (row, (nodes, turns, next)) in rows.enumerated() {
      var expected = 3
      for turn in 0..<turns { expected = next(expected, turn) }
      let made = try result(model(turns: turns, nodes))
      #expect(made == Array(repeating: Float(expected), count: 5) + [Float(expected + 1)], "\(row)")
    }
  }

  @Test("integers that may go beyond 2^24 are refused by the node that makes them")
  func refused() throws {
    let generator = [
      Self.node("Mul", "v", "factor", to: "p"), Self.node("Add", "p", "more", to: "q"),
      Self.node("Mod", "q", "whole"),
    ]
    let rows: [(nodes: [[UInt8]], turns: Int, node: String)] = [
      (generator, 65, "node 'n_p' (Mul)"),
      ([Self.node("Add", "v", "large")], 100, "node 'n_w' (Add)"),
      ([Self.node("Add", "v", "i")], 10_000, "node 'n_w' (Add)"),
      // Of the turn's own number.
      (
        [
          Self.node("Mul", "i", "factor", to: "p"), Self.node("Mod", "p", "m", to: "q"),
          Self.node("Add", "v", "two"),
        ], 100, "node 'n_p' (Mul)"
      ),
      // The product is beyond, though its remainder is not.
      (
        [Self.node("Mul", "v", "large", to: "p"), Self.node("Mod", "p", "m")], 100, "node 'n_p' (Mul)"
      ),
    ]
    for (nodes, turns, node) in rows {
      let bytes = model(turns: turns, nodes)
      #expect {
        try result(bytes)
      } throws: { error in
        "\(error)".contains(
          "net.onnx: node 'l' (Loop): it turns more than 64 times, and \(node) may come to integers beyond 2^24, "
            + "which the floats that carry them do not hold; ")
      }
    }
    // Written out, in integers of 64 bits, and as a float in the end.
    var expected = 3
    for _ in 0..<64 { expected = (expected * 1_103_515_245 + 12_345) % (1 << 31) }
    #expect(try result(model(turns: 64, generator))[0] == Float(expected))
  }

  @Test("a loop and a scan that do not turn have no rows, which may be joined with others")
  func noTurns() throws {
    let body = ONNXBytes.graph(
      [
        ONNXBytes.node("Identity", ["on"], ["still"]), ONNXBytes.node("Neg", ["v"], ["w"]),
        ONNXBytes.node("Relu", ["v"], ["r"]),
      ],
      inputs: [ONNXBytes.port("i", []), ONNXBytes.port("on", []), ONNXBytes.port("v", ["2", "3"])],
      outputs: ["still", "w", "r"])
    let loop = ONNXBytes.node(
      "Loop", ["none", "", "x"], ["last", "rows"], name: "l",
      attributes: [ONNXBytes.attribute("body", graph: body)])
    let tensors = [ONNXBytes.tensor("none", [0], shape: []), ONNXBytes.tensor("front", [0])]
    let joined = ONNXBytes.model(
      [
        loop, ONNXBytes.node("Unsqueeze", ["last", "front"], ["one"]),
        ONNXBytes.node("Concat", ["rows", "one"], ["y"], attributes: [ONNXBytes.attribute("axis", 0)]),
      ], tensors: tensors)
    #expect(try result(joined) == [0, 0, 0, 0, 0, 1])
    let alone = ONNXBytes.model([loop, ONNXBytes.node("Neg", ["rows"], ["y"])], tensors: tensors)
    #expect {
      try result(alone)
    } throws: {
      "\($0)".contains("[0, 2, 3]")
    }

    let step = ONNXBytes.graph(
      [ONNXBytes.node("Add", ["h", "e"], ["g"]), ONNXBytes.node("Relu", ["g"], ["r"])],
      inputs: [ONNXBytes.port("h", ["2", "3"]), ONNXBytes.port("e", ["3"])], outputs: ["g", "r"])
    let scan = ONNXBytes.model(
      [
        ONNXBytes.node("ConstantOfShape", ["empty"], ["positions"]),
        ONNXBytes.node(
          "Scan", ["x", "positions"], ["last", "rows"], name: "s",
          attributes: [ONNXBytes.attribute("num_scan_inputs", 1), ONNXBytes.attribute("body", graph: step)]),
        ONNXBytes.node("Unsqueeze", ["last", "front"], ["one"]),
        ONNXBytes.node("Concat", ["rows", "one"], ["y"], attributes: [ONNXBytes.attribute("axis", 0)]),
      ], tensors: tensors + [ONNXBytes.tensor("empty", [0, 3])])
    #expect(try result(scan) == [0, 0, 0, 0, 0, 1])
  }
}
