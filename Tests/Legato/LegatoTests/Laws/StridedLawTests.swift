// SPDX-License-Identifier: Apache-2.0

import GradientEquipment
import GraphGradients
import GraphIR
import TestEquipment
import Testing

/// The laws for streams with strides.
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
}
