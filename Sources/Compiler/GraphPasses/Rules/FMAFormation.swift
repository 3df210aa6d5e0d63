// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

extension Pass {
  /// Fuses a product into the sum that is its only user.
  ///
  ///     %2 = %0 * %1
  ///     %4 = %2 + %3
  /// →
  ///     %4 = fma(%0, %1, %3)
  ///
  /// The product is rounded once instead of twice where the target has the instruction: this pass may change bits. It
  /// is directional: no pass splits an fma. Of two products the one that depends on feedback is fused, so that a loop's
  /// latency is one instruction; else the left one. A product to which zero is added, as a layer of one term is, counts
  /// as the product.
  ///
  /// In a difference a subtracted product is fused only where it depends on feedback; the sign goes into its other
  /// factor, once for all differences. Elsewhere differences stay: negation costs where there is no such instruction,
  /// and there is no latency to save.
  package static let fmaFormation = Pass(
    name: "fma-formation", summary: "lets a sum take along a product that nothing else uses"
  ) { graph, context in
    let uses = graph.useCounts()
    let loops = graph.closeLoops()
    /// The product that a value is, with its two factors; nil where it is none, or something else uses it.
    func ownProduct(_ value: ValueID) -> Node? {
      var definition = graph.definition(of: value)
      guard definition.isProduct(in: graph), uses[Int(value.index)] == 1 else { return nil }
      definition.operands = Array(definition.operands.prefix(2))
      return definition
    }
    /// Whether a product is part of the loop that a node is part of.
    func waits(_ product: Node?, for id: NodeID) -> Bool {
      guard let loop = loops[id], let product else { return false }
      return loops[graph[product.result].definition] == loop
    }
    var negatives: [ValueID: ValueID] = [:]
    for id in graph.nodeIDs {
      let node = graph[id]
      switch node.op.elementwise {
      case .binary(.add):
        let products = node.operands.map(ownProduct)
        guard
          let side = products.firstIndex(where: { waits($0, for: id) })
            ?? products.firstIndex(where: { $0 != nil }),
          let product = products[side], context.mayRewrite()
        else { continue }
        graph[id].op = .fma
        graph[id].operands = product.operands + [node.operands[1 - side]]
      case .binary(.subtract):
        guard let product = ownProduct(node.operands[1]), waits(product, for: id),
          let free = product.operands.firstIndex(where: { loops[graph[$0].definition] != loops[id] }),
          context.mayRewrite()
        else { continue }
        graph[id].op = .fma
        let factor = product.operands[free]
        let negative = negatives[factor] ?? graph.negative(of: factor)
        negatives[factor] = negative
        graph[id].operands = [negative, product.operands[1 - free], node.operands[0]]
      case .unary, .binary, .select, .fma, nil: continue
      }
    }
  }
}

extension Graph {
  /// The negative of a value.
  fileprivate mutating func negative(of value: ValueID) -> ValueID {
    let type = self[value].type
    if let number = definition(of: value).op.literal {
      return append(.literal(-number), [], type: type)
    }
    return append(.unary(.negate), [value], type: type)
  }
}

extension Node {
  /// Whether it multiplies two numbers, and adds nothing that is not zero.
  fileprivate func isProduct(in graph: Graph) -> Bool {
    op == .binary(.multiply) || (op == .fma && graph.literal(operands[2]) == 0)
  }
}
