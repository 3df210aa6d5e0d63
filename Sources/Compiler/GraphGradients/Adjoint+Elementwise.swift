// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// Functions of single numbers: the derivative by each operand, at the numbers that there are.
extension Adjoint {
  mutating func elementwise(_ function: Op.Elementwise, _ wanted: [Bool]) throws(TypingError) -> [ValueID?] {
    let (c, y) = (Formula(cotangent), Formula(node.result))
    let x = node.operands.map { Formula($0) }
    let flows: [Formula] =
      switch function {
      case .unary(let op): [unary(op, c, x[0], y)]
      case .binary(let op): binary(op, c, x[0], x[1], y)
      case .select: [0, .select(x[0], c, 0), .select(x[0], 0, c)]
      case .fma: [c * x[1], c * x[0], c]
      }
    var result: [ValueID?] = []
    for (operand, flow) in flows.enumerated() {
      guard wanted[operand] else {
        result.append(nil)
        continue
      }
      var value = try flow.value(in: &assembler)
      // A number of its own is as wide as the result.
      if fixed(value) != fixed(cotangent) { value = try assembler.apply(.broadcast(fixed(cotangent)), value) }
      result.append(try folded(value, to: operandShape(operand)))
    }
    return result
  }

  private func unary(_ op: UnaryOp, _ c: Formula, _ x: Formula, _ y: Formula) -> Formula {
    switch op {
    case .negate: 0 - c
    case .abs: c * Formula(.unary(.sign), x)
    case .sqrt: c * (0.5 / y)
    case .exp: c * y
    case .log: c / x
    case .sin: c * Formula(.unary(.cos), x)
    case .cos: 0 - c * .sin(x)
    case .tan: c * (1 + y * y)
    // The cotangent comes first: what hangs on y alone would be computed, and kept, on the way forwards.
    case .tanh: c - (c * y) * y
    case .sigmoid: c * y - (c * y) * y
    // 2 / sqrt(π) exp(-x²)
    case .erf: c * (1.128_379_167_095_512_6 * .exp(0 - x * x))
    case .floor, .ceil, .round, .truncate, .sign: 0
    }
  }

  private func binary(_ op: BinaryOp, _ c: Formula, _ a: Formula, _ b: Formula, _ y: Formula) -> [Formula] {
    switch op {
    case .add: return [c, c]
    case .subtract: return [c, 0 - c]
    case .multiply: return [c * b, c * a]
    case .divide: return [c / b, 0 - c * (y / b)]
    case .modulo: return [c, 0 - c * Formula(.unary(.floor), a / b)]
    // Of equal ones the second: that of a rectifier `max(x, 0)` is 0 at 0.
    case .min:
      let isFirst = Formula(.binary(.less), a, b)
      return [.select(isFirst, c, 0), .select(isFirst, 0, c)]
    case .max:
      let isFirst = Formula(.binary(.greater), a, b)
      return [.select(isFirst, c, 0), .select(isFirst, 0, c)]
    case .pow:
      // The exponent of a number that is not above zero may only be whole: nothing near it has a power.
      let byExponent = Formula.select(Formula(.binary(.greater), a, 0), y * Formula(.unary(.log), a), 0)
      // To the power of 0 everything is 1; the rule alone would have 0 times the infinite reciprocal of 0, at 0.
      let isOne = Formula(.binary(.equal), b, 0)
      return [c * .select(isOne, 0, b * Formula(.binary(.pow), a, b - 1)), c * byExponent]
    case .atan2:
      // Silence has no angle, and its slope is 0.
      let length = Formula.max(a * a + b * b, Formula(Double(Float.leastNormalMagnitude)))
      return [c * (b / length), 0 - c * (a / length)]
    case .less, .lessOrEqual, .greater, .greaterOrEqual, .equal, .notEqual: return [0, 0]
    }
  }
}
