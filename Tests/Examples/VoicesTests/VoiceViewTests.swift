// SPDX-License-Identifier: Apache-2.0

import TerminalDrawing
import Testing
import Voices

@Suite struct VoiceViewTests {
  private let tone = Speech((0..<1600).map { $0.isMultiple(of: 2) ? 0.1 : -0.1 })

  @Test func theOneWhoSpeaksStandsAboveTheBars() {
    let answer = Identifier.Answer(
      probabilities: [("anna", 0.25), ("bert", 0.75)], isNear: [false, true], windows: 3)
    let text = VoiceView.identification(answer, threshold: 0.6, level: tone, columns: 42, rows: 12).text
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines[0] == " bert")
    #expect(lines[2] == " " + String(repeating: "█", count: 27) + String(repeating: "·", count: 13))
    #expect(lines[4] == " bert  75 %")
    #expect(lines[5] == " " + String(repeating: "█", count: 30) + String(repeating: "·", count: 10))
    let unsure = VoiceView.identification(answer, threshold: 0.8, level: tone, columns: 42, rows: 12).text
    #expect(unsure.hasPrefix(" nobody I know"))
    let far = Identifier.Answer(
      probabilities: [("anna", 0), ("bert", 1)], isNear: [true, false], windows: 3)
    #expect(far.name(threshold: 0.6) == nil)
  }

  @Test func levelsAreRemarkedOn() {
    #expect(VoiceView.remark(tone) == nil)
    #expect(VoiceView.remark(Speech([0, 0, 0])) == "silence")
    #expect(VoiceView.remark(Speech([1, -1])) == "too loud: turn the level down")
    let text = VoiceView.recording(secondsLeft: 4, of: 10, level: tone, columns: 42, rows: 8).text
    #expect(text.hasPrefix(" Recording: 4 s left"))
    #expect(text.contains("-20.0 dBFS"))
  }

  @Test func recordingsAreCounted() {
    let text = VoiceView.embedding(done: 15, of: 60, columns: 42, rows: 8).text
    #expect(text.hasPrefix(" Listening to recordings: 15 of 60"))
    let bar = text.split(separator: "\n", omittingEmptySubsequences: false)[2]
    #expect(bar == " " + String(repeating: "█", count: 10) + String(repeating: "·", count: 30))
  }

  @Test func theLossFalls() {
    let text = VoiceView.training(epoch: 2, of: 3, losses: [2, 1, 0.5], columns: 50, rows: 10).text
    #expect(text.hasPrefix(" Training: epoch 2 of 3, loss 0.5000"))
  }
}
