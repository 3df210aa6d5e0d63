// SPDX-License-Identifier: Apache-2.0

package import GraphIR

/// One rewriting of the graph: a name and a function.
///
/// Its order among the others and the reason for it stand in `Pipeline.swift`.
package struct Pass: Sendable {
  package let name: String
  /// One line for people.
  package let summary: String
  /// Rewrites the graph, as far as the context allows.
  let rewrite: @Sendable (inout Graph, inout PassContext) -> Void

  package init(
    name: String, summary: String, rewrite: @escaping @Sendable (inout Graph, inout PassContext) -> Void
  ) {
    self.name = name
    self.summary = summary
    self.rewrite = rewrite
  }
}

/// What a pass did to a graph.
package struct PassReport: Hashable, Sendable {
  package var name: String
  package var rewrites: Int
  package var nodesBefore: Int
  package var nodesAfter: Int
  package var notes: [Diagnostic]

  package init(name: String, rewrites: Int, nodesBefore: Int, nodesAfter: Int, notes: [Diagnostic] = []) {
    self.name = name
    self.rewrites = rewrites
    self.nodesBefore = nodesBefore
    self.nodesAfter = nodesAfter
    self.notes = notes
  }
}
