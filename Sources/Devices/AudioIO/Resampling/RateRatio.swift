// SPDX-License-Identifier: Apache-2.0

/// One sample rate against another, as whole numbers: frames are counted without rounding, however many they are.
///
///     44100 to 48000   =   147 to 160
package struct RateRatio: Hashable, Sendable {
  /// Frames of the one rate that last as long as `to` of the other, without a common divisor.
  package let from: Int
  package let to: Int

  package init(from: Int, to: Int) {
    precondition(from > 0 && to > 0, "rates are above 0")
    var (divisor, rest) = (from, to)
    while rest != 0 { (divisor, rest) = (rest, divisor % rest) }
    self.from = from / divisor
    self.to = to / divisor
  }

  /// How many frames of the other rate begin before so many of this one are over.
  package func frames(_ count: Int) -> Int {
    let (whole, rest) = count.quotientAndRemainder(dividingBy: from)
    return whole * to + (rest * to + from - 1) / from
  }

  package var inverse: RateRatio { RateRatio(from: to, to: from) }
}
