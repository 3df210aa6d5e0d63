// SPDX-License-Identifier: Apache-2.0

import GraphIR
import GraphPlanning
import Legato
import ReferenceInterpreter
import Testing

/// Denormals count as zero where numbers are known ahead of time, too: in literals, and in what LLVM folds of them.
@Suite struct DenormalLiteralTests {
  static let expressions = [
    "src + select(1e-40, 2, 3)",
    "src + select(-1e-40, 2, 3)",
    "select(src < 1e-40, 5, 6) + (1e-40 == 0)",
    "src + select(1e-20 * 1e-20, 2, 3)",
    "src + 1e38 * (1e-20 * 1e-20)",
    "src + 1e38 * (1e-30 / 1e10)",
    "src + sqrt(1e-20 * 1e-20) * 1e20",
    "src + (abs(1e-20 * 1e-20) == 0)",
    "src + select(fma(1e-20, 1e-20, 0), 2, 3)",
    "src + (1e-10 * 1e-10 * 1e-10 * 1e-10 > 0)",
    "src + 1e38 * (1.2e-38 - 1.19e-38)",
    "((src < 0.5) * 1e-20 * 1e-20) != 0",
    "((src < 0.5) * 1e-10 * 1e-10 * 1e-10 * 1e-10) != 0",
    "select(src < 0.5, 1e-20, 2) * 1e-20 * 1e30",
    "(min(src, -1e-20) * 1e-20) < 0",
  ]

  /// As vectors, and frame by frame within a cycle.
  @Test(arguments: expressions, ["", " + 0 * delay(dst, 1)"])
  func theyCountAsZero(expression: String, cycle: String) throws {
    let graph = try Graph(
      parsing: """
        graph "x" stream 48000
        input src [frames]
        dst = (\(expression))\(cycle)
        output dst = dst
        """)
    let example = LawCase(label: expression + cycle, graph: graph, seed: 1)
    let stimulus = example.stimulus
    let right = ReferenceInterpreter(graph.canonical()).run(
      inputs: stimulus.inputs, frames: stimulus.frames, events: stimulus.changes)
    for level in Target.runnableLevels {
      for passes: Set<String> in [[], ["fusion"]] {
        let native = try NativeRun(graph, target: .x86(level: level), without: passes)
        example.expectInside(try native.outputs(of: stimulus), right, level)
      }
    }
  }

  /// The reference interpreter leaves open whether a tiny product is zero; native code does not.
  @Test(
    arguments: [
      ("abs(1e-20 * 1e-20) == 0", 1), ("1e-20 * 1e-20 * 1e38", 0), ("abs(1e-30 / 1e10) * 1e38", 0),
      ("floor(1e38 * (1e-20 * 1e-20) + 0.995)", 0), ("(1.2e-38 - 1.19e-38) * 1e38", 0),
      ("1e-10 * 1e-10 * 1e-10 * 1e-10 > 0", 0), ("select(1e-40, 2, 3)", 3),
      ("select(src < 0.3, 1e-20, 2e-20) * 1e-20 * 1e38", 0),
      ("select(src < 0.3, 1e-20, 2e-20) * select(src < 0.7, 1e-20, 2e-20) * 1e38", 0),
      ("(select(src < 0.3, 1e-20, -2e-20) * 1e-20 < 0) + 1", 1),
      ("min(select(src < 0.3, 2e-20, 3e-20) * 1e-20, 1) * 1e38 * 1e38", 0),
    ] as [(String, Float)], ["", " + 0 * delay(dst, 1)"])
  func whatIsKnownAheadIsExact(known: (expression: String, expected: Float), cycle: String) throws {
    let graph = try Graph(
      parsing: """
        graph "x" stream 48000
        input src [frames]
        dst = src * 0 + (\(known.expression))\(cycle)
        output dst = dst
        """)
    let stimulus = Stimulus(inputs: [[0.25, 0.5, 1]], frames: 3, changes: [])
    for level in Target.runnableLevels {
      let native = try NativeRun(graph, target: .x86(level: level))
      let expected = [Float](repeating: known.expected, count: 3)
      #expect(try native.outputs(of: stimulus) == [expected], "\(level)")
    }
  }
}
