// SPDX-License-Identifier: Apache-2.0

/// A sum of numbers and products, in whatever order and however fused native code adds it.
///
/// Each of n terms takes part in at most n roundings, so that the result is within n roundings of the sum of the
/// magnitudes. Terms that are multiples of a small power of two and add up to little are exact in every order.
///
/// In a run that rounds, the value is that of floats which are added one after the other, each product with its sum
/// rounded once, as native code may do it.
struct EstimateSum {
  /// Whether each partial sum is rounded to a float.
  private let rounds: Bool
  private var count = 0
  private var value = 0.0
  private var low = 0.0
  private var high = 0.0
  private var magnitude = 0.0
  private var mayBeNaN = false
  private var mustBeNaN = false
  private var sitsOnJump = false
  private var isExact = true
  private var isNeverNegative = true
  private var isNeverPositive = true
  private var mayBeInfinite = (plus: false, minus: false)
  private var mustBeInfinite = (plus: false, minus: false)

  private static var quantum: Double { 0x1p-10 }
  private static var exactLimit: Double { 0x1p14 }

  init(rounding rounds: Bool = false) { self.rounds = rounds }

  mutating func add(_ term: Estimate) {
    mayBeNaN = mayBeNaN || term.mayBeNaN
    add(value: term.value, low: term.low, high: term.high, isCertain: term.isCertain)
    sitsOnJump = sitsOnJump || term.sitsOnJump
  }

  mutating func add(_ a: Estimate, times b: Estimate) {
    if a.isCertain, b.isCertain {
      let product = a.low * b.low
      if product.isNaN { (mayBeNaN, mustBeNaN) = (true, true) }
      add(value: product, low: product, high: product, isCertain: true)
      return
    }
    // Nothing but not-a-number comes of an infinity here, and of anything else nothing at all.
    if a.isZero && b.isFinite || b.isZero && a.isFinite {
      count += 1
      return
    }
    mayBeNaN = mayBeNaN || Estimate.productMayBeNaN(a, b)
    if a.isNaN || b.isNaN { mustBeNaN = true }
    let ends = Estimate.productEnds(a, b)
    add(value: a.value * b.value, low: ends.low, high: ends.high, isCertain: false)
    sitsOnJump = sitsOnJump || a.sitsOnJump || b.sitsOnJump
  }

  private mutating func add(value term: Double, low first: Double, high last: Double, isCertain: Bool) {
    count += 1
    value += term
    if rounds { value = Double(Float(value)) }
    if first > last { mustBeNaN = true }
    if first < 0 { isNeverNegative = false }
    if last > 0 { isNeverPositive = false }
    if last > Estimate.largest { mayBeInfinite.plus = true }
    if first < -Estimate.largest { mayBeInfinite.minus = true }
    if first == .infinity { mustBeInfinite.plus = true }
    if last == -.infinity { mustBeInfinite.minus = true }
    low += first
    high += last
    // A sum never falls when a term rises, so that infinite ends take no part in the roundings of the other end.
    let size = max(first.isFinite ? first.magnitude : 0, last.isFinite ? last.magnitude : 0)
    magnitude += size
    let steps = first / Self.quantum
    if !isCertain || size > Self.exactLimit || !first.isFinite || steps != steps.rounded() { isExact = false }
  }

  var result: Estimate {
    if mustBeNaN || (mustBeInfinite.plus && mustBeInfinite.minus) { return Estimate(certain: .nan) }
    if isExact, magnitude <= Self.exactLimit {
      // The sign of a zero depends on where the sum begins.
      return low == 0 ? Estimate(value: 0, low: -0.0, high: 0) : Estimate(certain: low)
    }
    let hasOneSign = isNeverNegative || isNeverPositive
    // Some order of adding may overflow on the way, in one direction or both.
    if mayBeInfinite.plus && mayBeInfinite.minus || !hasOneSign && magnitude > 0.99 * Estimate.largest {
      return Estimate(unboundedAround: value, sitsOnJump: sitsOnJump)
    }
    let error = Double(count + 1) * (Estimate.roundoff * magnitude + Estimate.smallest)
    var (first, last) = (low - error, high + error)
    if isNeverNegative { first = max(first, 0) }
    if isNeverPositive { last = min(last, 0) }
    return Estimate(value: value, low: first, high: last, mayBeNaN: mayBeNaN, sitsOnJump: sitsOnJump)
  }
}
