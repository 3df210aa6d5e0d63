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

  /// The value's name, or else its definition.
  func text(of value: ValueID) -> String { graph.name(of: value) ?? definition(of: value) }

  /// The expression that computes the value, whether it has a name or not.
  func definition(of value: ValueID) -> String { definition(of: value, depth: Self.depth) }

  private func definition(of value: ValueID, depth: Int) -> String {
    let node = graph.definition(of: value)
    switch node.op.given {
    case .input, .parameter, .weights: return graph.name(of: value) ?? ""
    case .literal(let number): return written(number)
    case nil:
      var names: [ValueID: String] = [:]
      for operand in node.operands {
        names[operand] = operandText(operand, in: node, depth: depth - 1)
      }
      return graph.expression(node, names)
    }
  }

  private func operandText(_ operand: ValueID, in user: Node, depth: Int) -> String {
    if let name = graph.name(of: operand) { return name }
    let op = graph.definition(of: operand).op
    guard depth > 0 || op.isLeaf else { return "…" }
    let text = definition(of: operand, depth: depth)
    return op.operandText(text, in: user.op, isFirst: user.operands.lastIndex(of: operand) == 0)
  }
}
