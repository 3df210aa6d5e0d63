// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// One rewriting of the graph: a name and a function.
///
/// Its order among the others and the reason for it stand in `Pipeline.swift`.
package struct Pass: Sendable {
  package let name: String
  /// The pass in one line, for people.
  package let summary: String
  /// Rewrites the graph, as far as the context allows.
  let rewrite: @Sendable (inout Graph, inout PassContext) -> Void
}

/// The effect of a pass on a graph.
package struct PassReport: Hashable, Sendable {
  /// How often one rule of a pass was applied.
  package struct Rule: Hashable, Sendable {
    package var name: String
    package var count: Int

    package init(name: String, count: Int) { (self.name, self.count) = (name, count) }
  }

  package var name: String
  package var rewrites: Int
  package var nodesBefore: Int
  package var nodesAfter: Int
  /// Of passes that have a table of rules.
  package var rules: [Rule]
  package var notes: [PassNote]
}
