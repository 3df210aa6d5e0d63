// SPDX-License-Identifier: Apache-2.0

extension FunctionBuilder {
  /// `x` to the power of `y`, within 7e-8 of its value (little more than ½ ulp): 2 to the power of y · log₂|x|, in
  /// doubles.
  ///
  /// Zeros, infinities, negative bases and what is not a number are as in C's `powf`: x⁰ = 1ʸ = 1 for every x and y,
  /// a negative base has an integer power (odd ones keep the sign) or none. Denormals count as zero.
  package func power(_ x: Lanes, _ y: Lanes) -> Lanes {
    let magnitude = powerOfTwo(exponent: y, times: binaryLogarithm(of: absolute(x)))

    let half = multiply(y, constant(0.5))
    let whole = floor(y)
    let isOdd = binary("and", compare("oeq", whole, y), compare("une", floor(half), half))
    let signed = select(isOdd, copySign(magnitude, x), magnitude)

    let isNegative = compare("ole", x, constant(-Float.leastNormalMagnitude))
    let isFinite = compare("ogt", x, constant(-Float.infinity))
    let isUndefined = binary("and", binary("and", isNegative, isFinite), compare("une", whole, y))
    let result = select(isUndefined, constant(Float.nan), signed)

    let isOne = binary("or", compare("oeq", x, constant(1)), compare("oeq", y, constant(0)))
    return select(isOne, constant(1), result)
  }

  /// log₂ of what is not negative, in doubles, within 1e-11 of its value.
  ///
  ///     x = 2ᵉ m,  √½ ≤ m < √2,  s = (m - 1) / (m + 1)
  ///     log₂ x = e + s p(s²)
  private func binaryLogarithm(of x: Lanes) -> Lanes {
    let value = convert("fpext", x, to: .double)
    let bits = convert("bitcast", value, to: .i64)
    let root = Int64(bitPattern: 0.5.squareRoot().bitPattern)
    let exponent = binary("ashr", binary("sub", bits, constant(int64: root)), constant(int64: 52))
    let mantissa = binary("sub", bits, binary("shl", exponent, constant(int64: 52)))
    let m = convert("bitcast", mantissa, to: .double)
    // Exponents of floats fit in i32, and conversions of i64 are slow before AVX-512.
    let e = convert("sitofp", convert("trunc", exponent, to: .i32), to: .double)

    let one = constant(double: 1)
    let s = divide(subtract(m, one), add(m, one))
    let logarithm = fma(s, polynomial(multiply(s, s), doubles: Self.binaryLogarithm), e)

    let zero = constant(double: Double(Float.leastNormalMagnitude))
    let infinity = constant(double: .infinity)
    let positive = select(compare("olt", value, zero), constant(double: -.infinity), logarithm)
    return select(compare("olt", value, infinity), positive, value)
  }

  /// 2 to the power of `exponent · factor`, `factor` in doubles.
  private func powerOfTwo(exponent: Lanes, times factor: Lanes) -> Lanes {
    // An infinite exponent times the logarithm of 1 must be 0: a large one says the same of every other base.
    let large = constant(double: 0x1p100)
    let finite = limited(
      convert("fpext", exponent, to: .double), from: constant(double: -0x1p100), to: large)
    let product = limited(
      multiply(finite, factor), from: constant(double: -200), to: constant(double: 200))
    // The sum has no room for a fraction, and its low bits are the integer.
    let shift = constant(double: 0x1.8p52)
    let sum = add(product, shift)
    let f = subtract(product, subtract(sum, shift))
    let fraction = polynomial(f, doubles: Self.powerOfTwo)

    let steps = binary("shl", convert("bitcast", sum, to: .i64), constant(int64: 52))
    let scaled = binary("add", convert("bitcast", fraction, to: .i64), steps)
    let power = convert("bitcast", scaled, to: .double)
    // What is not a number must not be lost in the sum of integers.
    let result = select(compare("ord", product, product), power, product)
    return convert("fptrunc", result, to: .float)
  }

  /// log₂((1 + s) / (1 - s)) / s in s² on |s| ≤ 0.1716: minimax (Lawson's iteration), relative error 4e-12.
  private static let binaryLogarithm: [Double] = [
    0x1.71547652bee5dp+1, 0x1.ec709d1257705p-1, 0x1.2777803744207p-1, 0x1.a58d681476287p-2,
    0x1.5cea71983fa5ap-2,
  ]

  /// 2ᶠ on |f| ≤ ½: minimax (Lawson's iteration), relative error 2e-9.
  private static let powerOfTwo: [Double] = [
    0x1.0000000261507p+0, 0x1.62e430c7e9230p-1, 0x1.ebfbdadcb043dp-3, 0x1.c6aed4b9524b9p-5,
    0x1.3b2dbbc14f8aap-7, 0x1.5f456a8a3ed49p-10, 0x1.41d33335967e6p-13,
  ]
}
