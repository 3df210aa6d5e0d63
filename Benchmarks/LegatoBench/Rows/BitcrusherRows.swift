// SPDX-License-Identifier: Apache-2.0

internal import HandKernels

/// The bitcrusher beside the C kernel, in blocks of many sizes, with parameters that stand still or all move.
struct BitcrusherRows {
  private static let ramp = 480_000
  /// Blocks between two changes of the parameters: as many as a ramp has, less one, so that none lands.
  private static func blocksOfRamp(_ frames: Int) -> Int { ramp / frames - 1 }
  /// The initial values of the model.
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
    try HandBitcrusher.compare(hands, with: moved, from: Self.low, to: Self.high, ramp: Self.ramp, name)
    let ramps = HandBitcrusher.ramps(from: Self.low, to: Self.high, over: Self.ramp)
    let blocks = Self.blocksOfRamp(frames)
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

  /// The cost of a change of the target before each block, the other thread's part included.
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

  /// The cost of changing the floating-point mode and back, where the thread has the usual one.
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
    hand_restore_mode(0x1f80)
    let figure = Figure(Self.modeName, samples[0], of: usual)
    _ = hand_count_denormals_as_zero()
    table.add(figure.compared(to: samples[1], of: samples[0], "thread flushes denormals"))
  }
}
