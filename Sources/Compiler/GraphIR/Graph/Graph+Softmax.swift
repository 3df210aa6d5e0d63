// SPDX-License-Identifier: Apache-2.0

extension Graph {
  /// Whether a value holds probabilities along its last fixed axis, as `softmax` makes them: exponentials over their sum.
  ///
  ///     e = exp(…)     s = sum(e, axis: last)     e / reshape(s)
  ///
  /// A reshape behind it that leaves the last axis alone is passed over.
  package func isSoftmax(_ value: ValueID) -> Bool {
    let (node, fixed) = (definition(of: value), shape(of: value).fixed)
    if case .reshape = node.op {
      return shape(of: node.operands[0]).fixed.last == fixed.last && isSoftmax(node.operands[0])
    }
    guard case .binary(.divide) = node.op, case .unary(.exp) = definition(of: node.operands[0]).op else {
      return false
    }
    let kept = definition(of: node.operands[1])
    guard case .reshape = kept.op, case .sum(let axis, _) = definition(of: kept.operands[0]).op else {
      return false
    }
    return axis == fixed.count - 1 && definition(of: kept.operands[0]).operands == [node.operands[0]]
  }
}
