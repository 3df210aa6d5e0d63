// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// Writes values as expressions of a model file: named ones by their names, the others by what computes them.
///
///     driven = src * gain
///     v1 = driven + 1
///     dst = log(v1)          is written log(driven + 1)
struct ExpressionWording {
  private let graph: Graph

  /// Levels of values without a name that are spelled out.
  private static let depth = 3

  init(_ graph: Graph) { self.graph = graph }

  /// What people call the value; nil where it has no name.
  func name(of value: ValueID) -> String? {
    switch graph.definition(of: value).op {
    case .input(let index): graph.inputs[index].name
    case .parameter(let index): graph.parameters[index].name
    case .weights(let id): graph[id].name
    case .literal: nil
    case .unary, .binary, .select, .fma, .slice, .concatenate, .reshape, .transpose, .pad, .broadcast,
      .sum, .maximum, .dense, .convolution, .delay, .control:
      graph.origins.names[value]
    }
  }

  /// The value's name, or else its definition.
  func text(of value: ValueID) -> String { name(of: value) ?? definition(of: value) }

  /// What computes the value, whether it has a name or not.
  func definition(of value: ValueID) -> String { definition(of: value, depth: Self.depth) }

  private func definition(of value: ValueID, depth: Int) -> String {
    let node = graph.definition(of: value)
    switch node.op {
    case .input, .parameter, .weights: return name(of: value) ?? ""
    case .literal(let number): return written(number)
    case .unary, .binary, .select, .fma, .slice, .concatenate, .reshape, .transpose, .pad, .broadcast,
      .sum, .maximum, .dense, .convolution, .delay, .control:
      var names: [ValueID: String] = [:]
      for operand in node.operands {
        names[operand] = operandText(operand, in: node, depth: depth - 1)
      }
      return graph.expression(node, names)
    }
  }

  private func operandText(_ operand: ValueID, in user: Node, depth: Int) -> String {
    if let name = name(of: operand) { return name }
    let op = graph.definition(of: operand).op
    guard depth > 0 || op.isLeaf else { return "…" }
    let text = definition(of: operand, depth: depth)
    return user.op.isInfix && op.isInfix ? "(\(text))" : text
  }
}

extension Op {
  /// Whether an expression writes it between its operands.
  fileprivate var isInfix: Bool {
    switch self {
    case .binary(let op): op.isInfix
    case .input, .parameter, .literal, .weights, .unary, .select, .fma: false
    case .slice, .concatenate, .reshape, .transpose, .pad, .broadcast: false
    case .sum, .maximum, .dense, .convolution, .delay, .control: false
    }
  }
}
