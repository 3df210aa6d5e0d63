// SPDX-License-Identifier: Apache-2.0

/// The distance that roundings lead a number in a cycle away from double precision: the largest so far.
///
///     double precision       ├───────────┼───────────┤       8 drifts to each side: where any code's may be
///     each result rounded              │                     1 drift away
///
/// Around a cycle an interval grows with each turn, until it tells nothing; this one is measured. Where an op of such
/// operands jumps, or has a pole, a rounding decides which number comes out, and how far away it is says nothing.
struct Drift {
  private var furthest = 0.0

  /// How much further than one code's roundings those of another may lead.
  fileprivate static var apart: Double { 8 }

  /// The number that is rounded to a float, within what was measured.
  ///
  /// - Parameters:
  ///   - result: What the op makes of operands that were measured.
  ///   - exact: The same number without roundings.
  mutating func measured(_ result: Estimate, beside exact: Estimate) -> Estimate {
    let rounded = result.rounded
    guard !rounded.sitsOnJump, !rounded.isCertain else { return rounded }
    let distance = max(abs(rounded.value - exact.value), Estimate.roundoff * abs(exact.value))
    if distance.isFinite { furthest = max(furthest, distance) }
    let reach = Self.apart * furthest
    return Estimate(value: rounded.value, low: exact.value - reach, high: exact.value + reach)
  }
}

/// The side to which approximations of functions are off, all of them and all the time, in a run that rounds.
enum Rounding: CaseIterable {
  case low, high
}

extension Estimate {
  /// The same with a value that is off to one side, as that of an approximation may be: by so much that the drifts of
  /// which it is a cause allow the most that it may be off.
  func off(_ side: Rounding, as approximation: Estimate) -> Estimate {
    guard approximation.isFinite, value.isFinite else { return self }
    let furthest = side == .low ? approximation.low : approximation.high
    return Estimate(
      value: value + (furthest - value) / Drift.apart, low: low, high: high,
      mayBeNaN: mayBeNaN, sitsOnJump: sitsOnJump)
  }

  /// The hull of what two runs that round came to.
  func united(with other: Estimate) -> Estimate {
    Estimate(
      value: value, low: Swift.min(low, other.low), high: Swift.max(high, other.high),
      mayBeNaN: mayBeNaN || other.mayBeNaN, sitsOnJump: sitsOnJump || other.sitsOnJump)
  }

  /// The same with a value that is rounded to a float; on a jump, where it has a pole or overflows.
  var rounded: Estimate {
    Estimate(
      value: Double(Float(value)), low: low, high: high, mayBeNaN: mayBeNaN,
      sitsOnJump: sitsOnJump || !radius.isFinite)
  }
}
