// SPDX-License-Identifier: Apache-2.0

extension Op {
  /// What the op costs in vector instructions, roughly; the measure by which kernels are kept small.
  ///
  /// An elementwise op shares a loop with others. A copy, a fold or a sample has a kernel of its own, and its
  /// instructions are mostly the loop around it. A concatenation is one copy for each operand; see `Node.cost`.
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
    case .slice, .concatenate, .reshape, .transpose, .broadcast, .control: Graph.copyCost
    // The map that computes a value writes its history as well; a read of a ring is its address.
    case .delay: 8
    // Each lane has an address of its own.
    case .tap(let tap): tap.interpolation.reads * 24
    case .noise: 14
    case .phasor: Graph.copyCost
    // Values have other names then; that others wait is counted where they do.
    case .lookahead: 0
    case .pad: 2 * Graph.copyCost
    case .sum, .maximum, .dense, .convolution: 2 * Graph.copyCost
    }
  }
}

extension Node {
  /// What the node costs in vector instructions, all its kernels together.
  package var cost: Int {
    if case .concatenate = op { op.cost * operands.count } else { op.cost }
  }
}

extension Graph {
  /// What a kernel costs that copies.
  fileprivate static let copyCost = 20

  /// What the graph costs in vector instructions: its nodes, and a copy for each output that shows what no map
  /// computes, or that would overwrite an input.
  package var cost: Int { nodes.reduce(outputs.count * Self.copyCost) { $0 + $1.cost } }
}
