// SPDX-License-Identifier: Apache-2.0

/// Captures of amplifiers, as Neural Amp Modeler trains them: the `.nam` file read and compiled, beside C.
struct CaptureRows {
  let options: Options
  let race: Race
  let table: Table

  private struct Row {
    let network: CaptureNetwork
    /// How many times as long as C an execute may take.
    var bar = 1.25

    var name: String { "capture NAM \(network.name)" }
  }

  private static let blocksCompared = 16
  /// One network's state drives another's out of the caches: each runs for a while, until all that C moves has been
  /// moved.
  private static let blocksInTurn = 16
  /// -90 dB below the loudest sample: sums are taken in another order.
  private static let tolerance: Float = 3.2e-5

  private static let rows = [
    Row(network: .standard, bar: 1.03), Row(network: .feather), Row(network: .nano),
    Row(network: .full, bar: 1.23),
  ]

  func run() throws {
    let wanted = Self.rows.filter { options.wants($0.name) }
    guard !wanted.isEmpty else { return }
    table.section("captures, the whole execute of 128 frames beside the fastest in C")
    for row in wanted { try run(row) }
  }

  private func run(_ row: Row) throws {
    let graph = try CaptureNetwork.graph(reading: row.network.text)
    let instrument = try Instrument(graph, frames: HandCapture.frames)
    let hands = unsafe HandCapture.all(row.network, input: instrument.input(0))
    for hand in hands {
      // What was in the histories at first is out of sight then.
      let blocks = row.network.receptiveField / HandCapture.frames + 1
      instrument.run(blocks)
      hand.run(blocks)
      for _ in 0..<Self.blocksCompared {
        instrument.run(1)
        hand.run(1)
        try compare(instrument, hand, row)
      }
    }
    // They lie a few percent apart.
    let fastest = Race.fastest(of: hands.map { turns($0.name, $0.run) }, rounds: race.rounds / 10)
    let samples = Race(rounds: race.rounds / 4).run([turns(row.name, instrument.run), fastest]).map {
      Samples($0.nanoseconds.map { $0 / Double(Self.blocksInTurn) })
    }
    let ratio = samples[0].ratio(to: samples[1])
    table.add(
      Figure(row.name, samples[0], of: instrument)
        .compared(to: samples[1], of: samples[0], "C, \(fastest.name)")
        .promised("≤ \(Table.number(row.bar)) x C", ratio <= row.bar))
  }

  private func turns(_ name: String, _ run: @escaping (Int) -> Void) -> Contender {
    Contender(name: name) { run($0 * Self.blocksInTurn) }
  }

  private func compare(_ instrument: Instrument, _ hand: HandCapture, _ row: Row) throws {
    let loudest = (0..<HandCapture.frames).reduce(Float(0)) { unsafe max($0, abs(hand.output[0][$1])) }
    guard loudest > 0, loudest < 10 else {
      throw BenchError("\(row.name): the loudest sample in C, \(hand.name), is \(loudest)")
    }
    for frame in 0..<HandCapture.frames {
      let (ours, theirs) = unsafe (instrument.output(0)[frame], hand.output[0][frame])
      guard !(abs(ours - theirs) <= Self.tolerance * loudest) else { continue }
      throw BenchError("\(row.name): frame \(frame) is \(ours), and \(theirs) in C, \(hand.name)")
    }
  }
}
