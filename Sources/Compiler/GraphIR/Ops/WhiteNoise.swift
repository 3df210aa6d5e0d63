// SPDX-License-Identifier: Apache-2.0

/// White noise as a function of the stream position, so that it is the same however a stream is cut.
///
/// The position is mixed as C. Wellons found it to be mixed well (Hash Prospector, lowbias32, 2018); halfway through,
/// the seed comes in, so that two seeds do not give one sequence at two places. The upper 24 bits make a number from -1
/// to below 1, each as likely as the others.
package enum WhiteNoise {
  package static let multipliers: (UInt32, UInt32) = (0x7feb_352d, 0x846c_a68b)
  /// The factor of the upper half of the position.
  package static let later: UInt32 = 0x9e37_79b9

  /// The bits that the seed brings in.
  package static func key(seed: Int) -> UInt32 {
    let mixed = (UInt64(truncatingIfNeeded: seed) &+ 1) &* 0x9e37_79b9_7f4a_7c15
    return UInt32(truncatingIfNeeded: mixed ^ (mixed >> 32))
  }

  package static func sample(seed: Int, position: Int) -> Float {
    let key = key(seed: seed) ^ (UInt32(truncatingIfNeeded: position >> 32) &* later)
    var bits = UInt32(truncatingIfNeeded: position)
    bits ^= bits >> 16
    bits = bits &* multipliers.0 ^ key
    bits ^= bits >> 15
    bits = bits &* multipliers.1
    bits ^= bits >> 16
    return Float(bits >> 8) * 0x1p-23 - 1
  }
}
