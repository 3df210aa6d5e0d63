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
  /// It is directional: nothing turns an fma back. Of two products the left one is taken along. Differences stay:
  /// their sign would have to go into an operand, which costs where there is no such instruction.
  package static let fmaFormation = Pass(
    name: "fma-formation", summary: "lets a sum take along a product that nothing else uses"
  ) { graph, context in
    let uses = graph.useCounts()
    for id in graph.nodeIDs {
      let node = graph[id]
      guard node.op == .binary(.add) else { continue }
      let products = node.operands.map { value -> Node? in
        let definition = graph.definition(of: value)
        return definition.op == .binary(.multiply) && uses[Int(value.index)] == 1 ? definition : nil
      }
      guard let side = products.firstIndex(where: { $0 != nil }), let product = products[side],
        context.mayRewrite()
      else { continue }
      graph[id].op = .fma
      graph[id].operands = product.operands + [node.operands[1 - side]]
    }
  }
}
