// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GraphIR

/// All numbers that a value can be, from the least to the largest.
///
/// Where one value goes two ways they are not told apart: what is made of both is within the interval, which may be
/// wider than it has to be.
struct Interval: Hashable {
  let low, high: Double

  init(_ number: Double) { (low, high) = (number, number) }

  /// nil where one of the ends is no finite number.
  init?(_ ends: [Double]) {
    guard let low = ends.min(), let high = ends.max(), ends.allSatisfy(\.isFinite) else { return nil }
    (self.low, self.high) = (low, high)
  }

  /// nil where there are none, or one is not finite.
  init?(of numbers: [Float]) {
    var (low, high) = (Float.infinity, -Float.infinity)
    for number in numbers {
      guard number.isFinite else { return nil }
      (low, high) = (Swift.min(low, number), Swift.max(high, number))
    }
    guard low <= high else { return nil }
    (self.low, self.high) = (Double(low), Double(high))
  }

  /// The least magnitude in it.
  var leastMagnitude: Double { low > 0 ? low : high < 0 ? -high : 0 }

  static prefix func - (a: Interval) -> Interval { Interval([-a.low, -a.high]) ?? a }

  static func + (a: Interval, b: Interval) -> Interval? { Interval([a.low + b.low, a.high + b.high]) }

  static func * (a: Interval, b: Interval) -> Interval? {
    Interval([a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high])
  }

  static func / (a: Interval, b: Interval) -> Interval? {
    b.leastMagnitude > 0 ? Interval([1 / b.low, 1 / b.high]).flatMap { a * $0 } : nil
  }
}

extension Op {
  /// What comes of all numbers that the operands can be; nil where that is not known.
  func interval(of operands: [Interval]) -> Interval? {
    switch self {
    case .literal(let number): return Interval(Double(number))
    case .unary(let op): return op.interval(of: operands[0])
    case .binary(let op): return op.interval(of: operands[0], operands[1])
    case .fma: return (operands[0] * operands[1]).flatMap { $0 + operands[2] }
    case .slice, .reshape, .transpose, .broadcast: return operands[0]
    case .concatenate: return Interval(operands.flatMap { [$0.low, $0.high] })
    case .input, .parameter, .weights, .select, .pad: return nil
    case .sum, .maximum, .dense, .convolution, .delay, .tap, .lookahead, .control, .phasor, .noise: return nil
    }
  }
}

extension UnaryOp {
  fileprivate func interval(of x: Interval) -> Interval? {
    switch self {
    case .negate: -x
    case .abs: Interval([x.leastMagnitude, max(-x.low, x.high)])
    // The larger x is, the larger is the result.
    case .sqrt, .exp, .log, .tanh, .sigmoid, .erf, .floor, .ceil, .round, .truncate, .sign:
      Interval([evaluate(x.low), evaluate(x.high)])
    case .sin, .cos, .tan: x.low == x.high ? Interval([evaluate(x.low)]) : nil
    }
  }
}

extension BinaryOp {
  fileprivate func interval(of x: Interval, _ y: Interval) -> Interval? {
    switch self {
    case .add: return x + y
    case .subtract: return x + -y
    case .multiply: return x * y
    case .divide: return x / y
    case .min: return Interval([Swift.min(x.low, y.low), Swift.min(x.high, y.high)])
    case .max: return Interval([Swift.max(x.low, y.low), Swift.max(x.high, y.high)])
    // Of what is above 0, each operand alone takes it up or down all the way.
    case .pow where x.low > 0:
      return Interval([x.low, x.high].flatMap { base in [y.low, y.high].map { evaluate(base, $0) } })
    case .modulo, .pow, .atan2, .less, .lessOrEqual, .greater, .greaterOrEqual, .equal, .notEqual:
      return x.low == x.high && y.low == y.high ? Interval([evaluate(x.low, y.low)]) : nil
    }
  }
}
