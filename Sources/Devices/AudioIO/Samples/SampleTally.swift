// SPDX-License-Identifier: Apache-2.0

/// A tally of samples on their way: those too loud, those that are no numbers, and the loudest.
package struct SampleTally: Equatable, Sendable {
  /// Floats beyond ±1; of integers that come in, those at either end of their range.
  package private(set) var clipped = 0
  /// Samples that were NaN or infinite, and became silence.
  package private(set) var nonFinite = 0
  /// The largest magnitude of the finite samples, as the bits of a float, which are in the numbers' order.
  private(set) var loudest: Int32 = 0

  @_noLocks init() {}

  /// The largest magnitude of the finite samples.
  package var peak: Float { Float(bitPattern: UInt32(bitPattern: loudest)) }

  /// Takes over what was met among at most 2^32 - 1 samples.
  @_noLocks mutating func add(_ watch: SampleWatch) {
    clipped += Int(watch.clipped)
    nonFinite += Int(watch.nonFinite)
    loudest = max(loudest, watch.loudest)
  }
}

/// Looks at samples in a loop; 32 bits wide, so that counting keeps pace with the vectors.
struct SampleWatch {
  private(set) var clipped: UInt32 = 0
  private(set) var nonFinite: UInt32 = 0
  private(set) var loudest: Int32 = 0

  @_noLocks init() {}

  /// The sample, or silence where it is no finite number.
  @inline(__always)
  @_noLocks mutating func look(at sample: Float) -> Float {
    let magnitude = sample.bitPattern & 0x7FFF_FFFF
    let bad = magnitude >= 0x7F80_0000
    let loud = magnitude > 0x3F80_0000
    nonFinite &+= bad ? 1 : 0
    clipped &+= loud && !bad ? 1 : 0
    loudest = max(loudest, bad ? 0 : Int32(bitPattern: magnitude))
    return Float(bitPattern: bad ? 0 : sample.bitPattern)
  }

  /// An integer in the upper bits of 32 as a float; full scale is ±1.
  @inline(__always)
  @_noLocks mutating func look(at integer: Int32, highest: Int32) -> Float {
    let sample = Float(integer) * 0x1p-31
    clipped &+= integer == .min || integer >= highest ? 1 : 0
    loudest = max(loudest, Int32(bitPattern: sample.bitPattern & 0x7FFF_FFFF))
    return sample
  }
}
