// SPDX-License-Identifier: Apache-2.0

/// An angle as a number of right angles and a rest: `x = quarters · π/2 + rest`, |rest| ≤ π/4.
struct Quadrant {
  /// The rest, in floats.
  var rest: Lanes
  /// The number of quarters as `i32`; its low bits count.
  var quarters: Lanes
}

extension FunctionBuilder {
  /// Takes right angles off an angle, in doubles.
  ///
  /// π/2 has two parts, and the product of the first (33 bits) and the number of quarters is exact while that is less
  /// than 2²⁰, without fused multiply-add too. Beyond, the rest is wrong by at most 4e-16 |x|; from about 1e15 on it
  /// says nothing, but stays in its range. Of infinities the rest is not a number. Zeros keep their sign.
  func quadrant(_ x: Lanes) -> Quadrant {
    let angle = convert("fpext", x, to: .double)
    // The sum has no room for a fraction, and its low bits are the integer.
    let shift = constant(double: 0x1.8p52)
    let sum = fma(angle, constant(double: 0x1.45f306dc9c883p-1), shift)
    let n = subtract(sum, shift)
    let partly = fma(n, constant(double: -0x1.921fb544p0), angle)
    let rest = fma(n, constant(double: -0x1.0b4611a626331p-34), partly)
    let bound = 0.7857
    let limitedRest = limited(rest, from: constant(double: -bound), to: constant(double: bound))
    let integer = convert("bitcast", sum, to: .i64)
    return Quadrant(
      rest: convert("fptrunc", limitedRest, to: .float), quarters: convert("trunc", integer, to: .i32))
  }

  /// The sine of a rest, |r| ≤ 0.7857.
  func sineOfRest(_ r: Lanes, square: Lanes) -> Lanes {
    // (sin(r) / r - 1) / r²: weighted minimax (Lawson's iteration), 4e-9.
    let p = polynomial(square, [-0.16666655, 0.008332174, -0.00019516806])
    return multiply(r, fma(square, p, constant(1)))
  }

  /// The cosine of a rest, |r| ≤ 0.7857.
  func cosineOfRest(square: Lanes) -> Lanes {
    // (cos(r) - 1 + r²/2) / r⁴: weighted minimax (Lawson's iteration), 1e-10.
    let p = polynomial(square, [0.041666646, -0.0013887363, 2.4437899e-05])
    return fma(square, fma(square, p, constant(-0.5)), constant(1))
  }

  /// `x` with its sign changed where bit 1 of `bits` is set.
  func negateWhereSecondBit(of bits: Lanes, _ x: Lanes) -> Lanes {
    let bit = binary("and", bits, constant(int32: 2))
    let sign = binary("shl", bit, constant(int32: 30))
    let flipped = binary("xor", convert("bitcast", x, to: .i32), sign)
    return convert("bitcast", flipped, to: .float)
  }

  /// The mask of the lanes where the number of quarters is odd.
  func isOdd(_ quarters: Lanes) -> Lanes {
    compare("ne", binary("and", quarters, constant(int32: 1)), constant(int32: 0))
  }
}
