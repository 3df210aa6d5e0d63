// SPDX-License-Identifier: Apache-2.0

extension Op {
  /// What the op costs in vector instructions, roughly; the measure by which kernels are kept small.
  package var cost: Int {
    switch self {
    case .input, .parameter, .literal, .weights: 0
    case .unary(let op):
      switch op {
      case .negate, .abs, .floor, .ceil, .round, .truncate: 1
      case .sqrt, .sign: 3
      case .tanh: 16
      case .sigmoid, .exp, .erf, .log: 22
      case .sin, .cos: 50
      case .tan: 70
      }
    case .binary(let op):
      switch op {
      case .add, .subtract, .multiply: 1
      case .divide, .min, .max: 2
      case .less, .lessOrEqual, .greater, .greaterOrEqual, .equal, .notEqual: 2
      case .modulo: 5
      case .atan2: 40
      case .pow: 90
      }
    case .select, .fma: 2
    case .slice, .concatenate, .reshape, .transpose, .pad, .broadcast: 1
    case .sum, .maximum, .dense, .convolution, .delay, .control: 1
    }
  }
}
