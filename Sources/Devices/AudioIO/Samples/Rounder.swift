// SPDX-License-Identifier: Apache-2.0

/// Rounds samples to integers, in floats, of which a vector holds twice as many as of doubles.
///
///     |sample| * 2^(bits - 1) = upper * 2^16 + lower
///
/// Each part has so few bits that adding 2^23 or more rounds it to an integer and leaves that in the lowest bits. The
/// upper part is even in units of the lower one, so that half goes to even as in the whole.
struct Rounder {
  private let scale: Float
  private let end: Int32
  private let shift: Int32

  @_noLocks init(bits: Int) {
    scale = Float(sign: .plus, exponent: bits - 1, significand: 1)
    end = Int32(truncatingIfNeeded: Int64(1) << (bits - 1))
    shift = Int32(32 - bits)
  }

  @inline(__always)
  @_noLocks func round(_ sample: Float) -> Int32 {
    let sign = Int32(bitPattern: sample.bitPattern) >> 31
    let scaled = Float(bitPattern: sample.bitPattern & 0x7FFF_FFFF) * scale
    let magnitude = scaled < scale ? scaled : scale
    let upper = magnitude * 0x1p-16 + 0x1p23
    let lower = magnitude - (upper - 0x1p23) * 0x1p16 + 0x1.8p23
    let sum =
      (Int32(bitPattern: upper.bitPattern) &- 0x4B00_0000) &<< 16
      &+ (Int32(bitPattern: lower.bitPattern) &- 0x4B40_0000)
    // There is no integer for +1.
    let held = sum &- (sum == end && sign == 0 ? 1 : 0)
    return ((held ^ sign) &- sign) &<< shift
  }
}
