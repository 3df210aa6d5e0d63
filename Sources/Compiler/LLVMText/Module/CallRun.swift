// SPDX-License-Identifier: Apache-2.0

/// Calls of the same functions in the same order, round after round, as those of equal layers: one loop, however many
/// there are.
///
///     a(0) b(4) c(9) b(12) c(17) b(20) c(25) d    →    a(0), three rounds of b(4 + 8 i) c(9 + 8 i), d
///
/// Legal because the numbers of each round stand equally far behind those of the one before it.
struct CallRun {
  /// The most calls of a round that is looked for.
  private static let mostCalls = 64
  /// The fewest calls left out that are worth a loop.
  private static let fewestSaved = 4

  /// The calls of the first round.
  let calls: ArraySlice<EntryEmission.Call>
  private(set) var rounds = 1
  /// How much further the numbers stand in each round.
  private(set) var stride = 0

  /// All of some calls, in their order.
  static func runs(of calls: [EntryEmission.Call]) -> [CallRun] {
    var runs: [CallRun] = []
    var rest = calls[...]
    while let run = longest(at: rest) {
      runs.append(run)
      rest = rest.dropFirst(run.rounds * run.calls.count)
    }
    return runs
  }

  /// The run that leaves out the most of the next calls, or one call; nil where there is none.
  private static func longest(at calls: ArraySlice<EntryEmission.Call>) -> CallRun? {
    guard !calls.isEmpty else { return nil }
    let runs = (1...min(mostCalls, calls.count)).map { CallRun(of: $0, at: calls) }
    return runs.filter { $0.saved >= fewestSaved }.max { $0.saved < $1.saved } ?? runs[0].once
  }

  private var saved: Int { (rounds - 1) * calls.count }

  private var once: CallRun { CallRun(calls: calls) }

  private init(calls: ArraySlice<EntryEmission.Call>) { self.calls = calls }

  /// As many rounds of so many calls as there are.
  private init(of count: Int, at all: ArraySlice<EntryEmission.Call>) {
    calls = all.prefix(count)
    guard let stride = distance(to: all.dropFirst(count).prefix(count)) else { return }
    self.stride = stride
    repeat { rounds += 1 } while distance(to: all.dropFirst(rounds * count).prefix(count)) == rounds * stride
  }

  /// How much further the numbers of another round stand; nil where it is no such round.
  private func distance(to round: ArraySlice<EntryEmission.Call>) -> Int? {
    guard round.count == calls.count else { return nil }
    var distance: Int?
    for (own, other) in zip(calls, round) {
      guard own.name == other.name else { return nil }
      guard let first = own.numbers, let second = other.numbers else { continue }
      guard (distance ?? second - first) == second - first else { return nil }
      distance = second - first
    }
    return distance ?? 0
  }
}
