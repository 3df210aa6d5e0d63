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
  private(set) var clipped = 0
  private(set) var nonFinite = 0
  /// The largest magnitude of the finite samples, as the bits of a float.
  private(set) var loudest: Int32 = 0

  init(bits: Int, noise: DitherNoise?) {
    precondition((2...32).contains(bits), "samples have 2 to 32 bits")
    self.bits = bits
    self.noise = noise
  }

  mutating func quantize(
    _ samples: UnsafePointer<Float>, count: Int, into integers: UnsafeMutablePointer<Int32>
  ) {
    let rounder = Rounder(bits: bits)
    var tally = Tally()
    if var noise {
      for index in 0..<count {
        let sample = unsafe tally.look(at: samples[index])
        unsafe integers[index] = rounder.round(sample, adding: noise.next())
      }
      self.noise = noise
    } else {
      for index in 0..<count {
        let sample = unsafe tally.look(at: samples[index])
        unsafe integers[index] = rounder.round(sample, adding: 0)
      }
    }
    clipped += Int(tally.clipped)
    nonFinite += Int(tally.nonFinite)
    loudest = max(loudest, tally.loudest)
  }
}

/// Counts what cannot be stored, and finds the loudest of the rest; 32 bits wide, so that counting keeps pace with the vectors.
private struct Tally {
  var clipped: UInt32 = 0
  var nonFinite: UInt32 = 0
  var loudest: Int32 = 0

  /// The sample, or silence where it is no finite number.
  @inline(__always)
  mutating func look(at sample: Float) -> Float {
    let magnitude = sample.bitPattern & 0x7FFF_FFFF
    let bad = magnitude >= 0x7F80_0000
    let loud = magnitude > 0x3F80_0000
    nonFinite &+= bad ? 1 : 0
    clipped &+= loud && !bad ? 1 : 0
    loudest = max(loudest, bad ? 0 : Int32(bitPattern: magnitude))
    return Float(bitPattern: bad ? 0 : sample.bitPattern)
  }
}

private struct Rounder {
  let scale: Double
  let lowest: Double
  let highest: Double
  let shift: Int32

  init(bits: Int) {
    scale = Double(Int64(1) << (bits - 1))
    lowest = -scale
    highest = scale - 1
    shift = Int32(32 - bits)
  }

  @inline(__always)
  func round(_ sample: Float, adding noise: Double) -> Int32 {
    let scaled = Double(sample) * scale + noise
    let held = scaled < lowest ? lowest : scaled > highest ? highest : scaled
    // Above 2^52 a double has no fraction: adding rounds half to even, and the low bits are the integer.
    let rounded = held + 0x1.8p52
    return Int32(truncatingIfNeeded: rounded.bitPattern) << shift
  }
}
