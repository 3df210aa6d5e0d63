// SPDX-License-Identifier: Apache-2.0

import GradientEquipment
import GraphGradients
import GraphIR
import GraphPasses
import GraphPlanning
import NativeCode
import TestEquipment
import Testing

/// The laws for streams with strides, of which some frames are computed and others are left out.
@Suite struct StridedLawTests {
  private static let seeds = 0..<16

  private func stream(_ seed: Int) throws -> Graph {
    var random = SplitMix(seed: UInt64(seed))
    var network = StridedNetwork(random: &random)
    // Half of them end with one frame of four or more.
    while seed.isMultiple(of: 2), network.hop < 4 { network = StridedNetwork(random: &random) }
    return try network.graph().streamed(0, axis: 1).graph
  }

  @Test(arguments: seeds) func lawsHold(seed: Int) throws {
    try Laws(LawCase(label: "strides, seed \(seed)", graph: stream(seed), seed: UInt64(seed))).check(
      seed: UInt64(seed))
  }

  @Test func someLeaveFramesOut() throws {
    let target = try Target.host()
    let count = try Self.seeds.count { seed in
      try Pipeline().lower(Pipeline().run(stream(seed)).graph, for: target).kernels.kernels.contains {
        kernel in
        if case .cycle(let cycle) = kernel { cycle.condition != nil } else { false }
      }
    }
    #expect(count >= 4, "\(count)")
  }
}
