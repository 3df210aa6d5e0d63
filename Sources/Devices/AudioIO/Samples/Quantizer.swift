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
