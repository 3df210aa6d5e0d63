// SPDX-License-Identifier: Apache-2.0

import Foundation
import GraphIR
import GraphPasses
import GraphPlanning
import NativeCode
import RealtimeCore
import ReferenceInterpreter
import Testing

/// The laws of audio over random graphs. `LEGATO_SEEDS=5000` checks more of them, `LEGATO_FIRST_SEED=77` others.
@Suite struct LawTests {
  static let seeds: Range<UInt64> = {
    let environment = ProcessInfo.processInfo.environment
    let first = environment["LEGATO_FIRST_SEED"].flatMap(UInt64.init) ?? 1
    return first..<first + (environment["LEGATO_SEEDS"].flatMap(UInt64.init) ?? 80)
  }()

  @Test(arguments: seeds) func randomGraph(seed: UInt64) throws {
    try Laws(LawCase(seed: seed)).check(seed: seed)
  }
}
