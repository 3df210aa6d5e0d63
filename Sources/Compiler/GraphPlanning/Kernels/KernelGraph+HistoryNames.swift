// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

extension KernelGraph {
  /// The name of each history, which stays while its own source text stays, whatever is edited elsewhere.
  ///
  ///     worn = 0.6 * played + 0.4 * delay(worn, 1)       worn             the value that is remembered
  ///     y    = delay(0.5 * x, 100)                       y: delay         or else where it is used, and by what
  ///     z    = delay(-x, 1) + delay(x * x, 2)            z: delay 1 of 2, z: delay 2 of 2
  ///     h    = tanh(dense(delay(h, 1), …))               h                the one in columns, which its cycle reads
  ///     echo = delay(h, 5000)                            h, in rows
  ///
  /// The number of those that stand in one expression is part of their names: where it changes, nobody can tell which
  /// of them is which.
  package var historyNames: [String] {
    let reached = graph.namesReached
    let ops = opsThatRemember
    let inColumns = Set(histories.lazy.filter { $0.layout == .columns }.map(\.value))
    let names = histories.map { history in
      let name =
        graph.name(of: history.value)
        ?? reached[history.value].map { "\($0): \(ops[history.value] ?? "state")" } ?? "state"
      return history.layout == .rows && inColumns.contains(history.value) ? name + ", in rows" : name
    }
    var counts: [String: Int] = [:]
    for name in names { counts[name, default: 0] += 1 }
    var seen: [String: Int] = [:]
    return names.map { name in
      guard let count = counts[name], count > 1 else { return name }
      seen[name, default: 0] += 1
      return "\(name) \(seen[name, default: 0]) of \(count)"
    }
  }

  /// For each value with a history, the first op that reads it.
  private var opsThatRemember: [ValueID: String] {
    var ops: [ValueID: String] = [:]
    for node in graph.nodes where node.op.history > 0 {
      for operand in node.operands where ops[operand] == nil { ops[operand] = node.op.shortName }
    }
    return ops
  }
}
