// SPDX-License-Identifier: Apache-2.0

import Foundation
import GraphIR
import Legato
import SoundAnalysis
import Testing

/// How far below a tone everything lies that a shipped effect should not have made: what folds back from beyond half
/// the sample rate (aliases), and the rest (noise).
///
///     bins of 2^14 frames; a tone in bin k, odd and prime, meets its own harmonics again at 2^14 harmonics only
///
///     | bin h k below half the sample rate      a harmonic, which belongs there
///     | bin h k mod 2^14, folded                an alias of that harmonic
///     | any other                               noise
///
/// Each of the tones goes round a whole number of times, so that a spectrum of a steady part needs no window.
@Suite struct FloorTests {
  static let count = 1 << 14
  static let rate = 48_000.0

  static func frequency(_ bin: Int) -> Double { Double(bin) * rate / Double(count) }

  /// Magnitudes of sines in the last 2^14 frames, by bin: 1 is a sine of full level.
  static func spectrum(_ samples: [Float]) -> [Double] {
    var real = samples.suffix(count).map(Double.init)
    var imaginary = [Double](repeating: 0, count: count)
    FourierTransform(count: count).forward(&real, &imaginary)
    return (0...count / 2).map { bin in
      2 * (real[bin] * real[bin] + imaginary[bin] * imaginary[bin]).squareRoot() / Double(count)
    }
  }

  static func tone(_ bin: Int, _ level: Double, frames: Int = 2 * count) -> [Float] {
    (0..<frames).map { Float(level * sin(2 * .pi * Double($0 * bin % count) / Double(count))) }
  }

  /// The power in some bins, a sine of full level being 0 dB.
  static func level(_ spectrum: [Double], where isMeant: (Int) -> Bool) -> Double {
    decibels(ofPower: spectrum.indices.reduce(0) { $0 + (isMeant($1) ? spectrum[$1] * spectrum[$1] : 0) })
  }

  // MARK: Crushing

  /// The error of a rounding is spread evenly over a step: its power is a twelfth of the step's square. A second
  /// tone, far from a harmonic of the first, stirs the levels; the error has no tone of its own then.
  @Test(arguments: [16.0, 128, 256]) func theBitcrusherAddsANoiseOfATwelfthOfAStep(resolution: Double) throws
  {
    let input = zip(Self.tone(353, 0.3), Self.tone(1931, 0.21)).map { $0 + $1 }
    let found = try ShippedEffect("bitcrusher", ["resolution": Float(resolution), "saturationGain": 1])(input)
    let error = zip(found, input).map { $0 - Float(tanh(Double($1))) }.suffix(Self.count)
    let power = error.reduce(0) { $0 + Double($1) * Double($1) } / Double(Self.count)
    let expected = 1 / (12 * resolution * resolution)
    #expect(Swift.abs(decibels(ofPower: power / expected)) < 0.3, "\(decibels(ofPower: power)) dB")
    // Nowhere is it a tone: no bin has a hundredth of it.
    let spectrum = Self.spectrum(Array(error))
    #expect(spectrum.allSatisfy { $0 * $0 / 2 < expected / 100 })
  }

  // MARK: Bending

  /// The amplitude of a harmonic of tanh(gain * sin), by an integral over a turn.
  private func harmonic(_ order: Int, gain: Double) -> Double {
    let points = 1 << 12
    return 2 / Double(points)
      * (0..<points).reduce(0.0) { sum, point in
        let angle = 2 * .pi * (Double(point) + 0.5) / Double(points)
        return sum + tanh(gain * sin(angle)) * sin(Double(order) * angle)
      }
  }

  /// The bend runs at the sound's own rate: harmonics beyond half of it fold back, as loud as they are. Each alias is
  /// what the series of the bend says, behind the tone's filter; below them there is nothing.
  @Test(arguments: [(drive: 18.0, aliases: -150.0), (36, -34)])
  func theOverdrivesAliasesAreThoseOfItsBend(drive: Double, aliases: Double) throws {
    let bin = 431
    let found = Self.spectrum(
      try ShippedEffect("overdrive", ["drive": Float(drive), "tight": 20, "tone": 12_000, "level": 0])(
        Self.tone(bin, 0.25)))
    let q = 0.5.squareRoot()
    let (tight, tone) = (
      CookbookFilter("highpass", frequency: 20, q: q, sampleRate: Self.rate),
      CookbookFilter("lowpass", frequency: 12_000, q: q, sampleRate: Self.rate)
    )
    let gain =
      0.25 * amplitude(ofDecibels: drive)
      * tight.response(at: Self.frequency(bin), sampleRate: Self.rate).gain
    var kinds = [Int: Bool]()
    for order in stride(from: 1, to: 400, by: 2) {
      let turned = order * bin % Self.count
      let place = min(turned, Self.count - turned)
      let isAlias = order * bin > Self.count / 2
      guard kinds.updateValue(isAlias, forKey: place) == nil else { continue }
      let expected =
        Swift.abs(harmonic(order, gain: gain))
        * tone.response(at: Self.frequency(place), sampleRate: Self.rate).gain
      #expect(Swift.abs(found[place] - expected) < 1e-6 + 0.002 * expected, "harmonic \(order)")
    }
    let heard = Self.level(found) { kinds[$0] == false }
    let folded = Self.level(found) { kinds[$0] == true } - heard
    let noise = Self.level(found) { kinds[$0] == nil } - heard
    print("overdrive at \(drive) dB: aliases \(folded) dB, noise \(noise) dB below the tone")
    #expect(folded < aliases && noise < -130)
  }

  /// The stage that captures of a comparison learn: what folds back lies 70 dB deeper than of a bend at the sound's own rate,
  /// and the halves of a wave are not alike (8 times the rate in NumPy: -88.9 dB, and -24.8 for the second harmonic).
  @Test func theStageOfCapturesBendsAtEightTimesTheRate() throws {
    let bin = 2003
    let found = Self.spectrum(
      try ShippedEffect("../Benchmarks/peers/captures/stage.json")(Self.tone(bin, 0.5)))
    var kinds = [Int: Bool]()
    for order in 0..<400 {
      let turned = order * bin % Self.count
      let place = min(turned, Self.count - turned)
      if kinds[place] == nil { kinds[place] = order * bin > Self.count / 2 }
    }
    let heard = Self.level(found) { kinds[$0] == false }
    #expect(Self.level(found) { kinds[$0] == true } - heard < -80)
    #expect(decibels(ofPower: found[2 * bin] * found[2 * bin]) - heard > -35)
  }

  // MARK: Multiplying

  /// Of each tone two are left, the sum and the difference, and nothing else.
  @Test func theRingModulatorMakesTwoTonesAndNoMore() throws {
    let (bin, carrier) = (1499, 61)
    let found = Self.spectrum(
      try ShippedEffect("ringmod", ["frequency": Float(Self.frequency(carrier))])(Self.tone(bin, 1)))
    for place in [bin - carrier, bin + carrier] { #expect(Swift.abs(found[place] - 0.5) < 1e-5) }
    let rest = Self.level(found) { Swift.abs($0 - bin) != carrier }
    print("ringmod: all else at \(rest) dB")
    #expect(rest < -140)
  }

  /// A sway makes tones beside the tone, at multiples of its rate; as many as its shape has harmonics.
  @Test(arguments: [Float(0), 1]) func theTremolosTonesStandBesideTheTone(shape: Float) throws {
    let (bin, sway) = (1499, 5)
    let settings = ["rate": Float(Self.frequency(sway)), "depth": 0.8, "shape": shape]
    let found = Self.spectrum(try ShippedEffect("tremolo", settings)(Self.tone(bin, 1)))
    #expect(Swift.abs(found[bin] - 0.6) < 1e-5)
    for order in stride(from: 1, to: 40, by: 2) {
      let wave = shape == 0 ? (order == 1 ? 1 : 0) : harmonic(order, gain: 6)
      for place in [bin - order * sway, bin + order * sway] {
        #expect(Swift.abs(found[place] - 0.2 * Swift.abs(wave)) < 1e-5, "\(order)")
      }
    }
    let rest = Self.level(found) { place in
      !(Swift.abs(place - bin) % sway == 0 && Swift.abs(place - bin) / sway < 60)
    }
    print("tremolo of shape \(shape): all else at \(rest) dB")
    #expect(rest < -140)
  }

  // MARK: Waves

  /// The power between the harmonics of a saw or a square, relative to theirs. Corners that are rounded over two frames
  /// leave this much; without them a saw's aliases at 1.2 kHz would be at -15 dB.
  @Test(
    arguments: ["saw", "square"],
    [(bin: 37, aliases: -41.0), (149, -35), (431, -31), (1361, -27)])
  func wavesHaveAliasesOfSoMuch(wave: String, tone: (bin: Int, aliases: Double)) throws {
    let silence = [Float](repeating: 0, count: Self.count)
    let found = Self.spectrum(try FilterTests.run("\(wave)(\(Self.frequency(tone.bin)))", silence))
    let rest = Self.level(found) { $0 % tone.bin != 0 } - Self.level(found) { $0 % tone.bin == 0 }
    print("\(wave) at \(Self.frequency(tone.bin)) Hz: aliases \(rest) dB below it")
    #expect(rest < tone.aliases)
  }

  // MARK: Reading between frames

  /// A tone read between two frames comes back with images of itself; how loud they are depends on the curve through
  /// the frames, and rises with the frequency. The sway of a delay is what moves them apart.
  @Test(arguments: [("linear", -65.0), ("cubic", -93)])
  func delaysBySignalsHaveImagesOfSoMuch(kind: String, images: Double) throws {
    let (bin, sway) = (341, 5)
    let call =
      "delay(x, by: 20 + 5 * sine(\(Self.frequency(sway))), maximum: 40, interpolation: \"\(kind)\")"
    let found = Self.spectrum(try FilterTests.run(call, Self.tone(bin, 1)))
    // A tone whose phase sways by 5 frames has its own tones beside it: few beyond the phase's width.
    let rest = Self.level(found) { Swift.abs($0 - bin) > 20 * sway } - Self.level(found) { _ in true }
    print("\(kind): images \(rest) dB below a tone of \(Self.frequency(bin)) Hz")
    #expect(rest < images)
  }
}
