// SPDX-License-Identifier: Apache-2.0

import GraphGradients
import GraphIR
import ReferenceInterpreter
import TestEquipment
import Testing

/// Without the positions that nobody needs outputs are the same numbers.
@Suite struct TrimmedTests {
  /// Lines over x [16, 3], and what is left of some values.
  static let graphs: [(lines: String, extents: [String: [Int]])] = [
    ("a = tanh(x)\ny = slice(a, axis: 0, start: 5, count: 11)", ["a": [11, 3]]),
    (
      """
      a = transpose(pad(x, axis: 0, before: 4, after: 0), order: [1, 0])
      b = conv1d(a, "k", axis: 1, dilation: 2, padding: "valid")
      c = transpose(pad(transpose(b, order: [1, 0]), axis: 0, before: 2, after: 0), order: [1, 0])
      d = conv1d(c, "k", axis: 1, padding: "valid")
      y = slice(d, axis: 1, start: 6, count: 10)
      """, ["b": [3, 12], "d": [3, 10]]
    ),
    (
      """
      a = shifted(x, axis: 0, by: 3)
      b = shifted(x, axis: 0, by: 7) + a
      y = slice(b, axis: 0, start: 5, count: 11)
      """, ["b": [11, 3]]
    ),
    (
      """
      a = dense(x, "m", axis: 1)
      b = concatenate([a, x], axis: 1)
      y = sum(slice(b, axis: 0, start: 4, count: 8), axis: 1)
      """, ["b": [12, 6]]
    ),
    // Two ends need two beginnings.
    (
      """
      a = exp(x)
      y = slice(a, axis: 0, start: 9, count: 7) * slice(a, axis: 0, start: 2, count: 7)
      """, ["a": [14, 3]]
    ),
    // Along two axes all is needed; so it is of what is mixed along the axis, and before a cycle.
    (
      """
      a = exp(x)
      y = slice(a, axis: 0, start: 13, count: 3) * slice(slice(a, axis: 1, start: 1, count: 1), axis: 0, start: 0, count: 3)
      """, ["a": [16, 3]]
    ),
    ("a = exp(x)\ny = slice(reshape(a, [48]), axis: 0, start: 9, count: 3)", ["a": [16, 3]]),
    (
      """
      a = exp(x)
      b = a + 0.5 * shifted(b, axis: 0, by: 1)
      y = slice(tanh(b), axis: 0, start: 9, count: 7)
      """, ["a": [16, 3], "b": [16, 3]]
    ),
    (
      "a = exp(x)\ny = slice(broadcast(sum(a, axis: 1), [2, 16]), axis: 1, start: 9, count: 7)",
      ["a": [7, 3]]
    ),
    // The axis behind those that a kernel walks along.
    (
      "a = conv1d(reshape(x, [2, 8, 3]), \"l\", axis: 1)\ny = slice(a, axis: 2, start: 1, count: 2)",
      ["a": [2, 8, 2]]
    ),
    (
      "a = exp(x)\ny = slice(pad(a, axis: 0, before: 1, after: 9), axis: 0, start: 20, count: 5)",
      ["a": [16, 3]]
    ),
  ]

  @Test(arguments: graphs.indices) func outputsAreTheSame(row: Int) throws {
    let (lines, extents) = Self.graphs[row]
    let taps = (0..<27).map { "\(Float($0 * 7 % 11) / 8 - 0.5)" }
    let graph = try Graph(
      parsing: """
        graph "x" step 48000
        input x [16, 3]
        weights "k" [3, 3, 3] = [\(taps.joined(separator: ", "))]
        weights "l" [2, 2, 3] = [0.5, -0.25, 0.125, 0.5, 1, 0.5, -1, 0.75, 0.25, -0.5, 0.5, 1]
        weights "m" [3, 3] = [0.5, -0.25, 0.125, 0.5, 1, 0.5, -1, 0.75, 0.25]
        \(lines)
        output y = y
        """)
    let trimmed = graph.trimmed()
    #expect(Verifier.violations(in: trimmed).isEmpty)
    for (name, extents) in extents {
      let value = try #require(trimmed.origins.names.first { $0.value == name }?.key)
      #expect(trimmed.shape(of: value).fixed == extents, "\(name)")
    }
    var random = SplitMix(seed: UInt64(row))
    let x = (0..<48).map { _ in random.float(-1, 1) }
    let outputs = [graph, trimmed].map { ReferenceInterpreter($0).run(inputs: [x], frames: 1).outputs }
    #expect(outputs[0] == outputs[1])
  }
}
