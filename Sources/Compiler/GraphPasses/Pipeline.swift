// SPDX-License-Identifier: Apache-2.0

package import GraphIR

/// The passes over the graph, in order, each with its reason.
///
/// Each runs once. Most are done in one walk, and what a later one leaves for an earlier one (a sum of two numbers that
/// a rule has brought together) is one instruction of those that LLVM folds, too.
///
/// No pass drops dead nodes: canonical order is a walk from the outputs, which does not meet them, and the
/// graph is put in canonical order before the first pass and after each.
///
/// Before the first pass lookaheads become delays of the other values (`Alignment`), which is not optional.
///
/// Behind the last pass the graph is lowered to kernels. There each slice, reshape, concatenation and overwrite
/// becomes an explicit copy, which is not optional; what is rewritten from then on are kernels and places.
package struct Pipeline: Sendable {
  package static let passes: [Pass] = [
    // Numbers before everything: a pattern that looks for one finds it, however it was written.
    .constantFolding,
    // Equal nodes next: what the passes below look at then has all its users in one place, and "the same value" is
    // the same row.
    .commonSubexpressions,
    // Simpler nodes before larger ones: fma formation meets sums and products as they stay.
    .algebraicRules,
    // A product that only one sum uses costs nothing when the sum takes it along. Before hoisting, which moves slices
    // out from between products and sums: the arithmetic is settled here, and hoisting changes no bit.
    .fmaFormation,
    // Sums last of what may change bits: what is added is settled.
    .partialSums,
    // All that is computed is known, and not yet a kernel: now each node computes only what is read of it.
    .sliceHoisting,
    // Whatever was folded or cut above has left the weights behind that it was made of.
    .deadWeights,
  ]

  /// No pass at all: the graph as it is, for comparison.
  package static let none = Pipeline(only: [])

  /// Names of passes that are switched off.
  package var disabled: Set<String>
  /// The most rewrites that all passes make together: halving it finds the one that breaks something.
  package var limit: Int

  package init(disabled: Set<String> = [], limit: Int = .max) {
    self.disabled = disabled
    self.limit = limit
  }

  /// These passes and no other.
  package init(only names: Set<String>) {
    self.init(disabled: Set(Self.passes.map(\.name)).subtracting(names))
  }

  /// The graph after all passes that are switched on.
  ///
  /// The graph is put in canonical order and verified after each pass that rewrites something, and after the first: a
  /// pass that breaks a graph is a defect of the compiler and traps. A pass that makes a graph larger than graphs may be
  /// is undone, and says so.
  ///
  /// - Parameter observe: Sees the graph after each pass.
  package func run(
    _ graph: Graph, observe: (Graph) -> Void = { _ in }
  ) -> (graph: Graph, reports: [PassReport]) {
    var graph = graph.aligned().canonical()
    var reports: [PassReport] = []
    var left = limit
    for pass in Self.passes where !disabled.contains(pass.name) {
      var context = PassContext(limit: left)
      var rewritten = graph
      pass.rewrite(&rewritten, &context)
      // A pass that finds nothing to rewrite leaves the graph as it is.
      let isNew = context.rewrites > 0 || reports.isEmpty
      rewritten = isNew ? rewritten.canonical() : graph
      var report = PassReport(
        name: pass.name, rewrites: context.rewrites, nodesBefore: graph.nodes.count,
        nodesAfter: rewritten.nodes.count, rules: context.rules, notes: context.notes)
      if rewritten.isWithinLimits {
        let violations = isNew ? Verifier.violations(in: rewritten) : []
        precondition(violations.isEmpty, "\(pass.name) broke the graph: \(violations)")
        left -= context.rewrites
        graph = rewritten
      } else {
        report.undo()
      }
      reports.append(report)
      observe(graph)
    }
    return (graph, reports)
  }
}

extension PassReport {
  /// Lets the report say that nothing came of the pass.
  fileprivate mutating func undo() {
    (rewrites, nodesAfter, rules) = (0, nodesBefore, [])
    notes = [PassNote(.note, "the pass is left out: its result would be larger than graphs may be")]
  }
}
