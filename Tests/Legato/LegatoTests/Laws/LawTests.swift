// SPDX-License-Identifier: Apache-2.0

import Foundation
import GraphIR
import GraphPasses
import GraphPlanning
import NativeCode
import RealtimeCore
import ReferenceInterpreter
import Testing

/// The laws of audio over random graphs.
@Suite struct LawTests {
  @Test(arguments: ChosenSeeds.seeds) func randomGraph(seed: UInt64) throws {
    try Laws(LawCase(seed: seed)).check(seed: seed)
  }

  /// Half of them suffice for the passes by themselves.
  @Test(.enabled(if: !ChosenSeeds.isAsked)) func fewGraphsHaveMoreInThemThanManyInARow() throws {
    let half = ChosenSeeds.seeds.prefix((ChosenSeeds.seeds.count + 1) / 2)
    let counts = try [
      ChosenSeeds.features(of: ChosenSeeds.seeds), ChosenSeeds.features(of: 1...80),
      ChosenSeeds.features(of: half), ChosenSeeds.features(of: 1...40),
    ]
    #expect(counts[0] > counts[1] && counts[2] > counts[3], "\(counts)")
  }
}
