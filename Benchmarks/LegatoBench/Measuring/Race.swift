// SPDX-License-Identifier: Apache-2.0

/// Something that is measured: it runs as often as it is told.
struct Contender {
  let name: String
  /// The loop stands inside, so that a call of this closure is paid once a batch.
  let run: (_ times: Int) -> Void
}

/// Measures contenders against each other: one batch of each in turn, round after round.
///
///     A B C · A B C · A B C · …        one letter: a batch of some 20 µs, between two readings of the clock
///
/// What disturbs the machine for longer than a round disturbs all contenders alike, and the median over rounds
/// of the quotient of two neighbours hardly notices it. A reading of the clock is below 0.2 % of a batch.
struct Race {
  let rounds: Int
  /// Whether each runs once untimed before its batch: what the one before left in the caches is not its own.
  var warmsUp = false

  private static let batchNanoseconds = 20_000.0

  func run(_ contenders: [Contender]) -> [Samples] {
    let batches = contenders.map { batch(of: $0) }
    var times = contenders.map { _ in [Double]() }
    for index in times.indices { times[index].reserveCapacity(rounds) }
    for _ in 0..<rounds {
      for (index, contender) in contenders.enumerated() {
        if warmsUp { contender.run(1) }
        let begin = Clock.nanoseconds
        contender.run(batches[index])
        times[index].append((Clock.nanoseconds - begin) / Double(batches[index]))
      }
    }
    return times.map(Samples.init)
  }

  /// The one with the shortest median.
  static func fastest(of contenders: [Contender], rounds: Int = 100) -> Contender {
    precondition(!contenders.isEmpty, "a race without a contender")
    let medians = Race(rounds: rounds).run(contenders).map(\.median)
    return contenders[medians.indices.min { medians[$0] < medians[$1] } ?? 0]
  }

  /// How often a contender runs in a batch, found while caches and branch predictors warm up.
  private func batch(of contender: Contender) -> Int {
    var times = 1
    while true {
      let begin = Clock.nanoseconds
      contender.run(times)
      let passed = Clock.nanoseconds - begin
      if passed >= Self.batchNanoseconds || times >= 1 << 20 { break }
      times *= 2
    }
    let begin = Clock.nanoseconds
    contender.run(times)
    let single = (Clock.nanoseconds - begin) / Double(times)
    return max(1, Int(Self.batchNanoseconds / max(single, 0.1)))
  }
}
