// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// Functions that move or compare numbers and round none: exact, apart from jumps.
extension Estimate {
  var negated: Estimate {
    Estimate(value: -value, low: -high, high: -low, mayBeNaN: mayBeNaN, sitsOnJump: sitsOnJump)
  }

  var magnitude: Estimate {
    guard low < 0 || low.sign == .minus, !isNaN else { return self }
    let isOneSided = high < 0 || high.sign == .minus
    return Estimate(
      value: value.magnitude, low: isOneSided ? -high : 0, high: Swift.max(-low, high.magnitude),
      mayBeNaN: mayBeNaN, sitsOnJump: sitsOnJump)
  }

  /// The same number; where it is zero, of either sign.
  var withZeroOfEitherSign: Estimate {
    Estimate(
      value: value, low: low == 0 ? -0.0 : low, high: high == 0 ? 0 : high, mayBeNaN: mayBeNaN,
      sitsOnJump: sitsOnJump)
  }

  /// A non-decreasing step function: rounding, sign.
  func steps(_ function: (Double) -> Double) -> Estimate {
    if isNaN { return self }
    let (first, last) = (function(low), function(high))
    return Estimate(
      value: function(value), low: first, high: last, mayBeNaN: mayBeNaN,
      sitsOnJump: sitsOnJump || first != last)
  }

  /// The smaller number, or the other one where one is not a number.
  static func smaller(_ a: Estimate, _ b: Estimate) -> Estimate {
    extremum(a, b, value: BinaryOp.min.evaluate(a.value, b.value), lower)
  }

  /// The larger number, or the other one where one is not a number.
  static func larger(_ a: Estimate, _ b: Estimate) -> Estimate {
    extremum(a, b, value: BinaryOp.max.evaluate(a.value, b.value), upper)
  }

  private static func extremum(
    _ a: Estimate, _ b: Estimate, value: Double, _ choose: (Double, Double) -> Double
  ) -> Estimate {
    if a.isNaN { return b }
    if b.isNaN { return a }
    var (first, last) = (choose(a.low, b.low), choose(a.high, b.high))
    if a.mayBeNaN { (first, last) = (lower(first, b.low), upper(last, b.high)) }
    if b.mayBeNaN { (first, last) = (lower(first, a.low), upper(last, a.high)) }
    // Of two zeros either may be returned.
    if a.hasZero, b.hasZero {
      if a.isCertain, b.isCertain, a.low.sign == b.low.sign { return a }
      if first == 0 { first = -0.0 }
      if last == 0 { last = 0 }
    }
    // A jump in the operand that loses everywhere leaves no trace.
    let fromA = first <= a.high && last >= a.low && a.sitsOnJump
    let fromB = first <= b.high && last >= b.low && b.sitsOnJump
    return Estimate(
      value: value, low: first, high: last, mayBeNaN: a.mayBeNaN && b.mayBeNaN, sitsOnJump: fromA || fromB)
  }

  /// 1 where the comparison holds, else 0; with a not-a-number only `!=` holds.
  static func compare(_ op: BinaryOp, _ a: Estimate, _ b: Estimate) -> Estimate {
    let mayBeNaN = a.mayBeNaN || b.mayBeNaN
    let mayHold: Bool
    let mayFail: Bool
    let meet = a.low <= b.high && b.low <= a.high
    let areOne = a.low == a.high && b.low == b.high && a.low == b.low
    switch op {
    case .less: (mayHold, mayFail) = (a.low < b.high, a.high >= b.low || mayBeNaN)
    case .lessOrEqual: (mayHold, mayFail) = (a.low <= b.high, a.high > b.low || mayBeNaN)
    case .greater: (mayHold, mayFail) = (a.high > b.low, a.low <= b.high || mayBeNaN)
    case .greaterOrEqual: (mayHold, mayFail) = (a.high >= b.low, a.low < b.high || mayBeNaN)
    case .equal: (mayHold, mayFail) = (meet, !areOne || mayBeNaN)
    case .notEqual: (mayHold, mayFail) = (!areOne || mayBeNaN, meet)
    case .add, .subtract, .multiply, .divide, .modulo, .min, .max, .pow, .atan2:
      preconditionFailure("\(op) does not compare")
    }
    guard mayHold, mayFail else { return Estimate(certain: mayHold ? 1 : 0) }
    return Estimate(value: op.evaluate(a.value, b.value), low: 0, high: 1, sitsOnJump: true)
  }

  /// 1 where it is a number, else 0. Of what may be anything nothing but the value tells.
  var isNumber: Estimate {
    guard mayBeNaN, !isNaN else { return Estimate(certain: isNaN ? 0 : 1) }
    return Estimate(value: value.isNaN ? 0 : 1, low: 0, high: 1, sitsOnJump: !isUnbounded)
  }

  /// a where the condition is not zero, which not-a-number is not either, else b.
  static func select(_ condition: Estimate, _ a: Estimate, _ b: Estimate) -> Estimate {
    if !condition.hasZero { return a }
    if condition.isZero { return b }
    return Estimate(value: condition.value != 0 ? a.value : b.value, acrossJump: a, b)
  }

  /// The number at a position that an index says, of so many; every one that it may say where it is not certain.
  static func picked(_ index: Estimate, of count: Int, _ number: (Int) -> Estimate) -> Estimate {
    let value = number(Op.position(index.value, of: count)).value
    let kept = smaller(larger(index, zero), Estimate(certain: Double(count - 1)))
    let positions = Op.position(kept.low, of: count)...Op.position(kept.high, of: count)
    return positions.dropFirst().reduce(number(positions.lowerBound)) { found, position in
      Estimate(value: value, acrossJump: found, number(position))
    }
  }

  /// The same where nothing but the value of the condition is known: that is no jump.
  static func either(_ condition: Estimate, _ a: Estimate, _ b: Estimate) -> Estimate {
    let all = select(condition, a, b)
    return Estimate(
      value: all.value, low: all.low, high: all.high, mayBeNaN: all.mayBeNaN,
      sitsOnJump: a.sitsOnJump || b.sitsOnJump)
  }
}
