// SPDX-License-Identifier: Apache-2.0

import Foundation
import GraphIR
import TensorFiles
import TestEquipment
import Testing

/// Impulse responses in WAVE files.
@Suite struct ImpulseResponseTests {
  private func response(_ wave: WaveBytes) throws -> ImpulseResponse {
    try ImpulseResponse(WaveFile(FileReader(wave.bytes), file: "cab.wav"))
  }

  private func refusal(_ bytes: [UInt8]) -> String {
    do {
      _ = try ImpulseResponse(WaveFile(FileReader(bytes), file: "cab.wav"))
      return ""
    } catch {
      return "\(error)"
    }
  }

  /// A short tone with soft edges, which no rate here cuts anything off: a number for each moment.
  private static func tone(_ seconds: Double) -> Double {
    let edge = (seconds - 0.004) / 0.0008
    return exp(-edge * edge) * cos(2 * .pi * 3000 * seconds)
  }

  private static func tone(rate: Int, frames: Int) -> [Float] {
    (0..<frames).map { Float(tone(Double($0) / Double(rate))) }
  }

  @Test(arguments: [
    (44_100, 48_000.0), (48_000, 44_100), (48_000, 96_000), (96_000, 44_100), (44_100, 47_999.5),
    (44_101, 48_000),
  ])
  func isTheSameSoundAtAnotherRate(from: Int, to: Double) throws {
    let taps = try response(WaveBytes(rate: from, [Self.tone(rate: from, frames: from / 100)])).taps(at: to)
    #expect(taps.numbers.count > Int(to * 0.006))
    let ratio = Double(from) / to
    for (frame, tap) in taps.numbers.enumerated() {
      #expect(abs(Double(tap) - ratio * Self.tone(Double(frame) / to)) < 2e-5 * ratio, "frame \(frame)")
    }
    // Each frequency is as loud as it was.
    func level(_ numbers: some Sequence<Float>, _ rate: Double) -> Double {
      var (x, y) = (0.0, 0.0)
      for (frame, number) in numbers.enumerated() {
        let turn = 2 * .pi * 3000 * Double(frame) / rate
        (x, y) = (x + Double(number) * cos(turn), y + Double(number) * sin(turn))
      }
      return (x * x + y * y).squareRoot()
    }
    let was = level(Self.tone(rate: from, frames: from / 100), Double(from))
    #expect(abs(level(taps.numbers, to) / was - 1) < 1e-4)
  }

  /// Responses that begin, or end, at once; of the decaying ones each frame is nothing that a lower rate could say.
  private static let sharp: [(name: String, samples: [Float])] = [
    ("one", [1]), ("one, a frame later", [0, 1]), ("some", [1, 0.5, -0.25]),
    ("one at the end", [Float](repeating: 0, count: 150) + [1]),
    ("a decay", decay(frames: 400, 40) { cos($0 / 7) }),
    ("a decay of two tones", decay(frames: 600, 90) { sin($0 / 3 + 0.4) + sin($0 / 40) }),
  ]

  private static func decay(frames: Int, _ time: Double, _ tone: (Double) -> Double) -> [Float] {
    (0..<frames).map { Float(exp(-Double($0) / time) * tone(Double($0))) }
  }

  /// Σ samples[n] e^(-2πi f n / rate)
  private static func spectrum(
    _ samples: some Sequence<Float>, at frequency: Double, rate: Double
  ) -> (re: Double, im: Double) {
    var (re, im) = (0.0, 0.0)
    for (frame, sample) in samples.enumerated() {
      let turn = 2 * .pi * frequency * Double(frame) / rate
      (re, im) = (re + Double(sample) * cos(turn), im - Double(sample) * sin(turn))
    }
    return (re, im)
  }

  /// The largest difference up to 16 kHz in decibels, where the response is not 30 dB below its loudest frequency; and
  /// that of the spectra with their phases, as a share of the loudest.
  private func differences(
    _ samples: [Float], from: Int, to: Double
  ) throws -> (decibels: Double, spectrum: Double) {
    let taps = try response(WaveBytes(rate: from, [samples])).taps(at: to).numbers
    var rows: [(was: Double, now: Double, apart: Double)] = []
    for frequency in stride(from: 20.0, through: 16_000, by: 235) {
      let was = Self.spectrum(samples, at: frequency, rate: Double(from))
      let now = Self.spectrum(taps, at: frequency, rate: to)
      rows.append(
        (hypot(was.re, was.im), hypot(now.re, now.im), hypot(now.re - was.re, now.im - was.im)))
    }
    let loudest = rows.map(\.was).max()!
    let heard = rows.filter { $0.was > 0.03 * loudest }
    return (
      heard.map { abs(20 * log10($0.now / $0.was)) }.max()!, rows.map { $0.apart / loudest }.max()!
    )
  }

  @Test(
    arguments: [
      (44_100, 48_000.0), (48_000, 44_100), (48_000, 96_000), (44_100, 96_000), (44_100, 192_000),
      (48_000, 47_999.5),
    ])
  func aSharpResponseIsAsLoudAsItWasAndAsEarly(from: Int, to: Double) throws {
    for (name, samples) in Self.sharp {
      let (decibels, spectrum) = try differences(samples, from: from, to: to)
      #expect(decibels < 0.1, "\(name)")
      #expect(spectrum < 0.02, "\(name)")
    }
  }

  /// Half a frame of the slower rate cannot be made up for without waiting.
  @Test(arguments: [(96_000, 48_000.0), (96_000, 44_100)])
  func aSharpResponseOfAFastFileIsNearlyAsLoud(from: Int, to: Double) throws {
    for (name, samples) in Self.sharp {
      #expect(try differences(samples, from: from, to: to).decibels < 0.5, "\(name)")
    }
  }

  /// A frequency that the slower rate cannot say is left out, and comes back as no other one.
  @Test func whatASlowerRateCannotSayIsLeftOut() throws {
    for frequency in [26_500.0, 30_000, 41_000] {
      let samples = (0..<800).map { frame -> Float in
        let edge = (Double(frame) - 400) / 100
        return Float(exp(-edge * edge) * cos(2 * .pi * frequency * Double(frame) / 96_000))
      }
      let taps = try response(WaveBytes(rate: 96_000, [samples])).taps(at: 48_000).numbers
      let loudest = taps.map(\.magnitude).max()!
      #expect(loudest < 3e-5, "\(frequency) Hz: \(loudest)")
    }
  }

  @Test func theEndIsCutOffBelowTheFloor() throws {
    let samples: [Float] = [0, 0.5, -0.25, 2e-5, 0, 1.5e-5, 0, 0]
    #expect(try response(WaveBytes([samples])).taps(at: 48_000).numbers == Numbers(samples[..<4]))
    // The louder channel says how long both are.
    let stereo = try response(WaveBytes([samples, [1, 0, 0, 0, 0, 1e-4, 0, 0]]))
    let taps = try stereo.taps(at: 48_000)
    #expect(taps.shape == [2, 6] && taps.numbers == Numbers(samples[..<6] + [1, 0, 0, 0, 0, 1e-4]))
  }

  @Test(
    arguments: [
      (1, 16, [0x00, 0x40, 0x00, 0x80], [0.5, -1]), (1, 8, [192, 0], [0.5, -1]),
      (1, 24, [0, 0, 0x40, 0, 0, 0x80], [0.5, -1]), (1, 32, [0, 0, 0, 0x40, 0, 0, 0, 0x80], [0.5, -1]),
      (3, 64, [0, 0, 0, 0, 0, 0, 0xE0, 0x3F, 0, 0, 0, 0, 0, 0, 0xF0, 0xBF], [0.5, -1]),
    ] as [(Int, Int, [UInt8], [Float])])
  func formsOfNumbers(form: Int, bits: Int, data: [UInt8], samples: [Float]) throws {
    let wave = try WaveFile(FileReader(WaveBytes(form: form, bits: bits, data: data).bytes), file: "cab.wav")
    #expect(wave.channels == [samples] && wave.sampleRate == 48_000)
    #expect(wave.form == (form == 1 ? "PCM \(bits)" : "float \(bits)"))
  }

  @Test func whatIsWrongIsSaid() throws {
    let good = WaveBytes([[1, 0.5]])
    #expect(refusal(Array("text".utf8)).hasPrefix("'cab.wav' is no WAVE file"))
    #expect(refusal(WaveBytes([[0, 0]]).bytes).contains("is silent"))
    #expect(refusal(WaveBytes([[1, .nan]]).bytes).contains("at frame 1 of channel 1"))
    #expect(refusal(WaveBytes([[1], [1], [1]]).bytes).contains("has 3 channels"))
    var wave = good
    wave.claimed = 100
    #expect(refusal(wave.bytes).contains("is cut off: its part 'data' has 100 bytes, 8 of them are there"))
    wave.claimed = 7
    #expect(refusal(wave.bytes).contains("no whole frames"))
    wave.claimed = 0
    #expect(refusal(wave.bytes).contains("has no sound in it: its part 'data' is empty"))
    wave = good
    wave.frame = 12
    #expect(refusal(wave.bytes).contains("states frames of 12 bytes, and 1 channel of 32 bits take 4"))
    wave = good
    wave.form = 85
    #expect(refusal(wave.bytes).contains("numbers of form 85 with 32 bits"))
    wave = good
    wave.rate = 7
    #expect(refusal(wave.bytes).contains("a sample rate of 7 Hz"))
  }

  /// A rate asks for no more than there is room for.
  @Test func tapsAreCounted() throws {
    func refusal(_ wave: WaveBytes, at rate: Double) -> String {
      do {
        _ = try response(wave).taps(at: rate)
        return ""
      } catch {
        return "\(error)"
      }
    }
    let long = WaveBytes(rate: 8000, [[Float](repeating: 0.5, count: 200_000)])
    #expect(
      refusal(long, at: 48_000)
        == "'cab.wav' has 1200000 taps at 48000 Hz; an impulse response has at most 1048576, so cut off its end"
    )
    let slow = WaveBytes(rate: 1000, [[1, 0.5]])
    let bounds = "an impulse response is brought to 1 Hz at least, and to 32 times its rate at most"
    #expect(
      refusal(slow, at: 48_000) == "'cab.wav' is at 1000 Hz, and the model at 48000 Hz; \(bounds)")
    #expect(refusal(slow, at: 32_000).isEmpty)
    for rate in [0, -1, 0.5, .nan, .infinity, 1e300] {
      #expect(refusal(slow, at: rate).hasSuffix(bounds), "\(rate)")
    }
    // What reaches over all of the file takes no more than the file.
    let fast = try response(WaveBytes(rate: 768_000, [[Float](repeating: 0.5, count: 50_000)]))
    #expect(try fast.taps(at: 1).numbers.count < 1000)
  }

  /// Cut at every byte, and changed anywhere: it is read or refused.
  @Test func damageIsRefused() throws {
    let bytes = WaveBytes([[1, 0.5, 0.25], [0.5, 0.25, 0.125]]).bytes
    for count in bytes.indices { #expect(!refusal(Array(bytes[..<count])).isEmpty, "\(count) bytes") }
    var random = SplitMix(seed: 5)
    for round in 0..<10_000 {
      var damaged = bytes
      for _ in 0..<1 + random.below(4) { damaged[random.below(bytes.count)] = UInt8(random.below(256)) }
      if let response = try? ImpulseResponse(WaveFile(FileReader(damaged), file: "cab.wav")),
        round.isMultiple(of: 16), let taps = try? response.taps(at: 48_000)
      {
        #expect(taps.numbers.firstNonFinite == nil)
      }
    }
  }
}
