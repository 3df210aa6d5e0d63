// SPDX-License-Identifier: Apache-2.0

/// Whether and how noise is added before samples are rounded to few bits.
public enum Dither: Hashable, Sendable {
  /// Triangular noise of two steps' width: rounding error loses every trace of the signal. The same seed gives the
  /// same file.
  case triangular(seed: UInt64)
  case none

  /// The noise of one channel; nil where samples have so many bits that their rounding is inaudible.
  func noise(bits: Int, channel: Int) -> DitherNoise? {
    switch self {
    case .triangular(let seed): bits < 24 ? DitherNoise(seed: seed, channel: channel) : nil
    case .none: nil
    }
  }
}

/// One channel's dither noise.
///
/// The generator is PCG-XSH-RR (O'Neill 2014); a channel has a sequence of its own. Each sample draws once, so
/// that the noise does not depend on how a file is cut into blocks.
struct DitherNoise {
  private var state: UInt64
  private let increment: UInt64

  init(seed: UInt64, channel: Int) {
    increment = UInt64(channel) << 1 | 1
    state = increment &+ seed
    _ = next()
  }

  /// The difference of two uniform numbers: within ±1, triangular, a step being 1.
  @inline(__always)
  @_noLocks mutating func next() -> Double {
    let old = state
    state = old &* 6_364_136_223_846_793_005 &+ increment
    let mixed = UInt32(truncatingIfNeeded: ((old >> 18) ^ old) >> 27)
    let turn = UInt32(truncatingIfNeeded: old >> 59)
    let bits = mixed >> turn | mixed << ((0 &- turn) & 31)
    let difference = Int32(bits & 0xFFFF) &- Int32(bits >> 16)
    return Double(difference) * 0x1p-16
  }
}
