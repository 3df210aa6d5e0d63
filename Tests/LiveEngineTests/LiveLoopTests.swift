// SPDX-License-Identifier: Apache-2.0

import AudioIO
import Legato
import LiveEngine
import RealtimeCore
import RealtimeWatch
import Synchronization
import TestEquipment
import Testing
import VirtualCards

/// What the loop does between the calls of the device takes nothing from the heap, no lock, and never enters the kernel.
///
/// The device's calls do: what the loop does is what is left when the same stream runs without it.
@Suite(.enabled(if: Sanitizer.isAbsent)) struct LiveLoopTests {
  /// 40 periods, and those in which the device plays out.
  private static let frames = 40 * 1024
  private static let periods = 44

  private static let faults: [String: ScriptedFault] = [
    "xrun of capture": .capture(at: 9000, .xrun), "xrun of playback": .playback(at: 20_000, .xrun),
    "suspension": .both(at: 9000, .suspend(failures: 0)),
  ]

  private func stream(_ fault: String?) throws -> DeviceStream {
    let card = try VirtualCard(fault.flatMap { Self.faults[$0] }.map { CardSettings($0) } ?? CardSettings())
    var request = DeviceRequest(rate: 48000, channels: 2)
    request.period = 1024
    var capture = try DeviceHandle(opening: card.name, .capture)
    let captureSetup = try capture.setUp(request)
    var playback = try DeviceHandle(opening: card.name, .playback)
    let playbackSetup = try playback.setUp(request)
    return try DeviceStream(
      capture: capture, captureSetup, playback: playback, playbackSetup, dither: .none)
  }

  /// What the calls of the device do.
  private func deviceCounts(_ fault: String?) throws -> RealtimeCounts {
    var stream = try stream(fault)
    return RealtimeWatch.counts {
      var periods = 0
      while periods < Self.periods {
        switch stream.next() {
        case .period:
          periods += 1
          stream.finish()
        case .nothing: continue
        case .ended: return
        }
      }
    }
  }

  private func processor(_ live: LiveProgram) -> LiveProcessor { LiveProcessor(live) }

  @Test(
    .enabled(if: !RealtimeWatch.hasSanitizer, "the sanitizer would end the process at the device's calls"),
    arguments: [nil] + faults.keys.sorted().map { String?($0) })
  func addsNothingToTheDevice(fault: String?) throws {
    let program = try LiveModels.program(
      ["y": "x * gain + 0.5 * delay(y, 100)"],
      parameters: ["gain": "{ \"default\": 1, \"minimum\": 0, \"maximum\": 2 }"])
    let live = try LiveProgram(program, contexts: 2, inputs: [0, 1], outputs: [0, 1], block: 1024)
    let board = LiveBoard(inputs: 2, outputs: 2)
    var loop = LiveLoop(try stream(fault), processor(live), board: board, frames: Self.frames)
    // Turns the parameter meanwhile.
    let isOver = Atomic(false)
    let gain = live.parameters[0]
    let turner = try AudioThread(named: "turner") {
      var value: Float = 0
      while !isOver.load(ordering: .relaxed) {
        gain.set(value)
        value = value < 2 ? value + 0.01 : 0
      }
    }
    let counts = RealtimeWatch.counts { loop.run() }
    isOver.store(true, ordering: .relaxed)
    turner.join()
    #expect(loop.stream.end == nil && board.status.position == Self.frames)
    #expect(board.status.account.periods == Self.periods)
    let device = try deviceCounts(fault)
    #expect(counts.allocations == device.allocations && counts.frees == device.frees)
    #expect(counts.locks == device.locks && device.locks > 0)
    #expect(counts.systemCalls == device.systemCalls)
  }
}
