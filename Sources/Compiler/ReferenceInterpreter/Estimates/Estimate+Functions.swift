// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GraphIR

/// Functions that native code approximates: the approximation's own error, and what the operand's interval adds.
extension Estimate {
  var exponential: Estimate { rising(.exp, from: 0, to: .infinity) { Foundation.exp($0) } }
  var hyperbolicTangent: Estimate { rising(.tanh, from: -1, to: 1) { Foundation.tanh($0) } }
  var sigmoid: Estimate { rising(.sigmoid, from: 0, to: 1) { UnaryOp.sigmoid.evaluate($0) } }
  var errorFunction: Estimate { rising(.erf, from: -1, to: 1) { Foundation.erf($0) } }

  var logarithm: Estimate {
    if isNaN || high <= -Self.smallest { return Estimate(certain: .nan) }
    if isZero { return Estimate(certain: -.infinity) }
    if isCertain, low == .infinity { return self }
    let first = low > 0 ? Foundation.log(low) : -.infinity
    let last = high > 0 ? Foundation.log(high) : -.infinity
    return Estimate(
      value: Foundation.log(value), low: MathAccuracy.log.below(first),
      high: MathAccuracy.log.above(last), mayBeNaN: mayBeNaN || low < 0, sitsOnJump: sitsOnJump)
  }

  var sine: Estimate { wave(.sin, peak: .pi / 2) { Foundation.sin($0) } }
  var cosine: Estimate { wave(.cos, peak: 0) { Foundation.cos($0) } }

  var tangent: Estimate {
    if isNaN || (isCertain && low.isInfinite) { return Estimate(certain: .nan) }
    let value = Foundation.tan(value)
    let mayBeNaN = mayBeNaN || mayBeInfinite
    // Tangents rise from pole to pole; arguments beyond this are too coarse to tell on which branch they are.
    let branches = [low, high].map { (($0 - .pi / 2) / .pi).rounded(.down) }
    guard isCertain || (isFinite && branches[0] == branches[1] && furthest < 0x1p30) else {
      return Estimate(unboundedAround: value, mayBeNaN: mayBeNaN, sitsOnJump: sitsOnJump)
    }
    let (first, last) = (Foundation.tan(low), Foundation.tan(high))
    let accuracy = MathAccuracy.tan
    let radius = Swift.max(
      accuracy.radius(exact: first, argument: furthest), accuracy.radius(exact: last, argument: furthest))
    guard first <= last, radius < 1 + 0.5 * Swift.max(first.magnitude, last.magnitude) else {
      return Estimate(unboundedAround: value, mayBeNaN: mayBeNaN, sitsOnJump: sitsOnJump)
    }
    return Estimate(
      value: value, low: first - radius, high: last + radius, mayBeNaN: mayBeNaN, sitsOnJump: sitsOnJump)
  }

  private var furthest: Double { Swift.max(low.magnitude, high.magnitude) }

  /// A function that never falls and never leaves its range; one whose range goes both ways is odd, and keeps the
  /// sign of what it is given.
  private func rising(
    _ accuracy: MathAccuracy, from least: Double, to most: Double, _ function: (Double) -> Double
  ) -> Estimate {
    if isNaN { return self }
    var first = Swift.max(accuracy.below(function(low)), least)
    var last = Swift.min(accuracy.above(function(high)), most)
    if least < 0 {
      if low >= 0 { first = Swift.max(first, 0) }
      if high <= 0 { last = Swift.min(last, 0) }
      if isZero { (first, last) = (low, high) }
    }
    return Estimate(
      value: function(value), low: first, high: last, mayBeNaN: mayBeNaN, sitsOnJump: sitsOnJump)
  }

  /// A wave between -1 and 1 with a peak at one angle and every full turn from there; its slope is 1 at most.
  private func wave(_ accuracy: MathAccuracy, peak: Double, _ function: (Double) -> Double) -> Estimate {
    if isNaN || (isCertain && low.isInfinite) { return Estimate(certain: .nan) }
    // A wave that is zero at zero keeps the zero's sign.
    if isZero, function(0) == 0 { return self }
    let value = function(value)
    guard !mayBeInfinite else {
      return Estimate(value: value, low: -1, high: 1, mayBeNaN: true, sitsOnJump: sitsOnJump)
    }
    let error = accuracy.radius(exact: 1, argument: furthest) + furthest * 0x1p-52
    var (first, last) = (function(low), function(high))
    if first > last { swap(&first, &last) }
    // Half a turn further a wave is at its trough.
    if !isCertain, reaches(peak) { last = 1 }
    if !isCertain, reaches(peak + .pi) { first = -1 }
    return Estimate(
      value: value, low: Swift.max(first - error, -1), high: Swift.min(last + error, 1), mayBeNaN: mayBeNaN,
      sitsOnJump: sitsOnJump)
  }

  /// Whether some angle in the interval is `angle` and any number of full turns; near misses count.
  private func reaches(_ angle: Double) -> Bool {
    let slack = 1e-9 + furthest * 1e-15
    let turns = ((low - slack - angle) / (2 * .pi)).rounded(.up)
    return angle + turns * 2 * .pi <= high + slack
  }
}

extension MathAccuracy {
  /// The least that native code may answer for an exact value; infinities are exact.
  func below(_ exact: Double) -> Double {
    exact.isFinite ? exact - (radius(exact: exact, argument: 0) + exact.magnitude * 0x1p-50) : exact
  }

  /// The most that native code may answer for an exact value.
  func above(_ exact: Double) -> Double {
    exact.isFinite ? exact + (radius(exact: exact, argument: 0) + exact.magnitude * 0x1p-50) : exact
  }
}
