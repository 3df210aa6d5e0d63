// SPDX-License-Identifier: Apache-2.0

import AudioIO
import Glibc
import RealtimeCore
import TestEquipment
import Testing
import VirtualCards

@Suite("Devices: the loop over periods", .waits)
struct DeviceStreamTests {
  private static let accesses = [false, true].flatMap { isMapped in
    [false, true].map { DeviceAccess(isMapped: isMapped, isPlanar: $0) }
  }

  private func cardFormat(_ format: DeviceFormat) -> CardFormat {
    switch format {
    case .float: .float
    case .int32: .integer32
    case .int24Packed: .packed24
    case .int24: .integer24
    case .int16: .integer16
    }
  }

  /// The card's ramp, negated; the lowest integer has no opposite and is held.
  private func negated(_ format: CardFormat, _ positions: Range<Int>, channel: Int) -> [Double] {
    let highest = 1 - (format == .integer16 ? 0x1p-15 : 0x1p-23)
    return positions.map { position in
      let sample = -format.ramp(position, channel: channel)
      return format == .float ? sample : min(sample, highest)
    }
  }

  @Test(
    "every frame, once and in order, after the silence of the latency; each format and access",
    arguments: DeviceFormat.allCases, accesses)
  func bits(_ format: DeviceFormat, _ access: DeviceAccess) throws {
    let run = try LoopedCard(VirtualCard(), format: format, access: access, periods: 70)
    #expect(run.end == nil && run.latency == 3072)
    let account = run.account
    #expect(account.framesIn == 71680 && account.framesLost == 0 && account.framesDropped == 0)
    #expect(account.overruns + account.underruns + account.stalls + account.suspensions + account.faults == 0)
    #expect(account.periods == 70 && account.framesOut == 71680)
    let played = try run.card.played
    #expect(played.runs.count == 1 && played.samples.count == 2)
    for channel in 0..<2 {
      let count = played.samples[channel].count
      try #require(count >= 70 * 1024)
      let expected =
        [Double](repeating: 0, count: 3072)
        + negated(cardFormat(format), 0..<count - 3072, channel: channel)
      let isEqual = played.samples[channel] == expected
      #expect(isEqual)
    }
  }

  @Test("a wait that ends early changes nothing")
  func early() throws {
    let run = try LoopedCard(
      VirtualCard(
        CardSettings(.capture(at: 3000, .early(frames: 100)), .capture(at: 9000, .early(frames: 1)))),
      periods: 20)
    #expect(run.end == nil && run.account.framesIn == 20480 && run.account.overruns == 0)
    #expect(run.heard[0].map(Double.init) == (0..<20480).map { CardFormat.integer16.ramp($0, channel: 0) })
  }

  @Test(
    "an xrun: counted by direction, and the sound goes on",
    arguments: [CardStream.capture, .playback])
  func xrun(_ stream: CardStream) throws {
    let fault: ScriptedFault = stream == .capture ? .capture(at: 10000, .xrun) : .playback(at: 10000, .xrun)
    let run = try LoopedCard(VirtualCard(CardSettings(fault)), periods: 40)
    #expect(run.end == nil && run.account.periods == 40)
    #expect(run.account.overruns == (stream == .capture ? 1 : 0))
    #expect(run.account.underruns == (stream == .playback ? 1 : 0))
    // Two runs, the second as far behind its captured sound as the first.
    let log = try run.card.log
    #expect(log.filter { $0.action == "start" && $0.stream == .capture }.count == 2)
    let played = try run.card.played
    try #require(played.runs.count == 2)
    if stream == .capture {
      // Nine periods were handed over; what was not played of them went with the buffer.
      #expect(run.account.framesDropped == 9 * 1024 - (played.runs[0].count - 3072))
    }
    let second = played.runs[1]
    let silence = played.samples[0][second.lowerBound..<second.lowerBound + 3072]
    #expect(silence.allSatisfy { $0 == 0 })
    let sound = Array(played.samples[0][(second.lowerBound + 3072)..<second.upperBound])
    let format = CardFormat.integer16
    let first = format.position(ofRamp: -(try #require(sound.first)))
    #expect(first >= 9216 && sound == negated(format, first..<first + sound.count, channel: 0))
  }

  @Test("xruns without end: the stream gives up")
  func unstable() throws {
    var settings = CardSettings()
    (settings.pace, settings.script) = (.slept, (1...30).map { .capture(at: 4000 * $0, .xrun) })
    let card = try VirtualCard(settings)
    let run = try ScriptedClock.run { try LoopedCard(card, periods: 1000) }
    #expect(run.end == .unstable && run.account.overruns == 11)
  }

  @Test("xruns as soon as it begins, as of a server that has ended: nothing comes any more")
  func hopeless() throws {
    var settings = CardSettings()
    settings.script = (1...30).map { _ in .capture(at: 5000, .xrun) }
    let run = try LoopedCard(VirtualCard(settings), periods: 1000)
    #expect(run.end == .silent && run.account.overruns == 4 && run.account.periods < 6)
  }

  @Test(
    "a device that cannot be prepared again: tried a few times, and it goes on or ends", arguments: [1, 100])
  func refused(_ attempts: Int) throws {
    let run = try LoopedCard(
      VirtualCard(CardSettings(.capture(at: 10000, .refuse(attempts: attempts)))), periods: 40)
    #expect(run.end == (attempts == 1 ? nil : .failed(.capture, code: -EIO)))
    #expect(run.account.periods == (attempts == 1 ? 40 : 9) && run.account.overruns == 1)
  }

  @Test(
    "unplugged: the end, and nothing else is tried",
    arguments: [CardStream.capture, .playback])
  func unplug(_ stream: CardStream) throws {
    let fault: ScriptedFault =
      stream == .capture
      ? .capture(at: 9000, .unplug(absences: nil)) : .playback(at: 9000, .unplug(absences: nil))
    let run = try LoopedCard(VirtualCard(CardSettings(fault)), periods: 1000)
    let end = try #require(run.end)
    #expect([.lost(.capture), .lost(.playback)].contains(end))
    #expect(run.account.periods < 12)
    let log = try run.card.log
    let starts = log.filter { $0.action == "start" }.count
    #expect(starts == 2)
  }

  @Test("one of two cards is unplugged: the one that is gone is named", arguments: DeviceDirection.allCases)
  func unplugOne(_ direction: DeviceDirection) throws {
    let gone = CardSettings(.both(at: 9000, .unplug(absences: nil)))
    let capture = try VirtualCard(direction == .capture ? gone : CardSettings())
    let playback = try VirtualCard(direction == .playback ? gone : CardSettings())
    let run = try LoopedCard(capture, playing: playback, periods: 1000)
    #expect(run.end == .lost(direction) && run.account.periods < 12)
  }

  @Test("suspended: the sound goes on, whether or not the device can resume", arguments: [0, 3, nil])
  func suspend(_ failures: Int?) throws {
    let run = try LoopedCard(
      VirtualCard(CardSettings(.both(at: 9000, .suspend(failures: failures)))), periods: 40)
    #expect(run.end == nil && run.account.periods == 40)
    #expect(run.account.suspensions == 1)
    #expect(run.account.overruns + run.account.underruns + run.account.stalls == 0)
  }

  @Test(
    "a device that stands still, from the beginning or later: begun again three times, then the end",
    arguments: [
      ScriptedFault.capture(at: 0, .freeze), .capture(at: 9000, .freeze), .playback(at: 9000, .freeze),
      .both(at: 9000, .freeze),
    ])
  func freeze(_ fault: ScriptedFault) throws {
    let run = try LoopedCard(VirtualCard(CardSettings(fault)), periods: 1000)
    #expect(run.end == .silent)
    // Where one direction stands, the other one may fail first.
    #expect(run.account.stalls + run.account.overruns + run.account.underruns == 4)
    #expect(run.account.periods < 20)
  }

  @Test("stopped for half a second: what was lost is told to within a period")
  func stall() throws {
    var settings = CardSettings(.capture(at: 24000, .stall(milliseconds: 500)))
    settings.pace = .real
    let run = try LoopedCard(VirtualCard(settings), period: 4096, periods: 20)
    #expect(run.end == nil && run.account.periods == 20)
    #expect(run.account.framesLost > 0 && run.account.longestLoss <= run.account.framesLost)
    let position = try #require(
      try run.card.log.last { $0.stream == .capture && $0.action == "stop" }?.position)
    let told = run.account.framesIn + run.account.framesLost
    // Frames that the device had captured at the end, beside what came since the last period.
    let rest = position - told
    #expect((-4096..<2 * 4096).contains(rest), "\(run.account) at \(position)")
  }

  @Test(
    "a buffer that is no whole number of periods, on another card: taken in parts, in order",
    arguments: accesses)
  func parts(_ access: DeviceAccess) throws {
    var settings = CardSettings()
    settings.playback.bufferBytes = 20000
    let speaker = try VirtualCard(settings)
    let run = try LoopedCard(VirtualCard(), playing: speaker, access: access, periods: 60)
    #expect(run.end == nil && run.latency == 5000 - 1024)
    // Of the last period the rest may still be waiting.
    #expect((60416...61440).contains(run.account.framesOut))
    let played = try speaker.played
    try #require(played.runs.count == 1 && played.samples[1].count > 40000)
    for channel in 0..<2 {
      let sound = played.samples[channel].dropFirst(3976).prefix(40000)
      #expect(Array(sound) == negated(.integer16, 0..<sound.count, channel: channel))
    }
  }

  @Test("two clocks that drift: each is told, and every frame comes")
  func drift() throws {
    var fast = CardSettings()
    (fast.pace, fast.capture.drift) = (.slept, 20_000)
    var slow = CardSettings()
    (slow.pace, slow.playback.drift) = (.slept, -20_000)
    let (microphone, speaker) = (try VirtualCard(fast), try VirtualCard(slow))
    let run = try ScriptedClock.run {
      try LoopedCard(microphone, playing: speaker, period: 4096, periods: 28)
    }
    let capture = try #require(run.drifts[0])
    let playback = try #require(run.drifts[1])
    #expect((19_900...20_100).contains(capture), "\(capture)")
    #expect((-20_100 ... -19_900).contains(playback), "\(playback)")
    #expect(run.account.framesIn == 28 * 4096 && run.heard[1].count == run.account.framesIn)
  }
}
