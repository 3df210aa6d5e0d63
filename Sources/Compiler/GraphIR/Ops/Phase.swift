// SPDX-License-Identifier: Apache-2.0

/// A phase as a phasor counts it: in 2^-32 of a turn, in whole numbers, which add up to the same in any order.
///
///     step = truncate(frequency * Float(2^32 / sample rate))     in single precision
///     phase of a frame = sum of the steps of all frames before, modulo 2^32
///     what is shown    = phase / 2^32, cut off to 24 bits: from 0 to below 1
///
/// No rounding adds up: a constant frequency is off by less than 2^-32 of the sample rate, and of its 24 bits.
package enum Phase {
  /// Steps that are a turn.
  package static let turn: Int64 = 1 << 32

  /// The factor from a frequency in hertz to a step.
  package static func scale(sampleRate: Double) -> Float { Float(0x1p32 / sampleRate) }

  /// The largest frequency, half the sample rate, to which others are clamped; NaN counts as 0.
  package static func limit(sampleRate: Double) -> Float { Float(sampleRate / 2) }

  package static func step(_ frequency: Float, sampleRate: Double) -> Int64 {
    guard !frequency.isNaN else { return 0 }
    let limit = limit(sampleRate: sampleRate)
    return Int64(max(-limit, min(limit, frequency)) * scale(sampleRate: sampleRate))
  }

  /// The number from 0 to below 1 that a phase is shown as.
  package static func shown(_ phase: Int64) -> Double { Double((phase & (turn - 1)) >> 8) * 0x1p-24 }
}
