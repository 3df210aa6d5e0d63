// SPDX-License-Identifier: Apache-2.0

/// Rounds samples to integers after noise was added.
///
/// In doubles: noise has 16 bits behind the point, for which a float has no room beside those of a sample.
///
///     sample * 2^(bits - 1) + noise, held within the range ─▶ + 1.5 * 2^52 ─▶ the integer in the lowest bits
struct NoisyRounder {
  private let scale: Double
  private let lowest: Double
  private let highest: Double
  private let shift: Int32

  @_noLocks init(bits: Int) {
    scale = Double(Int64(1) << (bits - 1))
    lowest = -scale
    highest = scale - 1
    shift = Int32(32 - bits)
  }

  @inline(__always)
  @_noLocks func round(_ sample: Float, adding noise: Double) -> Int32 {
    let scaled = Double(sample) * scale + noise
    let held = scaled < lowest ? lowest : scaled > highest ? highest : scaled
    // Above 2^52 a double has no fraction: adding rounds half to even, and the low bits are the integer.
    let rounded = held + 0x1.8p52
    return Int32(truncatingIfNeeded: rounded.bitPattern) << shift
  }
}
