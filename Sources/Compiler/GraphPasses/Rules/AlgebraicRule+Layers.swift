// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

extension AlgebraicRule {
  /// Rules of layers that are functions of single numbers: exact.
  static let layers = [
    // No sum is left: whoever goes on with the result computes it on the way.
    Self("dense(x, w, b) → fma(x, w, b), of one term", at: \.isLayer) { node, graph, _ in
      guard case .layer(let layer) = node.op.kind, layer.hasOneTerm(graph.shape(of: node.operands[1])) else {
        return nil
      }
      let shape = graph.shape(of: node.result)
      let axis = layer.channelAxis(of: shape)
      let behind = [Int](repeating: 1, count: shape.fixed.count - axis - 1)
      func along(_ numbers: ValueID) -> Replacement {
        let extents = [graph.shape(of: numbers).fixed[0]] + behind
        if graph.shape(of: numbers).fixed == extents { return .value(numbers) }
        let definition = graph.definition(of: numbers)
        guard case .reshape = definition.op else { return .apply(.reshape(extents), [.value(numbers)]) }
        return .apply(.reshape(extents), [.value(definition.operands[0])])
      }
      return .apply(
        .fma,
        [
          .value(node.operands[0]), along(node.operands[1]),
          node.operands.count > 2 ? along(node.operands[2]) : .number(0),
        ])
    }
  ]
}

extension Op.Layer {
  /// Whether each result is one product and a bias, of a number at its own place.
  fileprivate func hasOneTerm(_ weight: Shape) -> Bool {
    switch self {
    case .dense: weight.fixed[1] == 1
    case .convolution(let convolution):
      weight.fixed[1] == 1 && convolution.walks.allSatisfy { $0.kernelSize == 1 && $0.stride == 1 }
        && [1, weight.fixed[0]].contains(convolution.groups)
    }
  }
}

extension Op {
  fileprivate var isLayer: Bool { if case .layer = kind { true } else { false } }
}
