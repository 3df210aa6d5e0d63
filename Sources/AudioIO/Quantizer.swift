// SPDX-License-Identifier: Apache-2.0

/// Turns one channel's samples into integers.
///
///     value = round(sample * 2^(bits - 1) + noise), held within the range
///
/// Rounding is half to even. Samples beyond ±1 are counted as clipped, what is not a number or infinite becomes
/// silence and is counted; exactly +1 takes the largest value and is not counted. The result stands in the upper
/// bits of 32, as libsndfile takes it.
struct Quantizer {
  private let bits: Int
  private var noise: DitherNoise?
  private(set) var tally = SampleTally()

  init(bits: Int, noise: DitherNoise?) {
    precondition((2...32).contains(bits), "samples have 2 to 32 bits")
    self.bits = bits
    self.noise = noise
  }

  /// Audio threads may call it.
  @_noLocks mutating func quantize(
    _ samples: UnsafePointer<Float>, count: Int, into integers: UnsafeMutablePointer<Int32>
  ) {
    var watch = SampleWatch()
    if var noise {
      let rounder = NoisyRounder(bits: bits)
      for index in 0..<count {
        let sample = unsafe watch.look(at: samples[index])
        unsafe integers[index] = rounder.round(sample, adding: noise.next())
      }
      self.noise = noise
    } else {
      let rounder = Rounder(bits: bits)
      for index in 0..<count {
        let sample = unsafe watch.look(at: samples[index])
        unsafe integers[index] = rounder.round(sample)
      }
    }
    tally.add(watch)
  }
}

/// Rounds in floats, of which a vector holds twice as many as of doubles.
///
///     |sample| * 2^(bits - 1) = upper * 2^16 + lower
///
/// Each part has so few bits that adding 2^23 or more rounds it to an integer and leaves that in the lowest bits. The upper
/// part is even in units of the lower one, so that half goes to even as in the whole.
private struct Rounder {
  let scale: Float
  let end: Int32
  let shift: Int32

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

private struct NoisyRounder {
  let scale: Double
  let lowest: Double
  let highest: Double
  let shift: Int32

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
