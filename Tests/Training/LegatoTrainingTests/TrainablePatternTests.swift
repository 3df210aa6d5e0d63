// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestEquipment
import Testing

@testable import LegatoTraining

/// Patterns that say what learns.
@Suite struct TrainablePatternTests {
  /// As the system's patterns of file names, which know the same `*`.
  @Test func asOfFileNames() {
    var random = SplitMix(seed: 9)
    var found = 0
    for _ in 0..<20_000 {
      let name = String((0..<random.below(9)).map { _ in random.pick(Array("ab.*")) })
      let pattern = String((0..<random.below(7)).map { _ in random.pick(Array("ab.**")) })
      let isMeant = unsafe fnmatch(pattern, name, 0) == 0
      #expect(TrainingTask.matches(name[...], pattern[...]) == isMeant, "\(pattern) of \(name)")
      found += isMeant ? 1 : 0
    }
    #expect(found > 2000 && found < 18_000)
  }

  /// A file may say what it likes: to try each way in which stars share the letters would take longer than anybody lives.
  @Test func manyStars() {
    let name = String(repeating: "a", count: 500)
    #expect(!TrainingTask.matches(name[...], String(repeating: "*a", count: 60) + "*b"))
    #expect(!TrainingTask.matches(name[...], String(repeating: "*", count: 60) + "x"))
    #expect(TrainingTask.matches(name[...], String(repeating: "*a", count: 60) + "*"))
  }
}
