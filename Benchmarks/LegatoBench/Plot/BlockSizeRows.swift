// SPDX-License-Identifier: Apache-2.0

internal import HandKernels
internal import RealtimeCore

/// The stereo bitcrusher in blocks of all usual sizes, beside the C kernel: what `--plot` draws.
struct BlockSizeRows {
  /// The cost of a frame in blocks of one size, in nanoseconds.
  struct Point {
    let frames: Int
    let legato: Double
    /// Nil where the machine has no instructions for the C kernels.
    let hand: Double?
  }

  /// The name of the graph, here and in files of figures.
  static let graph = "bitcrusher stereo"

  private static let channels = 2
  private static let settings: [Float] = [8, 2, 1]
  private static let others: [Float] = [24, 3, 0.5]
  private static let ramp = 4800

  let race: Race
  let table: Table

  func run() throws -> [Point] {
    table.section("\(Self.graph), settled, in blocks of all sizes: the figures of the picture")
    let hands = HandBitcrusher.all
    return try Subject.everySize.map { frames in
      let instrument = try Instrument(
        Models.bitcrusher(channels: Self.channels, ramp: Self.ramp), frames: frames)
      try HandBitcrusher.compare(
        hands, with: instrument, from: Self.settings, to: Self.others, ramp: Self.ramp, "the picture")
      instrument.set(Self.settings)
      instrument.reset()
      func crush(_ hand: HandBitcrusher) -> Contender {
        Contender(name: hand.name) { times in
          for row in 0..<Self.channels {
            unsafe hand.settled(
              instrument.input(row), instrument.output(row), frames, Self.settings, times: times)
          }
        }
      }
      let rival = hands.isEmpty ? [] : [Race.fastest(of: hands.map(crush))]
      let samples = race.run([Contender(name: "Legato", run: instrument.run)] + rival)
      let figure = Figure("\(Self.graph) \(frames), for the picture", samples[0], of: instrument)
      table.add(rival.isEmpty ? figure : figure.compared(to: samples[1], of: samples[0], "C kernel"))
      return Point(
        frames: frames, legato: samples[0].median / Double(frames),
        hand: rival.isEmpty ? nil : samples[1].median / Double(frames))
    }
  }
}
