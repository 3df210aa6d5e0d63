// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// Shipped models with feedback, in silence: what dies away in a loop ends in the smallest numbers, of which none may
/// cost more than any other.
///
///     sound        noise, for ever
///     silence      noise, then nothing for 80 s, and on: the tails of the longest echoes are over
struct SilenceRows {
  let options: Options
  let race: Race
  let table: Table

  private static let blocksOfSilence = 30_000

  /// - Parameter subjects: of which those are measured that are shipped and have a loop.
  func run(_ subjects: [Subject]) throws {
    let named = subjects.filter { $0.isShipped && !$0.name.hasSuffix(" mono") }.map {
      ("silence, \($0.name)", $0)
    }
    let wanted = try named.filter { name, subject in
      guard options.wants(name) else { return false }
      let graph = try subject.graph()
      return graph.components().contains(where: graph.isCycle)
    }
    guard !wanted.isEmpty else { return }
    table.section("models with loops, in silence beside sound")
    for (name, subject) in wanted {
      let (sound, silence) = (
        try Instrument(subject.graph(), frames: Subject.usualSize),
        try Instrument(subject.graph(), frames: Subject.usualSize)
      )
      silence.run(1000)
      silence.silenceInputs()
      silence.run(Self.blocksOfSilence)
      let samples = race.run([
        Contender(name: name, run: silence.run), Contender(name: "sound", run: sound.run),
      ])
      table.add(
        Figure(name, samples[0], of: silence).compared(to: samples[1], of: samples[0], "sound")
          .promised("≤ 1.05 x sound", samples[0].ratio(to: samples[1]) <= 1.05))
    }
  }
}
