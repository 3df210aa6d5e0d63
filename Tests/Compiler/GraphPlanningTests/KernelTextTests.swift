// SPDX-License-Identifier: Apache-2.0

import GraphIR
import GraphPasses
import GraphPlanning
import Testing

/// Kernels as people read them.
@Suite struct KernelTextTests {
  /// A graph has eight axes at most; groups and panels of weights make two more loops of them.
  @Test func moreLoopsThanLettersHaveNames() throws {
    let weights = [String](repeating: "0.5", count: 32 * 16).joined(separator: ", ")
    let graph = try Graph(
      parsing: """
        graph "deep" step 48000
        input x [2, 2, 2, 2, 2, 2, 32, 16]
        weights "w" [32, 16, 1] = [\(weights)]
        y = conv1d(x, "w", axis: 7, groups: 2)
        output y = y
        """)
    let target = try #require(Target.x86(level: "x86-64-v4"))
    let text = Pipeline().lower(graph, for: target).kernels.description
    #expect(text.contains("q: 8 × i1: 16, reducing s: 16"))
    #expect(text.contains("+ 128p + 16q + i1]"))
  }
}
