// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

extension AlgebraicRule.Fact {
  /// Neither below zero nor -0; it may be not a number.
  static let isNeverNegative = Self(name: "is never negative") { isNeverNegative($0, in: $1, depth: 5) }

  /// An integer, infinite or not a number.
  static let isWhole = Self(name: "is whole") { value, graph in
    let node = graph.definition(of: value)
    switch node.op {
    case .unary(let op): return op.givesWholeNumbers
    case .binary(let op): return op.isComparison
    case .literal(let number): return number == number.rounded()
    case .input, .parameter, .weights, .select, .fma, .slice, .concatenate, .reshape, .transpose, .pad,
      .broadcast, .sum, .maximum, .dense, .convolution, .delay, .tap, .lookahead, .control, .phasor, .noise:
      return false
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
    switch node.op {
    case .literal(let number):
      return number.sign == .plus
    case .unary(let op):
      switch op {
      case .abs, .exp, .sigmoid: return true
      case .sqrt, .floor, .ceil, .round, .truncate, .sign, .tanh, .erf: return isNeverNegative(0)
      case .negate, .log, .sin, .cos, .tan: return false
      }
    case .binary(let op):
      switch op {
      case .less, .lessOrEqual, .greater, .greaterOrEqual, .equal, .notEqual: return true
      case .multiply: return node.operands[0] == node.operands[1] || allAre()
      case .add, .divide, .min: return allAre()
      case .pow: return isNeverNegative(0)
      // Of two zeros the second one is returned, and a number in place of what is none.
      case .max: return (graph.literal(node.operands[1])?.sign == .plus) || allAre()
      case .subtract, .modulo, .atan2: return false
      }
    case .select:
      return isNeverNegative(1) && isNeverNegative(2)
    case .fma:
      return (node.operands[0] == node.operands[1] || (isNeverNegative(0) && isNeverNegative(1)))
        && isNeverNegative(2)
    case .slice, .reshape, .transpose, .pad, .broadcast, .concatenate, .sum, .maximum, .delay, .lookahead:
      return allAre()
    case .phasor: return true
    case .input, .parameter, .weights, .dense, .convolution, .tap, .control, .noise:
      return false
    }
  }
}

extension UnaryOp {
  fileprivate var givesWholeNumbers: Bool {
    switch self {
    case .floor, .ceil, .round, .truncate, .sign: true
    case .negate, .abs, .sqrt, .exp, .log, .sin, .cos, .tan, .tanh, .sigmoid, .erf: false
    }
  }
}

extension BinaryOp {
  fileprivate var isComparison: Bool {
    switch self {
    case .less, .lessOrEqual, .greater, .greaterOrEqual, .equal, .notEqual: true
    case .add, .subtract, .multiply, .divide, .modulo, .min, .max, .pow, .atan2: false
    }
  }
}
