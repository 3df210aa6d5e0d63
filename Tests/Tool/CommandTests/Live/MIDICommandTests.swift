// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestEquipment
import Testing

@Suite("Command: live with MIDI", .waits)
struct MIDICommandTests {
  @Test("on a system without a sequencer MIDI is refused in one line, and options without --midi as well")
  func command() throws {
    let tool = try Tool()
    for option in [["--map", "21=dryWet"], ["--pickup"], ["--midi-from", "20:0"]] {
      let run = try tool.run(["live", Tool.bitcrusher] + option)
      #expect(run.code == 2)
      #expect(run.lines == ["live: \(option[0]) is of use with --midi only"])
    }
    #expect(try tool.run("live", Tool.bitcrusher, "--midi", "--map", "21=drWet").code == 2)
    guard !FileManager.default.fileExists(atPath: "/dev/snd/seq") else { return }
    let run = try tool.run("live", Tool.bitcrusher, "--midi", "--device", "null")
    #expect(run.code == 3)
    #expect(
      run.lines == [
        "midi: this system has no sequencer for MIDI (/dev/snd/seq); modprobe snd-seq loads it"
      ])
  }
}
