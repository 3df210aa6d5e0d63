// SPDX-License-Identifier: Apache-2.0

import GraphIR
import GraphPasses
import GraphPlanning
import Testing

/// What the passes are for, in numbers: the two examples of the design, and one figure for each switch.
@Suite struct AcceptanceTests {
  /// C = A + B, D = conv(C), E = relu(D), and of E a window: what is left when the slice was hoisted.
  private func window() throws -> Graph {
    try Graph(
      parsing: """
        graph "window" step 48000
        input a [1, 256]
        input b [1, 256]
        weights "w" [1, 1, 3] = [0.5, 1, 0.25]
        A = tanh(a)
        B = tanh(b)
        C = A + B
        D = conv1d(C, "w", axis: 1, padding: "valid")
        E = max(D, 0)
        output y = slice(E, axis: 1, start: 64, count: 32)
        """)
  }

  private func target() throws -> Target { try #require(Target.x86(level: "x86-64-v3")) }

  private func plan(_ graph: Graph, without disabled: Set<String> = []) throws -> Plan {
    let pipeline = Pipeline(disabled: disabled)
    let kernels = pipeline.lower(graph, for: try target()).kernels
    return try Plan(kernels, target: target(), aliases: pipeline.aliases)
  }

  /// Where the buffer stands that the value of this name is written to.
  private func offset(of name: String, in plan: Plan) throws -> Int {
    let (value, _) = try #require(plan.graph.origins.names.first { $0.value == name })
    for kernel in plan.kernelGraph.kernels {
      let places: [Location]
      switch kernel {
      case .map(let map): places = map.stores.filter { $0.value == value }.map(\.access.location)
      case .fold:
        places =
          kernel.nodes.contains(plan.graph[value].definition) ? kernel.accesses.writes.map(\.location) : []
      case .sample, .cycle: places = []
      }
      for case .buffer(let id) in places { return plan.layout.bufferOffsets[id.index] }
    }
    Issue.record("\(name) is in no buffer")
    return -1
  }

  @Test func withoutFusionTheWindowsValuesFollowEachOtherInTwoPlaces() throws {
    let plan = try plan(window(), without: ["fusion"])
    let (a, b) = (try offset(of: "A", in: plan), try offset(of: "B", in: plan))
    #expect(a != b)
    #expect(try offset(of: "C", in: plan) == a)
    #expect(try offset(of: "D", in: plan) == b)
    #expect(try offset(of: "E", in: plan) == b)
    #expect(plan.layout.arenaRange.count == 2048)
  }

  @Test func fusionLeavesFewerKernels() throws {
    let graph = try window()
    let apart = KernelStatistics(try plan(graph, without: ["fusion"]).kernelGraph)
    let together = KernelStatistics(try plan(graph).kernelGraph)
    #expect((apart.kernels, together.kernels) == (6, 3))
    #expect(together.bytesMoved < apart.bytesMoved)
  }

  @Test func elisionLeavesNothingToCopy() throws {
    let graph = try Graph(
      parsing: """
        graph "copies" stream 48000
        input x [4, frames]
        loud = tanh(x)
        left = slice(loud, axis: 0, start: 0, count: 2) * 2
        right = delay(left, 200) + slice(loud, axis: 0, start: 2, count: 2)
        output y = concatenate([left, right], axis: 0)
        """)
    let copying = KernelStatistics(try plan(graph, without: ["copy-elision", "fusion"]).kernelGraph)
    #expect(copying.bytesCopied == 4 * (2 + 2 + 2 + 2 + 2 + 2 + 4))
    for disabled: Set<String> in [[], ["fusion"]] {
      #expect(KernelStatistics(try plan(graph, without: disabled).kernelGraph).bytesCopied == 0)
    }
  }

  @Test func aliasingUsesMemoryAgain() throws {
    let graph = try window()
    let apart = try plan(graph, without: ["fusion", "aliasing"]).layout.arenaRange.count
    let shared = try plan(graph, without: ["fusion"]).layout.arenaRange.count
    #expect((apart, shared) == (5 * 1024, 2 * 1024))
  }

  /// Rewrites are counted and bounded behind those of the graph.
  @Test(arguments: [0, 1, 3]) func theLimitBoundsRewrites(limit: Int) throws {
    let (_, reports) = Pipeline(limit: limit).lower(try window(), for: try target())
    #expect(reports.reduce(0) { $0 + $1.rewrites } == limit)
  }
}
