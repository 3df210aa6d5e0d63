// SPDX-License-Identifier: Apache-2.0

/// A delay by a signal whose fraction is an allpass: all frequencies keep their level, however often a loop repeats
/// them.
///
///     by = whole + d, 0.5 ≤ d < 1.5        a = (1 - d) / (1 + d)
///     y  = a (x₀ - y₁) + x₁                x₀, x₁: whole and whole + 1 frames back; y₁: y of a frame earlier
///
/// The first-order allpass with a delay of d frames at low frequencies (J.-P. Thiran, Recursive digital filters with
/// maximally flat group delay, 1971; T. Laakso et al., Splitting the unit delay, 1996). Its delay is exact at 0 Hz, off
/// by some hundredths of a frame at an eighth of the sample rate, and at half of it a whole number. Its pole lies
/// within 1/3 of 0, so that it forgets fast. Where `whole` changes, its state is still that of another tap: fast
/// modulation is for linear and cubic.
///
/// An excess of `by` over the range is given to the read of x₁, which clamps and counts it.
extension GraphAssembler {
  mutating func allpassDelay(
    _ x: ValueID, by: ValueID, minimum: Int, maximum: Int
  ) throws(TypingError) -> ValueID {
    guard minimum >= 1, minimum <= maximum else {
      throw TypingError(
        "a delay with allpass interpolation needs a minimum from 1, or from 2 where it closes a cycle, to its "
          + "maximum, \(maximum); it is \(minimum)"
      )
    }
    func tap(from minimum: Int) -> Op {
      .tap(Tap(minimum: minimum, maximum: maximum, interpolation: .none))
    }
    let kept = Formula.min(Formula.max(Formula(by), Formula(Double(minimum))), Formula(Double(maximum)))
    let whole = Formula(.unary(.floor), kept - 0.5)
    let rest = kept - whole
    let near = Formula(tap(from: minimum - 1), Formula(x), whole)
    let far = Formula(tap(from: minimum), Formula(x), whole + 1 + (Formula(by) - kept))
    return try recurrence(over: [x, by]) { (1 - rest) / (1 + rest) * (near - $0) + far }
  }
}
