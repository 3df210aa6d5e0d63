// SPDX-License-Identifier: Apache-2.0

import AudioIO
import TestEquipment
import Testing

@Suite("Devices: clocks")
struct DeviceClockTests {
  /// Looks once a period of 256 frames at a clock that is fast by so many parts per million; positions are noisy.
  private func run(
    _ clock: inout DeviceClock, drift: Double, from start: Double = 0, seconds: Double, behind: Int = 0,
    seed: UInt64 = 1
  ) -> Int {
    var random = SplitMix(seed: seed)
    var lost = 0
    var time = start
    while time < start + seconds {
      time += 256.0 / 48000
      // The clock is looked at up to 3 ms after the device.
      let late = random.chance(0.1) ? 0.003 * random.unit() : 0.0001 * random.unit()
      let position = Int((time - late) * 48000 * (1 + drift * 1e-6)) - behind
      lost += clock.look(position: position, at: Int64(time * 1e9))
    }
    return lost
  }

  @Test("the drift of a clock, though looks at it come late", arguments: [-5000.0, -100, 0, 37, 100, 5000])
  func drift(_ drift: Double) throws {
    var clock = DeviceClock(rate: 48000, period: 256)
    clock.start(at: 0)
    #expect(clock.drift == nil)
    #expect(run(&clock, drift: drift, seconds: 60) == 0)
    #expect(abs(try #require(clock.drift) - drift) < 3)
    clock.start(at: 0)
    #expect(clock.drift == nil)
  }

  @Test(
    "frames that vanish are told to within a period, once, and the drift survives", arguments: [2400, 24000])
  func vanished(_ frames: Int) throws {
    var clock = DeviceClock(rate: 48000, period: 256)
    clock.start(at: 0)
    #expect(run(&clock, drift: 50, seconds: 30) == 0)
    let lost = run(&clock, drift: 50, from: 30, seconds: 60, behind: frames)
    #expect(abs(lost - frames) < 256)
    #expect(abs(try #require(clock.drift) - 50) < 5)
  }

  @Test("one look or two that lie low are no loss")
  func held() {
    var clock = DeviceClock(rate: 48000, period: 256)
    clock.start(at: 0)
    var lost = run(&clock, drift: 0, seconds: 5)
    for _ in 0..<10 {
      lost += clock.look(position: 100_000, at: 5_000_000_000)
      lost += clock.look(position: 100_000, at: 5_000_000_000)
      lost += clock.look(position: 240_000, at: 5_000_000_000)
    }
    #expect(lost == 0)
  }
}
