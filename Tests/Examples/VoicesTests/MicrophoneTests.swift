// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestEquipment
import Testing
import VirtualCards
import Voices

/// The program at a sound card without hardware.
@Suite struct MicrophoneTests {
  private let place: TemporaryFolder

  init() throws { place = try TemporaryFolder() }

  private func run(_ words: String...) -> (code: Int32, results: [String], messages: [String]) {
    final class Lines { var results: [String] = [], messages: [String] = [] }
    let lines = Lines()
    let command = VoicesCommand(
      environment: ["XDG_DATA_HOME": place.path], print: { lines.results.append($0) },
      say: { lines.messages.append($0) })
    return (command.run(words), lines.results, lines.messages)
  }

  /// A card that is spoken to at 48 kHz, and has no other rate.
  private func card(_ voice: SyntheticVoice?, _ script: ScriptedFault...) throws -> VirtualCard {
    var settings = CardSettings {
      $0.rates = 48_000
      $0.formats = [.float]
    }
    settings.script = script
    settings.source = .silence
    if let voice {
      let samples = voice.samples(seconds: 6, seed: 1)
      settings.source = .samples([samples.flatMap { [Double($0), Double($0), Double($0)] }])
    }
    return try VirtualCard(settings)
  }

  @Test func whoSpeaksIntoItIsRecordedAndKnown() throws {
    for (name, voice) in [("anna", SyntheticVoice.high), ("bert", .low)] {
      let card = try card(voice)
      let done = run("record", name, "--device", card.name, "--seconds", "4")
      #expect(done.code == 0, "\(done)")
      #expect(done.messages.first?.hasPrefix("4 s left") == true)
    }
    #expect(run("list").results.map { $0.contains("4.0 s") } == [true, true])
    #expect(run("train", "--epochs", "6", "--rate", "0.03").code == 0)
    let card = try card(.low)
    let done = run("identify", "--device", card.name, "--seconds", "4")
    #expect(done.code == 0, "\(done)")
    #expect(done.results.count >= 3, "\(done)")
    #expect(done.results.allSatisfy { $0.contains(" s: bert (") }, "\(done)")
    let silent = try self.card(nil)
    let dead = run("identify", "--device", silent.name, "--seconds", "2")
    #expect(dead.code == 1 && dead.results.isEmpty, "\(dead)")
    #expect(dead.messages.last?.contains("nobody was heard (-120.0 dBFS at most)") == true, "\(dead)")
    let brief = try self.card(.low)
    let short = run("identify", "--device", brief.name, "--seconds", "1")
    #expect(short.code == 1)
    #expect(short.messages.last?.contains("1.0 s are too short; a window has 1.6 s") == true, "\(short)")
  }

  @Test func whatGoesWrongThereLeavesNothing() throws {
    let silent = try card(nil)
    let quiet = run("record", "anna", "--device", silent.name, "--seconds", "2")
    #expect(quiet.code == 1)
    #expect(quiet.messages.last?.contains("the microphone: silence") == true, "\(quiet)")
    let lost = try card(.low, .capture(at: 30_000, .unplug(absences: nil)))
    let gone = run("record", "anna", "--device", lost.name, "--seconds", "2")
    #expect(gone.code == 3)
    #expect(gone.messages.last?.contains("the device is gone") == true, "\(gone)")
    #expect(!FileManager.default.fileExists(atPath: place("legato-voices")))
  }
}
