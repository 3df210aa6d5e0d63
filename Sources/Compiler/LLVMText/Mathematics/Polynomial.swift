// SPDX-License-Identifier: Apache-2.0

/// Polynomials, the building blocks of all functions of this folder.
///
/// Each function is branchless, works on vectors of any width and number, and rounds the same way in each of them.
/// Bounds of errors (`Accuracy`) hold with and without fused multiply-add.
extension FunctionBuilder {
  /// `c[0] + c[1] x + c[2] x² …` in floats, by Horner's scheme.
  package func polynomial(_ x: Lanes, _ coefficients: [Float]) -> Lanes {
    guard isStaggered else { return horner(x, coefficients.map(constant(_:))) }
    return horner(x, coefficients.lazy.map { self.coefficient($0, vectors: x.names.count) })
  }

  /// `c[0] + c[1] x + c[2] x² …` in doubles, by Horner's scheme.
  package func polynomial(_ x: Lanes, doubles coefficients: [Double]) -> Lanes {
    horner(x, coefficients.map(constant(double:)))
  }

  /// `limit` where `x` is larger; what is not a number stays so.
  package func limited(_ x: Lanes, to limit: Lanes) -> Lanes { smaller(limit, x) }

  /// `x` moved into `low ... high`; what is not a number stays so.
  package func limited(_ x: Lanes, from low: Lanes, to high: Lanes) -> Lanes {
    larger(low, smaller(high, x))
  }

  /// - Parameter coefficients: Each is asked for once, the last one first.
  private func horner(_ x: Lanes, _ coefficients: some BidirectionalCollection<Lanes>) -> Lanes {
    let falling = coefficients.reversed()
    var sum = falling[falling.startIndex]
    for coefficient in falling.dropFirst() { sum = fma(sum, x, coefficient) }
    return sum
  }
}
