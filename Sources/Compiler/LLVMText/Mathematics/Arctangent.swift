// SPDX-License-Identifier: Apache-2.0

extension FunctionBuilder {
  /// The angle of the point (x, y), in -π ... π, within 1.9e-7 of its value (3 ulp).
  ///
  ///     t = min(|x|, |y|) / max(|x|, |y|),  atan t = t (1 + t² p(t²))
  ///
  /// Then the angle is mirrored at the diagonal, at the vertical axis and at the horizontal one. Signs of zeros,
  /// infinities and what is not a number are as in C's `atan2f`.
  package func atan2(_ y: Lanes, _ x: Lanes) -> Lanes {
    let (height, width) = (absolute(y), absolute(x))
    let isSteep = compare("ogt", height, width)
    // Not `smaller` and `larger`: of each pair, one operand that is not a number must reach the quotient.
    let short = select(isSteep, width, height)
    let long = select(isSteep, height, width)
    // 0/0 would not be a number, nor ∞/∞.
    let quotient = divide(short, larger(constant(Float.leastNormalMagnitude), long))
    let infinity = constant(Float.infinity)
    let areInfinite = binary("and", compare("oeq", short, infinity), compare("oeq", long, infinity))
    let t = select(areInfinite, constant(1), quotient)

    let square = multiply(t, t)
    let shallow = fma(multiply(t, square), polynomial(square, Self.arctangent), t)
    let quarter = add(subtract(constant(Self.halfPi.high), shallow), constant(Self.halfPi.low))
    let upright = select(isSteep, quarter, shallow)
    let half = add(subtract(constant(2 * Self.halfPi.high), upright), constant(2 * Self.halfPi.low))
    let isLeft = compare("slt", convert("bitcast", x, to: .i32), constant(int32: 0))
    return copySign(select(isLeft, half, upright), y)
  }

  /// (atan(t) / t - 1) / t² in t² on 0 ≤ t ≤ 1: weighted minimax (Lawson's iteration), 1.7e-8 of atan t.
  private static let arctangent: [Float] = [
    -0.33333153, 0.19993773, -0.14211056, 0.106660046, -0.07552215, 0.043211862, -0.016367929, 0.0029206926,
  ]

  private static let halfPi: (high: Float, low: Float) = (0x1.921fb6p0, -0x1.777a5cp-25)
}
