// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// Values without a name that stand in the expression of their only user, instead of in a box of their own.
///
///     v1 = x * 3         ╮
///     v2 = sin(v1)       │  →   wave = sin(x * 3) * drive
///     wave = v2 * drive  ╯
///
/// A box is then about what its author wrote in one line. Small graphs are drawn node by node.
struct SpelledValues {
  /// The text of each node's result, with everything in it that is spelled out.
  private(set) var texts: [ValueID: String] = [:]
  /// The value in whose box a spelled value stands.
  private var users: [ValueID: ValueID] = [:]
  /// Whether the graph is large, so that anything is spelled at all.
  let isLarge: Bool

  /// The most nodes of a graph whose nodes all have boxes.
  static let fewNodes = 40
  /// A longer expression is no longer read at a glance: what would make it so keeps its box.
  private static let longestText = 100

  /// - Parameters:
  ///   - nodes: Those that are drawn, operands first.
  ///   - shown: Values that need a box, whatever their users.
  init(_ graph: Graph, _ nodes: [Node], _ names: [ValueID: String], shown: Set<ValueID>, isLarge: Bool) {
    self.isLarge = isLarge
    var uses: [ValueID: Int] = [:]
    for node in nodes { for operand in node.operands { uses[operand, default: 0] += 1 } }
    for node in nodes {
      var own: [ValueID: String] = [:]
      for operand in node.operands { own[operand] = names[operand] }
      let short = graph.expression(node, own)
      let spelled = node.operands.filter { texts[$0] != nil && mayBeSpelled($0) }
      for operand in spelled {
        own[operand] = graph.definition(of: operand).op.operandText(
          texts[operand]!, in: node.op, isFirst: operand == node.operands[0])
      }
      let text = graph.expression(node, own)
      texts[node.result] = text.count > Self.longestText ? short : text
      guard text.count <= Self.longestText else { continue }
      for operand in spelled { users[operand] = node.result }
    }

    func mayBeSpelled(_ value: ValueID) -> Bool {
      isLarge && uses[value] == 1 && graph.origins.names[value] == nil && !shown.contains(value)
        && graph.definition(of: value).op.isElementwise
    }
  }

  /// Whether the value has no box of its own.
  func isSpelled(_ value: ValueID) -> Bool { users[value] != nil }

  /// The value in whose box a node's operands are written.
  func root(of value: ValueID) -> ValueID {
    var value = value
    while let user = users[value] { value = user }
    return value
  }
}
