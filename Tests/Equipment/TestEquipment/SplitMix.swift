// SPDX-License-Identifier: Apache-2.0

/// Random numbers that a seed repeats (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014).
package struct SplitMix: RandomNumberGenerator {
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// A number in 0 ..< 1.
  package mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }

  package mutating func chance(_ probability: Double = 0.5) -> Bool { unit() < probability }

  package mutating func below(_ count: Int) -> Int { Int(next() % UInt64(count)) }

  package mutating func float(_ low: Double, _ high: Double) -> Float { Float(low + (high - low) * unit()) }

  package mutating func pick<T>(_ choices: [T]) -> T { choices[below(choices.count)] }
}
