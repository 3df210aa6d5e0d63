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
    let rounder = Rounder(bits: bits)
    var watch = SampleWatch()
    if var noise {
      for index in 0..<count {
        let sample = unsafe watch.look(at: samples[index])
        unsafe integers[index] = rounder.round(sample, adding: noise.next())
      }
      self.noise = noise
    } else {
      for index in 0..<count {
        let sample = unsafe watch.look(at: samples[index])
        unsafe integers[index] = rounder.round(sample, adding: 0)
      }
    }
    tally.add(watch)
  }
}

private struct Rounder {
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
