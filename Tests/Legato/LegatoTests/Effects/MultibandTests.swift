// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestEquipment
import Testing

/// The compressor of three bands against the cookbook's filters and the curve of a compressor.
@Suite struct MultibandTests {
  private static let bands = ["low", "mid", "high"]

  /// Two filters of Butterworth's in a row, in double precision.
  private static func twice(_ kind: String, _ frequency: Double, _ rate: Double) -> [CookbookFilter] {
    let q = 0.5.squareRoot()
    return [CookbookFilter](
      repeating: CookbookFilter(kind, frequency: frequency, q: q, sampleRate: rate), count: 2)
  }

  /// The filters in front of each band.
  private static func filters(_ low: Double, _ high: Double, _ rate: Double) -> [[CookbookFilter]] {
    let q = 0.5.squareRoot()
    let turn = CookbookFilter("allpass", frequency: high, q: q, sampleRate: rate)
    return [
      twice("lowpass", low, rate) + [turn],
      twice("highpass", low, rate) + twice("lowpass", high, rate),
      twice("highpass", low, rate) + twice("highpass", high, rate),
    ]
  }

  private static func response(_ filters: [CookbookFilter], _ frequency: Double, _ rate: Double)
    -> SIMD2<Double>
  {
    filters.reduce(SIMD2(1, 0)) { product, filter in
      let one = filter.response(at: frequency, sampleRate: rate)
      return SIMD2(
        product.x * one.x - product.y * one.y, product.x * one.y + product.y * one.x)
    }
  }

  private static let still: [String: Float] = ["lowRatio": 1, "midRatio": 1, "highRatio": 1]

  @Test(
    arguments: [8000.0, 48_000, 192_000], [(40.0, 1000.0), (200, 3000), (1000, 1000), (1000, 16_000)])
  func theBandsAddUpToWhatCameIn(rate: Double, splits: (low: Double, high: Double)) throws {
    let effect = try ShippedEffect(
      "multiband", sampleRate: rate,
      Self.still.merging(["lowSplit": Float(splits.low), "highSplit": Float(splits.high)]) { $1 })
    let frequencies = EffectTests.frequencies.filter { $0 < 0.45 * rate }
    let gains = try effect.gain(at: frequencies, sampleRate: rate)
    for (frequency, gain) in zip(frequencies, gains) {
      #expect(Swift.abs(decibels(gain)) < 0.01, "\(frequency) Hz")
    }
  }

  @Test func eachBandIsLinkwitzAndRileys() throws {
    let gains = [-24.0, 6, -12]
    var settings = Self.still
    for (band, gain) in zip(Self.bands, gains) { settings[band + "Gain"] = Float(gain) }
    let found = try ShippedEffect("multiband", settings).gain(at: EffectTests.frequencies)
    let filters = Self.filters(200, 3000, 48_000)
    for (frequency, gain) in zip(EffectTests.frequencies, found) {
      let expected = zip(filters, gains).reduce(SIMD2<Double>.zero) {
        $0 + amplitude($1.1) * Self.response($1.0, frequency, 48_000)
      }
      #expect(Swift.abs(gain - expected.gain) < 1e-4, "\(frequency) Hz")
    }
  }

  /// The curve of a compressor with a knee (Giannoulis, Massberg and Reiss 2012): how many decibels it takes.
  private static func taken(_ level: Double, _ threshold: Double, _ ratio: Double, _ knee: Double) -> Double {
    let over = level - threshold
    if 2 * over < -knee { return 0 }
    let slope = 1 - 1 / ratio
    return 2 * over <= knee ? slope * (over + knee / 2) * (over + knee / 2) / (2 * knee) : slope * over
  }

  @Test func eachBandIsCompressedByItself() throws {
    struct Band {
      let threshold, ratio, attack, release, gain: Double
    }
    let sets = [
      Band(threshold: -30, ratio: 4, attack: 20, release: 150, gain: 3),
      Band(threshold: -25, ratio: 2, attack: 5, release: 60, gain: -2),
      Band(threshold: -40, ratio: 10, attack: 1, release: 30, gain: 6),
    ]
    var settings: [String: Float] = ["knee": 8, "lowSplit": 250, "highSplit": 2500]
    for (name, band) in zip(Self.bands, sets) {
      settings[name + "Threshold"] = Float(band.threshold)
      settings[name + "Ratio"] = Float(band.ratio)
      settings[name + "Attack"] = Float(band.attack)
      settings[name + "Release"] = Float(band.release)
      settings[name + "Gain"] = Float(band.gain)
    }
    let loud = (0..<9600).map { frame -> Float in
      let tones = sin(Double(frame) * 0.013) + sin(Double(frame) * 0.11) + sin(Double(frame) * 0.9)
      return Float(tones * (frame / 2400 % 2 == 0 ? 0.3 : 0.03))
    }
    // The other channel follows the louder one.
    let found = try ShippedEffect("multiband", channels: 2, settings)([loud.map { -$0 / 4 }, loud])

    var expected = [Double](repeating: 0, count: loud.count)
    for (filters, band) in zip(Self.filters(250, 2500, 48_000), sets) {
      let part = filters.reduce(loud.map(Double.init)) { $1.output(of: $0) }
      var level = 0.0
      for frame in part.indices {
        let size = Swift.abs(part[frame])
        let time = (size > level ? band.attack : band.release) / 1000
        level = size + (level - size) * exp(-1 / (time * 48_000))
        let gain = band.gain - Self.taken(decibels(level), band.threshold, band.ratio, 8)
        expected[frame] += part[frame] * amplitude(gain)
      }
    }
    for frame in loud.indices {
      #expect(Swift.abs(Double(found[1][frame]) - expected[frame]) < 1e-4)
      #expect(Swift.abs(Double(found[0][frame]) + expected[frame] / 4) < 1e-4)
    }
  }
}
