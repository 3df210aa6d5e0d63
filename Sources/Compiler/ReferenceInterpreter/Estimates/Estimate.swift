// SPDX-License-Identifier: Apache-2.0

/// An estimate of a 32-bit float of native code: its value in double precision, and every number it is right to be.
///
///     low ──────── value ── high        and perhaps not a number
///
/// The interval holds each float that correct native code can arrive at, whatever the roundings on the way and
/// however the machine forms them. Its ends are infinite where the number may overflow, and it is empty where the
/// number must be not-a-number. The sign of a zero end counts: -0 … +0 is a zero of either sign.
///
/// Denormals count as zero: what may be one has zero inside its interval.
package struct Estimate: Hashable, Sendable {
  /// The number in double precision, without regard to roundings.
  package private(set) var value: Double
  package private(set) var low: Double
  package private(set) var high: Double
  package private(set) var mayBeNaN: Bool
  /// Whether the interval is wide because a jump lies in it: both sides of the jump are right.
  package private(set) var sitsOnJump: Bool

  /// Exactly this number, infinity or not-a-number.
  package init(certain number: Double) {
    value = number
    low = number.isNaN ? .infinity : number
    high = number.isNaN ? -.infinity : number
    mayBeNaN = number.isNaN
    sitsOnJump = false
  }

  /// Exactly this float; a denormal is a zero with its sign.
  package init(_ float: Float) {
    let number = Double(float)
    self.init(certain: number.magnitude < Self.smallest ? number * 0 : number)
  }

  /// The interval between two ends, once the range of floats has been seen to.
  init(value: Double, low: Double, high: Double, mayBeNaN: Bool = false, sitsOnJump: Bool = false) {
    self.value = Self.inRange(value)
    self.low = low
    self.high = high
    self.mayBeNaN = mayBeNaN
    self.sitsOnJump = sitsOnJump && low != high
    // A number that underflows may be zero, or stay what it was inside a fused multiplication and addition.
    if low.magnitude < Self.smallest, low != 0 { self.low = low > 0 ? 0 : -Self.smallest }
    if high.magnitude < Self.smallest, high != 0 { self.high = high < 0 ? -0.0 : Self.smallest }
    if low < -Self.largest { self.low = -.infinity }
    if low > Self.largest { self.low = .infinity }
    if high < -Self.largest { self.high = -.infinity }
    if high > Self.largest { self.high = .infinity }
  }

  /// The interval between two ends after one rounding to a float.
  init(
    value: Double, roundedLow low: Double, high: Double, mayBeNaN: Bool = false, sitsOnJump: Bool = false
  ) {
    self.init(
      value: value, low: low.isFinite ? low - Self.roundoff * low.magnitude : low,
      high: high.isFinite ? high + Self.roundoff * high.magnitude : high, mayBeNaN: mayBeNaN,
      sitsOnJump: sitsOnJump)
  }

  /// The result of an operation that rounds once, of operands that are certain.
  ///
  /// A result that is a float is certain, too: nothing was there to round.
  init(exact: Double, value: Double) {
    if exact.isNaN || (Double(Float(exact)) == exact && (exact == 0 || exact.magnitude >= Self.smallest)) {
      self.init(certain: exact)
    } else {
      self.init(value: value, roundedLow: exact, high: exact)
    }
  }

  /// Anything: the value is known, and native code has the right to any other.
  init(unboundedAround value: Double, mayBeNaN: Bool = true, sitsOnJump: Bool = false) {
    self.init(
      value: value, low: -.infinity, high: .infinity, mayBeNaN: mayBeNaN, sitsOnJump: sitsOnJump)
  }

  /// The hull of two, because a jump lies between them.
  init(value: Double, acrossJump a: Estimate, _ b: Estimate) {
    self.value = value
    let isOne = a.low == b.low && a.high == b.high && a.mayBeNaN == b.mayBeNaN
    low = Self.lower(a.low, b.low)
    high = Self.upper(a.high, b.high)
    mayBeNaN = a.mayBeNaN || b.mayBeNaN
    sitsOnJump = !isOne || a.sitsOnJump || b.sitsOnJump
  }

  private static func inRange(_ value: Double) -> Double {
    if value.magnitude < smallest { return value * 0 }
    return value.magnitude >= overflow ? value * .infinity : value
  }
}

extension Estimate {
  /// Half the distance of neighbouring floats relative to them, and a little for the arithmetic in doubles.
  static var roundoff: Double { 0x1.0001p-24 }
  /// The smallest normal float.
  static var smallest: Double { 0x1p-126 }
  /// The largest finite float.
  static var largest: Double { 0x1.fffffep127 }
  /// The smallest number that rounds to infinity.
  static var overflow: Double { 0x1.ffffffp127 }

  package static var zero: Estimate { Estimate(certain: 0) }

  /// Whether native code has one answer only; zeros have their sign.
  package var isCertain: Bool { low.bitPattern == high.bitPattern && !mayBeNaN }

  /// Whether native code must answer with not-a-number.
  package var isNaN: Bool { low > high }

  /// Whether nothing is known: any number and not-a-number are right.
  package var isUnbounded: Bool { mayBeNaN && low == -.infinity && high == .infinity }

  /// Whether native code must answer with a finite number.
  package var isFinite: Bool { !mayBeNaN && low > -.infinity && high < .infinity }

  /// The distance from the value within which all right answers lie; infinite where they may be not finite.
  package var radius: Double {
    if isNaN || low == high { return mayBeNaN && !isNaN ? .infinity : 0 }
    return isFinite ? Swift.max(high - value, value - low) : .infinity
  }

  /// The distance from a number within which all right answers lie.
  package func reach(from number: Double) -> Double {
    isNaN || (low == number && high == number)
      ? 0 : isFinite ? Swift.max(high - number, number - low) : .infinity
  }

  var hasZero: Bool { low <= 0 && high >= 0 }
  var isZero: Bool { low == 0 && high == 0 && !mayBeNaN }
  var mayBeInfinite: Bool { !isNaN && (low == -.infinity || high == .infinity) }

  /// Whether this answer of native code is right.
  package func contains(_ native: Float) -> Bool {
    if native.isNaN { return mayBeNaN }
    let number = native.magnitude < .leastNormalMagnitude ? 0 : Double(native)
    return low <= number && number <= high
  }

  /// The smaller end; of two zeros the negative one.
  static func lower(_ a: Double, _ b: Double) -> Double {
    a < b || (a == b && a.sign == .minus) ? a : b
  }

  /// The larger end; of two zeros the positive one.
  static func upper(_ a: Double, _ b: Double) -> Double {
    a > b || (a == b && a.sign == .plus) ? a : b
  }
}

extension Estimate: CustomStringConvertible {
  package var description: String {
    if isNaN { return "not a number" }
    if isCertain { return "\(value)" }
    let jump = sitsOnJump ? ", on a jump" : ""
    return "\(value) in \(low)…\(high)\(mayBeNaN ? " or not a number" : "")\(jump)"
  }
}
