// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestEquipment
import Testing

@testable import LegatoTraining

/// Sounds that a capture learns from, and those that are refused before it learns.
@Suite struct CapturePairTests {
  private static let signal = TestSignal(seconds: 4, sampleRate: 8000).samples

  private func late(_ sound: [Float], by frames: Int, _ change: (Float) -> Float = { $0 }) -> [Float] {
    ([Float](repeating: 0, count: frames) + sound).map(change)
  }

  @Test func isAligned() throws {
    let wet = late(Self.signal, by: 91) { -0.8 * tanh(2 * $0) }
    let pair = try CapturePair(dry: Self.signal, wet: wet, sampleRate: 8000, names: ("dry.wav", "wet.wav"))
    #expect(abs(pair.alignment.latency - 91) < 0.05 && pair.dry.count == Self.signal.count)
    #expect(
      pair.notices.contains(
        "wet.wav: late by \(String(format: "%.1f", pair.alignment.latency)) frames (11.38 ms), aligned"))
    #expect(pair.notices.contains { $0.contains("polarity is reversed") })
    #expect(pair.notices.contains { $0.contains("only 4 s") })
    for frame in 100..<31_000 { #expect(abs(pair.wet[frame + 1] + 0.8 * tanh(2 * pair.dry[frame])) < 0.05) }
  }

  /// Of this length the estimate of no latency at all is off by more than a thousandth of a frame.
  @Test func theSameSound() throws {
    let dry = TestSignal(seconds: 10, sampleRate: 48_000).samples
    func isTold(_ wet: [Float]) throws -> Bool {
      try CapturePair(dry: dry, wet: wet, sampleRate: 48_000).notices
        .contains { $0.contains("what went in itself came back") }
    }
    #expect(try isTold(dry) && isTold(late(dry, by: 91) { -0.5 * $0 }))
    #expect(try !isTold(dry.map { tanh($0) }))
  }

  private static let refusals: [(String, @Sendable ([Float]) -> [Float])] = [
    ("wet.wav: frame 7 is no finite number", { $0.enumerated().map { $0.offset == 7 ? .nan : $0.element } }),
    ("wet.wav is silent", { $0.map { _ in 0 } }),
    ("wet.wav is at -8", { $0.map { $0 * 1e-4 } }),
    ("wet.wav is clipped ", { $0.map { max(-1, min(1, 9 * $0)) } }),
    (
      "wet.wav is clipped 1 time, first at 0.501 s",
      { $0.enumerated().map { [4007: 0.99995, 4008: 1, 4009: 1, 4010: 1][$0.offset] ?? 0.5 * $0.element } }
    ),
    ("wet.wav does not follow from dry.wav within a second", { [Float](repeating: 0, count: 8003) + $0 }),
    ("wet.wav does not follow from dry.wav within a second", { $0.dropFirst(8003) + [] }),
    ("wet.wav has 1.25 s of sound; 2 s are the least", { Array($0.prefix(10_000)) }),
    (
      "wet.wav does not follow from dry.wav within a second",
      { $0.indices.map { sin(Float($0 * $0 % 7919)) } }
    ),
  ]

  @Test(arguments: refusals.indices)
  func isRefused(_ row: Int) {
    let (message, change) = Self.refusals[row]
    #expect {
      _ = try CapturePair(
        dry: Self.signal, wet: change(Self.signal), sampleRate: 8000, names: ("dry.wav", "wet.wav"))
    } throws: { "\($0)".hasPrefix(message) }
  }

  @Test func aLowLevelIsSaid() throws {
    let wet = Self.signal.map { $0 * 0.01 }
    let pair = try CapturePair(dry: Self.signal, wet: wet, sampleRate: 8000, names: ("dry.wav", "wet.wav"))
    #expect(pair.notices.contains { $0.hasPrefix("wet.wav: the level is low") })
  }

  /// Oddities that are not wrong, and hardly meant, are said in a line each.
  @Test func whatIsHardlyMeantIsSaid() throws {
    func notices(_ wet: [Float]) throws -> [String] {
      try CapturePair(dry: Self.signal, wet: wet, sampleRate: 8000, names: ("dry.wav", "wet.wav")).notices
    }
    let amplifier = Self.signal.map { 0.7 * tanh(3 * $0) }
    let lines = [
      (
        late(Self.signal, by: 20) { -0.5 * $0 },
        "wet.wav: what went in itself came back, nothing but louder or softer"
      ),
      (Array(amplifier.prefix(20_000)), "wet.wav: only 2.5 of the 4 s of dry.wav came back"),
      (amplifier.map { 2 * $0 }, "wet.wav: the level is up to 2.8"),
    ]
    for (wet, line) in lines {
      let said = try notices(wet)
      #expect(said.contains { $0.hasPrefix(line) }, "\(said)")
    }
    let usual = try notices(amplifier)
    #expect(
      usual.allSatisfy { notice in lines.allSatisfy { !notice.hasPrefix($0.1.prefix(30)) } }, "\(usual)")
    let early = try notices(Array(Self.signal.dropFirst(6000).map { 0.7 * tanh(3 * $0) }))
    #expect(
      early.contains { $0.hasPrefix("wet.wav: early by 6000.") || $0.hasPrefix("wet.wav: early by 5999.") },
      "\(early)")
  }

  @Test func filesHaveOneRateAndOneChannel() throws {
    let folder = try TemporaryFolder()
    try Sound(samples: [Self.signal], sampleRate: 8000).write(folder("a.wav"))
    try Sound(samples: [Self.signal], sampleRate: 16_000).write(folder("b.wav"))
    try Sound(samples: [Self.signal, Self.signal], sampleRate: 8000).write(folder("c.wav"))
    for (target, message) in [
      ("b.wav", "at 16000 Hz; resample"), ("c.wav", "has 2 channels"), ("d.wav", "no such"),
    ] {
      #expect { _ = try CapturePair(input: folder("a.wav"), target: folder(target)) } throws: {
        "\($0)".contains(message)
      }
    }
    #expect(try CapturePair(input: folder("a.wav"), target: folder("a.wav")).sampleRate == 8000)
  }

  @Test func theSignalIsAsLongAsItSays() {
    let signal = TestSignal(seconds: 6.5, sampleRate: 16_000)
    #expect(
      signal.samples.count == 104_000
        && signal.samples == TestSignal(seconds: 6.5, sampleRate: 16_000).samples)
    #expect(signal.samples.allSatisfy { abs($0) <= 0.9 } && signal.samples.max()! == 0.9)
    let measure = TestSignal.measure(sampleRate: 8000)
    let power = measure.reduce(0) { $0 + $1 * $1 } / Float(measure.count)
    #expect(abs(10 * log10(power) + 15) < 0.01)
  }
}
