// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

extension AlgebraicRule.Fact {
  /// Neither below zero nor -0; it may be not a number.
  static let isNeverNegative = Self(name: "is never negative") { isNeverNegative($0, in: $1, depth: 5) }

  /// An integer, infinite or not a number.
  static let isWhole = Self(name: "is whole") { value, graph in
    let node = graph.definition(of: value)
    switch node.op.kind {
    case .elementwise(.unary(let op)): return op.row.isWhole
    case .elementwise(.binary(let op)): return op.row.isComparison
    case .given(.literal(let number)): return number == number.rounded()
    case .given, .elementwise, .movement, .reduction, .layer, .contraction, .time, .source: return false
    }
  }

  /// A literal with one bit of mantissa whose reciprocal is a normal float.
  static let isPowerOfTwo = Self(name: "is a power of two") { value, graph in
    guard let number = graph.literal(value), number.isNormal else { return false }
    return number.significand == 1 && (1 / number).isNormal
  }

  private static func isNeverNegative(_ value: ValueID, in graph: Graph, depth: Int) -> Bool {
    let node = graph.definition(of: value)
    func isNeverNegative(_ operand: Int) -> Bool {
      depth > 0 && Self.isNeverNegative(node.operands[operand], in: graph, depth: depth - 1)
    }
    func allAre() -> Bool { node.operands.indices.allSatisfy(isNeverNegative) }
    switch node.op.kind {
    case .given(.literal(let number)):
      return number.sign == .plus
    case .elementwise(.unary(let op)):
      switch op.row.sign {
      case .plus: return true
      case .kept: return isNeverNegative(0)
      case .any: return false
      }
    case .elementwise(.binary(let op)):
      switch op {
      case .less, .lessOrEqual, .greater, .greaterOrEqual, .equal, .notEqual: return true
      case .multiply: return node.operands[0] == node.operands[1] || allAre()
      case .add, .divide, .min: return allAre()
      case .pow: return isNeverNegative(0)
      // Of two zeros the second one is returned, and a number in place of what is none.
      case .max: return (graph.literal(node.operands[1])?.sign == .plus) || allAre()
      case .subtract, .modulo, .atan2: return false
      }
    case .elementwise(.select):
      return isNeverNegative(1) && isNeverNegative(2)
    case .elementwise(.fma):
      return (node.operands[0] == node.operands[1] || (isNeverNegative(0) && isNeverNegative(1)))
        && isNeverNegative(2)
    case .given, .movement, .reduction, .layer, .contraction, .time, .source:
      switch node.op.row.numbers {
      case .ofOperands, .signOfOperands: return allAre()
      case .fraction: return true
      case .any, .finite: return false
      }
    }
  }
}
