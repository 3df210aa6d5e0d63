// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import GraphPasses
internal import GraphPlanning
internal import NativeCode

/// What each optimisation did to a model, in figures.
///
/// The graph is lowered and planned again after each pass over it, with each node in a kernel of its own; fusion comes
/// last. The last figures are those of the program.
package struct PassJournal: Sendable {
  /// What a graph costs.
  package struct Figures: Hashable, Sendable {
    package let nodes: Int
    /// For each frame, or each step; as mathematics counts them.
    package let flops: Int
    /// For each frame, or each step: what kernels read and write.
    package let bytesMoved: Int
    package let kernels: Int
    package let workspaceBytes: Int

    init(_ plan: Plan) {
      let kernels = plan.kernelGraph.kernels
      nodes = plan.graph.nodes.count
      flops = plan.graph.flopsPerFrame
      bytesMoved = kernels.reduce(0) { $0 + $1.bytesPerFrame }
      self.kernels = kernels.reduce(0) { $0 + $1.loopNests }
      workspaceBytes = plan.layout.size
    }
  }

  package struct Row: Sendable {
    package let name: String
    package let rewrites: Int
    package let before, after: Figures
    /// How often each rule was applied, where the pass has a table of them.
    package let rules: [(name: String, count: Int)]
  }

  package let rows: [Row]
}

extension Compilation {
  /// What each optimisation that is switched on did.
  ///
  /// - Throws: `ModelError.invalid` where the model takes too much memory before it is optimised.
  package func passJournal() throws(ModelError) -> PassJournal {
    var graphs = [compiled.source.canonical()]
    let reports = options.pipeline.run(compiled.source) { graphs.append($0) }.reports
    var figures: [PassJournal.Figures] = []
    for graph in graphs {
      do throws(PlanError) {
        figures.append(.init(try Plan(KernelGraph(lowering: graph, fuses: false), target: options.target)))
      } catch {
        throw ModelError(error, in: graph)
      }
    }
    var rows = reports.enumerated().map { index, report in
      PassJournal.Row(
        name: report.name, rewrites: report.rewrites, before: figures[index], after: figures[index + 1],
        rules: report.rules.map { ($0.name, $0.count) })
    }
    if options.fuses {
      let (apart, fused) = (figures[figures.count - 1], PassJournal.Figures(compiled.plan))
      rows.append(
        .init(
          name: CompilerOptions.fusion, rewrites: apart.kernels - fused.kernels, before: apart, after: fused,
          rules: []))
    }
    return PassJournal(rows: rows)
  }
}

extension Kernel {
  /// Kernels, those of a cycle one by one.
  fileprivate var loopNests: Int {
    switch self {
    case .map, .fold, .sample: 1
    case .cycle(let kernels): kernels.reduce(0) { $0 + $1.loopNests }
    }
  }
}
