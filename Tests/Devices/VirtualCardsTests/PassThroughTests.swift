// SPDX-License-Identifier: Apache-2.0

import CALSA
import Testing
import VirtualCards

/// A loop without faults: every frame, once, in order, in each format and by each access.
@Suite struct PassThroughTests {
  private static let accesses = [
    SND_PCM_ACCESS_RW_INTERLEAVED, SND_PCM_ACCESS_RW_NONINTERLEAVED, SND_PCM_ACCESS_MMAP_INTERLEAVED,
    SND_PCM_ACCESS_MMAP_NONINTERLEAVED,
  ].map(\.rawValue)
  private static let formats: [CardFormat] = [.float, .integer32, .packed24, .integer24, .integer16]

  @Test(arguments: formats, accesses)
  func `what is captured and played is the ramp, after the silence that was prefilled`(
    format: CardFormat, access: UInt32
  ) throws {
    let card = try VirtualCard()
    let capture = try PCM(card.name, .capture)
    let playback = try PCM(card.name, .playback)
    for pcm in [capture, playback] {
      try pcm.set(format, channels: 2, period: 1024, access: snd_pcm_access_t(access))
    }
    try capture.begin()
    try playback.begin()
    for period in 0..<6 {
      #expect(capture.waitUntilReady() == Int32(POLLIN))
      let samples = try capture.read(1024).get()
      let ramp = (1024 * period..<1024 * (period + 1)).flatMap {
        [format.ramp($0, channel: 0), format.ramp($0, channel: 1)]
      }
      #expect(difference(samples, ramp) == nil, "period \(period)")
      #expect(try playback.write(samples).get() == 1024)
    }
    playback.waitUntilStopped()

    let played = try card.played
    for channel in 0..<2 {
      let expected =
        [Double](repeating: 0, count: 4096) + (0..<6144).map { format.ramp($0, channel: channel) }
      #expect(difference(played.samples[channel], expected) == nil, "channel \(channel)")
    }
    #expect(played.runs == [0..<10240])
    let events = try card.log.filter { $0.stream == .playback }
    #expect(events.last == CardEvent("playback underrun 10240"))
  }

  @Test func `what is drained is played to its end, and stops there`() throws {
    let card = try VirtualCard()
    let playback = try PCM(ready: card, .playback)
    let signal = (0..<3000).map { CardFormat.integer16.ramp($0, channel: 0) }
    #expect(try playback.write(signal.flatMap { [$0, -$0] }).get() == 3000)
    try playback.start()
    try playback.drain()
    #expect(playback.state == SND_PCM_STATE_SETUP)
    #expect(difference(try card.played.samples[0], signal) == nil)
    #expect(try card.log.suffix(2) == ["playback start 0", "playback stop 3000"].map { CardEvent($0) })
  }
}
