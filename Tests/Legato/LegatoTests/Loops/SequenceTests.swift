// SPDX-License-Identifier: Apache-2.0

import GraphIR
import GraphPlanning
import Legato
import NativeCode
import Testing

/// Cycles along an axis of a graph of steps: all laws hold, and one that goes along frames says the same.
@Suite struct SequenceTests {
  private static func weights(_ name: String, _ shape: [Int]) -> String {
    "weights \"\(name)\" \(SmallWeights.text(shape))"
  }

  /// Inputs, weights, and lines of which y is shown.
  static let examples: [[String]] = [
    ["input x [9]", "y = 0.5 * shift(y, axis: 0, by: 1) + x"],
    ["input x [7]", "y = x - 0.25 * shift(y, axis: 0, by: -2) + 0.5 * shift(y, axis: 0, by: -1)"],
    [
      "input x [6, 20]", weights("u", [20, 20]),
      "y = tanh(x + dense(shift(y, axis: 0, by: 1), \"u\", axis: 1))",
    ],
    [
      "input x [5, 2, 17]", weights("u", [17, 17]),
      "y = tanh(x + dense(shift(y, axis: 0, by: -1), \"u\", axis: 2))",
    ],
    [
      "input x [8, 3]", weights("w", [16, 3]), weights("u", [16, 4]), weights("b", [16]),
      "g = dense(x, \"w\", axis: 1) + dense(shift(h, axis: 0, by: 1), \"u\", \"b\", axis: 1)",
      "c = sigmoid(slice(g, axis: 1, start: 4, count: 4)) * shift(c, axis: 0, by: 1) + sigmoid(slice(g, axis: 1, start: 0, count: 4)) * tanh(slice(g, axis: 1, start: 8, count: 4))",
      "h = sigmoid(slice(g, axis: 1, start: 12, count: 4)) * tanh(c)", "y = h + x * c * 0",
    ].map { $0.replacing("y = h + x * c * 0", with: "y = h") },
    [
      "input x [6, 4]", weights("u", [4, 4]),
      "m = maximum(shift(y, axis: 0, by: 2), axis: 1)", "n = reshape(m, shape: [6, 1])",
      "y = sin(x) + 0.1 * n + 0.2 * concatenate([slice(shift(y, axis: 0, by: 1), axis: 1, start: 2, count: 2), slice(x, axis: 1, start: 0, count: 2)], axis: 1)",
    ],
    [
      "input x [5, 3, 8]", "p = shift(y, axis: 0, by: 1)", "s = softmax(contraction(p, x), axis: 2)",
      "y = tanh(x + contraction(s, transpose(x, order: [0, 2, 1])))",
    ],
    [
      "input x [4, 2, 6]", weights("k", [2, 2, 3]),
      "y = tanh(x + conv1d(pad(shift(y, axis: 0, by: 1), axis: 2, before: 1, after: 1), \"k\", axis: 2, padding: \"valid\"))",
    ],
    // Two that follow each other, one in each direction, and a state from step to step beside them.
    [
      "input x [6, 5]", weights("u", [5, 5]), "a = tanh(x + dense(shift(a, axis: 0, by: 1), \"u\", axis: 1))",
      "b = tanh(a + 0.5 * shift(b, axis: 0, by: -1))", "z = slice(b, axis: 0, start: 0, count: 1)",
      "d = 0.5 * delay(d, frames: 1) + z", "y = a + b + d",
    ],
    ["input x [1, 3]", "y = x + shift(y, axis: 0, by: 1)"],
    ["input x [3]", "y = x + 0.5 * shift(y, axis: 0, by: 7)"],
  ]

  private static func graph(_ lines: [String]) throws -> Graph {
    try Graph(parsing: (["graph \"sequence\" step 1"] + lines + ["output y = y"]).joined(separator: "\n"))
  }

  @Test(arguments: zip(examples, examples.indices)) func keepsTheLaws(_ lines: [String], _ seed: Int) throws {
    let seed = UInt64(seed + 1)
    let label = lines.last ?? ""
    try Laws(LawCase(label: label, graph: try Self.graph(lines), seed: seed)).check(seed: seed)
  }
}
