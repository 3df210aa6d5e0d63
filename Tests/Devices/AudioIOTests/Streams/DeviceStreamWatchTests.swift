// SPDX-License-Identifier: Apache-2.0

import AudioIO
import Foundation
import RealtimeCore
import RealtimeWatch
import Testing
import VirtualCards

/// Beside the calls of the device, the loop over periods takes nothing from the heap, no lock, and enters the kernel
/// only to wait for the device.
@Suite(
  "Devices: the loop over periods is fit for an audio thread", .enabled(if: Sanitizer.isAbsent),
  .enabled(if: !RealtimeWatch.hasSanitizer, "the sanitizer would end the process where the loop waits"))
struct DeviceStreamWatchTests {
  private static let accesses = [false, true].flatMap { isMapped in
    [false, true].map { DeviceAccess(isMapped: isMapped, isPlanar: $0) }
  }

  private static let faults: [String: [ScriptedFault]] = [
    "none": [], "early": [.capture(at: 3000, .early(frames: 100))],
    "overrun": [.capture(at: 9000, .xrun)], "underrun": [.playback(at: 9000, .xrun)],
    "suspension": [.both(at: 9000, .suspend(failures: 3))],
    "unplug": [.both(at: 20_000, .unplug(absences: nil))],
    "freeze": [.capture(at: 9000, .freeze)],
  ]

  private struct Watched {
    var own: RealtimeCounts
    var deviceCalls: Int
    var account: StreamAccount
    var end: StreamEnd?
  }

  /// Runs the loop, with a ring that records and one that feeds; in between it does what is asked for.
  private func run(
    _ fault: String, _ format: DeviceFormat, _ access: DeviceAccess, also misdeed: () -> Void = {}
  ) throws -> Watched {
    var settings = CardSettings()
    settings.script = Self.faults[fault] ?? []
    let card = try VirtualCard(settings)
    var request = DeviceRequest(rate: 48000, channels: 2)
    (request.format, request.period) = (format, 1024)
    (request.isMapped, request.isPlanar) = (access.isMapped, access.isPlanar)
    var capture = try DeviceHandle(opening: card.name, .capture)
    let captureSetup = try capture.setUp(request)
    var playback = try DeviceHandle(opening: card.name, .playback)
    let playbackSetup = try playback.setUp(request)
    var stream = try DeviceStream(
      capture: capture, captureSetup, playback: playback, playbackSetup,
      dither: .triangular(seed: 1))
    let ring = try SampleRing(channels: 2, capacity: 2000)
    let (writer, reader) = (ring.writer, ring.reader)
    let (own, deviceCalls) = RealtimeWatch.countsApartFromDevices {
      var periods = 0
      while periods < 40 {
        switch stream.next() {
        case .period:
          periods += 1
          unsafe writer.write(stream.inputRows, from: 0, frames: stream.period)
          unsafe reader.fill(stream.outputRows, frames: stream.period)
          if periods == 20 { misdeed() }
          stream.finish()
        case .nothing: continue
        case .ended: return
        }
      }
    }
    return Watched(own: own, deviceCalls: deviceCalls, account: stream.account, end: stream.end)
  }

  private func expectNoOffence(_ watched: Watched, _ what: String) {
    #expect(watched.own.offences == [], "\(what)")
    #expect(watched.deviceCalls > 40, "\(what)")
  }

  @Test("in play, each format and access", arguments: DeviceFormat.allCases, accesses)
  func play(_ format: DeviceFormat, _ access: DeviceAccess) throws {
    let watched = try run("none", format, access)
    #expect(watched.end == nil && watched.account.periods == 40)
    expectNoOffence(watched, "\(format.name) \(access.name)")
  }

  @Test(
    "while it overcomes what befalls the device, and where that is the end", arguments: faults.keys.sorted())
  func overcome(_ fault: String) throws {
    for access in Self.accesses {
      let watched = try run(fault, .int16, access)
      expectNoOffence(watched, "\(fault) \(access.name)")
      let account = watched.account
      switch fault {
      case "overrun": #expect(account.overruns == 1)
      case "underrun": #expect(account.underruns == 1)
      case "suspension": #expect(account.suspensions == 1)
      case "unplug": #expect(watched.end != nil)
      case "freeze": #expect(watched.end == .silent)
      case _: #expect(account.periods == 40)
      }
    }
  }

  @Test("what is done beside the device's calls is seen")
  func misdeeds() throws {
    let access = DeviceAccess(isMapped: false, isPlanar: false)
    var kept: [[Int]] = []
    let grown = try run("none", .int16, access) { kept.append([1, 2, 3]) }
    #expect(grown.own.allocations > 0 && kept.count == 1)
    let lock = NSLock()
    let locked = try run("none", .int16, access) {
      lock.lock()
      lock.unlock()
    }
    #expect(locked.own.locks == 1)
    guard RealtimeWatch.seesSystemCalls else { return }
    let called = try run("none", .int16, access) { _ = getppid() }
    #expect(called.own.systemCalls == 1)
  }
}
