// SPDX-License-Identifier: Apache-2.0

import AudioIO
import RealtimeCore
import Testing
import VirtualCards

/// However a device dies: the loop looks at it again within two periods and 100 ms, on a clock that is exact.
@Suite("Devices: how long one is waited for")
struct DevicePatienceTests {
  private static let rate = 48_000
  /// Milliseconds in which two periods and 100 ms are over, and the one by which a wait is rounded up.
  private func limit(_ period: Int) -> Int { 2 * period * 1000 / Self.rate + 100 + 1 }

  private func card(_ fault: ScriptedFault) throws -> VirtualCard {
    var settings = CardSettings(fault)
    settings.pace = .slept
    return try VirtualCard(settings)
  }

  @Test("no wait is longer, of a device that stands still", arguments: [64, 1024, 8192])
  func waits(_ period: Int) throws {
    let card = try card(.both(at: 3 * period, .freeze))
    let run = try ScriptedClock.run { try LoopedCard(card, period: period, periods: 1000) }
    #expect(run.end == .silent && run.account.stalls == 4)
    #expect((limit(period) - 2...limit(period)).contains(ScriptedClock.longestWait))
  }

  @Test(
    "noticed four times that after frames moved last, as it is begun again three times",
    arguments: [64, 1024, 8192])
  func notices(_ period: Int) throws {
    let card = try card(.both(at: 3 * period, .freeze))
    let run = try ScriptedClock.run { try LoopedCard(card, period: period, periods: 1000) }
    // Each time a few looks more, a millisecond apart, for one who was held up himself.
    let after = Double(try #require(run.ending).noticedAfter) * 1e-6
    #expect((4 * Double(limit(period) - 2)...4 * Double(limit(period) + 8)).contains(after), "\(after) ms")
  }

  /// Unplugged while another one had begun it; the scripted clock is far from 0 then.
  @Test("gone before it was ever begun: there is no time to tell")
  func neverBegun() throws {
    let card = try card(.capture(at: 0, .unplug(absences: nil)))
    var request = DeviceRequest(rate: Self.rate, channels: 2)
    (request.format, request.period) = (.int16, 1024)
    var capture = try DeviceHandle(opening: card.name, .capture)
    var playback = try DeviceHandle(opening: card.name, .playback)
    let setups = (try capture.setUp(request), try playback.setUp(request))
    var other = try DeviceStream(capture: capture, setups.0, outputs: 0)
    var stream = try DeviceStream(playback: playback, setups.1, inputs: 1, dither: .none)
    ScriptedClock.run {
      _ = other.next()
      _ = stream.next()
    }
    #expect(other.end == .lost(.capture) && stream.end == .lost(.playback))
    #expect(stream.ending?.noticedAfter == 0)
  }

  @Test("unplugged, it is noticed at once", arguments: DeviceDirection.allCases)
  func unplugged(_ direction: DeviceDirection) throws {
    let gone = try card(.both(at: 9000, .unplug(absences: nil)))
    let other = try card(.both(at: 1_000_000, .unplug(absences: nil)))
    let (capture, playback) = direction == .capture ? (gone, other) : (other, gone)
    let run = try ScriptedClock.run { try LoopedCard(capture, playing: playback, periods: 1000) }
    #expect(run.end == .lost(direction))
    // Frames move with each period of 21.3 ms.
    let after = Double(try #require(run.ending).noticedAfter) * 1e-6
    #expect(after <= 22, "\(after) ms")
  }
}
