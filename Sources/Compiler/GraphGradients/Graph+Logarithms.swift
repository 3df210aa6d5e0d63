// SPDX-License-Identifier: Apache-2.0

package import GraphIR

extension Graph {
  /// The graph with logarithms of exponentials over a number, such as those of a softmax, taken one by one.
  ///
  ///     log(exp(a) / s)   →   a - log(s)
  ///
  /// Both are the same number; but an exponential that is too small for a float is 0, which has neither a finite logarithm
  /// nor a gradient. Reshapes, transposes and slices between the two, which move numbers only, stand behind the difference
  /// then.
  package func withLogarithmsOfQuotients() -> Graph {
    var result = self
    func logarithm(of value: ValueID) -> ValueID? {
      let node = definition(of: value)
      switch node.op {
      case .reshape, .transpose, .slice:
        return logarithm(of: node.operands[0]).map { result.append(node.op, [$0], type: self[value].type) }
      case .binary(.divide):
        let (above, below) = (definition(of: node.operands[0]), node.operands[1])
        guard case .unary(.exp) = above.op else { return nil }
        let scale = result.append(.unary(.log), [below], type: self[below].type)
        return result.append(.binary(.subtract), [above.operands[0], scale], type: self[value].type)
      case _: return nil
      }
    }
    var meanings: [ValueID: ValueID] = [:]
    for node in nodes {
      if case .unary(.log) = node.op { meanings[node.result] = logarithm(of: node.operands[0]) }
    }
    guard !meanings.isEmpty else { return self }
    for row in result.nodes.indices {
      result.nodes[row].operands = result.nodes[row].operands.map { meanings[$0] ?? $0 }
    }
    result.outputs = result.outputs.map { $0.showing(meanings[$0.value] ?? $0.value) }
    return result.canonical()
  }
}
