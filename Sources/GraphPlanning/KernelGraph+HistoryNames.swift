// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

extension KernelGraph {
  /// What each history is called: the same for as long as an author calls the same things by the same names, whatever
  /// is edited elsewhere.
  ///
  ///     worn = 0.6 * played + 0.4 * delay(worn, 1)       worn             the value that is remembered
  ///     y    = delay(0.5 * x, 100)                       y: delay         or else where it is used, and by what
  ///     z    = delay(-x, 1) + delay(x * x, 2)            z: delay 1 of 2, z: delay 2 of 2
  ///
  /// The number of those that stand in one expression is part of their names: where it changes, nobody can tell which
  /// of them is which.
  package var historyNames: [String] {
    let names = histories.map { graph.name(of: $0.value) ?? nameOfUse($0.value) }
    var counts: [String: Int] = [:]
    for name in names { counts[name, default: 0] += 1 }
    var seen: [String: Int] = [:]
    return names.map { name in
      guard let count = counts[name], count > 1 else { return name }
      seen[name, default: 0] += 1
      return "\(name) \(seen[name, default: 0]) of \(count)"
    }
  }

  /// The first named value that what is remembered goes into, and the op that remembers it.
  private func nameOfUse(_ value: ValueID) -> String {
    var op: String?
    // The first round meets those that remember it.
    let name = graph.nameReached(from: value) { users in
      op = op ?? users.first { $0.op.history > 0 }?.op.shortName
    }
    return name.map { "\($0): \(op ?? "state")" } ?? "state"
  }
}
