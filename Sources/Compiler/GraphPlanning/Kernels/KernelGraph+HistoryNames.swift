// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

extension KernelGraph {
  /// The name of each history, which stays while its own source text stays, whatever is edited elsewhere.
  ///
  ///     worn = 0.6 * played + 0.4 * delay(worn, 1)       worn             the value that is remembered
  ///     y    = delay(0.5 * x, 100)                       y: delay         or else where it is used, and by what
  ///     z    = delay(-x, 1) + delay(x * x, 2)            z: delay 1 of 2, z: delay 2 of 2
  ///     h    = tanh(dense(delay(h, 1), …))               h                in columns, which its cycle reads
  ///     echo = delay(h, 5000)                            h                the same past in rows
  ///     late = delay(x, 3, initial: w)                   x, 1 for ever    numbers are not counted
  ///     cold = delay(select(delay(1, 9), x, 0), 3)       x                what is 0 until silence has run
  ///
  /// The number of those that stand in one expression is part of their names: where it changes, nobody can tell which
  /// of them is which.
  package var historyNames: [String] {
    let reached = graph.namesReached
    let ops = opsThatRemember
    var names: [ValueID: String] = [:]
    for history in histories {
      let value = history.value
      if case .literal(let number) = graph.definition(of: value).op {
        names[value] = "\(number) for ever"
      } else {
        names[value] =
          graph.name(of: beyondSilence(value)) ?? reached[value].map { "\($0): \(ops[value] ?? "state")" }
          ?? "state"
      }
    }
    var counts: [String: Int] = [:]
    for name in names.values { counts[name, default: 0] += 1 }
    var seen: [String: Int] = [:]
    var numbered: Set<ValueID> = []
    for history in histories where numbered.insert(history.value).inserted {
      guard let name = names[history.value], let count = counts[name], count > 1 else { continue }
      seen[name, default: 0] += 1
      names[history.value] = "\(name) \(seen[name, default: 0]) of \(count)"
    }
    return histories.map { names[$0.value, default: "state"] }
  }

  /// What a value is from some frame on, where it is 0 before; other values are themselves.
  private func beyondSilence(_ value: ValueID) -> ValueID {
    let node = graph.definition(of: value)
    guard case .select = node.op, case .literal(0) = graph.definition(of: node.operands[2]).op else {
      return value
    }
    let begun = graph.definition(of: node.operands[0])
    guard case .delay = begun.op, graph.definition(of: begun.operands[0]).op.isLeaf else { return value }
    return node.operands[1]
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
