// SPDX-License-Identifier: Apache-2.0

/// What is known of all numbers that a value can have, whatever goes into the graph; each says more than the one before.
private enum Certainty: Comparable {
  case nothing
  /// Never what is not a number, but an infinity perhaps.
  case number
  case finite
}

extension Graph {
  /// Whether a value is known never to be what is not a number.
  ///
  /// Comparisons, phasors and parameters are; a difference of two such is too, though it may overflow.
  package func isNumber(_ value: ValueID) -> Bool { certainty(of: value, depth: 5) >= .number }

  private func certainty(of value: ValueID, depth: Int) -> Certainty {
    guard depth > 0 else { return .nothing }
    let node = definition(of: value)
    func operand(_ index: Int) -> Certainty { certainty(of: node.operands[index], depth: depth - 1) }
    func least() -> Certainty { node.operands.indices.map(operand).min() ?? .nothing }
    switch node.op {
    case .literal(let number): return number.isNaN ? .nothing : number.isFinite ? .finite : .number
    case .parameter(let index):
      // Where the range overflows, so may the way through it.
      return (parameters[index].maximum - parameters[index].minimum).isFinite ? .finite : .nothing
    case .phasor, .noise: return .finite
    case .unary(let op): return op.certainty(of: operand(0))
    case .binary(let op): return op.certainty(of: operand(0), operand(1))
    case .select: return min(operand(1), operand(2))
    case .fma: return least() == .finite ? .number : .nothing
    case .slice, .concatenate, .reshape, .transpose, .pad, .broadcast, .delay, .lookahead, .control:
      return least()
    case .input, .weights, .sum, .maximum, .dense, .convolution, .tap: return .nothing
    }
  }
}

extension UnaryOp {
  fileprivate func certainty(of x: Certainty) -> Certainty {
    switch self {
    case .negate, .abs, .floor, .ceil, .round, .truncate: x
    case .sign, .tanh, .sigmoid, .erf: x == .nothing ? .nothing : .finite
    case .exp: min(x, .number)
    case .sqrt, .log, .sin, .cos, .tan: .nothing
    }
  }
}

extension BinaryOp {
  fileprivate func certainty(of x: Certainty, _ y: Certainty) -> Certainty {
    switch self {
    case .less, .lessOrEqual, .greater, .greaterOrEqual, .equal, .notEqual: .finite
    // Of two finite numbers they are finite, or overflow.
    case .add, .subtract, .multiply: Swift.min(x, y) == .finite ? .number : .nothing
    // The other operand where one is not a number.
    case .min, .max: Swift.min(x, y) == .finite ? .finite : Swift.min(Swift.max(x, y), .number)
    case .divide, .modulo, .pow, .atan2: .nothing
    }
  }
}
