// SPDX-License-Identifier: Apache-2.0

import CALSA
import Testing
import VirtualCards

/// Xruns, by the script and by the program's own fault, and what is lost by them.
@Suite struct XrunTests {
  /// The position of the first of some frames of the ramp.
  private func position(_ samples: [Double]) -> Int { CardFormat.integer16.position(ofRamp: samples[0]) }

  @Test func `an xrun of the script ends the stream at its position, and a start goes on after it`() throws {
    let card = try VirtualCard(CardSettings(.capture(at: 1500, .xrun)))
    let capture = try PCM(started: card, .capture)
    #expect(capture.waitUntilReady() == Int32(POLLIN))
    #expect(try position(capture.read(1024).get()) == 0)
    #expect(capture.waitUntilReady() == Int32(POLLIN | POLLERR))
    #expect(capture.state == SND_PCM_STATE_XRUN)
    #expect(capture.read(1024) == .failure(PCM.Refusal(call: "read", code: -EPIPE)))
    try capture.prepare()
    try capture.start()
    #expect(capture.waitUntilReady() == Int32(POLLIN))
    // The 476 frames that were not read are lost; no time has passed since.
    #expect(try position(capture.read(1024).get()) == 1500)
    #expect(
      try card.log.suffix(3)
        == ["capture xrun 1500", "capture prepare", "capture start 1500"].map { CardEvent($0) })
  }

  @Test func `who does not read in time has an overrun when the buffer is full`() throws {
    let card = try VirtualCard(CardSettings(.capture(at: 2000, .stall(milliseconds: 1000))))
    let capture = try PCM(started: card, .capture)
    _ = capture.waitUntilReady()
    _ = try capture.read(1024).get()
    #expect(capture.waitUntilReady() == Int32(POLLIN | POLLERR))
    #expect(capture.read(1024) == .failure(PCM.Refusal(call: "read", code: -EPIPE)))
    // 1024 were read, and 4096 fit the buffer.
    #expect(try card.log.last == CardEvent("capture overrun 5120"))
    try capture.prepare()
    try capture.start()
    _ = capture.waitUntilReady()
    // The world has gone on by a second.
    #expect(try position(capture.read(1024).get()) == 2000 + 48000)
  }

  @Test func `who does not write in time has an underrun when the buffer is empty`() throws {
    let card = try VirtualCard()
    let playback = try PCM(started: card, .playback)
    playback.waitUntilStopped()
    #expect(playback.state == SND_PCM_STATE_XRUN)
    let silence = [Double](repeating: 0, count: 2048)
    #expect(playback.write(silence) == .failure(PCM.Refusal(call: "write", code: -EPIPE)))
    #expect(try card.log.last == CardEvent("playback underrun 4096"))
  }

  @Test func `what is played after an underrun lies at its position, after silence`() throws {
    let card = try VirtualCard(CardSettings(.playback(at: 2000, .stall(milliseconds: 1000))))
    let playback = try PCM(ready: card, .playback)
    for value in [0.25, 0.5] {
      try playback.prepare()
      _ = try playback.write([Double](repeating: value, count: 4096 * 2)).get()
      try playback.start()
      #expect(playback.waitUntilStopped() == SND_PCM_STATE_XRUN)
    }
    let played = try card.played
    #expect(played.runs == [0..<4096, 50000..<54096])
    let runs = [(0.25, 4096), (0, 50000 - 4096), (0.5, 4096)]
    #expect(difference(played.samples[1], runs.flatMap { [Double](repeating: $0.0, count: $0.1) }) == nil)
  }

  @Test func `a fault of one stream is none of the other`() throws {
    let card = try VirtualCard(CardSettings(.playback(at: 1500, .xrun)))
    let capture = try PCM(started: card, .capture)
    let playback = try PCM(started: card, .playback)
    for period in 0..<4 {
      #expect(capture.waitUntilReady() == Int32(POLLIN))
      #expect(try position(capture.read(1024).get()) == 1024 * period)
    }
    #expect(capture.state == SND_PCM_STATE_RUNNING)
    #expect(playback.state == SND_PCM_STATE_XRUN)
    #expect(try card.played.runs == [0..<1500])
  }

  @Test func `an early wake leaves less than a period to be read, once`() throws {
    let card = try VirtualCard(CardSettings(.capture(at: 1024, .early(frames: 100))))
    let capture = try PCM(started: card, .capture)
    var counts: [Int] = []
    for _ in 0..<4 {
      #expect(capture.waitUntilReady() == Int32(POLLIN))
      counts.append(try capture.read(1024).get().count / 2)
    }
    #expect(counts == [1024, 100, 1024, 1024])
  }
}
