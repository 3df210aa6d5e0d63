// SPDX-License-Identifier: Apache-2.0

import CALSA
import Testing
import VirtualCards

/// Time, and what two clocks make of it.
@Suite struct ClockTests {
  @Test func `two clocks that drift are off by what was asked for`() throws {
    var settings = CardSettings()
    settings.capture.drift = 150
    settings.playback.drift = -50
    let card = try VirtualCard(settings)
    let capture = try PCM(started: card, .capture)
    let playback = try PCM(started: card, .playback)
    var written = 4096
    for _ in 0..<1000 {
      _ = capture.waitUntilReady()
      _ = try capture.read(1024).get()
      let room = playback.available / 1024 * 1024
      written += try playback.write([Double](repeating: 0, count: room * 2)).get()
    }
    let seconds = 1000 * 1024 / (48000 * (1 + 150e-6))
    let played = written - (4096 - playback.available)
    #expect(played == Int((seconds * 48000 * (1 - 50e-6)).rounded(.down)))
    // Full frames of 200 ppm in 21 seconds.
    #expect(1000 * 1024 - played == 205)
  }

  @Test func `on the computer's clock, every frame is there or an overrun is told`() throws {
    var settings = CardSettings()
    settings.pace = .real
    let card = try VirtualCard(settings)
    let capture = try PCM(started: card, .capture)
    var next = 0
    var overruns = 0
    for _ in 0..<12 {
      _ = capture.waitUntilReady()
      switch capture.read(1024) {
      case .success(let samples):
        for frame in stride(from: 0, to: samples.count, by: 2) {
          #expect(CardFormat.integer16.position(ofRamp: samples[frame]) == next & 0xffff)
          next += 1
        }
      case .failure(let refusal):
        if refusal.code == -EAGAIN { continue }
        #expect(refusal.code == -EPIPE)
        overruns += 1
        try capture.prepare()
        try capture.start()
        next = try #require(try card.log.last?.position)
      }
    }
    #expect(next > 0)
    #expect(try card.log.count { $0.action == "overrun" } == overruns)
  }

  @Test func `a stop on the computer's clock loses at least as many frames as it lasts`() throws {
    var settings = CardSettings(.capture(at: 2000, .stall(milliseconds: 200)))
    settings.pace = .real
    let card = try VirtualCard(settings)
    let capture = try PCM(started: card, .capture)
    #expect(capture.waitUntilStopped() == SND_PCM_STATE_XRUN)
    try capture.prepare()
    try capture.start()
    let events = try card.log.suffix(3)
    #expect(events.first == CardEvent("capture overrun 4096"))
    #expect(try #require(events.last?.position) >= 2000 + 9600)
  }

  @Test func `a wait takes as long as the computer's clock says`() throws {
    var settings = CardSettings()
    settings.pace = .real
    let card = try VirtualCard(settings)
    let capture = try PCM(started: card, .capture)
    let start = ContinuousClock.now
    _ = capture.waitUntilReady()
    // 1024 frames at 48 kHz; a machine may take longer, but never less.
    #expect(start.duration(to: .now) >= .milliseconds(21))
  }
}
