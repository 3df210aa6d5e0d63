// SPDX-License-Identifier: Apache-2.0

import AudioIO
import TestEquipment
import Testing

@Suite("Counting frames of two rates")
struct RateRatioTests {
  /// 24 hours at 192 kHz, and a sound of centuries.
  private static let counts = [
    0, 1, 2, 146, 147, 148, 160, 44_100, 24 * 3600 * 192_000, 24 * 3600 * 192_000 + 1, 1 << 44,
  ]

  /// The least n for which n / to is not before count / from, in numbers of twice the size.
  private func frames(_ count: Int, _ from: Int, _ to: Int) -> Int {
    let product = count.multipliedFullWidth(by: to)
    let (quotient, remainder) = from.dividingFullWidth(product)
    return quotient + (remainder > 0 ? 1 : 0)
  }

  @Test("counts are exact, however large", arguments: counts)
  func exact(_ count: Int) {
    var random = SplitMix(seed: UInt64(count))
    var rates = [
      (44_100, 48_000), (48_000, 44_100), (1, 256), (256, 1), (767_999, 768_000), (48_000, 48_000),
    ]
    for _ in 0..<50 { rates.append((random.below(768_000) + 1, random.below(768_000) + 1)) }
    for (from, to) in rates {
      let ratio = RateRatio(from: from, to: to)
      #expect(ratio.frames(count) == frames(count, from, to), "\(count) frames of \(from) at \(to)")
      // There and back again is the same sound, or longer by less than a frame of the other rate.
      let back = ratio.inverse.frames(ratio.frames(count))
      #expect(back >= count && back - count <= from / to + 1)
    }
  }

  @Test("a ratio has no common divisor")
  func reduced() {
    let ratio = RateRatio(from: 44_100, to: 48_000)
    #expect(ratio.from == 147 && ratio.to == 160 && ratio.inverse == RateRatio(from: 160, to: 147))
  }
}
