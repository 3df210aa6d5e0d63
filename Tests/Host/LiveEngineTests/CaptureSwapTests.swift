// SPDX-License-Identifier: Apache-2.0

import Foundation
import Legato
import LiveEngine
import LiveEquipment
import RealtimeCore
import TestEquipment
import Testing

/// One captured amplifier takes the place of another one while it plays: nothing jumps by more than one and a half times
/// the largest step that either of them makes of the same sound.
struct CaptureSwapTests {
  private static let folder = PackageFiles.folder.appending(
    path: "Tests/Compiler/CaptureFilesTests/reference")

  private static func file(_ name: String) -> URL {
    name == "crunch"
      ? PackageFiles.models.appending(path: "captures/crunch.nam") : folder.appending(path: "\(name).nam")
  }

  /// A capture; with a prime behind its name, another one of the same form, whose weights are others.
  private static func program(_ name: String) throws -> Program {
    guard name.last == "'" else { return try Model(contentsOf: file(name).path()).compile() }
    let data = try Data(contentsOf: file(String(name.dropLast())))
    var capture = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
    let weights = try #require(capture["weights"] as? [Double])
    var random = SplitMix(seed: 5)
    // The last one is how loud it comes out.
    capture["weights"] =
      weights.dropLast().map { $0 * Double(random.float(0.3, 1.3)) } + [weights[weights.count - 1]]
    let folder = try TemporaryFolder()
    let text = String(decoding: try JSONSerialization.data(withJSONObject: capture), as: UTF8.self)
    return try Model(contentsOf: folder.make("other.nam", text)).compile()
  }

  private static let sine = (0..<60_000).map { Float(0.5 * sin(2 * .pi * 220 / 48_000 * Double($0))) }

  /// Plucked strings, one after the other, each of some partials that die away, and breath between them.
  private static let plucked = {
    let noise = LiveModels.noise(60_000)
    return (0..<60_000).map { frame in
      let (note, time) = (frame / 9_000, Double(frame % 9_000) / 48_000)
      let hertz = 110 * pow(2, Double([0, 7, 3, 10, 5, 12, 2][note]) / 12)
      let attack = min(1, time * 500)
      let tone = (1...6).reduce(0.0) { sum, partial in
        let partial = Double(partial)
        return sum + exp(-time * 3 * partial) * sin(2 * .pi * hertz * partial * time) / partial
      }
      return Float(0.4 * attack * tone) + 0.002 * noise[frame]
    }
  }()

  @Test(arguments: [
    ["lstm", "lstm-stacked"], ["wavenet", "wavenet-gated"], ["lstm", "wavenet"], ["crunch", "wavenet"],
    ["crunch", "lstm"], ["lstm", "lstm'"], ["wavenet", "wavenet'"], ["crunch", "crunch'"],
    ["lstm-stacked", "lstm-stacked'"],
  ])
  func noStepIsHeard(names: [String]) throws {
    let programs = try names.map { try Self.program($0) }
    for (what, input) in [("a sine", Self.sine), ("strings", Self.plucked)] {
      let largest = try programs.map { try EditTests.largestStep(rendered($0, input)) }.max() ?? 0
      for (phase, blocks) in [(0, [64]), (37, [441]), (91, [1, 128, 1024])] {
        let playing = try Playing(programs[0], input, blocks: blocks)
        playing.play(to: 12_000 + phase)
        for program in [programs[1], programs[0], programs[1]] {
          try playing.post(program)
          playing.play(to: playing.position + 12_000 + phase)
          #expect(!playing.isSwapping && playing.mailbox.collect() != nil)
        }
        playing.play()
        let step = EditTests.largestStep(playing.output)
        #expect(
          step <= 1.5 * largest, "\(what): \(step / largest) times the largest step, with blocks of \(blocks)"
        )
      }
    }
  }
}
