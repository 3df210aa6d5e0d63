// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

extension AlgebraicRule {
  /// All rules. Of several that apply to a node the first one does.
  static let all = identities + signs + choices + roundings + powers + movements + layers

  /// Rules that drop what changes nothing. All are exact, with infinities, zeros of either sign and NaN; a denormal
  /// may stay where it was made a zero, which counts the same. `x + 0` turns -0 into 0, and `x * 0` is not 0 for
  /// infinities: the first needs to know more of x, and of the second there is no rule.
  private static let identities = [
    Self("x * 1", "x"),
    Self("x / 1", "x"),
    Self("x - 0", "x"),
    Self("x + -0", "x"),
    Self("x + 0", "x", where: ["x": .isNeverNegative]),
    Self("fma(x, 1, y)", "x + y"),
    Self("fma(x, y, -0)", "x * y"),
    // The reciprocal is exact, so that the product is rounded like the quotient.
    Self("x / c", "x * (1 / c)", where: ["c": .isPowerOfTwo]),
  ]

  /// Rules that turn signs only: exact.
  private static let signs = [
    Self("-(-x)", "x"),
    Self("x * -1", "-x"),
    Self("x / -1", "-x"),
    Self("-0 - x", "-x"),
    Self("x + -y", "x - y"),
    Self("x - -y", "x + y"),
    Self("-x * -y", "x * y"),
    Self("-x / -y", "x / y"),
    Self("fma(x, -1, y)", "y - x"),
    Self("abs(-x)", "abs(x)"),
    Self("abs(x)", "x", where: ["x": .isNeverNegative]),
  ]

  /// Rules of choices among numbers: exact.
  private static let choices = [
    Self("min(x, x)", "x"),
    Self("max(x, x)", "x"),
    Self("min(min(x, y), y)", "min(x, y)"),
    Self("max(max(x, y), y)", "max(x, y)"),
    Self("select(c, x, x)", "x"),
    Self("select(1, x, y)", "x"),
    Self("select(0, x, y)", "y"),
    Self("select(c == 0, x, y)", "select(c, y, x)"),
    Self("select(c != 0, x, y)", "select(c, x, y)"),
  ]

  /// Rules of numbers that are whole already: exact.
  private static let roundings = [
    Self("floor(x)", "x", where: ["x": .isWhole]),
    Self("ceil(x)", "x", where: ["x": .isWhole]),
    Self("round(x)", "x", where: ["x": .isWhole]),
    Self("truncate(x)", "x", where: ["x": .isWhole]),
    Self("sign(sign(x))", "sign(x)"),
  ]

  /// Powers that are one instruction. These may change the last bit: they are rounded correctly, and `pow` nearly
  /// so. `pow(x, 3)` would be rounded twice, and is left to `pow`; `sqrt(-0)` is -0, and `pow(-0, 0.5)` is 0.
  private static let powers = [
    Self("pow(x, 1)", "x"),
    Self("pow(x, 2)", "x * x"),
    Self("pow(x, -1)", "1 / x"),
    Self("pow(x, 0.5)", "sqrt(x)", where: ["x": .isNeverNegative]),
  ]
}
