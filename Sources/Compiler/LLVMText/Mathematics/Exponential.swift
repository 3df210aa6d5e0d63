// SPDX-License-Identifier: Apache-2.0

extension FunctionBuilder {
  /// The exponential function, within 1.2e-7 of its value (1 ulp).
  ///
  ///     x = n ln 2 + r,  |r| ≤ ln 2 / 2
  ///     eˣ = 2ⁿ (1 + r + r² p(r))
  ///
  /// Above 88.72 the result is infinite, below -87.33 it is 0 or (with denormals) next to it. `n` comes from a sum with
  /// 1.5 · 2²³, whose last bits are then the integer: a conversion would be undefined for what is not a number. 2ⁿ is
  /// applied as two factors, so that neither leaves the range of floats.
  package func exp(_ x: Lanes) -> Lanes {
    let argument = limited(x, from: constant(-104), to: constant(89))
    // The low bits of the sum hold n + 254: half of it is the biased exponent of the square root of 2ⁿ.
    let shift = constant(0x1.8p23 + 254)
    let sum = fma(argument, constant(0x1.715476p0), shift)
    let n = subtract(sum, shift)
    // ln 2 in two parts; n times the first, of 10 bits, is exact.
    let partly = fma(n, constant(-0.693359375), argument)
    let r = fma(n, constant(2.12194440e-4), partly)
    let p = polynomial(r, Self.exponential)
    let fraction = add(fma(multiply(r, r), p, r), constant(1))

    let bits = convert("bitcast", sum, to: .i32)
    let first = binary("ashr", bits, constant(int32: 1))
    let second = binary("sub", bits, first)
    return multiply(multiply(fraction, powerOfTwo(biased: first)), powerOfTwo(biased: second))
  }

  /// The float whose exponent field is the low byte of `exponent`; the bits above it must be even ones.
  private func powerOfTwo(biased exponent: Lanes) -> Lanes {
    convert("bitcast", binary("shl", exponent, constant(int32: 23)), to: .float)
  }

  /// (eʳ - 1 - r) / r² on |r| ≤ 0.3475: weighted minimax (Lawson's iteration), 3e-9 of eʳ.
  private static let exponential: [Float] = [
    0.49999994, 0.1666652, 0.041668404, 0.008368899, 0.0013814222,
  ]
}
