// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestEquipment
import Testing
import VirtualCards

/// Which channels of a card `legato live` hears and plays.
@Suite("Command: live channels", .waits)
struct LiveChannelTests {
  private let tool = Result { try Tool() }

  /// A card of so many channels each way that captures another constant in each: 1/16, 2/16, …
  private func card(_ inputs: Int, _ outputs: Int) throws -> VirtualCard {
    var settings = CardSettings { $0.formats = [.float] }
    settings.capture.channels = [inputs]
    settings.playback.channels = [outputs]
    settings.source = .samples(
      (1...inputs).map { [Double](repeating: Double($0) / 16, count: 20_000) })
    return try VirtualCard(settings)
  }

  /// The level that each channel of the card plays, in sixteenths; 0 for silence.
  private func played(_ card: VirtualCard, _ model: String, _ options: [String] = []) throws -> [Double] {
    let tool = try tool.get()
    try tool.make("model.json", model)
    let run = try tool.run(
      ["live", "model.json", "--device", "duplex", "--period", "1024", "--seconds", "0.2"] + options,
      environment: card.environment)
    try #require(run.code == 0, "\(run.messages)")
    return try card.played.samples.map { samples in
      let sound = samples[4000..<8000]
      try #require(sound.allSatisfy { $0 == sound.first })
      return (sound.first ?? 0) * 16
    }
  }

  @Test("a model of any number of channels: two, or those that are chosen, in their order")
  func symbolic() throws {
    #expect(try played(card(4, 4), TestModels.double) == [2, 4, 0, 0])
    #expect(try played(card(4, 4), TestModels.double, ["--inputs", "3,1"]) == [6, 2, 0, 0])
    #expect(
      try played(card(4, 4), TestModels.double, ["--inputs", "4,3,2", "--outputs", "4,1,2"]) == [6, 4, 0, 8])
  }

  @Test("a model for one channel: once for each, or for the chosen one, which both of two play")
  func mono() throws {
    #expect(try played(card(2, 2), TestModels.mono) == [2, 4])
    #expect(try played(card(4, 4), TestModels.mono, ["--inputs", "2"]) == [4, 4, 0, 0])
    #expect(try played(card(4, 4), TestModels.mono, ["--inputs", "2", "--outputs", "3"]) == [0, 0, 4, 0])
    #expect(try played(card(4, 4), TestModels.mono, ["--inputs", "2", "--outputs", "2,4"]) == [0, 4, 0, 4])
    #expect(try played(card(1, 2), TestModels.double) == [2, 2])
    #expect(try played(card(2, 1), TestModels.mono, ["--inputs", "2"]) == [4])
  }

  @Test("a single channel goes to both of a model for two")
  func monoToBoth() throws {
    #expect(try played(card(1, 2), TestModels.stereo) == [2, 2])
    let tool = try tool.get()
    try Sound(samples: [[Float](repeating: 0.25, count: 20_000)]).write(tool.path("mono.wav"))
    #expect(try played(card(1, 2), TestModels.stereo, ["--input", "mono.wav"]) == [8, 8])
  }

  @Test("one channel that becomes two, and a model that hears nothing")
  func others() throws {
    #expect(try played(card(4, 4), TestModels.wide) == [1, -1, 0, 0])
    #expect(try played(card(4, 2), TestModels.noInput) == [16, 16])
  }

  @Test("channels that do not fit: what does, and exit code 2")
  func misfits() throws {
    let tool = try tool.get()
    try tool.make("stereo.json", TestModels.stereo)
    let card = try card(4, 4)
    let three = try tool.run(
      "live", "stereo.json", "--device", "duplex", "--inputs", "1,2,3", environment: card.environment)
    #expect(three.code == 2)
    #expect(
      three.lines == [
        "live: 'Test' takes 2 channels (stereo.json:1:44), --inputs names 3; choose them with --inputs, such as "
          + "--inputs 1,2"
      ])
    let outputs = try tool.run(
      "live", "stereo.json", "--device", "duplex", "--outputs", "1", environment: card.environment)
    #expect(outputs.code == 2)
    #expect(outputs.lines == ["live: --outputs names 1 channel, and the model makes 2; name as many"])
  }
}
