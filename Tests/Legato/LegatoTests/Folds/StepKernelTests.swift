// SPDX-License-Identifier: Apache-2.0

import Foundation
import GraphIR
import GraphPlanning
import Legato
import NativeCode
import Testing

/// Products, reductions, convolutions and transpositions of steps, larger than random graphs have them: all laws hold, and
/// what is read lies side by side.
@Suite struct StepKernelTests {
  /// Inputs with weights, and lines.
  struct Example: CustomTestStringConvertible, Sendable {
    let ports: String
    let line: String
    var testDescription: String { line }

    init(_ ports: String, _ line: String) { (self.ports, self.line) = (ports, line) }

    func graph() throws -> Graph {
      try Graph(parsing: "graph \"step\" step 1\n\(ports)\ny = \(line)\noutput y = y")
    }
  }

  private static func weights(_ name: String, _ shape: [Int]) -> String {
    "weights \"\(name)\" \(SmallWeights.text(shape))"
  }

  /// Two layers, the second of which reads 32 channels that lie 256 numbers apart.
  private static let pointwise = Example(
    "input x [20, 16, 16]\n" + weights("w", [32, 20, 1, 1]) + "\n" + weights("v", [64, 32, 1, 1]),
    "conv2d(tanh(conv2d(x, \"w\")), \"v\")")

  /// A layer whose weight is given with each step.
  private static func layer(rows: Int) -> Example {
    Example("input x [\(rows), 48]\ninput w [64, 48]\ninput b [64]", "tanh(dense(x, w, b, axis: 1))")
  }

  static let examples = [
    Example("input x [19, 35]", "transpose(x)"),
    Example("input x [2, 17, 16]", "transpose(x, order: [0, 2, 1])"),
    Example("input x [18, 3, 21]", "transpose(x, order: [2, 1, 0]) * 2"),
    Example("input x [5, 40]", "transpose(x)"), Example("input x [9, 40]", "transpose(x)"),
    layer(rows: 16), layer(rows: 8), layer(rows: 3),
    Example(
      "input x [2, 4, 24]\ninput w [40, 24]\ninput b [40]", "max(dense(x, w, b, axis: 2, ways: 2), 0) + 1"),
    Example("input x [16, 16]\ninput z [16, 16]", "matmul(x, z)"),
    Example("input x [11, 24]\ninput z [24, 20]", "matmul(x, z)"),
    Example("input x [11, 24]\ninput z [20, 24]", "contraction(x, z)"),
    Example("input x [2, 9, 16]\ninput z [18, 16]", "contraction(x, z, ways: 2)"),
    Example("input x [1, 33]\ninput z [17, 33]", "tanh(contraction(x, z, ways: 16)) + 1"),
    Example("input x [2, 12, 8]", "contraction(transpose(x, order: [0, 1, 2]), sin(x))"),
    Example("input x [4200, 16]\ninput z [4200, 16]", "contraction(transpose(x), transpose(z))"),
    Example("input x [17, 33]", "softmax(x)"), Example("input x [3, 9, 20]", "mean(x * x, axis: 2)"),
    Example("input x [10, 18]", "maximum(x, axis: 1)"), Example("input x [100]", "sum(x * x)"),
    Example("input x [16, 24]\n" + weights("g", [24]), "layerNorm(x, \"g\")"),
    Example("input x [12, 16]", "attention(x, x * 2, x, heads: 2, sees: \"past\")"),
    Example(
      "input x [3, 13, 19]\n" + weights("w", [5, 3, 3, 3]) + "\n" + weights("b", [5]),
      "max(conv2d(x, \"w\", \"b\", stride: 2), 0)"),
    Example(
      "input x [2, 4, 7, 7]\n" + weights("w", [8, 2, 3, 3]), "conv2d(x, \"w\", groups: 2, padding: \"same\")"),
    Example("input x [4, 6, 9]\n" + weights("w", [4, 4, 1, 1]), "conv2d(x, \"w\") + x"),
    Example("input x [2, 5, 6, 7]\n" + weights("w", [4, 2, 2, 2, 3]), "conv3d(x, \"w\", stride: [1, 2, 2])"),
    Example(
      "input x [3, 41]\n" + weights("w", [4, 3, 5]),
      "conv1d(x, \"w\", axis: 1, stride: 3, dilation: 2, padding: \"valid\")"),
    Example("input x [6, 10, 10]\n" + weights("w", [6, 1, 3, 3]), "conv2d(x, \"w\", groups: 6, stride: 2)"),
    Example("input x [4, 12, 14]", "maxPool(x, size: [3, 2], stride: 2)"),
    Example(
      "input x [3, 9, 83]\n" + weights("w", [3, 1, 3, 5]), "conv2d(x, \"w\", groups: 3, stride: [1, 2])"),
    Example(
      "input x [3, 9, 66]\n" + weights("w", [3, 1, 3, 3]), "tanh(conv2d(x, \"w\", groups: 3, stride: 2))"),
    Example(
      "input x [5, 140]\n" + weights("w", [5, 1, 4]),
      "conv1d(x, \"w\", axis: 1, groups: 5, stride: 3, padding: \"valid\")"),
    Example(
      "input x [4, 131]\n" + weights("w", [6, 4, 8]),
      "conv1d(x, \"w\", axis: 1, stride: 4, padding: \"valid\")"),
    Example(
      "input x [4, 131]\n" + weights("w", [6, 4, 8]),
      "conv1d(x, \"w\", axis: 1, stride: 5, padding: \"valid\")"),
    Example("input x [4, 7, 100]", "maxPool(x, size: [3, 4], stride: [2, 3]) * 2"),
    Example("input x [9, 18]", "shifted(x, axis: 1, by: -3) - shifted(x, by: 2)"), pointwise,
  ]

  @Test(arguments: zip(examples, examples.indices)) func keepsTheLaws(_ example: Example, _ seed: Int) throws
  {
    let seed = UInt64(seed + 1)
    try Laws(LawCase(label: example.line, graph: try example.graph(), seed: seed)).check(seed: seed)
  }

  private static func plan(_ example: Example, _ target: Target? = nil) throws -> String {
    let target = try target ?? .host()
    return try CompiledGraph(try example.graph(), options: CompileOptions(target: target)).plan.description
  }

  @Test func panelsAreGoneThroughForEachRowOfPlaces() throws {
    let target = try #require(Target.x86(level: "x86-64-v3"))
    let plan = try Self.plan(Self.pointwise, target)
    #expect(plan.contains("fold over i: 4 × j: 16 × k: 8 × l: 16, reducing t: 20"), "\(plan)")
  }

  @Test func termsThatLieAPowerOfTwoApartAreSpreadOverAPage() throws {
    let plan = try Self.plan(Self.pointwise)
    // Each channel is written, and read, 256 numbers and a line of 16 behind the one before.
    #expect(plan.contains("272i") && plan.contains("+ 272t"), "\(plan)")
    // A walk through all channels as one row of numbers would not find them.
    let sum = "sum(reshape(tanh(conv2d(x, \"w\")), [8192]))"
    let joined = try Self.plan(Example(Self.pointwise.ports, Self.pointwise.line + " + " + sum))
    #expect(!joined.contains("272"), "\(joined)")
  }

  @Test func whatAContractionReadsIsTransposedWhereItDoesNotLieSo() throws {
    let product = try Self.plan(Example("input x [32, 32]\ninput z [32, 32]", "matmul(x, z)"))
    let rows = try Self.plan(Example("input x [32, 32]\ninput z [32, 32]", "contraction(x, z)"))
    #expect(!product.contains("squares of") && rows.contains("squares of"), "\(product)\n\(rows)")
  }

  @Test(arguments: [(18, 16), (9, 8), (5, 4)])
  func squaresAreTheLargestThatFit(rows: Int, width: Int) throws {
    let target = try #require(Target.x86(level: "x86-64-v4"))
    let plan = try Self.plan(Example("input x [\(rows), 40]", "transpose(x)"), target)
    #expect(plan.contains("squares of \(width) by \(width)"), "\(plan)")
  }

  /// Of many rows a layer's weight is transposed, of some its input, and of few ones none: the weight's lines are vectors.
  @Test func noMoreThanTheLeastOfALayerIsTransposed() throws {
    let (input, weight) = ("map over i: 48 × j", "map over i: 48 × j: 64")
    for rows in [13, 16] {
      let some = try Self.plan(Self.layer(rows: rows))
      #expect(some.contains("\(input): \(rows)") && !some.contains(weight), "\(some)")
    }
    let many = try Self.plan(Self.layer(rows: 40))
    #expect(many.contains(weight) && !many.contains("\(input): 40"), "\(many)")
    for rows in [1, 3] {
      let few = try Self.plan(Self.layer(rows: rows))
      #expect(few.contains("along the terms") && !few.contains("map over i: 48"), "\(few)")
    }
    let turned = try Self.plan(
      Example("input x [48, 3]\ninput w [64, 48]", "dense(transpose(x), w, axis: 1)"))
    #expect(turned.contains("along the terms") && turned.contains("tile of 3 rows"), "\(turned)")
  }

  /// Output 0 may lie where input 0 does, if it is as large, not said to lie apart, and the input no array parameter; it is
  /// copied there in the end.
  @Test func anOutputThatLiesApartIsWrittenWhereItIsComputed() throws {
    func copies(_ extents: String, apart: Bool = false, kind: String = "") throws -> Bool {
      var graph = try Example("input x \(kind) [16, 24]\ninput z \(extents)", "matmul(x, z)").graph()
      graph.outputs[0].isApart = apart
      let compiled = try CompiledGraph(graph, options: CompileOptions(target: .host()))
      return compiled.plan.description.contains("map over")
    }
    #expect(try copies("[24, 24]") && !copies("[24, 24]", apart: true) && !copies("[24, 20]"))
    #expect(try !copies("[24, 24]", kind: "parameter"))
  }

  @Test func vectorsGoAlongOutputsWhereTheyWouldBeEmptyAlongPositions() throws {
    func isTurned(_ extent: Int, stride: Int) throws -> Bool {
      let ports = "input x [4, \(extent), \(extent)]\n" + Self.weights("w", [16, 4, 3, 3])
      let plan = try Self.plan(Example(ports, "conv2d(x, \"w\", stride: \(stride))"))
      return plan.contains("squares of")
    }
    #expect(
      try [isTurned(34, stride: 1), isTurned(33, stride: 2), isTurned(9, stride: 1), isTurned(83, stride: 5)]
        == [false, false, true, true])
  }

  @Test func theNextOneReadsOnWithoutACopyBetween() throws {
    let ports =
      "input x [4, 9, 9]\n" + Self.weights("w", [16, 4, 3, 3]) + "\n" + Self.weights("v", [16, 16, 3, 3])
    let plan = try Self.plan(Example(ports, "conv2d(conv2d(x, \"w\"), \"v\")"))
    #expect(plan.components(separatedBy: "fold over").count == 3)
    #expect(plan.components(separatedBy: "map over").count == 2)
  }
}
