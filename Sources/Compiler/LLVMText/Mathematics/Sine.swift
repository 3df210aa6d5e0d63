// SPDX-License-Identifier: Apache-2.0

extension FunctionBuilder {
  /// The sine, within 1e-7 and always in -1 ... 1; beyond 1e6 the error grows with the angle.
  ///
  /// Of infinities it is not a number. Zeros keep their sign.
  package func sin(_ x: Lanes) -> Lanes {
    let angle = quadrant(x)
    return sine(of: angle.rest, quarters: angle.quarters)
  }

  /// The cosine, within 1e-7 and always in -1 ... 1; beyond 1e6 the error grows with the angle.
  ///
  /// Of infinities it is not a number.
  package func cos(_ x: Lanes) -> Lanes {
    let angle = quadrant(x)
    return sine(of: angle.rest, quarters: binary("add", angle.quarters, constant(int32: 1)))
  }

  /// sin(rest + quarters · π/2).
  private func sine(of rest: Lanes, quarters: Lanes) -> Lanes {
    let square = multiply(rest, rest)
    let magnitude = select(
      isOdd(quarters), cosineOfRest(square: square), sineOfRest(rest, square: square))
    return negateWhereSecondBit(of: quarters, magnitude)
  }
}
