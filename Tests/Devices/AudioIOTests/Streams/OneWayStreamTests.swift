// SPDX-License-Identifier: Apache-2.0

import AudioIO
import RealtimeCore
import TestEquipment
import Testing
import VirtualCards

@Suite("Devices: the loop over periods, one way only", .waits)
struct OneWayStreamTests {
  private static let accesses = [false, true].flatMap { isMapped in
    [false, true].map { DeviceAccess(isMapped: isMapped, isPlanar: $0) }
  }

  private func ramp(_ positions: Range<Int>, channel: Int = 0) -> [Double] {
    positions.map { CardFormat.integer16.ramp($0, channel: channel) }
  }

  @Test("capture alone: every frame, once and in order", arguments: accesses)
  func capture(_ access: DeviceAccess) throws {
    let run = try OneWayCard(VirtualCard(), .capture, access: access, periods: 70)
    #expect(run.end == nil && run.latency == 0 && run.account.periods == 70)
    #expect(run.account.framesIn == 71680 && run.account.framesOut == 0 && run.account.framesLost == 0)
    #expect(run.account.overruns + run.account.stalls + run.account.faults + run.account.framesDropped == 0)
    let isEqual = run.heard.map(Double.init) == ramp(0..<71680)
    #expect(isEqual)
  }

  @Test("playback alone: silence, then every frame, once and in order", arguments: accesses)
  func playback(_ access: DeviceAccess) throws {
    let card = try VirtualCard()
    let run = try OneWayCard(card, .playback, access: access, periods: 70)
    #expect(run.end == nil && run.latency == 3072 && run.account.periods == 70)
    #expect(run.account.framesIn == 0 && run.account.framesOut == 71680 && run.account.framesLost == 0)
    #expect(run.account.underruns + run.account.stalls + run.account.faults + run.account.framesDropped == 0)
    #expect(run.account.leastFill == 3072)
    let played = try card.played
    try #require(played.runs.count == 1 && played.samples.count == 2)
    for channel in 0..<2 {
      let sound = played.samples[channel]
      try #require(sound.count >= 69 * 1024 && sound.prefix(3072).allSatisfy { $0 == 0 })
      let isEqual = sound.dropFirst(3072).elementsEqual(ramp(0..<sound.count - 3072, channel: channel))
      #expect(isEqual)
    }
  }

  @Test("an xrun: counted, and the sound goes on", arguments: DeviceDirection.allCases)
  func xrun(_ direction: DeviceDirection) throws {
    let card = try VirtualCard(CardSettings(.both(at: 10000, .xrun)))
    let run = try OneWayCard(card, direction, periods: 40)
    #expect(run.end == nil && run.account.periods == 40)
    #expect(run.account.overruns == (direction == .capture ? 1 : 0))
    #expect(run.account.underruns == (direction == .playback ? 1 : 0))
    guard direction == .playback else { return }
    let played = try card.played
    try #require(played.runs.count == 2)
    let second = Array(played.samples[0][played.runs[1]])
    // The second run begins with silence and goes on with a whole period.
    #expect(second.prefix(3072).allSatisfy { $0 == 0 })
    let first = CardFormat.integer16.position(ofRamp: second[3072])
    let isEqual = second.dropFirst(3072).elementsEqual(ramp(first..<first + second.count - 3072))
    #expect(first % 1024 == 0 && isEqual)
  }

  @Test("unplugged: the end, and which way", arguments: DeviceDirection.allCases)
  func unplug(_ direction: DeviceDirection) throws {
    let card = try VirtualCard(CardSettings(.both(at: 9000, .unplug(absences: nil))))
    let run = try OneWayCard(card, direction, periods: 1000)
    #expect(run.end == .lost(direction) && run.account.periods < 12)
    #expect(try card.log.filter { $0.action == "start" }.count == 1)
  }

  @Test(
    "a device that stands still, from the beginning or later: begun again three times, then the end",
    arguments: DeviceDirection.allCases, [0, 9000])
  func freeze(_ direction: DeviceDirection, _ position: Int) throws {
    let card = try VirtualCard(CardSettings(.both(at: position, .freeze)))
    let run = try OneWayCard(card, direction, periods: 1000)
    #expect(run.end == .silent && run.account.stalls == 4 && run.account.periods < 20)
  }

  @Test("suspended: the sound goes on", arguments: DeviceDirection.allCases)
  func suspend(_ direction: DeviceDirection) throws {
    let card = try VirtualCard(CardSettings(.both(at: 9000, .suspend(failures: nil))))
    let run = try OneWayCard(card, direction, periods: 40)
    #expect(run.end == nil && run.account.periods == 40 && run.account.suspensions == 1)
    #expect(run.account.overruns + run.account.underruns + run.account.stalls == 0)
  }

  @Test("a clock that drifts is told, the missing one is not", arguments: DeviceDirection.allCases)
  func drift(_ direction: DeviceDirection) throws {
    var settings = CardSettings()
    settings.pace = .real
    (settings.capture.drift, settings.playback.drift) = (20_000, 20_000)
    func run() throws -> OneWayCard {
      try OneWayCard(VirtualCard(settings), direction, period: 4096, periods: 28)
    }
    var last = try run()
    // Where the machine kept the card waiting, the clock began anew.
    for _ in 0..<4 where last.account.overruns + last.account.underruns > 0 { last = try run() }
    let (own, other) = direction == .capture ? (0, 1) : (1, 0)
    // The drift that a busy machine leaves.
    let drift = try #require(last.drifts[own])
    #expect((10_000...30_000).contains(drift), "\(drift)")
    #expect(last.drifts[other] == nil)
  }
}
