// SPDX-License-Identifier: Apache-2.0

import GraphGradients
import GraphIR
import ReferenceInterpreter
import TestEquipment
import Testing

/// A graph in two, of which one part depends on nothing that learns.
@Suite struct SplitTests {
  private func graph(_ lines: String) throws -> Graph {
    try Graph(
      parsing: """
        graph "x" stream 48000
        input src [2, frames]
        input low [frames]
        weights "k" [2, 2, 3] = [0.1, 0.2, -0.3, 0.4, 0.5, -0.6, 0.7, 0.1, 0.2, -0.3, 0.4, 0.5]
        weights "m" [2, 2] = [0.5, -0.25, 0.125, 0.5]
        \(lines)
        output dst = dst
        """)
  }

  /// Lines, what learns, and the inputs of the rest.
  static let parts: [(lines: String, learned: Set<String>, inputs: [String])] = [
    ("dst = dense(conv1d(src, \"k\"), \"m\", axis: 0)", ["m"], ["features.0"]),
    // What is read directly stands beside it, at the same time.
    (
      "dst = dense(lookahead(conv1d(src, \"k\"), 3), \"m\", axis: 0) + low * src", ["m"],
      ["features.0", "features.1"]
    ),
    ("h = conv1d(src, \"k\")\ndst = dense(h, \"m\", axis: 0) * low + h", ["m"], ["low", "features.0"]),
    // A filter that does not learn, before one that does.
    (
      "y = src + 0.5 * delay(y, 1)\nz = y + dense(delay(z, 1), \"m\", axis: 0)\ndst = z", ["m"],
      ["features.0"]
    ),
    // An output that nothing learns of.
    ("z = dense(src, \"m\", axis: 0)\ndst = conv1d(src, \"k\")\noutput z = z", ["m"], ["src", "features.0"]),
  ]

  @Test(arguments: parts.indices) func theRestReadsWhatTheFeaturesAre(row: Int) throws {
    let (lines, learned, inputs) = Self.parts[row]
    let whole = try graph(lines)
    let (features, rest) = try #require(whole.split(dependingOn: learned))
    #expect(rest.inputs.map(\.name) == inputs)
    #expect(Verifier.violations(in: features).isEmpty && Verifier.violations(in: rest).isEmpty)
    var random = SplitMix(seed: 5)
    func rows(_ channels: Int) -> [[Float]] {
      (0..<channels).map { _ in (0..<40).map { _ in random.float(-1, 1) } }
    }
    let given = ["src": rows(2), "low": rows(1)]
    func run(_ graph: Graph, _ given: [String: [[Float]]]) -> [String: [[Float]]] {
      let made = ReferenceInterpreter(graph.aligned()).run(
        inputs: graph.inputs.flatMap { given[$0.name]! }, frames: 40
      ).outputs.map { $0.map { Float($0.value) } }
      var (start, named) = (0, [String: [[Float]]]())
      for output in graph.outputs {
        let count = graph.shape(of: output.value).fixed.reduce(1, *)
        named[output.name] = Array(made[start..<start + count])
        start += count
      }
      return named
    }
    let parts = run(rest, given.merging(run(features, given)) { $1 })
    for (name, wanted) in run(whole, given) {
      for (one, other) in zip(wanted, parts[name]!) {
        #expect(zip(one, other).allSatisfy { abs($0 - $1) < 1e-5 })
      }
    }
  }

  @Test(arguments: [
    ("dst = dense(src, \"m\", axis: 0)", "m"), ("dst = dense(tanh(src) * low, \"m\", axis: 0)", "m"),
    ("dst = conv1d(dense(src, \"m\", axis: 0), \"k\")", "m"), ("dst = conv1d(src, \"k\") * low", "k"),
  ])
  func whereNothingIsSavedThereIsOnePart(lines: String, learned: String) throws {
    #expect(try graph(lines).split(dependingOn: [learned]) == nil)
  }
}
