// SPDX-License-Identifier: Apache-2.0

import GraphIR
import GraphPasses
import GraphPlanning
import Testing

/// The effect of the passes in numbers: the two examples of the design, and one figure for each switch.
///
/// C = A + B, D = conv(C), E = relu(D), and a slice of E. What the whole pipeline makes of them stands in the golden
/// files `pipeline.window` and `pipeline.stream`.
@Suite struct AcceptanceTests {
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

  private func stream() throws -> Graph {
    let weights = (1...24).map(String.init).joined(separator: ", ")
    return try Graph(
      parsing: """
        graph "stream" stream 48000
        input a [2, frames]
        input b [2, frames]
        weights "w" [4, 2, 3] = [\(weights)]
        A = tanh(a)
        B = tanh(b)
        C = A + B
        D = conv1d(C, "w")
        E = max(D, 0)
        output y = slice(E, axis: 0, start: 1, count: 2)
        """)
  }

  private func target() throws -> Target { try #require(Target.x86(level: "x86-64-v3")) }

  private func plan(_ graph: Graph, without disabled: Set<String> = []) throws -> Plan {
    let pipeline = Pipeline(disabled: disabled)
    let kernels = pipeline.lower(pipeline.run(graph).graph, for: try target()).kernels
    return try Plan(kernels, target: target(), aliases: pipeline.aliases, schedules: pipeline.schedules)
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

  @Test func withoutFusionAndHoistingTheWindowsValuesFollowEachOtherInTwoPlaces() throws {
    let plan = try plan(window(), without: ["fusion", "slice-hoisting"])
    let (a, b) = (try offset(of: "A", in: plan), try offset(of: "B", in: plan))
    #expect(a != b)
    #expect(try offset(of: "C", in: plan) == a)
    #expect(try offset(of: "D", in: plan) == b)
    #expect(try offset(of: "E", in: plan) == b)
    #expect(plan.layout.arenaRange.count == 2048)
  }

  /// The window and its receptive field: 34 numbers of C, and 32 of what follows.
  @Test func hoistingComputesTheWindowOnly() throws {
    let whole = try plan(window(), without: ["slice-hoisting"]).graph.flopsPerFrame
    let hoisted = try plan(window()).graph.flopsPerFrame
    #expect((whole, hoisted) == (3 * 256 + 254 * 5 + 254, 3 * 34 + 32 * 5 + 32))
  }

  @Test func hoistingLeavesTheWeightsOfTheChannelsThatAreRead() throws {
    let whole = KernelStatistics(try plan(stream(), without: ["slice-hoisting"]).kernelGraph)
    let hoisted = KernelStatistics(try plan(stream()).kernelGraph)
    #expect((whole.weightsBytes, hoisted.weightsBytes) == (4 * 4 * 2 * 3, 4 * 2 * 2 * 3))
  }

  /// Two loops, since a convolution reads each number of C three times: C is computed once, in a loop of its own.
  @Test(arguments: [0, 1]) func fusionLeavesTwoKernels(example: Int) throws {
    let graph = example == 0 ? try window() : try stream()
    let apart = KernelStatistics(try plan(graph, without: ["fusion"]).kernelGraph)
    let together = KernelStatistics(try plan(graph).kernelGraph)
    #expect((apart.kernels, together.kernels) == (5, 2))
    #expect(together.bytesMoved < apart.bytesMoved)
  }

  /// C exists only as the past that the convolution reads.
  @Test func theStreamKeepsNothingButAHistory() throws {
    let plan = try plan(stream())
    let graph = plan.kernelGraph
    #expect(graph.buffers.isEmpty && Array(plan.layout.liveRanges.keys) == [.history(HistoryID(0))])
    let history = try #require(graph.histories.first)
    #expect(graph.histories.count == 1 && (history.width, history.length) == (2, 2))
    #expect(plan.graph.origins.names[history.value] == "C")
  }

  @Test func aConvolutionOfOneTapKeepsNoPast() throws {
    let graph = try Graph(
      parsing: """
        graph "one tap" stream 48000
        input x [2, frames]
        weights "w" [2, 2, 1] = [1, 2, 3, 4]
        output y = conv1d(x, "w", dilation: 5)
        """)
    let kernels = try plan(graph).kernelGraph
    #expect(kernels.histories.isEmpty)
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
    let without: Set<String> = ["fusion", "slice-hoisting"]
    let apart = try plan(window(), without: without.union(["aliasing"])).layout.arenaRange.count
    let shared = try plan(window(), without: without).layout.arenaRange.count
    #expect((apart, shared) == (5 * 1024, 2 * 1024))
  }

  /// Rewrites are counted and bounded behind those of the graph.
  @Test(arguments: [0, 1, 3]) func theLimitBoundsRewrites(limit: Int) throws {
    let (_, reports) = Pipeline(limit: limit).lower(try window(), for: try target())
    #expect(reports.reduce(0) { $0 + $1.rewrites } == limit)
  }
}
