// SPDX-License-Identifier: Apache-2.0

import GraphGradients
import GraphIR
import ReferenceInterpreter
import TestEquipment
import Testing

/// Several steps of a graph as one compute what the steps do, one after the other.
@Suite struct RepeatedTests {
  /// Lines over h [2, 3], which is carried, x [3] of each step, and v [3], the same in all.
  static let bodies = [
    "next = tanh(0.5 * h + x)\nrow = sum(next, axis: 0) * v",
    "next = h\nrow = x + v",
    "next = concatenate([slice(h, axis: 0, start: 1, count: 1), reshape(x * v, [1, 3])], axis: 0)\nrow = h",
    "next = softmax(h + x, axis: 1) + 0.25\nrow = reshape(transpose(next), [6])",
    "next = dense(h, w, axis: 1) + x\nrow = contraction(next, next)",
    "next = 0.5 * h + 1\nrow = v",
  ]

  private static func graph(_ body: String) throws -> Graph {
    try Graph(
      parsing: """
        graph "x" step 48000
        input h [2, 3]
        input x [3]
        input v [3]
        weights "w" [3, 3] = [0.5, 0.25, 0, -0.5, 0.25, 0.125, 0, 0.5, 0.25]
        \(body.replacing(", w,", with: ", \"w\","))
        output next = next
        output row = row
        """)
  }

  @Test(arguments: bodies, [false, true])
  func computesAllSteps(body: String, isBackward: Bool) throws {
    let graph = try Self.graph(body)
    var random = SplitMix(seed: 3)
    func numbers(_ count: Int) -> [Float] { (0..<count).map { _ in random.float(-1, 1) } }
    let (count, v) = (7, numbers(3))
    let rows = (0..<count).map { _ in numbers(3) }
    for isZero in [false, true] {
      let first = isZero ? [Float](repeating: 0, count: 6) : numbers(6)
      let repeated = try graph.repeated(
        count, carrying: [CarriedInput("h", from: "next", isZeroAtFirst: isZero)], scanning: ["x"],
        backward: isBackward)
      let all = Self.outputs(of: repeated, ["h": first, "x": rows.flatMap(\.self), "v": v])
      var (carried, steps) = (first, [[[Float]]]())
      for x in isBackward ? rows.reversed() : rows {
        steps.append(Self.outputs(of: graph, ["h": carried, "x": x, "v": v]))
        carried = steps.last![0]
      }
      if isBackward { steps.reverse() }
      for output in 0..<2 {
        let expected = steps.flatMap { $0[output] }
        #expect(all[output].count == expected.count)
        #expect(zip(all[output], expected).allSatisfy { abs($0 - $1) <= 1e-5 * max(1, abs($1)) })
      }
    }
  }

  private static func outputs(of graph: Graph, _ given: [String: [Float]]) -> [[Float]] {
    ReferenceInterpreter(graph).run(inputs: graph.inputs.map { given[$0.name]! }, frames: 1).outputs
      .map { $0.map { Float($0.value) } }
  }

  @Test func whatLooksAtAllPositionsIsRefused() throws {
    let graph = try Self.graph(
      "next = gather(h, sum(h, axis: 1), axis: 0)\nrow = x + v")
    let error = #expect(throws: TypingError.self) {
      try graph.repeated(
        5, carrying: [CarriedInput("h", from: "next", isZeroAtFirst: true)], scanning: ["x"], backward: false)
    }
    #expect("\(error!)".contains("in a cycle along an axis"), "\(error!)")
  }
}
