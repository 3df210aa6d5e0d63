// SPDX-License-Identifier: Apache-2.0

package import GraphIR

/// The passes over the graph, in order, each with its reason.
package struct Pipeline: Sendable {
  package static let passes: [Pass] = [
    // Equal nodes first: what the passes below look at then has all its users in one place.
    .commonSubexpressions,
    // A product that only one sum uses costs nothing when the sum takes it along.
    .fmaFormation,
  ]

  /// No pass at all: the graph as it is, for comparison.
  package static let none = Pipeline(disabled: Set(passes.map(\.name)))

  /// Names of passes that are switched off.
  package var disabled: Set<String>
  /// The most rewrites that all passes make together: halving it finds the one that breaks something.
  package var limit: Int

  package init(disabled: Set<String> = [], limit: Int = .max) {
    self.disabled = disabled
    self.limit = limit
  }

  /// The graph after all passes that are switched on.
  ///
  /// The graph is put in canonical order and verified after each pass: a pass that breaks a graph is a defect of
  /// the compiler and traps.
  package func run(_ graph: Graph) -> (graph: Graph, reports: [PassReport]) {
    var graph = graph.canonical()
    var reports: [PassReport] = []
    var left = limit
    for pass in Self.passes where !disabled.contains(pass.name) {
      let before = graph.nodes.count
      var context = PassContext(limit: left)
      pass.rewrite(&graph, &context)
      left -= context.rewrites
      graph = graph.canonical()
      let violations = Verifier.violations(in: graph)
      precondition(violations.isEmpty, "\(pass.name) broke the graph: \(violations)")
      reports.append(
        PassReport(
          name: pass.name, rewrites: context.rewrites, nodesBefore: before, nodesAfter: graph.nodes.count,
          notes: context.notes))
    }
    return (graph, reports)
  }
}
