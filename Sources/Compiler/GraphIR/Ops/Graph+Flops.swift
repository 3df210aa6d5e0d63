// SPDX-License-Identifier: Apache-2.0

extension Graph {
  /// Floating-point operations of a frame (or of a step), as mathematics counts them.
  ///
  ///     a function of numbers (+, tanh, <, select)      1 for each number of the result, whatever it costs a machine
  ///     fma                                             2
  ///     sum, maximum of n                               n - 1
  ///     dense, convolution of n products                2 n - 1, with a bias 2 n
  ///     what moves or remembers numbers                 0
  ///
  /// What depends on stepped parameters, array parameters and constants only is not computed for each frame, and counts nothing.
  package var flopsPerFrame: Int {
    let nodes = nodesOfEachFrame
    return nodeIDs.reduce(0) { total, id in nodes.contains(id) ? total + flops(of: self[id]) : total }
  }

  /// The floating-point operations of a frame (or of a step), and each number that is moved, remembered or begun.
  package var operationsPerFrame: Int {
    let nodes = nodesOfEachFrame
    return nodeIDs.reduce(0) { total, id in
      guard nodes.contains(id), !self[id].op.isLeaf else { return total }
      return total + max(flops(of: self[id]), shape(of: self[id].result).count)
    }
  }

  /// The products of a frame (or of a step) that numbers of each array go into; what is computed more rarely counts
  /// nothing.
  package var productsOfWeights: [WeightsID: Int] {
    nodesOfEachFrame.reduce(into: [:]) { products, id in
      let node = self[id]
      func add(_ count: Int, for operand: ValueID) {
        if case .weights(let id) = definition(of: operand).op.given { products[id, default: 0] += count }
      }
      let count = shape(of: node.result).count
      switch node.op.kind {
      case .elementwise(.binary(.multiply)), .elementwise(.fma):
        for operand in node.operands.prefix(2) { add(count, for: operand) }
      case .layer:
        let terms = shape(of: node.operands[1]).fixed.dropFirst().reduce(1, *)
        add(count * terms, for: node.operands[1])
      case .contraction:
        let terms = shape(of: node.operands[0]).fixed.last!
        for operand in node.operands { add(count * terms, for: operand) }
      case .given, .elementwise, .movement, .reduction, .time, .source: break
      }
    }
  }

  /// Nodes whose result may change from frame to frame, or from step to step.
  package var nodesOfEachFrame: Set<NodeID> {
    var found: Set<NodeID> = []
    for component in components() {
      let moves = component.contains { id in
        let node = self[id]
        return shape(of: node.result).frames != nil || beginsFrames(node)
          || node.operands.contains { found.contains(self[$0].definition) }
      }
      if moves || isCycle(component) { found.formUnion(component) }
    }
    return found
  }

  private func flops(of node: Node) -> Int {
    let count = shape(of: node.result).count
    switch node.op.kind {
    case .given, .movement, .time, .source: return 0
    case .elementwise(.fma): return 2 * count
    case .elementwise: return count
    case .reduction: return shape(of: node.operands[0]).count - count
    case .layer:
      let products = shape(of: node.operands[1]).fixed.dropFirst().reduce(1, *)
      return count * (2 * products - (node.operands.count > 2 ? 0 : 1))
    case .contraction: return count * (2 * shape(of: node.operands[0]).fixed.last! - 1)
    }
  }
}
