// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// The instructions of elementwise ops.
extension FunctionBuilder {
  func apply(_ op: Op, _ operands: [Lanes]) -> Lanes {
    guard let function = op.elementwise else {
      preconditionFailure("\(op) is not computed element by element")
    }
    return apply(function, operands)
  }

  func apply(_ function: Op.Elementwise, _ operands: [Lanes]) -> Lanes {
    switch function {
    case .unary(let op):
      return apply(op, operands[0])
    case .binary(let op):
      return apply(op, operands[0], operands[1])
    case .select:
      return select(compare("une", operands[0], constant(0)), operands[1], operands[2])
    case .fma:
      return fma(operands[0], operands[1], operands[2])
    }
  }

  private func apply(_ op: UnaryOp, _ x: Lanes) -> Lanes {
    switch op {
    case .negate: negate(x)
    case .abs: absolute(x)
    case .sqrt: squareRoot(x)
    case .exp: exp(x)
    case .log: log(x)
    case .sin: sin(x)
    case .cos: cos(x)
    case .tan: tan(x)
    case .tanh: tanh(x)
    case .sigmoid: sigmoid(x)
    case .erf: erf(x)
    case .floor: floor(x)
    case .ceil: ceiling(x)
    case .round: round(x)
    case .truncate: truncate(x)
    case .sign: sign(x)
    }
  }

  private func apply(_ op: BinaryOp, _ x: Lanes, _ y: Lanes) -> Lanes {
    switch op {
    case .add: add(x, y)
    case .subtract: subtract(x, y)
    case .multiply: multiply(x, y)
    case .divide: divide(x, y)
    case .modulo: modulo(x, y)
    case .less: truth("olt", x, y)
    case .lessOrEqual: truth("ole", x, y)
    case .greater: truth("ogt", x, y)
    case .greaterOrEqual: truth("oge", x, y)
    case .equal: truth("oeq", x, y)
    case .notEqual: truth("une", x, y)
    case .min: minimum(x, y)
    case .max: maximum(x, y)
    case .pow: power(x, y)
    case .atan2: atan2(x, y)
    }
  }

  private func truth(_ predicate: String, _ x: Lanes, _ y: Lanes) -> Lanes {
    select(compare(predicate, x, y), constant(1), constant(0))
  }
}
