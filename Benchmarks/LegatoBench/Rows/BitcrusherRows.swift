// SPDX-License-Identifier: Apache-2.0

internal import HandKernels
internal import RealtimeCore

/// The bitcrusher beside the C kernel, in blocks of many sizes, with parameters that stand still or all move.
struct BitcrusherRows {
  private static let ramp = 480_000
  /// Blocks between two changes of the parameters: as many as a ramp has, less one, so that none lands.
  private static func blocksOfRamp(_ frames: Int) -> Int { ramp / frames - 1 }
  /// What the model begins with.
  static let initial: [Float] = [8, 1, 1]
  private static let low: [Float] = [8, 2, 1]
  private static let high: [Float] = [24, 3, 0.5]

  private static let automatedName = "bitcrusher mono 128, 3 targets set each block"
  private static let modeName = "bitcrusher mono 128, thread in the usual mode"

  let options: Options
  let race: Race
  let table: Table

  func run() throws {
    let blocks = [1, 2].flatMap { channels in
      Subject.everySize.map {
        (name: "bitcrusher \(channels == 1 ? "mono" : "stereo") \($0)", channels, $0)
      }
    }.filter { options.wants($0.name) }
    let isRest = options.wants(Self.automatedName) || options.wants(Self.modeName)
    guard isRest || !blocks.isEmpty else { return }
    let hands = HandBitcrusher.all
    guard !hands.isEmpty else {
      return table.note("bitcrusher: left out, as the C kernels need SSE4.1")
    }
    table.section("bitcrusher, the whole execute beside the fastest of \(hands.count) C kernels")
    for (name, channels, frames) in blocks { try run(name, channels, frames, hands) }
    if options.wants(Self.automatedName) { try runAutomated() }
    if options.wants(Self.modeName) { try runInUsualMode() }
  }

  private func run(_ name: String, _ channels: Int, _ frames: Int, _ hands: [HandBitcrusher]) throws {
    let text = Models.bitcrusher(channels: channels, ramp: Self.ramp)
    let (still, moved) = (try Instrument(text, frames: frames), try Instrument(text, frames: frames))
    still.set(Self.low)
    let differing = hands.reduce(0) { $0 + differences(moved, channels, $1) }
    guard differing == 0 else {
      throw BenchError(
        "\(name): \(differing) samples differ from the C kernels, which should be bit for bit the same")
    }
    let (ramps, blocks) = (Self.ramps, Self.blocksOfRamp(frames))
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
      Contender(name: "settled", run: still.run), Race.fastest(of: hands.map(settled)),
      Contender(name: "moving") {
        moved.runMoving($0, between: Self.low, and: Self.high, every: blocks)
      },
      Race.fastest(of: hands.map(moving)),
    ])
    let excess = samples[0].excess(over: samples[1], times: 1.2)
    table.add(
      Figure(name, samples[0], of: still).compared(to: samples[1], of: samples[0], "C kernel")
        .promised("≤ 1.2 x C kernel + 20 ns", excess <= 20))
    let slowdown = samples[2].ratio(to: samples[0])
    let ratio = samples[2].ratio(to: samples[3])
    let ramping = Figure(name + " all ramping", samples[2], of: moved)
      .compared(to: samples[3], of: samples[2], "C kernel")
      .promised("\(Table.number(slowdown)) x settled, ≤ 1.3", slowdown <= 1.3)
    let isPromised = channels == 2 && frames == Subject.usualSize
    table.add(isPromised ? ramping.promised("≤ 1.25 x C kernel", ratio <= 1.25) : ramping)
  }

  /// What it costs to be sent elsewhere before each block, the other thread's part included.
  private func runAutomated() throws {
    let text = Models.bitcrusher(ramp: Self.ramp)
    let (automated, moved) = (try Instrument(text, frames: 128), try Instrument(text, frames: 128))
    let blocks = Self.blocksOfRamp(128)
    let samples = race.run([
      Contender(name: "automated") { automated.runMoving($0, between: Self.low, and: Self.high, every: 1) },
      Contender(name: "moving") { moved.runMoving($0, between: Self.low, and: Self.high, every: blocks) },
    ])
    table.add(
      Figure(Self.automatedName, samples[0], of: automated).compared(
        to: samples[1], of: samples[0], "ramping"))
  }

  /// What it costs to change the floating-point mode and back, where the thread has the usual one.
  private func runInUsualMode() throws {
    let (flushing, usual) = (
      try Instrument(Models.bitcrusher(), frames: 128), try Instrument(Models.bitcrusher(), frames: 128)
    )
    let samples = race.run([
      Contender(name: "usual") { times in
        hand_restore_mode(0x1f80)
        usual.run(times)
        _ = hand_count_denormals_as_zero()
      }, Contender(name: "flushing", run: flushing.run),
    ])
    table.add(
      Figure(Self.modeName, samples[0], of: usual)
        .compared(to: samples[1], of: samples[0], "thread flushes denormals"))
  }

  private static var ramps: [RampState] {
    zip(low, high).map { low, high in
      RampState(from: low, to: high, over: Int32(Self.ramp))
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
