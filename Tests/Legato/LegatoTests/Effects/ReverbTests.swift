// SPDX-License-Identifier: Apache-2.0

import Foundation
import Legato
import ReferenceInterpreter
import SoundAnalysis
import TestEquipment
import Testing

/// The reverb's decay by Schroeder's backward integral, its power, and what its tail is made of.
@Suite struct ReverbTests {
  /// The responses of both sides to an impulse on the left, and to one on the right.
  private static func responses(_ settings: [String: Float], seconds: Double, sampleRate: Double = 48_000)
    throws -> [[Float]]
  {
    let effect = try ShippedEffect(
      "reverb", sampleRate: sampleRate, settings.merging(["mix": 1]) { $1 })
    let impulse = FilterTests.impulse(Int(seconds * sampleRate))
    let silence = [Float](repeating: 0, count: impulse.count)
    return try effect([impulse, silence]) + effect([silence, impulse])
  }

  /// In how many seconds a response falls by 60 dB: a line through the integral of what is still to come (Schroeder
  /// 1965), from -5 to -35 dB, over all the responses.
  ///
  /// - Parameter frequency: the middle of a band; nil for all of the sound.
  private static func decay(of rows: [[Float]], around frequency: Double?, sampleRate: Double) -> Double {
    let filter = frequency.map { CookbookFilter("bandpass", frequency: $0, q: 2, sampleRate: sampleRate) }
    var left = [Double](repeating: 0, count: rows[0].count)
    for row in rows.map({ $0.map(Double.init) }) {
      let band = filter.map { $0.output(of: $0.output(of: row)) } ?? row
      for frame in left.indices { left[frame] += band[frame] * band[frame] }
    }
    for frame in left.indices.dropLast().reversed() { left[frame] += left[frame + 1] }
    let levels = left.map { 10 * log10($0 / left[0]) }
    let span = levels.firstIndex { $0 < -5 }!..<levels.firstIndex { $0 < -35 }!
    let (middle, mean) = (
      Double(span.lowerBound + span.upperBound - 1) / 2, levels[span].reduce(0, +) / Double(span.count)
    )
    var (above, below) = (0.0, 0.0)
    for frame in span {
      let away = Double(frame) - middle
      above += away * (levels[frame] - mean)
      below += away * away
    }
    return -60 / (above / below) / sampleRate
  }

  /// The rest of a frequency after one way along a line of mean length goes through one pole between the two decays.
  private static func expected(
    _ frequency: Double, low: Double, high: Double, crossover: Double, sampleRate: Double
  ) -> Double {
    func left(_ decay: Double) -> Double { pow(10, -3 * 0.0433 / decay) }
    let bent = tan(.pi * frequency / sampleRate) / tan(.pi * crossover / sampleRate)
    let lows = SIMD2(1, -bent) / (1 + bent * bent)
    let share = SIMD2(left(high), 0) + (left(low) - left(high)) * lows
    return -3 * 0.0433 / log10(share.gain)
  }

  @Test(arguments: [
    (Float(2), Float(2), Float(2500), 48_000.0, [250.0, 1000, 4000]),
    (3, 1, 1500, 48_000, [125, 1000, 8000]), (0.4, 0.4, 2500, 48_000, [1000, 4000]),
    (1, 3, 1500, 44_100, [250, 4000]), (2, 1, 1000, 96_000, [125, 500, 6000]),
    (1.5, 0.8, 400, 8000, [50, 1000]),
  ])
  func itDecaysAsItIsSet(
    low: Float, high: Float, crossover: Float, sampleRate: Double, frequencies: [Double]
  ) throws {
    let settings = ["lowDecay": low, "highDecay": high, "crossover": crossover]
    let rows = try Self.responses(
      settings, seconds: Double(0.8 * Swift.max(low, high)), sampleRate: sampleRate)
    for frequency in frequencies {
      let found = Self.decay(of: rows, around: frequency, sampleRate: sampleRate)
      let right = Self.expected(
        frequency, low: Double(low), high: Double(high), crossover: Double(crossover), sampleRate: sampleRate)
      #expect(Swift.abs(found / right - 1) < 0.05, "\(frequency) Hz: \(found) s instead of \(right)")
      // Far from the crossover that is what is set.
      if frequency < Double(crossover) / 8 { #expect(Swift.abs(found / Double(low) - 1) < 0.05) }
    }
  }

  /// A band of a short sound has few echoes: what it is set to is how all of them fall.
  @Test(arguments: [Float(0.1), 0.15, 0.2, 0.3, 0.5], [Float(0.25), 1, 2.5])
  func shortDecays(decay: Float, size: Float) throws {
    let settings = ["lowDecay": decay, "highDecay": decay, "size": size]
    let rows = try Self.responses(settings, seconds: 0.8 * Double(decay) + 0.3)
    let found = Self.decay(of: rows, around: nil, sampleRate: 48_000)
    #expect(Swift.abs(found / Double(decay) - 1) < 0.05, "\(found) s")
  }

  @Test(arguments: [Float(0.5), 20], [Float(0.25), 1, 2.5])
  func bandsDecay(decay: Float, size: Float) throws {
    let settings = ["lowDecay": decay, "highDecay": decay, "size": size]
    let rows = try Self.responses(settings, seconds: 0.75 * Double(decay) + 0.3)
    for frequency in [250.0, 1000, 4000] {
      let found = Self.decay(of: rows, around: frequency, sampleRate: 48_000)
      #expect(Swift.abs(found / Double(decay) - 1) < 0.05, "\(frequency) Hz: \(found) s")
    }
  }

  /// Lines that stand still take nothing of the highs, and those that sway what the article says.
  @Test(arguments: [(Float(0), Float(20), 0.02), (0.2, 2, 0.04), (0.2, 20, 0.18)])
  func swayingTakesHighs(motion: Float, decay: Float, tolerance: Double) throws {
    let settings = ["lowDecay": decay, "highDecay": decay, "motion": motion]
    let rows = try Self.responses(settings, seconds: 0.75 * Double(decay) + 0.5)
    let found = Self.decay(of: rows, around: 8000, sampleRate: 48_000) / Double(decay)
    #expect(found < 1.02 && found > 1 - tolerance)
  }

  @Test(arguments: [(Float(0.4), Float(0.3), Float(0.25)), (2, 1.2, 1), (10, 10, 1), (6, 2, 2.5)])
  func aRoomIsAsLoudAsWhatCameIn(low: Float, high: Float, size: Float) throws {
    let settings = ["lowDecay": low, "highDecay": high, "size": size]
    let rows = try Self.responses(settings, seconds: Double(0.6 * low + 0.3))
    for side in 0..<2 {
      let energy = [rows[side], rows[side + 2]].joined().reduce(0) { $0 + Double($1 * $1) }
      #expect(10 * log10(energy) < 1 && 10 * log10(energy) > -4)
    }
  }

  @Test func itAnswersAfterItsPreDelay() throws {
    let rows = try Self.responses(["preDelay": 50, "size": 1, "motion": 0], seconds: 0.2)
    let first = try #require(rows.map { $0.firstIndex { $0 != 0 } ?? .max }.min())
    #expect(first == 2400 + 1042)
  }

  /// A tail like noise: no line of its spectrum stands out, and the sides have nothing in common.
  @Test func nothingRings() throws {
    let rows = try Self.responses(["lowDecay": 3, "highDecay": 3], seconds: 1.6)
    let count = 1 << 15
    var real = (0..<count).map { frame -> Double in
      // Made as loud everywhere as it would be without its decay.
      let window = 1 - cos(2 * .pi * Double(frame) / Double(count))
      return Double(rows[0][40_000 + frame]) * window * pow(10, Double(frame) / 48_000)
    }
    var imaginary = [Double](repeating: 0, count: count)
    FourierTransform(count: count).forward(&real, &imaginary)
    let powers = zip(real, imaginary).map { $0 * $0 + $1 * $1 }
    for start in stride(from: 128, to: 8192, by: 512) {
      let span = powers[start..<start + 512]
      // Of 512 lines of noise the strongest is 8 dB above their mean, and 11 hardly ever.
      #expect(10 * log10(span.max()! / (span.reduce(0, +) / 512)) < 12)
    }
    let (left, right) = (rows[0][9600...], rows[1][9600...])
    let both = zip(left, right).reduce(0) { $0 + Double($1.0 * $1.1) }
    let power = zip(left, right).reduce(0) { $0 + Double($1.0 * $1.0 + $1.1 * $1.1) / 2 }
    #expect(Swift.abs(both / power) < 0.1)
    let mono = try Self.responses(["width": 0], seconds: 0.3)
    #expect(zip(mono[0], mono[1]).allSatisfy { Swift.abs($0 - $1) < 1e-6 })
  }

  /// From the smallest room to the largest and back, as long as its walls take.
  @Test(arguments: [8000.0, 192_000]) func itsLinesAreLongEnough(sampleRate: Double) throws {
    let effect = try ShippedEffect("reverb", sampleRate: sampleRate)
    let second = Int(sampleRate)
    let changes = try [
      effect.turn("motion", to: 1), effect.turn("size", to: 0.25), effect.turn("size", to: 2.5, at: second),
      effect.turn("size", to: 0.25, at: 4 * second),
    ]
    let rows = [[Float]](repeating: [Float](repeating: 0.1, count: 7 * second), count: 2)
    let counts = try effect.native.samplesOutside(
      of: Stimulus(inputs: rows, frames: 7 * second, changes: changes))
    #expect(counts.allSatisfy { $0 == 0 }, "\(counts)")
  }
}
