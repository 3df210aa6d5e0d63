// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// One row of the table of rules: what a node may be replaced by.
struct AlgebraicRule: Sendable {
  /// The replacement of a node.
  indirect enum Replacement {
    case value(ValueID)
    case number(Float)
    case apply(Op, [Replacement])
  }

  /// The rule as people read it, such as `x * 1 → x`.
  let name: String
  /// Ops at whose nodes the rule is tried.
  let roots: @Sendable (Op) -> Bool
  /// The replacement of the node; nil where the rule does not apply. The last argument counts the uses of each value.
  let replacement: @Sendable (Node, Graph, [Int]) -> Replacement?

  /// A rule about attributes, in words and in code.
  init(
    _ name: String, at roots: @escaping @Sendable (Op) -> Bool,
    _ replacement: @escaping @Sendable (Node, Graph, [Int]) -> Replacement?
  ) {
    self.name = name
    self.roots = roots
    self.replacement = replacement
  }

  /// A rule that two expressions say: names stand for any value, and functions of numbers are worked out.
  ///
  /// - Parameter facts: What has to hold for the values of some names.
  init(_ before: String, _ after: String, where facts: [String: Fact] = [:]) {
    let (pattern, result) = (AlgebraicPattern(before), AlgebraicPattern(after))
    guard case .apply(let root, _) = pattern else { preconditionFailure("\(before) is no op") }
    let conditions = facts.sorted { $0.key < $1.key }.map { ", \($0.key) \($0.value.name)" }.joined()
    let roots: @Sendable (Op) -> Bool = { $0 == root }
    self.init("\(before) → \(after)\(conditions)", at: roots) { node, graph, _ in
      pattern.bindings(of: node, in: graph)
        .first { bound in facts.allSatisfy { $0.value.holds(bound[$0.key]!, graph) } }
        .flatMap { result.replacement($0, in: graph) }
    }
  }

  /// A fact that can be known of a value without running anything.
  struct Fact: Sendable {
    let name: String
    let holds: @Sendable (ValueID, Graph) -> Bool
  }
}

/// An expression whose names stand for values.
indirect enum AlgebraicPattern {
  case name(String)
  case number(Float)
  case apply(Op, [AlgebraicPattern])

  /// Reads a pattern of the table, which is right: it is a part of the program.
  init(_ text: String) {
    guard let expression = try? Expression(parsing: text) else {
      preconditionFailure("\(text) is no expression")
    }
    var patterns: [AlgebraicPattern] = []
    for term in expression.terms {
      switch term.kind {
      case .number(let number): patterns.append(.number(Float(number)))
      case .name(let name): patterns.append(.name(name))
      case .negation(let row):
        if case .number(let number) = patterns[row] {
          patterns.append(.number(-number))
        } else {
          patterns.append(.apply(.unary(.negate), [patterns[row]]))
        }
      case .binary(let op, let a, let b): patterns.append(.apply(.binary(op), [patterns[a], patterns[b]]))
      case .call(let name, let arguments):
        patterns.append(.apply(Self.op(name), arguments.map { patterns[$0.term] }))
      case .string, .list: preconditionFailure("\(text) is about more than values")
      }
    }
    self = patterns.last!
  }

  private static func op(_ name: String) -> Op {
    if let op = UnaryOp(rawValue: name) { return .unary(op) }
    if let op = BinaryOp(rawValue: name) { return .binary(op) }
    switch name {
    case "select": return .select
    case "fma": return .fma
    case _: preconditionFailure("no rule is about \(name)")
    }
  }

  /// Every way in which the pattern fits a node: what its names stand for.
  func bindings(of node: Node, in graph: Graph) -> [[String: ValueID]] {
    matches(node.result, in: graph, [:])
  }

  private func matches(
    _ value: ValueID, in graph: Graph, _ bound: [String: ValueID]
  ) -> [[String: ValueID]] {
    switch self {
    case .name(let name):
      if let known = bound[name] { return known == value ? [bound] : [] }
      return [bound.merging([name: value]) { $1 }]
    case .number(let number):
      return graph.literal(value)?.bitPattern == number.bitPattern ? [bound] : []
    case .apply(let op, let patterns):
      let node = graph.definition(of: value)
      guard node.op == op else { return [] }
      var orders = [node.operands]
      if op.commutes { orders.append([node.operands[1], node.operands[0]] + node.operands.dropFirst(2)) }
      return orders.flatMap { operands in
        zip(patterns, operands).reduce([bound]) { found, next in
          found.flatMap { next.0.matches(next.1, in: graph, $0) }
        }
      }
    }
  }

  /// The pattern with values in place of its names; what is a function of numbers is a number.
  func replacement(_ bound: [String: ValueID], in graph: Graph) -> AlgebraicRule.Replacement? {
    switch self {
    case .name(let name): return bound[name].map { .value($0) }
    case .number(let number): return .number(number)
    case .apply(let op, let patterns):
      let operands = patterns.compactMap { $0.replacement(bound, in: graph) }
      let numbers = operands.compactMap { operand -> Constant? in
        switch operand {
        case .number(let number): Constant([], [number])
        case .value(let value): graph.literal(value).map { Constant([], [$0]) }
        case .apply: nil
        }
      }
      guard numbers.count == operands.count, let constant = op.evaluate(numbers, into: []) else {
        return .apply(op, operands)
      }
      return constant.numbers[0].isFinite ? .number(constant.numbers[0]) : nil
    }
  }
}

extension Graph {
  /// The number that a value is, if it is a literal.
  func literal(_ value: ValueID) -> Float? {
    definition(of: value).op.literal
  }
}
