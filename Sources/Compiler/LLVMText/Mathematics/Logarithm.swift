// SPDX-License-Identifier: Apache-2.0

extension FunctionBuilder {
  /// The natural logarithm, within 1.2e-7 of its value (1 ulp).
  ///
  ///     x = 2ᵉ (1 + f),  √½ ≤ 1 + f < √2
  ///     ln x = e ln 2 + f - f²/2 + f³ p(f)
  ///
  /// Zeros give minus infinity, and so do denormals, which count as zero. Below zero there is no number.
  package func log(_ x: Lanes) -> Lanes {
    let bits = convert("bitcast", x, to: .i32)
    let offset = binary("sub", bits, constant(int32: Int32(bitPattern: Float.sqrt2Half.bitPattern)))
    let exponent = binary("ashr", offset, constant(int32: 23))
    let mantissa = binary("sub", bits, binary("shl", exponent, constant(int32: 23)))
    let f = subtract(convert("bitcast", mantissa, to: .float), constant(1))
    let e = convert("sitofp", exponent, to: .float)

    let square = multiply(f, f)
    let tail = multiply(multiply(f, square), polynomial(f, Self.logarithm))
    // ln 2 in two parts; e times the first, of 10 bits, is exact. Small terms are added first.
    let small = fma(square, constant(-0.5), fma(e, constant(-2.12194440e-4), tail))
    let result = fma(e, constant(0.693359375), add(f, small))

    let smallest = constant(Float.leastNormalMagnitude)
    let belowZero = compare("ole", x, constant(-Float.leastNormalMagnitude))
    let pole = select(belowZero, constant(Float.nan), constant(-Float.infinity))
    let positive = select(compare("olt", x, smallest), pole, result)
    return select(compare("olt", x, constant(Float.infinity)), positive, x)
  }

  /// (ln(1 + f) - f + f²/2) / f³ on √½ - 1 ≤ f ≤ √2 - 1: weighted minimax (Lawson's iteration), 6e-9 of ln(1 + f).
  private static let logarithm: [Float] = [
    0.3333333, -0.2500082, 0.20001227, -0.16623357, 0.14201757, -0.1316018, 0.12761578, -0.076344974,
  ]
}

extension Float {
  /// √½.
  fileprivate static let sqrt2Half = Float(0.5).squareRoot()
}
