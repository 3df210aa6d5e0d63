// SPDX-License-Identifier: Apache-2.0

/// A cycle of a graph of steps along the first axis of its values: position by position, as a stream goes frame by frame.
///
///     h = tanh(x + dense(shifted(h, axis: 0, by: 1), 'u'))        x, h [160, 24]: 160 positions of 24 units
///
/// Each value of the cycle has the positions as its first axis, and each number depends on those of its own position, and
/// through shifts on those of positions before (or, where all shifts go the other way, behind). Nothing in it adds up,
/// cuts or rearranges positions; layers have weights from outside.
package struct SequenceCycle {
  /// In an order in which they can be computed for one position.
  package let nodes: [NodeID]
  package let positions: Int
  /// Whether it begins with the last position.
  package let isBackward: Bool

  /// - Parameter component: nodes that depend on each other, without the edges into delays.
  /// - Throws: `TypingError` with what has no meaning in such a cycle.
  package init(_ component: [NodeID], in graph: Graph) throws(TypingError) {
    let members = Set(component)
    var directions: Set<Bool> = []
    var positions: Int?
    for id in component {
      guard case .shift(let axis, let by) = graph[id].op else { continue }
      guard axis == 0 else {
        throw TypingError(
          "a cycle along axis \(axis); it goes along the first one, and transpose brings one there")
      }
      directions.insert(by < 0)
      positions = graph.shape(of: graph[id].result).fixed.first
    }
    guard let positions, graph.clock == .step else { throw TypingError("a cycle without a delay") }
    guard directions.count == 1 else { throw TypingError("a cycle whose shifts go both ways") }
    for id in component {
      let node = graph[id]
      if let flaw = Self.flaw(of: node, positions, in: graph, members) {
        throw TypingError("\(node.op.shortName) in a cycle along an axis \(flaw)")
      }
    }
    let order = graph.components(of: component, cuttingDelaysFrom: 0, cuttingShifts: true)
    guard order.allSatisfy({ $0.count == 1 }) else {
      throw TypingError("a cycle along an axis with another one in it that has no shift")
    }
    (nodes, self.positions, isBackward) = (order.map { $0[0] }, positions, directions == [true])
  }

  /// The fault of a node there, as the end of a sentence; nil where it has none.
  private static func flaw(
    of node: Node, _ positions: Int, in graph: Graph, _ members: Set<NodeID>
  ) -> String? {
    let shape = graph.shape(of: node.result)
    let inside = node.operands.map { members.contains(graph[$0].definition) }
    let ranks = zip(node.operands, inside).filter(\.1).map { graph.shape(of: $0.0).fixed.count }
    if case .reduction(_, axis: 0) = node.op.kind { return "adds up its positions" }
    guard shape.fixed.first == positions, ranks.allSatisfy({ $0 > 0 }) else {
      return "loses its positions"
    }
    let rearranges = "rearranges its positions"
    switch node.op.kind {
    case .elementwise:
      return ranks.allSatisfy { $0 == shape.fixed.count } ? nil : "has positions beside another axis"
    case .movement(.slice(let axis, _, _)), .movement(.concatenate(let axis)),
      .movement(.pad(let axis, _, _)):
      return axis == 0 ? rearranges : nil
    case .movement(.window(let window)): return window.axis == 0 ? rearranges : nil
    case .movement(.gather(let axis)): return axis == 0 || inside[1] ? rearranges : nil
    case .movement(.transpose(let order)): return order.first == 0 ? nil : rearranges
    case .movement(.reshape): return nil
    case .movement(.broadcast): return ranks == [shape.fixed.count] ? nil : rearranges
    case .movement(.shift): return nil
    case .reduction: return nil
    case .layer(let layer):
      guard layer.channelAxis(of: graph.shape(of: node.operands[0])) >= 1 else { return rearranges }
      return inside.dropFirst().contains(true) ? "has weights that are computed in it" : nil
    case .contraction:
      return ranks.allSatisfy { $0 == shape.fixed.count && $0 >= 3 } ? nil : rearranges
    case .time, .source, .given: return "is of another time"
    }
  }
}

extension Node {
  /// Whether an operand from outside of a cycle has a part for each of its positions, and the node reads that of its own.
  package func hasPositions(_ operand: Int, _ positions: Int, in graph: Graph) -> Bool {
    let (own, result) = (graph.shape(of: operands[operand]).fixed, graph.shape(of: self.result).fixed)
    switch op.kind {
    case .layer, .movement(.gather), .given, .time, .source: return false
    case .elementwise, .movement, .reduction, .contraction:
      return own.count == result.count && own.first == positions
    }
  }
}
