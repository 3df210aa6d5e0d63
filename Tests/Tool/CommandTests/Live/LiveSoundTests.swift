// SPDX-License-Identifier: Apache-2.0

import AudioIO
import Foundation
import TestEquipment
import Testing
import VirtualCards

/// The sound of `legato live` on a card whose time passes only while the program waits: every bit is known.
@Suite("Command: live sound", .waits)
struct LiveSoundTests {
  private let tool = Result { try Tool() }

  /// A format as the card, the command and a file have it.
  enum Format: String, CaseIterable {
    case float = "FLOAT"
    case int32 = "S32"
    case packed24 = "S24_3"
    case int24 = "S24"
    case int16 = "S16"

    var card: CardFormat {
      switch self {
      case .float: .float
      case .int32: .integer32
      case .packed24: .packed24
      case .int24: .integer24
      case .int16: .integer16
      }
    }

    var file: SampleFormat {
      switch self {
      case .float: .float
      case .int32: .int32
      case .packed24, .int24: .int24
      case .int16: .int16
      }
    }

    var bits: Int { self == .int16 ? 16 : 24 }
  }

  /// Far from periodic, up to full scale, and exact in so many bits.
  private func noise(channels: Int, frames: Int, bits: Int) -> [[Double]] {
    var generator = SplitMix(seed: 7)
    let half = 1 << (bits - 1)
    return (0..<channels).map { _ in
      (0..<frames).map { _ in Double(Int(generator.next() >> (64 - UInt64(bits))) - half) / Double(half) }
    }
  }

  /// A card that captures the samples, in one format only.
  private func card(_ samples: [[Double]], _ format: CardFormat) throws -> VirtualCard {
    var settings = CardSettings()
    settings.source = .samples(samples)
    settings.capture.formats = [format]
    settings.playback.formats = [format]
    return try VirtualCard(settings)
  }

  /// The same through `legato process`.
  private func rendered(_ samples: [[Double]], _ format: SampleFormat, _ options: [String]) throws -> Sound {
    let tool = try tool.get()
    try Sound(samples: samples.map { $0.map(Float.init) }).write(tool.path("in.wav"), format)
    let run = try tool.run(["process", Tool.bitcrusher, "in.wav", "out.wav", "--force"] + options)
    try #require(run.code == 0, "\(run.messages)")
    return try Sound.read(tool.path("out.wav"))
  }

  @Test(
    "the bits of legato process behind the silence of the latency, a fade, and silence; each format and access",
    arguments: Format.allCases,
    ["interleaved", "planar", "mapped-interleaved", "mapped-planar"])
  func bits(_ format: Format, _ access: String) throws {
    let tool = try tool.get()
    let samples = noise(channels: 2, frames: 30_000, bits: format.bits)
    let settings = ["--set", "resolution=37", "--set", "saturationGain=1.5", "--set", "dryWet=0.8"]
    let expected = try rendered(samples, format.file, settings + ["--dither", "none"])
    let card = try card(samples, format.card)
    let run = try tool.run(
      ["live", Tool.bitcrusher, "--device", "duplex", "--period", "1024", "--seconds", "0.5"]
        + ["--format", format.rawValue, "--access", access, "--dither", "none", "--quiet"] + settings,
      environment: card.environment)
    #expect(run.code == 0 && run.messages.isEmpty && run.output.isEmpty, "\(run.messages)")
    let set = try card.log.filter { $0.action == "set" }
    let memory = access.hasPrefix("mapped") ? "MMAP_" : "RW_"
    #expect(set.count == 2 && set.allSatisfy { $0.details.contains(memory) })
    #expect(set.allSatisfy { $0.details.hasSuffix("NON" + "INTERLEAVED") == access.hasSuffix("planar") })
    let played = try card.played
    try #require(played.runs.count == 1 && played.samples.count == 2)
    let step = format == .float ? 0x1p-23 : 2 / Double(1 << format.bits)
    for (channel, all) in played.samples.enumerated() {
      #expect(all.prefix(3072).allSatisfy { $0 == 0 })
      let sound = Array(all.dropFirst(3072))
      try #require(sound.count > 24_000)
      // 10 ms of half a second are the fade.
      let isEqual = sound[..<23_520] == expected.samples[channel][..<23_520].map(Double.init)[...]
      #expect(isEqual)
      for frame in 23_520..<24_000 {
        let wanted = Double(expected.samples[channel][frame]) * Double(23_999 - frame) / 480
        guard abs(sound[frame] - wanted) <= 2 * step else {
          Issue.record("frame \(frame) is \(sound[frame]), not \(wanted)")
          break
        }
      }
      #expect(sound[23_999...].allSatisfy { $0 == 0 })
    }
  }

  @Test("dithered as a file is, with the same noise")
  func dithered() throws {
    let tool = try tool.get()
    let samples = noise(channels: 2, frames: 30_000, bits: 16)
    let expected = try rendered(samples, .int16, [])
    let card = try card(samples, .integer16)
    let run = try tool.run(
      "live", Tool.bitcrusher, "--device", "duplex", "--period", "1000", "--seconds", "0.5",
      environment: card.environment)
    #expect(run.code == 0)
    let played = try card.played
    for channel in 0..<2 {
      let isEqual =
        played.samples[channel][3000..<26_520] == expected.samples[channel][..<23_520].map(Double.init)[...]
      #expect(isEqual)
    }
  }
}
