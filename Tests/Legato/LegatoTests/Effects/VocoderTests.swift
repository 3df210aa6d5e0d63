// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestEquipment
import Testing

/// The vocoder against the cookbook's filters: what a sine in its ear lets out of a chord of pulses.
@Suite struct VocoderTests {
  /// The frequencies of its bands: from 90 Hz to 11 kHz by equal steps, in hertz and, above 1 kHz, in tens of them.
  private static let bands: [Double] = (0..<24).map {
    let even = 90 * pow(11_000 / 90, Double($0) / 23)
    return even > 1000 ? 10 * (even / 10).rounded() : even.rounded()
  }

  /// Two band passes in a row.
  private static func through(_ band: Double, _ frequency: Double) -> SIMD2<Double> {
    let one = CookbookFilter("bandpass", frequency: band, q: 4, sampleRate: 48_000)
      .response(at: frequency, sampleRate: 48_000)
    return SIMD2(one.x * one.x - one.y * one.y, 2 * one.x * one.y)
  }

  private static func vocoder(_ settings: [String: Float]) throws -> ShippedEffect {
    let all: [String: Float] = [
      "chord": 1, "note": 45, "breath": 0, "hiss": 0, "attack": 100, "release": 100,
    ]
    return try ShippedEffect("vocoder", all.merging(settings) { $1 })
  }

  /// The lines of the lowest note that belong to no other one of the chord.
  private static let harmonics = [5.0, 7, 11, 13, 17, 31]

  @Test(arguments: [(1100.0, Float(0)), (500, 0), (1100, 5)])
  func aSineLetsItsBandsSpeak(heard: Double, formant: Float) throws {
    let voice = EffectTests.sine(heard, 0.5, 76_800)
    let found = try Self.vocoder(["formant": formant])(voice)[28_800...]
    let windowed = found.enumerated().map { frame, sample -> Float in
      sample * Float(1 - cos(2 * .pi * Double(frame) / 48_000))
    }
    for harmonic in Self.harmonics {
      let frequency = 110 * harmonic
      // The mean of a rectified sine, as loud as a band lets it be, opens the same band of the pulses.
      let sum = Self.bands.reduce(SIMD2<Double>.zero) { sum, band in
        let level = 0.5 * 2 / .pi * Self.through(band, heard).gain * (500 / band).squareRoot()
        return sum + level * Self.through(band * pow(2, Double(formant) / 12), frequency)
      }
      // A pulse exp(a (sin - 1)) in each turn has harmonics as a normal distribution.
      let pulse = (2 / Double.pi).squareRoot() * exp(-frequency * frequency / (2 * 6000 * 6000))
      let right = 1.6 * sum.gain * pulse
      let line = response(of: windowed, at: frequency, sampleRate: 48_000).gain * 2 / 48_000
      #expect(Swift.abs(line - right) < 0.03 * right + 2e-4, "\(frequency) Hz")
    }
  }

  @Test func silenceStaysSilentAndTheVoiceCanBeKept() throws {
    let silence = [Float](repeating: 0, count: 9600)
    #expect(try Self.vocoder(["breath": 0.5])(silence).allSatisfy { $0 == 0 })
    let voice = EffectTests.sine(300, 0.5, 4800)
    #expect(try Self.vocoder(["mix": 0])(voice) == voice)
  }

  /// A whisper is as loud as what speaks in notes, within 6 dB, and has no lines.
  @Test func aWhisperHasNoPitch() throws {
    let voice = EffectTests.sine(1100, 0.5, 48_000)
    func power(_ breath: Float) throws -> ([Float], Double) {
      let row = Array(try Self.vocoder(["breath": breath])(voice)[24_000...])
      return (row, row.reduce(0) { $0 + Double($1 * $1) } / Double(row.count))
    }
    let (notes, spoken) = try power(0)
    let (whisper, breathed) = try power(1)
    #expect(Swift.abs(10 * log10(breathed / spoken)) < 6)
    func line(_ row: [Float]) -> Double {
      response(of: row, at: 1210, sampleRate: 48_000).gain * 2 / Double(row.count)
    }
    #expect(line(notes) > 5 * line(whisper))
  }
}
