// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The meaning of the functions of numbers, edge cases included.
///
///     x % y             x - y * floor(x / y): the sign of y; x % 0 is not a number
///     x / 0, log(≤ 0)   as IEEE 754 says
///     min, max          the other operand where one is not a number
///     sign(±0)          ±0
///     comparisons       1 or 0; with a not-a-number 0, but != gives 1
///     round             to the nearest, halves to even
///     denormals         count as zero (the callers see to it)
extension UnaryOp {
  package func evaluate(_ x: Double) -> Double {
    switch self {
    case .negate: -x
    case .abs: Swift.abs(x)
    case .sqrt: x.squareRoot()
    case .exp: Foundation.exp(x)
    case .log: Foundation.log(x)
    case .sin: Foundation.sin(x)
    case .cos: Foundation.cos(x)
    case .tan: Foundation.tan(x)
    case .tanh: Foundation.tanh(x)
    case .sigmoid: 1 / (1 + Foundation.exp(-x))
    case .erf: Foundation.erf(x)
    case .floor: x.rounded(.down)
    case .ceil: x.rounded(.up)
    case .round: x.rounded(.toNearestOrEven)
    case .truncate: x.rounded(.towardZero)
    case .sign: x > 0 ? 1 : x < 0 ? -1 : x
    }
  }
}

extension BinaryOp {
  package func evaluate(_ x: Double, _ y: Double) -> Double {
    switch self {
    case .add: x + y
    case .subtract: x - y
    case .multiply: x * y
    case .divide: x / y
    case .modulo: y == 0 ? .nan : x - y * (x / y).rounded(.down)
    case .less: x < y ? 1 : 0
    case .lessOrEqual: x <= y ? 1 : 0
    case .greater: x > y ? 1 : 0
    case .greaterOrEqual: x >= y ? 1 : 0
    case .equal: x == y ? 1 : 0
    case .notEqual: x != y ? 1 : 0
    case .min: x.isNaN ? y : y.isNaN ? x : Swift.min(x, y)
    case .max: x.isNaN ? y : y.isNaN ? x : Swift.max(x, y)
    case .pow: Foundation.pow(x, y)
    case .atan2: Foundation.atan2(x, y)
    }
  }
}

extension Op {
  /// The position of an index within an axis: rounded down and clamped; 0 for NaN.
  package static func position(_ index: Double, of count: Int) -> Int {
    Int(Swift.min(Swift.max(0, index.isNaN ? 0 : index.rounded(.down)), Double(count - 1)))
  }
}

extension Op.Elementwise {
  package func evaluate(_ operands: [Double]) -> Double {
    switch self {
    case .unary(let op): op.evaluate(operands[0])
    case .binary(let op): op.evaluate(operands[0], operands[1])
    case .select: operands[0] != 0 ? operands[1] : operands[2]
    case .fma: operands[2].addingProduct(operands[0], operands[1])
    }
  }
}
