// SPDX-License-Identifier: Apache-2.0

extension FunctionBuilder {
  /// 1 or -1 with the sign of `x`; zeros, and what is not a number, stay as they are. Exact.
  package func sign(_ x: Lanes) -> Lanes {
    select(compare("one", x, constant(0)), copySign(constant(1), x), x)
  }
}
