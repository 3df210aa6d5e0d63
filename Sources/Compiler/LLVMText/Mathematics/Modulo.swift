// SPDX-License-Identifier: Apache-2.0

extension FunctionBuilder {
  /// `x - y * floor(x / y)`: the remainder that has the sign of `y`.
  ///
  /// Computed in doubles and rounded once: while |x/y| < 2²⁸, the quotient cannot be rounded across an integer (it
  /// differs from one by at least 2⁻²⁴ of itself, or is one), and the product and the difference are exact. Beyond that
  /// the error is at most 2⁻⁵¹ |x|, up to a multiple of `y`. A remainder just below `y` may be rounded to `y`.
  /// By zero, and of an infinity, the result is not a number; by an infinity too, as the formula says.
  package func modulo(_ x: Lanes, _ y: Lanes) -> Lanes {
    let dividend = convert("fpext", x, to: .double)
    let divisor = convert("fpext", y, to: .double)
    let quotient = floor(divide(dividend, divisor))
    return convert("fptrunc", subtract(dividend, multiply(divisor, quotient)), to: .float)
  }
}
