// SPDX-License-Identifier: Apache-2.0

import CALSA
import Testing
import VirtualCards

/// Cables, servers and machines: what a plain loop sees of them.
@Suite struct BadDayTests {
  private func position(_ samples: [Double]) -> Int { CardFormat.integer16.position(ofRamp: samples[0]) }

  @Test func `a cable that is pulled during a wait ends it, and both streams are gone`() throws {
    let card = try VirtualCard(CardSettings(.capture(at: 1500, .unplug(absences: nil))))
    let capture = try PCM(started: card, .capture)
    let playback = try PCM(started: card, .playback)
    _ = capture.waitUntilReady()
    _ = try capture.read(1024).get()
    #expect(capture.waitUntilReady() == Int32(POLLERR | POLLNVAL))
    #expect(playback.waitUntilReady() == Int32(POLLERR | POLLNVAL))
    for pcm in [capture, playback] {
      #expect(pcm.state == SND_PCM_STATE_DISCONNECTED)
      #expect(throws: PCM.Refusal(call: "prepare", code: -ENODEV)) { try pcm.prepare() }
      #expect(throws: PCM.Refusal(call: "drop", code: -ENODEV)) { try pcm.drop() }
    }
    #expect(capture.read(1024) == .failure(PCM.Refusal(call: "read", code: -ENODEV)))
    for _ in 0..<3 {
      #expect(throws: PCM.Refusal(call: "open", code: -ENODEV)) { try PCM(card.name, .capture) }
    }
    #expect(try card.log.contains(CardEvent("capture unplug 1500")!))
  }

  @Test func `a cable that is pulled between two waits is seen by the transfer`() throws {
    let card = try VirtualCard(CardSettings(.playback(at: 1500, .unplug(absences: nil))))
    let capture = try PCM(started: card, .capture)
    let playback = try PCM(started: card, .playback)
    playback.waitUntilStopped()
    #expect(capture.read(1024) == .failure(PCM.Refusal(call: "read", code: -ENODEV)))
  }

  @Test func `a pulled cable ends the wait for a stream that stands still`() throws {
    var settings = CardSettings(.capture(at: 0, .freeze), .playback(at: 1000, .unplug(absences: nil)))
    settings.pace = .real
    let card = try VirtualCard(settings)
    let capture = try PCM(started: card, .capture)
    let playback = try PCM(started: card, .playback)
    // Without the cable no wait would end, and this one after its ten seconds.
    #expect(capture.wait() == Int32(POLLERR | POLLNVAL))
    #expect(playback.state == SND_PCM_STATE_DISCONNECTED)
  }

  @Test func `a device that returns can be opened again, and its clock has gone on`() throws {
    let card = try VirtualCard(CardSettings(.capture(at: 1500, .unplug(absences: 2))))
    do {
      let capture = try PCM(started: card, .capture)
      capture.waitUntilStopped()
    }
    for _ in 0..<2 {
      #expect(throws: PCM.Refusal(call: "open", code: -ENODEV)) { try PCM(card.name, .capture) }
    }
    let capture = try PCM(started: card, .capture)
    #expect(capture.waitUntilReady() == Int32(POLLIN))
    #expect(try position(capture.read(1024).get()) == 1500)
  }

  @Test(arguments: [CardSettings.Pace.free, .real])
  func `a suspended card is resumed, and no frame is lost`(pace: CardSettings.Pace) throws {
    // As long after the first period as a busy machine may take to read it.
    var settings = CardSettings(.both(at: 16_000, .suspend(failures: 0)))
    settings.pace = pace
    let card = try VirtualCard(settings)
    let capture = try PCM(card.name, .capture)
    try capture.set(period: 8192, periods: 8)
    try capture.start()
    _ = capture.waitUntilReady()
    _ = try capture.read(8192).get()
    #expect(capture.waitUntilReady() == Int32(POLLIN | POLLERR))
    #expect(capture.state == SND_PCM_STATE_SUSPENDED)
    #expect(capture.read(8192) == .failure(PCM.Refusal(call: "read", code: -ESTRPIPE)))
    try capture.resume()
    #expect(capture.state == SND_PCM_STATE_RUNNING)
    #expect(capture.waitUntilReady() == Int32(POLLIN))
    let heard = try capture.read(8192).get()
    #expect(position(heard) == 8192)
    #expect(CardFormat.integer16.position(ofRamp: heard[heard.count - 2]) == 2 * 8192 - 1)
  }

  @Test func `a resume that fails leaves the stream suspended, though alsa-lib returns 0`() throws {
    let card = try VirtualCard(CardSettings(.capture(at: 1500, .suspend(failures: 2))))
    let capture = try PCM(started: card, .capture)
    capture.waitUntilStopped()
    var states: [snd_pcm_state_t] = []
    for _ in 0..<3 {
      try capture.resume()
      states.append(capture.state)
    }
    #expect(states == [SND_PCM_STATE_SUSPENDED, SND_PCM_STATE_SUSPENDED, SND_PCM_STATE_RUNNING])
  }

  @Test func `where no resume works a suspended stream is prepared and started`() throws {
    let card = try VirtualCard(CardSettings(.capture(at: 1500, .suspend(failures: nil))))
    let capture = try PCM(started: card, .capture)
    let playback = try PCM(started: card, .playback)
    capture.waitUntilStopped()
    for pcm in [capture, playback] {
      #expect(pcm.state == SND_PCM_STATE_SUSPENDED)
      try pcm.resume()
      #expect(pcm.state == SND_PCM_STATE_SUSPENDED)
      try pcm.prepare()
      try pcm.begin()
    }
    #expect(capture.waitUntilReady() == Int32(POLLIN))
    #expect(try position(capture.read(1024).get()) == 1500)
    #expect(try card.played.runs.first == 0..<1500)
  }

  @Test func `where a server was killed no wait ends and the pointer stands still`() throws {
    let card = try VirtualCard(CardSettings(.capture(at: 1500, .freeze)))
    let capture = try PCM(started: card, .capture)
    _ = capture.waitUntilReady()
    _ = try capture.read(1024).get()
    // This one ends as the fault comes, with nothing to do.
    #expect(capture.wait() == 0)
    #expect(capture.wait(milliseconds: 20) == nil)
    #expect(capture.available == 1500 - 1024)
    #expect(capture.state == SND_PCM_STATE_RUNNING)
  }

  @Test func `a capture side that never starts runs without a frame`() throws {
    let card = try VirtualCard(CardSettings(.capture(at: 0, .freeze)))
    let capture = try PCM(started: card, .capture)
    let playback = try PCM(started: card, .playback)
    #expect(capture.wait(milliseconds: 20) == nil)
    #expect(capture.available == 0)
    #expect(capture.state == SND_PCM_STATE_RUNNING)
    #expect(playback.waitUntilReady() == Int32(POLLOUT))
  }
}
