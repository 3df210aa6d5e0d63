// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Numbers that look random and follow from a seed (SplitMix64; Steele, Lea, Flood 2014).
package struct SeededNumbers: RandomNumberGenerator {
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// Evenly from -bound to bound.
  mutating func uniform(_ bound: Double) -> Double { bound * (2 * share() - 1) }

  /// A whole number below a count.
  mutating func index(below count: Int) -> Int { Int(next() % UInt64(count)) }
}

extension RandomNumberGenerator {
  /// From 0 up to, and never, 1.
  package mutating func share() -> Double { Double(next() >> 11) * 0x1p-53 }

  /// From the standard normal distribution (Box, Muller 1958).
  package mutating func normal() -> Double {
    (-2 * log(1 - share())).squareRoot() * cos(2 * .pi * share())
  }
}
