// SPDX-License-Identifier: Apache-2.0

internal import HandKernels

/// Recurrent layers with a dense layer behind them, mono, beside C.
struct RecurrentRows {
  let options: Options
  let race: Race
  let table: Table

  private struct Row {
    let name: String
    let network: RecurrentNetwork
    /// How many times as long as C an execute may take.
    var bar = 1.25
  }

  /// Blocks in which samples are compared: a network has forgotten its initial state by then.
  private static let blocksCompared = 16
  /// -90 dB: sums are taken in another order, and what differs comes back.
  private static let tolerance: Float = 3.2e-5

  private static let rows = [
    // The C keeps h and c in registers for a whole block, where no layer of 40 units could.
    Row(
      name: "recurrent LSTM 16 + dense",
      network: RecurrentNetwork(kind: HAND_LSTM_16, cell: .lstm, units: 16), bar: 1.1),
    Row(
      name: "recurrent LSTM 40 + dense",
      network: RecurrentNetwork(kind: HAND_LSTM_40, cell: .lstm, units: 40), bar: 1.17),
    Row(
      name: "recurrent LSTM 64 + dense",
      network: RecurrentNetwork(kind: HAND_LSTM_64, cell: .lstm, units: 64)),
    Row(
      name: "recurrent LSTM 96 + dense",
      network: RecurrentNetwork(kind: HAND_LSTM_96, cell: .lstm, units: 96)),
    Row(
      name: "recurrent GRU 40 + dense",
      network: RecurrentNetwork(kind: HAND_GRU_40, cell: .gru, units: 40), bar: 1.2),
    Row(
      name: "recurrent LSTM 2 x 16 + dense",
      network: RecurrentNetwork(kind: HAND_LSTM_TWICE_16, cell: .lstm, units: 16, layers: 2)),
    Row(
      name: "recurrent LSTM 40, dense in its loop",
      network: RecurrentNetwork(kind: HAND_LSTM_FED_BACK_40, cell: .lstm, units: 40, feedsBack: true)),
  ]

  func run() throws {
    let wanted = Self.rows.filter { options.wants($0.name) }
    guard !wanted.isEmpty else { return }
    table.section("recurrent layers, the whole execute beside the fastest in C")
    for row in wanted { try run(row) }
  }

  private func run(_ row: Row) throws {
    let instrument = try Instrument(row.network.text, frames: HandRecurrent.frames)
    let hands = unsafe HandRecurrent.all(row.network, input: instrument.input(0))
    for hand in hands {
      instrument.reset()
      for _ in 0..<Self.blocksCompared {
        instrument.run(1)
        hand.run(1)
        try compare(instrument, hand, row)
      }
    }
    let fastest = Race.fastest(of: hands.map { Contender(name: $0.name, run: $0.run) })
    let samples = race.run([Contender(name: row.name, run: instrument.run), fastest])
    let ratio = samples[0].ratio(to: samples[1])
    table.add(
      Figure(row.name, samples[0], of: instrument)
        .compared(to: samples[1], of: samples[0], "C, \(fastest.name)")
        .promised("≤ \(Table.number(row.bar)) x C", ratio <= row.bar))
  }

  private func compare(_ instrument: Instrument, _ hand: HandRecurrent, _ row: Row) throws {
    for frame in 0..<HandRecurrent.frames {
      let (ours, theirs) = unsafe (instrument.output(0)[frame], hand.output[0][frame])
      guard !(abs(ours - theirs) <= Self.tolerance) else { continue }
      throw BenchError("\(row.name): frame \(frame) is \(ours), and \(theirs) in C, \(hand.name)")
    }
  }
}
