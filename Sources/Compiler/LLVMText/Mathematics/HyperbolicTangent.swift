// SPDX-License-Identifier: Apache-2.0

extension FunctionBuilder {
  /// The hyperbolic tangent, within 2.9e-7 (proven over every float); odd, never beyond -1 ... 1, and exactly there
  /// from 8.76 on.
  ///
  ///     a = min(|x|, 8.76),  tanh a = n / (n + d(a)²),  n = a q(a)²
  ///
  /// Thirteen instructions where multiply-add is fused, one of them a division. The usual quotient of an odd and an
  /// even polynomial of degrees 7 and 8 takes twelve, but its rounding alone costs 2e-7 and lets results exceed 1;
  /// here n + d² is never less than n, and an error of n counts a quarter at most. Near zero the relative error is
  /// 1e-6, zeros keep their sign, and what is not a number stays so.
  package func tanh(_ x: Lanes) -> Lanes {
    oddSaturating(
      x, limit: Self.tanhLimit, numerator: Self.tanhNumerator, denominator: Self.tanhDenominator)
  }

  /// tanh(x / 2), the same bits as of the half.
  ///
  /// Of 2a the polynomials are eight times as large, if each coefficient is: powers of two change no other bit. So nothing
  /// waits for a half but the first factor of n, which is ready when the other one is.
  func tanhOfHalf(_ x: Lanes) -> Lanes {
    func doubled(_ coefficients: [Float]) -> [Float] {
      coefficients.enumerated().map { power, number in number * Float(8 >> power) }
    }
    let twice = limited(absolute(x), to: constant(2 * Self.tanhLimit))
    let q = monic(twice, doubled(Self.tanhNumerator))
    let d = polynomial(twice, doubled(Self.tanhDenominator))
    return quotient(multiply(multiply(twice, constant(0.5)), multiply(q, q)), d, signOf: x)
  }

  /// n / (n + d(a)²) with n = a q(a)², a = min(|x|, limit), and the sign of `x`.
  ///
  /// A leading coefficient of 1 costs no multiplication.
  func oddSaturating(_ x: Lanes, limit: Float, numerator: [Float], denominator: [Float]) -> Lanes {
    let a = limited(absolute(x), to: constant(limit))
    let q = numerator.last == 1 ? monic(a, numerator) : polynomial(a, numerator)
    let d = polynomial(a, denominator)
    return quotient(multiply(a, multiply(q, q)), d, signOf: x)
  }

  /// n / (n + d²) with the sign of `x`.
  private func quotient(_ n: Lanes, _ d: Lanes, signOf x: Lanes) -> Lanes {
    copySign(divide(n, fma(d, d, n)), x)
  }

  /// A polynomial whose leading coefficient is 1.
  private func monic(_ x: Lanes, _ coefficients: [Float]) -> Lanes {
    func read(_ number: Float) -> Lanes { coefficient(number, vectors: x.names.count) }
    var sum = add(x, read(coefficients[coefficients.count - 2]))
    for number in coefficients.dropLast(2).reversed() { sum = fma(sum, x, read(number)) }
    return sum
  }

  // Minimax by linear programming: q/d must lie between the square roots of what an error of e less the rounding
  // measured at each x allows, on 0 ... 8.75, with a relative error of at most 1e-6 near zero. Then, in floats, a
  // search among neighbouring coefficients and limits for the least error with and without fused multiply-add.
  private static let tanhLimit: Float = 8.75628567
  private static let tanhNumerator: [Float] = [94.4420242, 15.122613, 7.51017141, 1]
  private static let tanhDenominator: [Float] = [94.4419785, -32.0978508, 3.88435936, -0.166144207]
}
