// SPDX-License-Identifier: Apache-2.0

internal import HandKernels
internal import RealtimeCore

/// The bitcrusher beside the C kernel, in blocks of many sizes, with parameters that stand still or all move.
struct BitcrusherRows {
  private static let ramp = 48_000
  /// Blocks between two changes of the parameters: fewer frames than a ramp has, in the largest blocks, too.
  private static let blocksOfRamp = 8
  private static let low: [Float] = [8, 2, 1]
  private static let high: [Float] = [24, 3, 0.5]

  let options: Options
  let race: Race
  let table: Table

  func run() throws {
    guard options.wants("bitcrusher") else { return }
    let hands = HandBitcrusher.all
    guard !hands.isEmpty else {
      return table.note("bitcrusher: left out, as the C kernels need SSE4.1")
    }
    table.section("bitcrusher, the whole execute beside the fastest of \(hands.count) C kernels")
    for channels in [1, 2] {
      for frames in [16, 64, 128, 512, 4096] { try run(channels, frames, hands) }
    }
    try runInMode()
  }

  private func run(_ channels: Int, _ frames: Int, _ hands: [HandBitcrusher]) throws {
    let name = "bitcrusher \(channels == 1 ? "mono" : "stereo") \(frames)"
    let text = Models.bitcrusher(channels: channels, ramp: Self.ramp)
    let (still, moved) = (try Instrument(text, frames: frames), try Instrument(text, frames: frames))
    still.set(Self.low)
    let differing = hands.reduce(0) { $0 + differences(moved, channels, $1) }
    guard differing == 0 else {
      throw BenchError(
        "\(name): \(differing) samples differ from the C kernels, which should be bit for bit the same")
    }
    let ramps = Self.ramps
    func settled(_ hand: HandBitcrusher) -> Contender {
      Contender(name: hand.name) { times in
        for row in 0..<channels {
          unsafe hand.settled(still.input(row), still.output(row), frames, Self.low, times: times)
        }
      }
    }
    func moving(_ hand: HandBitcrusher) -> Contender {
      Contender(name: hand.name) { times in
        for row in 0..<channels {
          unsafe hand.moving(moved.input(row), moved.output(row), frames, ramps, times: times)
        }
      }
    }
    let samples = race.run([
      Contender(name: "settled", run: still.run), fastest(of: hands.map(settled)),
      Contender(name: "moving") {
        moved.runMoving($0, between: Self.low, and: Self.high, every: Self.blocksOfRamp)
      },
      fastest(of: hands.map(moving)),
    ])
    let excess = samples[0].excess(over: samples[1], times: 1.2)
    table.add(
      Figure(name, samples[0]).compared(to: samples[1], of: samples[0], "C kernel")
        .promised("≤ 1.2 x C kernel + 20 ns", excess <= 20))
    let slowdown = samples[2].ratio(to: samples[0])
    table.add(
      Figure(name + " all ramping", samples[2]).compared(to: samples[3], of: samples[2], "C kernel")
        .promised("\(Table.number(slowdown)) x settled, ≤ 1.3", slowdown <= 1.3))
  }

  /// What the floating-point mode costs where the calling thread has the usual one.
  private func runInMode() throws {
    let plain = try Instrument(Models.bitcrusher(), frames: 128)
    let flushing = try Instrument(Models.bitcrusher(), frames: 128)
    let samples = race.run([
      Contender(name: "flushing") { times in
        let mode = hand_count_denormals_as_zero()
        flushing.run(times)
        hand_restore_mode(mode)
      }, Contender(name: "plain", run: plain.run),
    ])
    table.add(
      Figure("bitcrusher mono 128, thread flushes denormals", samples[0])
        .compared(to: samples[1], of: samples[0], "thread does not"))
  }

  private func fastest(of contenders: [Contender]) -> Contender {
    let medians = Race(rounds: 100).run(contenders).map(\.median)
    return contenders[medians.indices.min { medians[$0] < medians[$1] }!]
  }

  private static var ramps: [RampState] {
    zip(low, high).map { low, high in
      var ramp = RampState(settledAt: low)
      ramp.retarget(to: high, over: Int32(Self.ramp))
      return ramp
    }
  }

  /// How many samples of a settled and of a ramping block differ from what the C kernel computes.
  private func differences(_ instrument: Instrument, _ channels: Int, _ hand: HandBitcrusher) -> Int {
    let frames = instrument.frames
    let result = Rows([frames])
    var count = 0
    func crush(_ body: (Int) -> Void) {
      for row in 0..<channels {
        body(row)
        for frame in 0..<frames {
          if unsafe instrument.output(row)[frame].bitPattern != result[0][frame].bitPattern { count += 1 }
        }
      }
    }
    instrument.set(Self.low)
    instrument.reset()
    instrument.run(1)
    crush { unsafe hand.settled(instrument.input($0), result[0], frames, Self.low, times: 1) }
    instrument.set(Self.high)
    instrument.run(1)
    crush { unsafe hand.moving(instrument.input($0), result[0], frames, Self.ramps, times: 1) }
    return count
  }
}
