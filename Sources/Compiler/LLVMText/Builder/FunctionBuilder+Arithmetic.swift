// SPDX-License-Identifier: Apache-2.0

internal import GraphPlanning

/// Arithmetic that becomes one instruction, or the few that replace a call of libm.
extension FunctionBuilder {
  package func add(_ a: Lanes, _ b: Lanes) -> Lanes { binary("fadd", a, b) }
  package func subtract(_ a: Lanes, _ b: Lanes) -> Lanes { binary("fsub", a, b) }
  package func multiply(_ a: Lanes, _ b: Lanes) -> Lanes { binary("fmul", a, b) }
  package func divide(_ a: Lanes, _ b: Lanes) -> Lanes { binary("fdiv", a, b) }
  package func negate(_ a: Lanes) -> Lanes { unary("fneg", a) }
  package func absolute(_ a: Lanes) -> Lanes { intrinsic("fabs", a) }
  package func squareRoot(_ a: Lanes) -> Lanes { intrinsic("sqrt", a) }
  package func copySign(_ magnitude: Lanes, _ sign: Lanes) -> Lanes {
    intrinsic("copysign", magnitude, sign)
  }

  /// `a * b + c`, rounded once where the target can, twice where `llvm.fma` would be a call.
  package func fma(_ a: Lanes, _ b: Lanes, _ c: Lanes) -> Lanes {
    target.hasFMA ? intrinsic("fma", a, b, c) : add(multiply(a, b), c)
  }

  /// The smaller operand, and the other one where one is not a number.
  ///
  /// Of zeros it is b, whatever their signs. `llvm.minnum` leaves that to what LLVM knows of the operands, which
  /// changes with the kernel around it.
  package func minimum(_ a: Lanes, _ b: Lanes) -> Lanes { select(compare("uno", b, b), a, smaller(a, b)) }

  /// The larger operand, and the other one where one is not a number. Of zeros it is b.
  package func maximum(_ a: Lanes, _ b: Lanes) -> Lanes { select(compare("uno", b, b), a, larger(a, b)) }

  /// `a < b ? a : b` in one instruction: the smaller operand where b is known to be a number.
  package func smaller(_ a: Lanes, _ b: Lanes) -> Lanes { select(compare("olt", a, b), a, b) }

  /// `a > b ? a : b` in one instruction: the larger operand where b is known to be a number.
  package func larger(_ a: Lanes, _ b: Lanes) -> Lanes { select(compare("ogt", a, b), a, b) }

  /// The nearest integer, halves to even.
  package func round(_ a: Lanes) -> Lanes {
    target.hasVectorRounding ? intrinsic("roundeven", a) : roundByAddition(a)
  }

  package func floor(_ a: Lanes) -> Lanes {
    guard !target.hasVectorRounding else { return intrinsic("floor", a) }
    let rounded = roundByAddition(a)
    let one = a.element == .float ? constant(1) : constant(double: 1)
    let zero = a.element == .float ? constant(0) : constant(double: 0)
    let excess = select(compare("ogt", rounded, a), one, zero)
    return copySign(subtract(rounded, excess), a)
  }

  package func ceiling(_ a: Lanes) -> Lanes {
    guard !target.hasVectorRounding else { return intrinsic("ceil", a) }
    return negate(floor(negate(a)))
  }

  package func truncate(_ a: Lanes) -> Lanes {
    guard !target.hasVectorRounding else { return intrinsic("trunc", a) }
    return copySign(floor(absolute(a)), a)
  }

  /// Rounds by adding and subtracting 2^23 (2^52 for doubles): the sum has no room for a fraction.
  private func roundByAddition(_ a: Lanes) -> Lanes {
    let limit = a.element == .float ? constant(0x1p23) : constant(double: 0x1p52)
    let magnitude = absolute(a)
    let rounded = copySign(subtract(add(magnitude, limit), limit), a)
    return select(compare("olt", magnitude, limit), rounded, a)
  }
}
