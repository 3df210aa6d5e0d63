// SPDX-License-Identifier: Apache-2.0

/// Arithmetic that rounds once: half a unit in the last place, however the operands were arrived at.
///
/// Operands that are certain give a certain result where a float can hold it.
extension Estimate {
  static func add(_ a: Estimate, _ b: Estimate) -> Estimate {
    if a.isCertain, b.isCertain { return Estimate(exact: a.low + b.low, value: a.value + b.value) }
    return Estimate(
      value: a.value + b.value, roundedLow: sumOfLows(a, b), high: sumOfHighs(a, b),
      mayBeNaN: sumMayBeNaN(a, b), sitsOnJump: a.sitsOnJump || b.sitsOnJump)
  }

  static func subtract(_ a: Estimate, _ b: Estimate) -> Estimate { add(a, b.negated) }

  static func multiply(_ a: Estimate, _ b: Estimate) -> Estimate {
    if a.isCertain, b.isCertain { return Estimate(exact: a.low * b.low, value: a.value * b.value) }
    if a.isNaN || b.isNaN { return Estimate(certain: .nan) }
    let ends = productEnds(a, b)
    return Estimate(
      value: a.value * b.value, roundedLow: ends.low, high: ends.high, mayBeNaN: productMayBeNaN(a, b),
      sitsOnJump: a.sitsOnJump || b.sitsOnJump)
  }

  /// The number times itself, which unlike two numbers of one interval is never negative.
  var squared: Estimate {
    let size = magnitude
    if isCertain { return Estimate(exact: low * low, value: value * value) }
    if isNaN { return self }
    return Estimate(
      value: value * value, roundedLow: size.low * size.low, high: size.high * size.high,
      mayBeNaN: mayBeNaN, sitsOnJump: sitsOnJump)
  }

  static func divide(_ a: Estimate, _ b: Estimate) -> Estimate {
    if a.isCertain, b.isCertain { return Estimate(exact: a.low / b.low, value: a.value / b.value) }
    if a.isNaN || b.isNaN { return Estimate(certain: .nan) }
    let value = a.value / b.value
    let jumps = a.sitsOnJump || b.sitsOnJump
    let mayBeNaN =
      a.mayBeNaN || b.mayBeNaN || (a.hasZero && b.hasZero) || (a.mayBeInfinite && b.mayBeInfinite)
    guard !b.hasZero else {
      if b.isCertain, !a.hasZero {
        let pole = a.low / b.low
        return Estimate(value: pole, low: pole, high: pole, mayBeNaN: mayBeNaN)
      }
      return Estimate(unboundedAround: value, mayBeNaN: mayBeNaN, sitsOnJump: jumps)
    }
    let ends = quotientEnds(a, b)
    return Estimate(
      value: value, roundedLow: ends.low, high: ends.high, mayBeNaN: mayBeNaN, sitsOnJump: jumps)
  }

  /// `a * b + c`, rounded once or twice: targets differ.
  static func fma(_ a: Estimate, _ b: Estimate, _ c: Estimate) -> Estimate {
    let product = multiply(a, b)
    let twice = add(product, c)
    // Where the product overflows, a fused machine may still come back into range, and makes no
    // not-a-number of an infinity.
    guard product.mayBeInfinite, !a.mayBeInfinite, !b.mayBeInfinite, !c.isNaN else { return twice }
    let ends = productEnds(a, b)
    let once = Estimate(
      value: a.value * b.value + c.value, roundedLow: ends.low + c.low, high: ends.high + c.high)
    return Estimate(
      value: once.value, low: lower(once.low, twice.low), high: upper(once.high, twice.high),
      mayBeNaN: twice.mayBeNaN, sitsOnJump: twice.sitsOnJump)
  }

  var squareRoot: Estimate {
    if isCertain { return Estimate(exact: low.squareRoot(), value: value.squareRoot()) }
    // Denormals are zeros, so that whatever is negative is at least this far from zero.
    if isNaN || high <= -Self.smallest { return Estimate(certain: .nan) }
    return Estimate(
      value: value.squareRoot(), roundedLow: low > 0 ? low.squareRoot() : -0.0,
      high: high > 0 ? high.squareRoot() : 0, mayBeNaN: mayBeNaN || low < 0, sitsOnJump: sitsOnJump)
  }
}

/// The ends of exact results, before any rounding.
extension Estimate {
  /// An end that would be infinity less infinity is the other end's affair.
  static func sumOfLows(_ a: Estimate, _ b: Estimate) -> Double {
    let sum = a.low + b.low
    return sum.isNaN ? .infinity : sum
  }

  static func sumOfHighs(_ a: Estimate, _ b: Estimate) -> Double {
    let sum = a.high + b.high
    return sum.isNaN ? -.infinity : sum
  }

  static func sumMayBeNaN(_ a: Estimate, _ b: Estimate) -> Bool {
    a.mayBeNaN || b.mayBeNaN || (a.high == .infinity && b.low == -.infinity)
      || (a.low == -.infinity && b.high == .infinity)
  }

  static func productEnds(_ a: Estimate, _ b: Estimate) -> (low: Double, high: Double) {
    ends(a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high)
  }

  static func productMayBeNaN(_ a: Estimate, _ b: Estimate) -> Bool {
    a.mayBeNaN || b.mayBeNaN || (a.hasZero && b.mayBeInfinite) || (b.hasZero && a.mayBeInfinite)
  }

  /// Precondition: zero is not in b.
  static func quotientEnds(_ a: Estimate, _ b: Estimate) -> (low: Double, high: Double) {
    ends(a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high)
  }

  /// The smallest and the largest of four corners; 0 · ∞ and ∞ / ∞ are zero beside the corner's neighbours.
  private static func ends(
    _ a: Double, _ b: Double, _ c: Double, _ d: Double
  ) -> (low: Double, high: Double) {
    let (a, b, c, d) = (a.isNaN ? 0 : a, b.isNaN ? 0 : b, c.isNaN ? 0 : c, d.isNaN ? 0 : d)
    let low = Swift.min(Swift.min(a, b), Swift.min(c, d))
    let high = Swift.max(Swift.max(a, b), Swift.max(c, d))
    return (low == 0 ? -0.0 : low, high == 0 ? 0 : high)
  }
}
