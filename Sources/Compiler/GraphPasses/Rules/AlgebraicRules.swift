// SPDX-License-Identifier: Apache-2.0

package import GraphIR

extension Pass {
  /// Replaces nodes by simpler ones, after a table of rules.
  ///
  ///     %1 = %0 * 1
  ///     %2 = pow(%1, 2)
  /// →
  ///     %2 = %0 * %0
  ///
  /// Every row of `AlgebraicRule.all` holds for all numbers, and for what is none; those of powers may change a last
  /// bit. A rule never makes a node of another type, so that what a wider operand stretches stays as it is, and never
  /// more nodes than it takes, but for the shapes of a layer's weights. Operands come first, and a node is rewritten until no rule applies: one walk
  /// is enough, but for what comes back around a cycle.
  package static let algebraicRules = Pass(
    name: "algebraic-rules", summary: "replaces nodes by simpler ones, after a table of rules"
  ) { graph, context in
    var simplifier = Simplifier(graph)
    for id in graph.nodeIDs { simplifier.simplify(id, &context) }
    graph = simplifier.result()
  }
}

extension Graph {
  /// The same graph without movements that move numbers twice, or not at all: for whoever writes it down.
  package func withoutIdleMovements() -> Graph {
    var (simplifier, context) = (Simplifier(self, AlgebraicRule.idleMovements), PassContext(limit: .max))
    for id in nodeIDs { simplifier.simplify(id, &context) }
    return simplifier.result().canonical()
  }
}

/// Rewrites node by node, operands first.
private struct Simplifier {
  private let rules: [AlgebraicRule]
  private var graph: Graph
  private var uses: [Int]
  private var replacements: [ValueID: ValueID] = [:]

  init(_ graph: Graph, _ rules: [AlgebraicRule] = AlgebraicRule.all) {
    (self.graph, self.rules) = (graph, rules)
    uses = graph.useCounts()
  }

  mutating func simplify(_ id: NodeID, _ context: inout PassContext) {
    guard !graph[id].op.isLeaf else { return }
    graph[id].operands = graph[id].operands.map(current)
    while let (rule, replacement) = next(for: graph[id]), context.mayRewrite(by: rule.name) {
      switch replacement {
      case .value(let value):
        let result = graph[id].result
        replacements[result] = value
        uses[Int(value.index)] += uses[Int(result.index)]
        return
      case .number(let number):
        (graph[id].op, graph[id].operands) = (.literal(number), [])
        return
      case .apply(let op, let operands):
        let values = operands.compactMap { value(of: $0) }
        (graph[id].op, graph[id].operands) = (op, values)
      }
    }
  }

  /// The graph with everything that was replaced out of use.
  func result() -> Graph {
    var result = graph
    result.replaceUses(replacements.mapValues(current))
    return result
  }

  /// The replacement of each value.
  private func current(_ value: ValueID) -> ValueID {
    var value = value
    while let next = replacements[value] { value = next }
    return value
  }

  private func next(for node: Node) -> (rule: AlgebraicRule, replacement: AlgebraicRule.Replacement)? {
    for rule in rules where rule.roots(node.op) {
      if let replacement = rule.replacement(node, graph, uses),
        type(of: replacement) == graph[node.result].type
      {
        return (rule, replacement)
      }
    }
    return nil
  }

  private func type(of replacement: AlgebraicRule.Replacement) -> TensorType? {
    switch replacement {
    case .value(let value): return graph[value].type
    case .number: return TensorType(.scalar)
    case .apply(let op, let operands):
      let types = operands.compactMap(type)
      return types.count == operands.count ? try? op.resultType(types, clock: graph.clock) : nil
    }
  }

  private mutating func value(of replacement: AlgebraicRule.Replacement) -> ValueID? {
    guard let type = type(of: replacement) else { return nil }
    switch replacement {
    case .value(let value): return value
    case .number(let number): return append(.literal(number), [], type)
    case .apply(let op, let operands): return append(op, operands.compactMap { value(of: $0) }, type)
    }
  }

  private mutating func append(_ op: Op, _ operands: [ValueID], _ type: TensorType) -> ValueID {
    uses.append(1)
    return graph.append(op, operands, type: type)
  }
}
