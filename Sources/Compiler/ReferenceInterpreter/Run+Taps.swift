// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

extension Run {
  /// A delay by a signal: between two frames the curve that goes through them, which never jumps.
  mutating func tap(_ node: Int, _ frame: Int, into start: Int, _ tap: Tap, _ rows: [[Int]]) {
    let operands = program.operands[node]
    let amounts = places[operands[1], frame]!
    let (least, most) = (Estimate(certain: Double(tap.minimum)), Estimate(certain: Double(tap.maximum)))
    for row in rows[0].indices {
      let asked = results[amounts + rows[1][row]]
      count(asked, outside: tap, of: node)
      let by = Estimate.smaller(.larger(asked, least), most)
      if by.radius.isFinite, by.radius > coarsestDelay.radius { coarsestDelay = by }
      func past(_ frames: Int) -> Estimate {
        let kept = Swift.max(tap.minimum, Swift.min(tap.maximum, frames))
        return places[operands[0], frame - kept].map { results[$0 + rows[0][row]] } ?? .zero
      }
      results[start + row] = Self.tapped(tap.interpolation, by, past)
    }
  }

  /// Counts a number that certainly lies outside of a delay's range, or may lie there.
  private mutating func count(_ asked: Estimate, outside tap: Tap, of node: Int) {
    let (least, most) = (Double(tap.minimum), Double(tap.maximum))
    // Of what is no number the interval is empty, its lower end above all numbers.
    if asked.high < least || asked.low > most { outside[node].certain += 1 }
    if asked.low < least || asked.high > most || asked.mayBeNaN { outside[node].possible += 1 }
  }

  /// The most frames that are tried where it is not certain which is meant.
  private static var mostFrames: Double { 256 }

  private static func tapped(
    _ interpolation: Tap.Interpolation, _ by: Estimate, _ past: (Int) -> Estimate
  ) -> Estimate {
    let whole = by.value.rounded(.down)
    let share = Estimate(certain: by.value - whole)
    let value = curve(interpolation, share, Int(whole), past).value
    guard by.high - by.low < mostFrames else { return Estimate(unboundedAround: value) }
    var result: Estimate?
    for frames in Int(by.low.rounded(.down))...Int(by.high.rounded(.down)) {
      let low = Swift.max(by.low - Double(frames), 0)
      let high = Swift.min(by.high - Double(frames), 1)
      let share = low == high ? Estimate(certain: low) : Estimate(value: low, low: low, high: high)
      let piece = curve(interpolation, share, frames, past)
      guard let known = result else {
        result = piece
        continue
      }
      result =
        interpolation == .none
        ? Estimate(value: value, acrossJump: known, piece)
        : Estimate(
          value: value, low: Estimate.lower(known.low, piece.low),
          high: Estimate.upper(known.high, piece.high),
          mayBeNaN: known.mayBeNaN || piece.mayBeNaN, sitsOnJump: known.sitsOnJump || piece.sitsOnJump)
    }
    let all = result!
    return Estimate(
      value: value, low: all.low, high: all.high, mayBeNaN: all.mayBeNaN, sitsOnJump: all.sitsOnJump)
  }

  /// The curve at a share of the way from a frame to the one before it.
  private static func curve(
    _ interpolation: Tap.Interpolation, _ share: Estimate, _ frames: Int, _ past: (Int) -> Estimate
  ) -> Estimate {
    func number(_ number: Double) -> Estimate { Estimate(certain: number) }
    let (a, b) = (past(frames), past(frames + 1))
    switch interpolation {
    case .none:
      return a
    case .linear:
      return .fma(share, .subtract(b, a), a)
    case .cubic:
      let (before, behind) = (past(frames - 1), past(frames + 2))
      let first = Estimate.multiply(.subtract(b, before), number(0.5))
      let twice = Estimate.fma(b, number(2), .fma(a, number(-2.5), before))
      let second = Estimate.fma(behind, number(-0.5), twice)
      let third = Estimate.fma(
        .subtract(behind, before), number(0.5), .multiply(.subtract(a, b), number(1.5)))
      return .fma(share, .fma(share, .fma(share, third, second), first), a)
    }
  }
}
