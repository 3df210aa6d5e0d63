// SPDX-License-Identifier: Apache-2.0

extension FunctionBuilder {
  /// The tangent as sine over cosine of the rest, within 3e-7 of its value; beyond 1e6 the error grows with the angle.
  ///
  /// Of infinities it is not a number. Zeros keep their sign.
  package func tan(_ x: Lanes) -> Lanes {
    let angle = quadrant(x)
    let square = multiply(angle.rest, angle.rest)
    let sine = sineOfRest(angle.rest, square: square)
    let cosine = cosineOfRest(square: square)
    // tan(r + π/2) = -cos(r) / sin(r)
    let odd = isOdd(angle.quarters)
    return divide(select(odd, cosine, sine), select(odd, negate(sine), cosine))
  }
}
