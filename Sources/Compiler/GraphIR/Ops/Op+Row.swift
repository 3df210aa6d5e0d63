// SPDX-License-Identifier: Apache-2.0

/// The table of the ops: one row each.
extension Op {
  /// The cost of a kernel that copies.
  static let copyCost = 20

  /// Frames from one sample of a `control` to the next.
  package static let controlFrames = 64

  package var row: OpRow {
    switch self {
    case .input(let port): OpRow("input", .given(.input(port)), operands: 0...0, cost: 0)
    case .parameter(let index): OpRow("parameter", .given(.parameter(index)), operands: 0...0, cost: 0)
    case .literal(let number): OpRow("literal", .given(.literal(number)), operands: 0...0, cost: 0)
    case .weights(let id): OpRow("weights", .given(.weights(id)), operands: 0...0, cost: 0)

    case .unary(let op):
      OpRow(
        op.rawValue, .elementwise(.unary(op)), operands: 1...1, cost: op.row.cost,
        linearity: op.row.isLinear ? .operands : .none)
    case .binary(let op):
      OpRow(
        op.rawValue, .elementwise(.binary(op)), operands: 2...2, cost: op.row.cost, commutes: op.row.commutes,
        linearity: op.row.isLinear ? .operands : .none)
    case .select: OpRow("select", .elementwise(.select), operands: 3...3, cost: 2)
    case .fma:
      OpRow("fma", .elementwise(.fma), operands: 3...3, cost: 2, commutes: true, linearity: .operands)

    case .slice(let axis, let start, let count):
      .movement("slice", .slice(axis: axis, start: start, count: count), demandsLess: true)
    // One copy for each operand.
    case .concatenate(let axis):
      .movement(
        "concatenate", .concatenate(axis: axis), operands: 1...Limits.nodes, costsEachOperand: true)
    case .reshape: .movement("reshape", .reshape)
    case .transpose(let order): .movement("transpose", .transpose(order))
    case .pad(let axis, let before, let after):
      .movement("pad", .pad(axis: axis, before: before, after: after), cost: 2 * Op.copyCost)
    case .broadcast: .movement("broadcast", .broadcast)
    // Each lane has an address of its own.
    case .gather(let axis):
      .movement("gather", .gather(axis: axis), operands: 2...2, cost: 24, linearity: .reads)

    case .window(let window): .movement("windows", .window(window))
    case .shift(let axis, let by): .movement("shifted", .shift(axis: axis, by: by), cost: 2 * Op.copyCost)

    case .sum(let axis, let ways):
      OpRow(
        "sum", .reduction(.sum(ways: ways), axis: axis), operands: 1...1, cost: 2 * Op.copyCost,
        linearity: .operands,
        numbers: .signOfOperands)
    case .maximum(let axis):
      OpRow(
        "maximum", .reduction(.maximum, axis: axis), operands: 1...1, cost: 2 * Op.copyCost,
        numbers: .signOfOperands)
    case .dense(let axis, let ways):
      OpRow(
        "dense", .layer(.dense(axis: axis, ways: ways)), operands: 2...3, cost: 2 * Op.copyCost,
        linearity: .reads)
    case .convolution(let convolution):
      OpRow(
        convolution.name, .layer(.convolution(convolution)), operands: 2...3, cost: 2 * Op.copyCost,
        linearity: .reads, history: convolution.history)
    case .contraction(let ways):
      OpRow("contraction", .contraction(ways: ways), operands: 2...2, cost: 2 * Op.copyCost)

    // The map that computes a value writes its history as well; a read of a ring is its address.
    case .delay(let count):
      OpRow(
        "delay", .time(.delay(count)), operands: 1...1, cost: 8, linearity: .reads, numbers: .ofOperands,
        history: count, leastDelay: count)
    // Each lane has an address of its own.
    case .tap(let tap):
      OpRow(
        "tap", .time(.tap(tap)), operands: 2...2, cost: tap.interpolation.reads * 24, linearity: .reads,
        history: tap.maximum, leastDelay: tap.minimum, counted: tap.minimum...max(tap.minimum, tap.maximum))
    // Values have other names then; that others wait is counted where they do.
    case .lookahead(let count):
      OpRow(
        "lookahead", .time(.lookahead(count)), operands: 1...1, cost: 0, numbers: .ofOperands, ahead: count)
    case .control:
      OpRow(
        "control", .time(.control), operands: 1...1, cost: Op.copyCost, numbers: .ofOperands,
        position: .sampled(every: Op.controlFrames))
    // The sum of all earlier frames is one number.
    case .phasor:
      OpRow("phasor", .source(.phasor), operands: 1...1, cost: Op.copyCost, numbers: .fraction, history: 1)
    case .noise(let seed):
      OpRow(
        "noise", .source(.noise(seed: seed)), operands: 0...0, cost: 14, numbers: .finite, position: .read)
    }
  }
}

extension OpRow {
  fileprivate static func movement(
    _ name: String, _ movement: Op.Movement, operands: ClosedRange<Int> = 1...1, cost: Int = Op.copyCost,
    costsEachOperand: Bool = false, linearity: Linearity = .operands, demandsLess: Bool = false
  ) -> OpRow {
    OpRow(
      name, .movement(movement), operands: operands, cost: cost, costsEachOperand: costsEachOperand,
      linearity: linearity, numbers: .ofOperands, demandsLess: demandsLess)
  }
}

extension UnaryOp {
  /// The properties of a function of one number, without its computation.
  package struct Row: Sendable {
    package let cost: Int
    package let isLinear: Bool
    /// Whether each result is an integer, infinite or not a number.
    package let isWhole: Bool
    package let sign: Sign
    package let size: Size

    init(
      cost: Int, isLinear: Bool = false, isWhole: Bool = false, sign: Sign = .any, size: Size = .any
    ) {
      self.cost = cost
      self.isLinear = isLinear
      self.isWhole = isWhole
      self.sign = sign
      self.size = size
    }

    package enum Sign: Sendable {
      case any
      /// The operand's.
      case kept
      /// Never negative, nor -0.
      case plus
    }

    /// The size of a result whose operand is a number.
    package enum Size: Sendable {
      case any
      /// A number, finite where the operand is.
      case kept
      /// A number.
      case number
      case finite
    }
  }

  package var row: Row {
    switch self {
    case .negate: Row(cost: 1, isLinear: true, size: .kept)
    case .abs: Row(cost: 1, sign: .plus, size: .kept)
    case .sqrt: Row(cost: 3, sign: .kept)
    case .exp: Row(cost: 22, sign: .plus, size: .number)
    case .log: Row(cost: 22)
    case .sin: Row(cost: 50)
    case .cos: Row(cost: 50)
    case .tan: Row(cost: 70)
    case .tanh: Row(cost: 16, sign: .kept, size: .finite)
    case .sigmoid: Row(cost: 22, sign: .plus, size: .finite)
    case .erf: Row(cost: 22, sign: .kept, size: .finite)
    case .floor: Row(cost: 1, isWhole: true, sign: .kept, size: .kept)
    case .ceil: Row(cost: 1, isWhole: true, sign: .kept, size: .kept)
    case .round: Row(cost: 1, isWhole: true, sign: .kept, size: .kept)
    case .truncate: Row(cost: 1, isWhole: true, sign: .kept, size: .kept)
    case .sign: Row(cost: 3, isWhole: true, sign: .kept, size: .finite)
    }
  }
}

extension BinaryOp {
  /// The properties of a function of two numbers, without its computation.
  package struct Row: Sendable {
    package let cost: Int
    /// The precedence of an infix operator; 0 for functions.
    package let precedence: Int
    /// Whether its operands may change places without changing a bit.
    package let commutes: Bool
    package let isLinear: Bool
    /// Whether it is 1 or 0.
    package let isComparison: Bool

    init(
      cost: Int, precedence: Int = 0, commutes: Bool = false, isLinear: Bool = false,
      isComparison: Bool = false
    ) {
      self.cost = cost
      self.precedence = precedence
      self.commutes = commutes
      self.isLinear = isLinear
      self.isComparison = isComparison
    }

    static func comparison(commutes: Bool = false) -> Row {
      Row(cost: 2, precedence: 1, commutes: commutes, isComparison: true)
    }
  }

  package var row: Row {
    switch self {
    case .add: Row(cost: 1, precedence: 2, commutes: true, isLinear: true)
    case .subtract: Row(cost: 1, precedence: 2, isLinear: true)
    case .multiply: Row(cost: 1, precedence: 3, commutes: true, isLinear: true)
    case .divide: Row(cost: 2, precedence: 3, isLinear: true)
    case .modulo: Row(cost: 5, precedence: 3)
    case .less: .comparison()
    case .lessOrEqual: .comparison()
    case .greater: .comparison()
    case .greaterOrEqual: .comparison()
    case .equal: .comparison(commutes: true)
    case .notEqual: .comparison(commutes: true)
    // Of two zeros they return the second one.
    case .min: Row(cost: 2)
    case .max: Row(cost: 2)
    case .pow: Row(cost: 90)
    case .atan2: Row(cost: 40)
    }
  }

  /// The precedence of an infix operator; 0 for functions.
  var precedence: Int { row.precedence }

  /// Whether it stands between its operands.
  package var isInfix: Bool { precedence > 0 }
}
