// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import HandKernels

/// What hears itself, beside loops in C with the same bits; and the same in silence, which must cost no more.
struct LoopRows {
  let options: Options
  let race: Race
  let table: Table

  private struct Row {
    let name: String
    let kind: hand_loop_kind
    let channels: Int
    let graph: () throws -> Graph?
  }

  /// Blocks after which the longest delay has come round twice.
  private static let blocksCompared = 2 * Int(HAND_RING) / HandLoop.frames

  private static var rows: [Row] {
    [
      Row(name: "loop feedback delay of 12000, stereo", kind: HAND_FEEDBACK, channels: 2) {
        try Graph(parsing: Models.feedbackDelay)
      },
      Row(name: "loop one-pole, 2 channels", kind: HAND_ONE_POLE, channels: 2) {
        try Graph(parsing: Models.onePole(2))
      },
      Row(name: "loop one-pole, 16 channels", kind: HAND_ONE_POLE, channels: 16) {
        try Graph(parsing: Models.onePole(16))
      },
      Row(name: "loop tape echo, stereo", kind: HAND_ECHO, channels: 2) {
        try Subject.shipped().first { $0.name == "model echo stereo" }?.graph()
      },
    ]
  }

  func run() throws {
    let wanted = Self.rows.filter { options.wants($0.name) }
    guard !wanted.isEmpty else { return }
    table.section("loops, the whole execute beside the fastest in C, and in silence")
    for row in wanted { try run(row) }
  }

  private func run(_ row: Row) throws {
    guard let graph = try row.graph() else { return }
    let instrument = try Instrument(graph, frames: HandLoop.frames)
    let silent = try Instrument(graph, frames: HandLoop.frames)
    let hands = unsafe HandLoop.all(row.kind, inputs: (0..<row.channels).map { unsafe instrument.input($0) })
    for hand in hands {
      instrument.reset()
      for _ in 0..<Self.blocksCompared {
        instrument.run(1)
        hand.run(1)
        try compare(instrument, hand, row)
      }
    }
    // A sound dies away before silence is measured: what is left of it are the smallest numbers.
    silent.run(Self.blocksCompared)
    silent.silenceInputs()
    silent.run(Self.blocksCompared)
    let fastest = Race.fastest(of: hands.map { Contender(name: $0.name, run: $0.run) })
    let samples = race.run([
      Contender(name: row.name, run: instrument.run), fastest, Contender(name: "silence", run: silent.run),
    ])
    table.add(
      Figure(row.name, samples[0], of: instrument).compared(
        to: samples[1], of: samples[0], "C, \(fastest.name)"
      )
      .promised("≤ 1.5 x C", samples[0].ratio(to: samples[1]) <= 1.5))
    table.add(
      Figure("\(row.name), silence", samples[2], of: silent).compared(
        to: samples[0], of: samples[2], "sound"
      )
      .promised("≤ 1.05 x sound", samples[2].ratio(to: samples[0]) <= 1.05))
  }

  private func compare(_ instrument: Instrument, _ hand: HandLoop, _ row: Row) throws {
    for channel in 0..<row.channels {
      for frame in 0..<HandLoop.frames
      where unsafe hand.outputs[channel][frame].bitPattern != instrument.output(channel)[frame].bitPattern {
        let (ours, theirs) = unsafe (instrument.output(channel)[frame], hand.outputs[channel][frame])
        throw BenchError(
          "\(row.name): row \(channel), frame \(frame) is \(ours), and \(theirs) in C, \(hand.name)")
      }
    }
  }
}
