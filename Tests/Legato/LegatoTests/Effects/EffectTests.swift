// SPDX-License-Identifier: Apache-2.0

import Foundation
import GraphPlanning
import Testing

/// The shipped effects against what does not come from the engine: formulas of responses, curves and times.
@Suite struct EffectTests {
  static let frequencies = (0..<50).map { 25 * pow(900, Double($0) / 49) }

  static func sine(_ frequency: Double, _ level: Double, _ count: Int) -> [Float] {
    (0..<count).map { Float(level * sin(2 * .pi * frequency * Double($0) / 48_000)) }
  }

  @Test(arguments: [(Float(0), "lowpass"), (1, "bandpass"), (2, "highpass")])
  func theFilterIsTheCookbooks(shape: Float, kind: String) throws {
    let filter = CookbookFilter(kind, frequency: 700, q: 3, sampleRate: 48_000)
    let gains = try ShippedEffect("filter", ["cutoff": 700, "resonance": 3, "shape": shape])
      .gain(at: Self.frequencies)
    for (frequency, gain) in zip(Self.frequencies, gains) {
      let expected = filter.response(at: frequency, sampleRate: 48_000).gain
      #expect(Swift.abs(gain - expected) < 1e-4, "\(frequency) Hz")
    }
  }

  @Test func theDCBlockTakesAwayWhatStandsStill() throws {
    let effect = try ShippedEffect("dcblock", ["frequency": 50])
    #expect(try effect([Float](repeating: 1, count: 20_000)).last! < 1e-5)
    // Analogue: f / sqrt(f² + 50²); the bilinear transform bends the frequencies hardly here.
    for frequency in [10.0, 50, 200, 2000] {
      let gain = try effect.gain(at: [frequency])[0]
      #expect(Swift.abs(gain - frequency / (frequency * frequency + 2500).squareRoot()) < 1e-3)
    }
  }

  @Test func theEqualizerIsItsEightBands() throws {
    let bands: [(name: String, kind: String, frequency: Double, gain: Double, q: Double)] = [
      ("low", "lowShelf", 100, 6, 0.7), ("one", "peak", 200, -9, 2), ("two", "peak", 450, 12, 5),
      ("three", "peak", 900, -3, 0.5), ("four", "peak", 2000, 4, 1), ("five", "peak", 4000, -12, 3),
      ("six", "peak", 8000, 7, 8), ("high", "highShelf", 12_000, -5, 0.9),
    ]
    var settings: [String: Float] = [:]
    for band in bands {
      settings[band.name + "Frequency"] = Float(band.frequency)
      settings[band.name + "Gain"] = Float(band.gain)
      settings[band.name + "Q"] = Float(band.q)
    }
    let filters = bands.map {
      CookbookFilter($0.kind, frequency: $0.frequency, q: $0.q, gain: $0.gain, sampleRate: 48_000)
    }
    let gains = try ShippedEffect("eq8", settings).gain(at: Self.frequencies)
    for (frequency, gain) in zip(Self.frequencies, gains) {
      let expected = filters.reduce(1) { $0 * $1.response(at: frequency, sampleRate: 48_000).gain }
      #expect(Swift.abs(decibels(gain / expected)) < 1e-3, "\(frequency) Hz")
    }
  }

  @Test func theEqualizerAtRestChangesNothing() throws {
    let noise = (0..<3000).map { Float(sin(Double($0 * $0))) }
    let found = try ShippedEffect("eq8")(noise)
    #expect(zip(found, noise).allSatisfy { Swift.abs($0 - $1) < 1e-5 })
  }

  @Test func theOverdriveIsAHyperbolicTangentBetweenTwoFilters() throws {
    let input = zip(Self.sine(220, 0.3, 6000), Self.sine(1310, 0.2, 6000)).map { $0 + $1 }
    let found = try ShippedEffect("overdrive", ["drive": 30, "tight": 200, "tone": 3000, "level": -12])(input)
    let q = 0.5.squareRoot()
    let tight = CookbookFilter("highpass", frequency: 200, q: q, sampleRate: 48_000)
    let tone = CookbookFilter("lowpass", frequency: 3000, q: q, sampleRate: 48_000)
    let bent = tight.output(of: input.map(Double.init)).map { tanh($0 * amplitude(30)) }
    let expected = tone.output(of: bent).map { $0 * amplitude(-12) }
    #expect(zip(found, expected).allSatisfy { Swift.abs(Double($0) - $1) < 2e-5 })
  }

  @Test func theFuzzIsTwoBendsBetweenFilters() throws {
    let input = zip(Self.sine(220, 0.3, 6000), Self.sine(1310, 0.2, 6000)).map { $0 + $1 }
    let found = try ShippedEffect("fuzz", ["fuzz": 20, "bias": 0.5, "tone": 0.3, "level": -6])(input)
    func filtered(_ x: [Double], _ kind: String, _ frequency: Double) -> [Double] {
      CookbookFilter(kind, frequency: frequency, q: 0.5.squareRoot(), sampleRate: 48_000).output(of: x)
    }
    let first = filtered(input.map(Double.init), "highpass", 80).map {
      tanh($0 * amplitude(20) + 0.5) - tanh(0.5)
    }
    let second = filtered(first, "highpass", 30).map { tanh(4 * $0) }
    let mixed = zip(filtered(second, "lowpass", 400), filtered(second, "highpass", 1100)).map {
      0.7 * $0 + 0.3 * $1
    }
    let expected = filtered(mixed, "highpass", 20).map { $0 * amplitude(-6) }
    #expect(zip(found, expected).allSatisfy { Swift.abs(Double($0) - $1) < 2e-5 })
    #expect(try ShippedEffect("fuzz", ["bias": 2])([Float](repeating: 0, count: 1000)).allSatisfy { $0 == 0 })
  }

  // MARK: Dynamics

  /// The curve of a compressor with a knee (Giannoulis, Massberg and Reiss 2012), in decibels.
  private func compressed(_ level: Double, threshold: Double, ratio: Double, knee: Double) -> Double {
    let over = level - threshold
    if 2 * over < -knee { return level }
    if 2 * Swift.abs(over) <= knee {
      return level + (1 / ratio - 1) * (over + knee / 2) * (over + knee / 2) / (2 * knee)
    }
    return threshold + over / ratio
  }

  @Test(arguments: [-40.0, -25, -21, -20, -18, -15, -6, 0]) func theCompressorHasItsCurve(level: Double)
    throws
  {
    let effect = try ShippedEffect(
      "compressor", channels: 2,
      ["threshold": -20, "ratio": 5, "knee": 8, "attack": 1, "release": 50, "makeup": 3])
    // A wave of one magnitude has no ripple; the other channel follows the louder one.
    let loud = (0..<10_000).map { Float(amplitude(level)) * ($0 % 2 == 0 ? 1 : -1) }
    let found = try effect([loud, loud.map { $0 / 10 }])
    let expected = compressed(level, threshold: -20, ratio: 5, knee: 8) + 3
    #expect(Swift.abs(decibels(Double(Swift.abs(found[0][9999]))) - expected) < 1e-3)
    #expect(Swift.abs(decibels(Double(Swift.abs(found[1][9999]))) - expected + 20) < 1e-3)
  }

  @Test func theCompressorSeesLevelsInItsTimes() throws {
    let settings: [String: Float] = ["threshold": -40, "ratio": 2, "knee": 0.1, "attack": 10, "release": 100]
    let input = (0..<48_000).map { Float($0 < 24_000 ? 1 : 0.1) * ($0 % 2 == 0 ? 1 : -1) }
    let found = try ShippedEffect("compressor", settings)(input)
    func gain(_ frame: Int) -> Double { decibels(Double(Swift.abs(found[frame] / input[frame]))) }
    // The level it sees, in decibels, is halved above the threshold.
    #expect(Swift.abs(gain(479) + (decibels(1 - exp(-1)) + 40) / 2) < 0.02)
    #expect(Swift.abs(gain(24_000 + 4799) + (decibels(0.1 + 0.9 * exp(-1)) + 40) / 2) < 0.02)
  }

  @Test(arguments: [(-10.0, 0.0), (-30, 0), (-34, -20), (-36, -30), (-70, -50)])
  func theGateClosesBelowItsThreshold(level: Double, gain: Double) throws {
    let effect = try ShippedEffect(
      "gate", ["threshold": -30, "ratio": 6, "range": 50, "attack": 0.1, "release": 20])
    let input = (0..<20_000).map { Float(amplitude(level)) * ($0 % 2 == 0 ? 1 : -1) }
    let found = try effect(input)
    #expect(Swift.abs(decibels(Double(found[19_999] / input[19_999])) - gain) < 1e-3)
  }

  @Test func theLimiterKeepsItsCeilingAndLeavesTheRest() throws {
    let limit = Float(amplitude(-6))
    let effect = try ShippedEffect("limiter", channels: 2, ["gain": 12, "ceiling": -6, "release": 20])
    #expect(effect.native.plan.latency == 63)
    let bursts = (0..<20_000).map { frame -> Float in
      let isLoud = (3000..<3100).contains(frame) || frame == 9000
      return (isLoud ? 0.9 : 0.05) * Float(sin(Double(frame) * 0.3 + 0.7))
    }
    let quiet = bursts.map { $0 / 2 }
    let found = try effect([bursts, quiet])
    #expect(found[0].allSatisfy { Swift.abs($0) <= limit * 1.000001 })
    #expect(found[0].contains { Swift.abs($0) > limit * 0.99 })
    let gain = Float(amplitude(12))
    // Long before and long behind a peak nothing is taken away; at it both channels lose the same.
    for frame in [1000, 2800, 19_000] {
      #expect(Swift.abs(found[0][frame + 63] - bursts[frame] * gain) < 1e-5)
    }
    for frame in 3000..<3100 {
      #expect(Swift.abs(found[1][frame + 63] - found[0][frame + 63] / 2) < 1e-5)
    }
    // 20 ms behind the last peak a share of 1/e of what it took is still missing, beside the mean's 64 frames.
    let taken = 1 - limit / (0.9 * gain * Swift.abs(Float(sin(2700.7))))
    let frame = 9000 + 960 + 32
    let rest = 1 - found[0][frame + 63] / (bursts[frame] * gain)
    #expect(Swift.abs(rest - taken * exp(-1)) < 0.01)
  }

  // MARK: Modulation

  private static let noise = (0..<9600).map { Float(sin(Double($0 * $0))) / 2 }

  /// A sine of so many turns a second, which begins at 0 with the first frame.
  private static func sway(_ rate: Double, _ frame: Int, ahead: Double = 0) -> Double {
    sin(2 * .pi * (rate * Double(frame) / 48_000 + ahead))
  }

  @Test func theTremoloSways() throws {
    let found = try ShippedEffect("tremolo", ["rate": 7, "depth": 0.75, "shape": 0])(Self.noise)
    for (frame, sample) in Self.noise.enumerated() {
      let expected = Double(sample) * (1 - 0.75 * (0.5 - Self.sway(7, frame) / 2))
      #expect(Swift.abs(Double(found[frame]) - expected) < 1e-5)
    }
  }

  /// cos a · sin b = (sin(b + a) + sin(b - a)) / 2
  @Test func theRingModulatorLeavesSumAndDifference() throws {
    let tone = (0..<9600).map { Float(cos(2 * .pi * 1000 * Double($0) / 48_000)) }
    let found = try ShippedEffect("ringmod", ["frequency": 300, "mix": 1])(tone)
    for frame in tone.indices {
      let expected = (Self.sway(1300, frame) - Self.sway(700, frame)) / 2
      #expect(Swift.abs(Double(found[frame]) - expected) < 1e-5)
    }
  }

  @Test func theChorusIsThreeDelaysThatSway() throws {
    // A slow sine: any interpolation worth its name meets it between the frames.
    let tone = Self.sine(440, 0.5, 9600)
    let found = try ShippedEffect("chorus", ["rate": 2, "depth": 3, "time": 10, "mix": 0.75])(tone)
    for frame in 1000..<9600 {
      let voices = (0..<3).map { voice -> Double in
        let late = 10 + 3 * Self.sway(2, frame, ahead: Double(voice) / 3)
        return 0.5 * sin(2 * .pi * 440 * (Double(frame) / 48_000 - late / 1000))
      }
      let expected = 0.25 * Double(tone[frame]) + 0.25 * voices.reduce(0, +)
      #expect(Swift.abs(Double(found[frame]) - expected) < 1e-4)
    }
  }

  @Test func theFlangerIsACombFilterWhereItStands() throws {
    let effect = try ShippedEffect(
      "flanger", ["rate": 0.02, "depth": 0, "time": 2, "feedback": 0.6, "mix": 0.5])
    let gains = try effect.gain(at: Self.frequencies)
    for (frequency, gain) in zip(Self.frequencies, gains) {
      // z^-96 / (1 - 0.6 z^-96), half and half with the input.
      let angle = 2 * .pi * frequency * 0.002
      let bottom = SIMD2(1 - 0.6 * cos(angle), 0.6 * sin(angle))
      let top = bottom + SIMD2(cos(angle), -sin(angle))
      #expect(Swift.abs(gain - 0.5 * top.gain / bottom.gain) < 1e-3, "\(frequency) Hz")
    }
  }

  @Test func theFlangerSwaysAsATriangle() throws {
    let tone = Self.sine(440, 0.5, 24_000)
    let settings: [String: Float] = ["rate": 3, "depth": 1.7, "time": 2.3, "feedback": 0, "mix": 1]
    let found = try ShippedEffect("flanger", settings)(tone)
    for frame in 1000..<24_000 {
      let turns = 3 * Double(frame) / 48_000
      let late = 2.3 + 1.7 * (1 - 4 * Swift.abs(turns - turns.rounded(.down) - 0.5))
      let expected = 0.5 * sin(2 * .pi * 440 * (Double(frame) / 48_000 - late / 1000))
      // A line lies below the arc of a sine by an eighth of the square of its step, 2e-4; the middle and the width are
      // multiples of 1/64 of a frame, which is as much again.
      #expect(Swift.abs(Double(found[frame]) - expected) < 5e-4)
    }
  }

  @Test func thePhaserHasItsNotchesWhereItStands() throws {
    let effect = try ShippedEffect(
      "phaser", ["rate": 0.02, "centre": 1000, "depth": 0, "feedback": 0, "mix": 0.5])
    let parts = [1000.0, 1500].map { CookbookFilter("allpass", frequency: $0, q: 0.5, sampleRate: 48_000) }
    let gains = try effect.gain(at: Self.frequencies)
    for (frequency, gain) in zip(Self.frequencies, gains) {
      let turns = parts.map { $0.response(at: frequency, sampleRate: 48_000) }
      let turned = SIMD2(
        turns[0].x * turns[1].x - turns[0].y * turns[1].y, turns[0].x * turns[1].y + turns[0].y * turns[1].x)
      #expect(Swift.abs(gain - 0.5 * (SIMD2(1, 0) + turned).gain) < 1e-4, "\(frequency) Hz")
    }
    #expect(gains.min()! < 0.1 && gains.max()! > 0.99)
  }

  @Test(arguments: [0.1, 0.4, 1]) func theAutoWahOpensWithTheLevel(level: Double) throws {
    // Of one magnitude, and yet of all frequencies.
    let input = Self.noise.map { Float($0 < 0 ? -level : level) }
    let found = try ShippedEffect(
      "autowah", ["base": 300, "sweep": 2, "resonance": 4, "attack": 1, "release": 50, "mix": 1])(input)
    let filter = CookbookFilter(
      "bandpass", frequency: 300 * pow(2, 2 * level), q: 4, sampleRate: 48_000)
    let expected = filter.output(of: input.map(Double.init))
    for frame in 5000..<9600 { #expect(Swift.abs(Double(found[frame]) - expected[frame]) < 1e-4) }
  }

  // MARK: Crushing

  @Test(arguments: [1, 3, 4, 6]) func theBitcrusherHoldsEachSample(hold: Int) throws {
    let tone = Self.sine(997, 0.5, 4800)
    let settings: [String: Float] = [
      "rate": 48_000 / Float(hold), "resolution": 16, "saturationGain": 2, "dryWet": 0.75,
    ]
    let found = try ShippedEffect("bitcrusher", settings)(tone)
    // Where a step begins is up to the phase; each is as long as all.
    let first = try #require(
      (0..<hold).first { start in
        (hold..<4800).allSatisfy { frame in
          let due = frame - (frame - start) % hold
          let crushed = (tanh(2 * Double(tone[due])) * 16).rounded(.toNearestOrEven) / 16
          return Swift.abs(Double(found[frame]) - 0.75 * crushed - 0.25 * Double(tone[frame])) < 1e-5
        }
      })
    #expect(first == 0)
  }

  /// A tone held for so many frames folds around the multiples of the low rate, as high as the spectrum of a step.
  @Test func theBitcrushersAliasesAreWhereTheyBelong() throws {
    let count = 48_000
    let settings: [String: Float] = ["rate": 12_000, "resolution": 256, "saturationGain": 0.1]
    let found = try ShippedEffect("bitcrusher", settings)(Self.sine(1000, 1, count)).map { $0 * 10 }
    func level(_ frequency: Double) -> Double {
      response(of: found, at: frequency, sampleRate: 48_000).gain * 2 / Double(count)
    }
    for image in [1000.0, 11_000, 13_000, 23_000] {
      let half = .pi * image / 48_000
      let step = sin(4 * half) / (4 * sin(half))
      #expect(Swift.abs(level(image) - Swift.abs(step)) < 0.01, "\(image) Hz")
    }
    for silent in [2500.0, 7500, 17_500] { #expect(level(silent) < 0.005, "\(silent) Hz") }
  }

  // MARK: Stereo

  @Test func theDelayGoesFromSideToSide() throws {
    let impulse = FilterTests.impulse(24_000)
    let silence = [Float](repeating: 0, count: 24_000)
    let found = try ShippedEffect("delay", ["time": 100, "feedback": 0.5, "tone": 3000, "mix": 1])([
      silence, impulse,
    ])
    #expect(found[1][0] == 1)
    // Half of the sum of both sides; the tone takes nothing of what a repetition amounts to, only of its highs.
    let shares: [Double] = [0, 0.5, 0.5, 0.25, 0.25]
    for (turn, share) in shares.enumerated() where turn > 0 {
      let side = found[turn % 2 == 1 ? 0 : 1]
      let other = found[turn % 2 == 1 ? 1 : 0]
      let span = turn * 4800..<(turn + 1) * 4800
      #expect(Swift.abs(side[span].reduce(0) { $0 + Double($1) } - share) < 1e-4)
      #expect(other[span].allSatisfy { Swift.abs($0) < 1e-30 })
      #expect(Swift.abs(side[turn * 4800 - 1]) < 1e-30 && side[turn * 4800] > 1e-3)
    }
    #expect(found[0][4800] == 0.5)
    // What went to the other side went once through one pole at 3 kHz.
    let second = Array(found[1][9600..<14_400])
    let tone = 0.5.squareRoot()
    #expect(Swift.abs(response(of: second, at: 3000, sampleRate: 48_000).gain - 0.5 * tone) < 1e-4)
  }

  @Test func theWidenerKeepsTheMiddle() throws {
    let left = Self.sine(1000, 0.5, 9600)
    let right = Self.sine(3000, 0.3, 9600)
    let found = try ShippedEffect("widener", ["width": 2, "bass": 20])([left, right])
    for frame in left.indices {
      #expect(Swift.abs(found[0][frame] + found[1][frame] - left[frame] - right[frame]) < 1e-5)
    }
    let filter = CookbookFilter("highpass", frequency: 20, q: 0.5.squareRoot(), sampleRate: 48_000)
    let side = filter.output(of: zip(left, right).map { Double($0 - $1) })
    for frame in left.indices {
      #expect(Swift.abs(Double(found[0][frame] - found[1][frame]) - 2 * side[frame]) < 1e-5)
    }
    let mono = try ShippedEffect("widener", ["width": 0])([left, right])
    #expect(mono[0] == mono[1])
  }
}
