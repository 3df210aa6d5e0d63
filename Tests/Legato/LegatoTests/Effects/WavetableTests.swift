// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestEquipment
import Testing

/// The wavetable oscillator against the series of its waves.
@Suite struct WavetableTests {
  /// How loud a harmonic of a wave is, by Fourier's series.
  private static func share(_ wave: Int, _ harmonic: Int) -> Double {
    let h = Double(harmonic)
    let isOdd = harmonic % 2 == 1
    switch wave {
    case 0: return harmonic == 1 ? 1 : 0
    case 1: return isOdd ? 8 / (.pi * .pi * h * h) * (harmonic % 4 == 1 ? 1 : -1) : 0
    case 2: return 2 / (.pi * h)
    default: return isOdd ? 4 / (.pi * h) : 0
    }
  }

  /// Sines of all harmonics below half the sample rate, which fade out from 0.45 of it on.
  private static func voice(
    _ frequency: Double, _ shares: [Double], from start: Double, frames: Int, rate: Double, fading: Double
  ) -> [Double] {
    let fades = shares.indices.map { index in
      shares[index] * Swift.min(Swift.max((0.49 - fading * Double(index + 1) / rate) / 0.04, 0), 1)
    }
    return (0..<frames).map { frame in
      let turns = frequency * Double(frame) / rate + start
      return fades.indices.reduce(0) {
        fades[$1] == 0 ? $0 : $0 + fades[$1] * sin(2 * .pi * Double($1 + 1) * turns)
      }
    }
  }

  @Test(
    arguments: [8000.0, 48_000, 192_000],
    [(Float(0), 440.0), (1, 110), (2, 55), (2, 3001), (2.25, 1000), (3, 5000)])
  func aVoiceIsItsSeries(rate: Double, set: (morph: Float, frequency: Double)) throws {
    let effect = try ShippedEffect(
      "wavetable", sampleRate: rate,
      [
        "frequency": Float(set.frequency), "morph": set.morph, "unison": 0, "detune": 0, "width": 0,
        "level": 0,
      ])
    let found = try effect.play(600)
    let (wave, part) = (Int(set.morph), Double(set.morph - set.morph.rounded(.down)))
    let shares = (1...64).map { Self.share(wave, $0) * (1 - part) + Self.share(wave + 1, $0) * part }
    let right = Self.voice(
      set.frequency, shares, from: 0, frames: 600, rate: rate, fading: set.frequency)
    for frame in 0..<600 {
      #expect(Swift.abs(Double(found[0][frame]) - right[frame]) < 4e-4)
      #expect(found[0][frame] == found[1][frame])
    }
  }

  /// Four more voices, each in its place between the sides at its power.
  @Test func fiveVoicesStandApart() throws {
    let found = try ShippedEffect(
      "wavetable",
      ["frequency": 200, "morph": 2, "unison": 0.5, "detune": 40, "width": 0.8, "level": -6]
    )
    .play(900)
    let shares = (1...64).map { Self.share(2, $0) }
    let voices: [(start: Double, cents: Double, place: Double, gain: Double)] = [
      (0, 0, 0, 1), (0.37, -40, -1, 0.5), (0.71, -18.8, 0.5, 0.5), (0.13, 21.2, -0.5, 0.5),
      (0.59, 38.8, 1, 0.5),
    ]
    var right = [[Double]](repeating: [Double](repeating: 0, count: 900), count: 2)
    for voice in voices {
      let row = Self.voice(
        200 * pow(2, voice.cents / 1200), shares, from: voice.start, frames: 900, rate: 48_000,
        fading: 200 * pow(2, 40.0 / 1200))
      for (side, sign) in [-1.0, 1].enumerated() {
        let power = sin(.pi / 4 * (1 + sign * voice.place * 0.8)) * amplitude(-6)
        for frame in row.indices { right[side][frame] += row[frame] * voice.gain * power }
      }
    }
    for side in 0..<2 {
      for frame in 0..<900 {
        #expect(Swift.abs(Double(found[side][frame]) - right[side][frame]) < 5e-4)
      }
    }
  }

  @Test func theWaveSways() throws {
    let settings: [String: Float] = ["morph": 1, "sway": 1, "rate": 2, "unison": 0, "width": 0, "level": 0]
    let found = try ShippedEffect("wavetable", settings).play(24_000)[0]
    // An eighth of a second is a quarter of a turn: there it is a saw; another half later a sine.
    for (frame, wave) in [(6000, 2), (18_000, 0)] {
      let span = frame - 436 * 2..<frame + 436 * 2 + 1
      let second = response(of: Array(found[span]), at: 220, sampleRate: 48_000).gain * 2 / Double(span.count)
      #expect(Swift.abs(second - Self.share(wave, 2)) < 0.03)
    }
  }
}
