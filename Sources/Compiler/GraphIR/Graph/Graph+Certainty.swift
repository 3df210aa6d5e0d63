// SPDX-License-Identifier: Apache-2.0

/// A bound of all numbers of a value for any input; each case is stricter than the one before.
private enum Certainty: Comparable {
  case nothing
  /// Never NaN, but perhaps infinite.
  case number
  case finite
}

extension Graph {
  /// Whether a value is known never to be NaN.
  ///
  /// Comparisons, phasors and parameters are; a difference of two such is too, though it may overflow.
  package func isNumber(_ value: ValueID) -> Bool { certainty(of: value, depth: 5) >= .number }

  /// Whether a value is known to be finite.
  package func isFinite(_ value: ValueID) -> Bool { certainty(of: value, depth: 5) >= .finite }

  private func certainty(of value: ValueID, depth: Int) -> Certainty {
    guard depth > 0 else { return .nothing }
    let node = definition(of: value)
    func operand(_ index: Int) -> Certainty { certainty(of: node.operands[index], depth: depth - 1) }
    func least() -> Certainty { node.operands.indices.map(operand).min() ?? .nothing }
    switch node.op.kind {
    case .given(.literal(let number)): return number.isNaN ? .nothing : number.isFinite ? .finite : .number
    case .given(.parameter(let index)):
      // Where the range overflows, so may the way through it.
      return (parameters[index].maximum - parameters[index].minimum).isFinite ? .finite : .nothing
    case .elementwise(.unary(let op)): return op.certainty(of: operand(0))
    case .elementwise(.binary(let op)): return op.certainty(of: operand(0), operand(1))
    case .elementwise(.select): return min(operand(1), operand(2))
    case .elementwise(.fma): return least() == .finite ? .number : .nothing
    case .given, .movement, .reduction, .layer, .contraction, .time, .source:
      switch node.op.row.numbers {
      case .any, .signOfOperands: return .nothing
      case .ofOperands: return least()
      case .finite, .fraction: return .finite
      }
    }
  }
}

extension UnaryOp {
  fileprivate func certainty(of x: Certainty) -> Certainty {
    guard x != .nothing else { return .nothing }
    switch row.size {
    case .any: return .nothing
    case .kept: return x
    case .number: return .number
    case .finite: return .finite
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
