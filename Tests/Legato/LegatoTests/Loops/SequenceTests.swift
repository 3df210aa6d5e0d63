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
    ["input x [9]", "y = 0.5 * shifted(y, axis: 0, by: 1) + x"],
    ["input x [7]", "y = x - 0.25 * shifted(y, axis: 0, by: -2) + 0.5 * shifted(y, axis: 0, by: -1)"],
    [
      "input x [6, 20]", weights("u", [20, 20]),
      "y = tanh(x + dense(shifted(y, axis: 0, by: 1), \"u\", axis: 1))",
    ],
    [
      "input x [5, 2, 17]", weights("u", [17, 17]),
      "y = tanh(x + dense(shifted(y, axis: 0, by: -1), \"u\", axis: 2))",
    ],
    [
      "input x [8, 3]", weights("w", [16, 3]), weights("u", [16, 4]), weights("b", [16]),
      "g = dense(x, \"w\", axis: 1) + dense(shifted(h, axis: 0, by: 1), \"u\", \"b\", axis: 1)",
      "c = sigmoid(slice(g, axis: 1, start: 4, count: 4)) * shifted(c, axis: 0, by: 1) + sigmoid(slice(g, axis: 1, start: 0, count: 4)) * tanh(slice(g, axis: 1, start: 8, count: 4))",
      "h = sigmoid(slice(g, axis: 1, start: 12, count: 4)) * tanh(c)", "y = h + x * c * 0",
    ].map { $0.replacing("y = h + x * c * 0", with: "y = h") },
    [
      "input x [6, 4]", weights("u", [4, 4]),
      "m = maximum(shifted(y, axis: 0, by: 2), axis: 1)", "n = reshape(m, shape: [6, 1])",
      "y = sin(x) + 0.1 * n + 0.2 * concatenate([slice(shifted(y, axis: 0, by: 1), axis: 1, start: 2, count: 2), slice(x, axis: 1, start: 0, count: 2)], axis: 1)",
    ],
    [
      "input x [5, 3, 8]", "p = shifted(y, axis: 0, by: 1)", "s = softmax(contraction(p, x), axis: 2)",
      "y = tanh(x + contraction(s, transpose(x, order: [0, 2, 1])))",
    ],
    [
      "input x [4, 2, 6]", weights("k", [2, 2, 3]),
      "y = tanh(x + conv1d(pad(shifted(y, axis: 0, by: 1), axis: 2, before: 1, after: 1), \"k\", axis: 2, padding: \"valid\"))",
    ],
    // Two that follow each other, one in each direction, and a state from step to step beside them.
    [
      "input x [6, 5]", weights("u", [5, 5]),
      "a = tanh(x + dense(shifted(a, axis: 0, by: 1), \"u\", axis: 1))",
      "b = tanh(a + 0.5 * shifted(b, axis: 0, by: -1))", "z = slice(b, axis: 0, start: 0, count: 1)",
      "d = 0.5 * delay(d, frames: 1) + z", "y = a + b + d",
    ],
    // A row for each position of one number, and what only the next position reads, in either direction.
    [
      "input x [9, 1]", weights("w", [12, 1]), weights("u", [12, 12]), weights("v", [12, 12]),
      "a = dense(x, \"w\") + dense(shifted(b, axis: 0, by: 1), \"u\")", "b = dense(tanh(a), \"v\") + sin(a)",
      "y = a + shifted(y, axis: 0, by: 1) * 0.5",
    ],
    [
      "input x [9, 2, 1]", weights("w", [5, 1]), weights("u", [5, 5]),
      "z = exp(x) * slice(x, axis: 0, start: 3, count: 1)",
      "a = dense(z, \"w\") * x + shifted(c, axis: 0, by: -1)", "b = dense(a, \"u\")",
      "c = tanh(b) - 0.25 * shifted(c, axis: 0, by: -1)", "y = a + b",
    ],
    // Rows whose first axis is another one of the cycle, and the weight of a layer in it.
    [
      "input a [4, 1]", "input b [1, 3]", "input x [4, 4, 3]", "f = a + b",
      "y = x + f * shifted(y, axis: 0, by: 1)",
    ],
    [
      "input a [8, 1]", "input b [1, 8]", "input x [8, 8]", "w = 0.1 * (a + b)",
      "y = sin(x) + dense(shifted(y, axis: 0, by: 1), w)",
    ],
    // Every other row of what is there for all positions, from the last one back.
    [
      "input x [17, 4]", weights("u", [4, 4]), "z = dense(x, \"u\")",
      "w = reshape(windows(z, axis: 0, size: 1, hop: 2), shape: [9, 4])",
      "y = w + 0.5 * shifted(y, axis: 0, by: -1)",
    ],
    ["input x [1, 3]", "y = x + shifted(y, axis: 0, by: 1)"],
    ["input x [3]", "y = x + 0.5 * shifted(y, axis: 0, by: 7)"],
  ]

  private static func graph(_ lines: [String]) throws -> Graph {
    try Graph(parsing: (["graph \"sequence\" step 1"] + lines + ["output y = y"]).joined(separator: "\n"))
  }

  @Test(arguments: zip(examples, examples.indices)) func keepsTheLaws(_ lines: [String], _ seed: Int) throws {
    let seed = UInt64(seed + 1)
    let label = lines.last ?? ""
    try Laws(LawCase(label: label, graph: try Self.graph(lines), seed: seed)).check(seed: seed)
  }

  static let layers: [(call: String, weights: [String], units: Int)] = [
    ("rnn", [weights("w", [7, 3]), weights("u", [7, 7]), weights("b", [7])], 7),
    ("gru", [weights("w", [51, 3]), weights("u", [51, 17]), weights("b", [51])], 17),
    ("lstm", [weights("w", [20, 3]), weights("u", [20, 5]), weights("b", [20])], 5),
  ]

  /// A sequence in one step, and its positions as frames of a stream.
  @Test(arguments: layers, [false, true])
  private func aLayerAlongPositionsIsOneAlongFrames(
    _ layer: (call: String, weights: [String], units: Int), _ isBackward: Bool
  ) throws {
    let (count, channels) = (13, 3)
    let numbers = (0..<count * channels).map { Float(($0 * 37) % 23 - 11) / 11 }
    let way = "along: \"positions\", direction: \"\(isBackward ? "backward" : "forward")\""
    let initial = "weights \"i\" \(SmallWeights.text([layer.units]))"
    let call = "\(layer.call)(x, \"w\", \"u\", \"b\", \"b\", initial: \"i\", "
    let steps = try Self.graph(
      ["input x [\(count), \(channels)]", initial] + layer.weights + ["y = \(call)axis: 1, \(way))"])
    let stream = try Graph(
      parsing: (["graph \"stream\" stream 48000", "input x [\(channels), frames]", initial] + layer.weights
        + ["y = \(call)axis: 0)", "output y = y"]).joined(separator: "\n"))
    let order = isBackward ? Array((0..<count).reversed()) : Array(0..<count)
    let rows = (0..<channels).map { channel in order.map { numbers[$0 * channels + channel] } }
    let right = try NativeRun(stream).outputs(of: Stimulus(inputs: rows, frames: count))
    let all = try NativeRun(steps).outputs(of: Stimulus(inputs: [numbers], frames: 1))[0]
    for (frame, position) in order.enumerated() {
      for unit in 0..<layer.units {
        #expect(abs(all[position * layer.units + unit] - right[unit][frame]) < 1e-6)
      }
    }
  }

  static let flaws: [(lines: [String], flaw: String)] = [
    (["input x [4, 3]", "y = x + shifted(y, axis: 1, by: 1)"], "a cycle along axis 1"),
    (["input x [4, 3]", "y = x + shifted(y, axis: 0, by: 1) + shifted(y, axis: 0, by: -1)"], "go both ways"),
    (["input x [4, 3]", "y = x + sum(shifted(y, axis: 0, by: 1), axis: 0)"], "adds up its positions"),
    (["input x [3, 3]", "y = x + transpose(shifted(y, axis: 0, by: 1))"], "rearranges its positions"),
    (["input x [4, 3]", "a = x + b", "b = a + shifted(a, axis: 0, by: 1)", "y = b"], "no shift"),
  ]

  @Test(arguments: flaws) private func whatHasNoMeaningIsSaid(_ example: (lines: [String], flaw: String)) {
    #expect {
      try Self.graph(example.lines)
    } throws: {
      "\($0)".contains(example.flaw)
    }
  }

  @Test func aStreamHasNone() {
    #expect {
      try Graph(
        parsing: """
          graph "stream" stream 48000
          input x [4, frames]
          y = x + shifted(y, axis: 0, by: 1)
          output y = y
          """)
    } throws: {
      "\($0)".contains("is for models of steps")
    }
  }
}
