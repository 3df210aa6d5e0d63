// SPDX-License-Identifier: Apache-2.0

import CALSA
import Testing
import VirtualCards

/// Messages of a card that is asked for what it cannot do.
@Suite struct RefusalTests {
  private let modest = CardSettings {
    $0.rates = [44100, 48000]
    $0.formats = [.integer16, .packed24]
    $0.channels = 2
    $0.access = [.interleaved, .mappedInterleaved]
    $0.periodBytes = .range(1024...8192)
    $0.periods = .range(2...4)
  }

  @Test func `a device that is busy can be opened later`() throws {
    var settings = CardSettings()
    settings.playback.busy = 2
    let card = try VirtualCard(settings)
    for _ in 0..<2 {
      #expect(throws: PCM.Refusal(call: "open", code: -EBUSY)) { try PCM(card.name, .playback) }
    }
    _ = try PCM(card.name, .playback)
    _ = try PCM(card.name, .capture)
  }

  @Test func `a stream can be opened once at a time`() throws {
    let card = try VirtualCard()
    let first = try PCM(card.name, .capture)
    #expect(throws: PCM.Refusal(call: "open", code: -EBUSY)) { try PCM(card.name, .capture) }
    withExtendedLifetime(first) {}
    #expect(try card.log.map(\.details) == ["works", "Device or resource busy"])
  }

  @Test func `there is no device but virtual cards`() throws {
    _ = try VirtualCard()
    muted {
      #expect(throws: PCM.Refusal(call: "open", code: -ENOENT)) { try PCM("default", .playback) }
      #expect(throws: PCM.Refusal(call: "open", code: -ENOENT)) { try PCM("legato:/nowhere", .playback) }
    }
  }

  @Test func `a rate, a format, channels, an access and periods that it has not`() throws {
    let card = try VirtualCard(modest)
    let pcm = try PCM(card.name, .capture)
    #expect(throws: PCM.Refusal(call: "rate", code: -EINVAL)) { try pcm.set(rate: 96000) }
    #expect(throws: PCM.Refusal(call: "format", code: -EINVAL)) { try pcm.set(.float) }
    #expect(throws: PCM.Refusal(call: "channels", code: -EINVAL)) { try pcm.set(channels: 1) }
    #expect(throws: PCM.Refusal(call: "access", code: -EINVAL)) {
      try pcm.set(access: SND_PCM_ACCESS_RW_NONINTERLEAVED)
    }
    #expect(throws: PCM.Refusal(call: "period", code: -EINVAL)) { try pcm.set(period: 4096) }
    #expect(throws: PCM.Refusal(call: "buffer", code: -EINVAL)) { try pcm.set(period: 256, periods: 8) }
    try pcm.set(.packed24, rate: 44100, period: 1024, periods: 2)
    let agreed = CardEvent("capture set S24_3LE 2 channels 44100 Hz period 1024 buffer 2048 RW_INTERLEAVED")
    #expect(try card.log.last { $0.action == "set" } == agreed)
  }

  @Test func `alsa-lib converts in front of it where it is asked to`() throws {
    let card = try VirtualCard(modest)
    let pcm = try PCM("plug:'\(card.name)'", .capture)
    try pcm.set(.float, channels: 1)
    try pcm.start()
    #expect(pcm.waitUntilReady() == Int32(POLLIN))
    let heard = try pcm.read(1024).get()
    #expect(heard.count == 1024)
    // Of the two formats it takes the wider.
    #expect(heard[1] - heard[0] == 1.0 / 0x80_0000)
  }

  @Test func `its streams cannot be linked`() throws {
    let card = try VirtualCard()
    let capture = try PCM(ready: card, .capture)
    let playback = try PCM(ready: card, .playback)
    #expect(throws: PCM.Refusal(call: "link", code: -ENOSYS)) { try muted { try capture.link(playback) } }
  }
}
