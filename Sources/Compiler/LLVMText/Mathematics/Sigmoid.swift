// SPDX-License-Identifier: Apache-2.0

extension FunctionBuilder {
  /// The logistic function 1 / (1 + e⁻ˣ) as (1 + tanh(x/2)) / 2, within 2e-7.
  ///
  /// The result lies in 0 ... 1, and is 0 and 1 at the infinities. Far below zero the error is absolute: where the
  /// exact value is less than about 1e-7, the result may be 0.
  package func sigmoid(_ x: Lanes) -> Lanes {
    let half = constant(0.5)
    return fma(half, tanhOfHalf(x), half)
  }
}
