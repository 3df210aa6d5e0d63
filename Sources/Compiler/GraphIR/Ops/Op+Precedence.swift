// SPDX-License-Identifier: Apache-2.0

extension BinaryOp {
  /// How tightly an infix operator binds; 0 for functions.
  var precedence: Int {
    switch self {
    case .less, .lessOrEqual, .greater, .greaterOrEqual, .equal, .notEqual: 1
    case .add, .subtract: 2
    case .multiply, .divide, .modulo: 3
    case .min, .max, .pow, .atan2: 0
    }
  }
}

extension Op {
  /// The operator that an expression writes between its operands; nil for what is written otherwise.
  private var infix: BinaryOp? {
    switch self {
    case .binary(let op): op.isInfix ? op : nil
    case .input, .parameter, .literal, .weights, .unary, .select, .fma: nil
    case .slice, .concatenate, .reshape, .transpose, .pad, .broadcast: nil
    case .sum, .maximum, .dense, .convolution, .delay, .tap, .lookahead, .control, .phasor, .noise: nil
    }
  }

  /// The expression of an operand as it stands in that of its user: in brackets where it would be read in another order
  /// without them. Comparisons do not chain.
  ///
  ///     a + b     as the first operand of  - c     a + b - c
  ///     a + b     as the second operand of c -     c - (a + b)
  ///
  /// - Parameter isFirst: whether it is the first operand, and that only.
  package func operandText(_ text: String, in user: Op, isFirst: Bool) -> String {
    guard let inner = infix, let outer = user.infix else { return text }
    let (own, users) = (inner.precedence, outer.precedence)
    let continues = own == users && isFirst && users > BinaryOp.less.precedence
    return own > users || continues ? text : "(\(text))"
  }
}
