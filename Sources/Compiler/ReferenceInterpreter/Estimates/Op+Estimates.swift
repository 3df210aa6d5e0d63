// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

extension UnaryOp {
  /// Whether native code may be off by more than a rounding, and to one side for long.
  var isApproximated: Bool {
    switch self {
    case .exp, .log, .sin, .cos, .tan, .tanh, .sigmoid, .erf: true
    case .negate, .abs, .sqrt, .floor, .ceil, .round, .truncate, .sign: false
    }
  }

  /// The answers of native code for an operand that lies in an interval.
  func estimate(_ x: Estimate) -> Estimate {
    switch self {
    case .negate: x.negated
    case .abs: x.magnitude
    case .sqrt: x.squareRoot
    case .exp: x.exponential
    case .log: x.logarithm
    case .sin: x.sine
    case .cos: x.cosine
    case .tan: x.tangent
    case .tanh: x.hyperbolicTangent
    case .sigmoid: x.sigmoid
    case .erf: x.errorFunction
    case .floor, .ceil, .round, .truncate, .sign: x.steps(evaluate)
    }
  }
}

extension BinaryOp {
  /// The answers of native code for operands that lie in intervals.
  func estimate(_ x: Estimate, _ y: Estimate) -> Estimate {
    switch self {
    case .add: .add(x, y)
    case .subtract: .subtract(x, y)
    case .multiply: .multiply(x, y)
    case .divide: .divide(x, y)
    case .modulo: .remainder(x, y)
    case .less, .lessOrEqual, .greater, .greaterOrEqual, .equal, .notEqual: .compare(self, x, y)
    case .min: .smaller(x, y)
    case .max: .larger(x, y)
    case .pow: .power(x, y)
    case .atan2: .angle(x, y)
    }
  }

  /// The same where both operands are one value: it is as large as itself, wherever in its interval it lies.
  func estimate(ofItself x: Estimate) -> Estimate {
    switch self {
    case .multiply: x.squared
    case .lessOrEqual, .greaterOrEqual, .equal: x.isNumber
    case .less, .greater: Estimate(certain: 0)
    case .notEqual: .subtract(Estimate(certain: 1), x.isNumber)
    case .add, .subtract, .divide, .modulo, .min, .max, .pow, .atan2: estimate(x, x)
    }
  }
}
