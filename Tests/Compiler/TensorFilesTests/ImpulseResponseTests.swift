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

  @Test func theEndIsCutOffBelowTheFloor() throws {
    let samples: [Float] = [0, 0.5, -0.25, 2e-5, 0, 1.5e-5, 0, 0]
    #expect(try response(WaveBytes([samples])).taps(at: 48_000).numbers == Numbers(samples[..<4]))
    // The louder channel says how long both are.
    let stereo = try response(WaveBytes([samples, [1, 0, 0, 0, 0, 1e-4, 0, 0]]))
    #expect(stereo.shape == [2, 8])
    let taps = stereo.taps(at: 48_000)
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
    wave = WaveBytes([[Float](repeating: 0.5, count: 31_000)])
    wave.rate = 1000
    #expect(refusal(wave.bytes).contains("lasts 31 s at 1000 Hz; an impulse response lasts at most 30 s"))
    wave = good
    wave.form = 85
    #expect(refusal(wave.bytes).contains("numbers of form 85 with 32 bits"))
    wave = good
    wave.rate = 7
    #expect(refusal(wave.bytes).contains("a sample rate of 7 Hz"))
  }

  /// Cut at every byte, and changed anywhere: it is read or refused.
  @Test func damageIsRefused() throws {
    let bytes = WaveBytes([[1, 0.5, 0.25], [0.5, 0.25, 0.125]]).bytes
    for count in bytes.indices { #expect(!refusal(Array(bytes[..<count])).isEmpty, "\(count) bytes") }
    var random = SplitMix(seed: 5)
    for _ in 0..<10_000 {
      var damaged = bytes
      for _ in 0..<1 + random.below(4) { damaged[random.below(bytes.count)] = UInt8(random.below(256)) }
      if let response = try? ImpulseResponse(WaveFile(FileReader(damaged), file: "cab.wav")),
        response.sound.sampleRate < 100_000
      {
        #expect(response.taps(at: 48_000).numbers.firstNonFinite == nil)
      }
    }
  }
}
