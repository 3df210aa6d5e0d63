// SPDX-License-Identifier: Apache-2.0

import CALSA
import Testing
import VirtualCards

/// The text that describes a card.
@Suite struct SettingsTests {
  @Test(arguments: [
    ("ratess 48000", "there is no setting 'ratess'"),
    ("rates", "rates: the values are missing"),
    ("rates 5..3", "rates: '5..3' is no range"),
    ("rates 44100 fast", "rates: what is 'fast'?"),
    ("channels 0", "channels: what is '0'?"),
    ("channels 1..2 4", "channels: '4' is too much"),
    ("formats S17_LE", "formats: what is 'S17_LE'?"),
    ("access sideways", "access: what is 'sideways'?"),
    ("capture", "something has to follow the stream"),
    ("pace fast", "pace: real, free or slept, not 'fast'"),
    ("capture pace free", "pace: both streams have one"),
    ("source", "source: ramp, silence or file PATH, not ''"),
    ("source file", "source: the file's path is missing"),
    ("drift 1x", "drift is a number from -500000 to 500000, not '1x'"),
    ("busy -1", "busy is a number from 0 to 1000000, not '-1'"),
    ("at soon xrun", "a position is a number from 0 to 1099511627776, not 'soon'"),
    ("at 5 earthquake", "there is no fault 'earthquake'"),
    ("at 5 early", "early is a number from 1 to 1000000, not ''"),
    ("at 5 refuse", "refuse is a number from 1 to 1000000, not ''"),
    ("at 5 unplug perhaps", "unplug: a number of attempts or 'forever', not 'perhaps'"),
    ("at 5 xrun 3", "'3' is too much"),
  ])
  func `a mistake is said with its line when the card is opened`(line: String, message: String) throws {
    let card = try VirtualCard()
    try card.describe("# A card.\n\n\(line)\n")
    let messages = muted {
      #expect(throws: PCM.Refusal(call: "open", code: -EINVAL)) { try PCM(card.name, .capture) }
    }
    #expect(messages.count == 1)
    #expect(messages.first?.hasSuffix("card:3: \(message)") == true, "\(messages)")
  }

  @Test func `a script has an end`() throws {
    let card = try VirtualCard()
    try card.describe(String(repeating: "at 1 xrun\n", count: 65))
    let messages = muted { #expect(throws: PCM.Refusal.self) { try PCM(card.name, .capture) } }
    #expect(messages.first?.hasSuffix("card:65: a script has at most 64 faults") == true, "\(messages)")
  }

  @Test func `what was given goes on where the clock is`() throws {
    var settings = CardSettings(.capture(at: 1500, .xrun)) { $0.formats = [.float] }
    settings.source = .samples([(0..<3000).map { Double($0) / 4096 }])
    let card = try VirtualCard(settings)
    let capture = try PCM(card.name, .capture)
    try capture.set(.float, channels: 1)
    try capture.start()
    #expect(capture.waitUntilStopped() == SND_PCM_STATE_XRUN)
    try capture.prepare()
    try capture.start()
    _ = capture.waitUntilReady()
    #expect(try capture.read(2).get() == [1500.0 / 4096, 1501.0 / 4096])
  }

  @Test func `what is captured can be given, and silence follows it`() throws {
    var settings = CardSettings { $0.formats = [.float] }
    let signal = [[0.5, -0.25, 1], [0, 0.125, -1]]
    settings.source = .samples(signal)
    let card = try VirtualCard(settings)
    let capture = try PCM(card.name, .capture)
    try capture.set(.float)
    try capture.start()
    _ = capture.waitUntilReady()
    let heard = try capture.read(5).get()
    #expect(heard == [0.5, 0, -0.25, 0.125, 1, -1, 0, 0, 0, 0])
  }
}
