// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

extension Pass {
  /// Lets a sum take a product along that nothing else uses.
  ///
  ///     %2 = %0 * %1
  ///     %4 = %2 + %3
  /// →
  ///     %4 = fma(%0, %1, %3)
  ///
  /// The product is rounded once instead of twice where the target has the instruction: this pass may change bits.
  /// It is directional: nothing turns an fma back. Of two products the one is taken along that waits for the sum of some
  /// frames before, so that a loop goes on after one instruction; else the left one. Differences stay: their sign would
  /// have to go into an operand, which costs where there is no such instruction.
  package static let fmaFormation = Pass(
    name: "fma-formation", summary: "lets a sum take along a product that nothing else uses"
  ) { graph, context in
    let uses = graph.useCounts()
    let loops = graph.closeLoops()
    for id in graph.nodeIDs {
      let node = graph[id]
      guard node.op == .binary(.add) else { continue }
      let products = node.operands.map { value -> Node? in
        let definition = graph.definition(of: value)
        return definition.op == .binary(.multiply) && uses[Int(value.index)] == 1 ? definition : nil
      }
      let waiting = loops[id].flatMap { loop in
        products.firstIndex { $0.map { loops[graph[$0.result].definition] == loop } ?? false }
      }
      guard let side = waiting ?? products.firstIndex(where: { $0 != nil }), let product = products[side],
        context.mayRewrite()
      else { continue }
      graph[id].op = .fma
      graph[id].operands = product.operands + [node.operands[1 - side]]
    }
  }
}

extension Graph {
  /// The number of the loop that each node is part of which hears itself within a few frames.
  fileprivate func closeLoops() -> [NodeID: Int] {
    let isClose = nodes.contains { $0.op.leastDelay.map { $0 < Self.leastSpan } ?? false }
    guard isClose else { return [:] }
    var numbers: [NodeID: Int] = [:]
    for (number, component) in components(of: Array(nodeIDs), cuttingDelaysFrom: Self.leastSpan).enumerated()
    where component.count > 1 {
      for id in component { numbers[id] = number }
    }
    return numbers
  }
}
