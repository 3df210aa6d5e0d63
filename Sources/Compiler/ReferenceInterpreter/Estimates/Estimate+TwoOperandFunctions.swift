// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GraphIR

/// Powers, angles and remainders.
extension Estimate {
  static func power(_ x: Estimate, _ y: Estimate) -> Estimate {
    let value = Foundation.pow(x.value, y.value)
    let accuracy = MathAccuracy.power
    // pow(x, 0) and pow(1, y) are 1 even for a not-a-number.
    if y.isZero || (x.isCertain && x.low == 1) { return Estimate(certain: 1) }
    if x.isCertain, y.isCertain {
      let exact = Foundation.pow(x.low, y.low)
      if exact.isNaN { return Estimate(certain: .nan) }
      return Estimate(value: value, low: accuracy.below(exact), high: accuracy.above(exact))
    }
    let jumps = x.sitsOnJump || y.sitsOnJump
    let mayBeNaN = x.mayBeNaN || y.mayBeNaN
    let knowsBoth = !x.isNaN && !y.isNaN
    if knowsBoth, x.low > 0, !x.mayBeInfinite, !y.mayBeInfinite {
      // y · log(x) has its extremes at the corners.
      let corners = [x.low, x.high].flatMap { x in [y.low, y.high].map { Foundation.pow(x, $0) } }
      return Estimate(
        value: value, low: accuracy.below(corners.min()!), high: accuracy.above(corners.max()!),
        mayBeNaN: mayBeNaN, sitsOnJump: jumps)
    }
    if knowsBoth, y.isCertain, y.low > 0, y.low.isFinite {
      if y.low == y.low.rounded() {
        let isOdd = y.low.truncatingRemainder(dividingBy: 2) != 0
        let base = isOdd ? x : x.magnitude
        return Estimate(
          value: value, low: accuracy.below(Foundation.pow(base.low, y.low)),
          high: accuracy.above(Foundation.pow(base.high, y.low)), mayBeNaN: mayBeNaN, sitsOnJump: jumps)
      }
      if x.high <= -smallest, x.low > -.infinity { return Estimate(certain: .nan) }
      if x.low > -.infinity {
        return Estimate(
          value: value, low: 0, high: accuracy.above(Foundation.pow(Swift.max(x.high, 0), y.low)),
          mayBeNaN: mayBeNaN || x.low < 0, sitsOnJump: jumps)
      }
    }
    return Estimate(unboundedAround: value, sitsOnJump: jumps)
  }

  static func angle(_ y: Estimate, _ x: Estimate) -> Estimate {
    if y.isNaN || x.isNaN { return Estimate(certain: .nan) }
    let value = Foundation.atan2(y.value, x.value)
    let accuracy = MathAccuracy.atan2
    if y.isCertain, x.isCertain {
      let exact = Foundation.atan2(y.low, x.low)
      return Estimate(value: value, low: accuracy.below(exact), high: accuracy.above(exact))
    }
    let mayBeNaN = y.mayBeNaN || x.mayBeNaN
    let jumps = y.sitsOnJump || x.sitsOnJump
    // The angle jumps by a turn where y changes its sign behind the origin.
    if y.hasZero, x.low <= 0, !(y.isCertain && x.high < 0) {
      return Estimate(
        value: value, low: accuracy.below(-.pi), high: accuracy.above(.pi), mayBeNaN: mayBeNaN,
        sitsOnJump: true)
    }
    let corners = [y.low, y.high].flatMap { y in [x.low, x.high].map { Foundation.atan2(y, $0) } }
    return Estimate(
      value: value, low: accuracy.below(corners.min()!), high: accuracy.above(corners.max()!),
      mayBeNaN: mayBeNaN, sitsOnJump: jumps)
  }

  /// `x - y * floor(x / y)`, formed without a rounding before the last as long as doubles can hold the quotient.
  ///
  /// The rest jumps by a divisor wherever another one fits. Beyond 2²⁸ divisors nothing is claimed.
  static func remainder(_ x: Estimate, _ y: Estimate) -> Estimate {
    if x.isNaN || y.isNaN || y.isZero { return Estimate(certain: .nan) }
    let value = BinaryOp.modulo.evaluate(x.value, y.value)
    let jumps = x.sitsOnJump || y.sitsOnJump
    let isPlain = x.isFinite && y.isFinite && !y.hasZero
    guard isPlain || (x.isCertain && y.isCertain) else {
      return Estimate(unboundedAround: value, sitsOnJump: jumps)
    }
    let quotient = isPlain ? quotientEnds(x, y) : (low: 0, high: 0)
    let count = Swift.max(quotient.low.magnitude, quotient.high.magnitude)
    guard count < 0x1p28 else {
      return Estimate(unboundedAround: value, mayBeNaN: false, sitsOnJump: jumps)
    }
    if x.isCertain, y.isCertain {
      return Estimate(exact: BinaryOp.modulo.evaluate(x.low, y.low), value: value)
    }
    let fewest = (quotient.low - count * 0x1p-50).rounded(.down)
    let most = (quotient.high + count * 0x1p-50).rounded(.down)
    // However many times it fits: the rest lies between zero and the divisor.
    var (low, high) = (Swift.min(-0.0, y.low), Swift.max(0, y.high))
    if fewest == most {
      let products = (y.low * fewest, y.high * fewest)
      let error = 0x1p-50 * Swift.max(x.low.magnitude, x.high.magnitude)
      low = Swift.max(low, x.low - Swift.max(products.0, products.1) - error)
      high = Swift.min(high, x.high - Swift.min(products.0, products.1) + error)
    }
    return Estimate(
      value: value, roundedLow: low, high: high, sitsOnJump: jumps || fewest != most)
  }
}
