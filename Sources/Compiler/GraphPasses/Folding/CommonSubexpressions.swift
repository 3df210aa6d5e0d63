// SPDX-License-Identifier: Apache-2.0

package import GraphIR

extension Pass {
  /// Lets equal nodes share one result.
  ///
  ///     %1 = tanh(%0)
  ///     %2 = tanh(%0)
  ///     %3 = %1 + %2
  /// →
  ///     %1 = tanh(%0)
  ///     %3 = %1 + %1
  ///
  /// Legal for every op: equal ops of equal operands have equal results, and equal state where they have state. Arrays are
  /// equal that are the same numbers in the same shape, as functions of one file share them.
  /// Nodes that are equal only because of a cycle through themselves are not found.
  package static let commonSubexpressions = Pass(
    name: "common-subexpressions", summary: "lets equal nodes share one result"
  ) { graph, context in
    struct Key: Hashable {
      var op: Op
      var operands: [ValueID]
      /// Tells +0 from -0, which are equal numbers.
      var literalBits: UInt32?
      var numbers: ObjectIdentifier?
      var extents: [Int] = []
    }
    var replacement: [ValueID: ValueID] = [:]
    var known: [Key: ValueID] = [:]
    // Canonical order puts operands first, except around cycles; those keep what they have.
    for id in graph.nodeIDs {
      graph[id].operands = graph[id].operands.map { replacement[$0] ?? $0 }
      let node = graph[id]
      var key = Key(op: node.op, operands: node.operands)
      if let number = node.op.literal { key.literalBits = number.bitPattern }
      if case .weights(let id) = node.op {
        key.op = .weights(WeightsID(0))
        (key.numbers, key.extents) = (ObjectIdentifier(graph[id].values), graph[id].shape)
      }
      if let first = known[key] {
        guard context.mayRewrite() else { continue }
        replacement[node.result] = first
      } else {
        known[key] = node.result
      }
    }
    graph.replaceUses(replacement)
  }
}

extension Graph {
  /// Lets all users of the keys use the values instead.
  package mutating func replaceUses(_ replacement: [ValueID: ValueID]) {
    guard !replacement.isEmpty else { return }
    for node in nodes.indices {
      nodes[node].operands = nodes[node].operands.map { replacement[$0] ?? $0 }
    }
    for output in outputs.indices {
      outputs[output].value = replacement[outputs[output].value] ?? outputs[output].value
    }
  }

  /// How many operands and outputs each value stands for, one entry a value.
  package func useCounts() -> [Int] {
    var counts = [Int](repeating: 0, count: values.count)
    for node in nodes { for operand in node.operands { counts[Int(operand.index)] += 1 } }
    for output in outputs { counts[Int(output.value.index)] += 1 }
    return counts
  }
}
