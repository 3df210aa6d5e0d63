// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import GraphPasses
internal import GraphPlanning
internal import NativeCode

/// The effect of each optimisation on a model, in figures.
///
/// The graph is lowered and planned again after each pass over it, with each node in a kernel of its own; then the
/// kernels are planned after each pass over them. The last figures are those of the program.
package struct PassJournal: Sendable {
  /// The cost of a graph.
  package struct Figures: Hashable, Sendable, Encodable {
    package let nodes: Int
    /// For each frame, or each step; as mathematics counts them.
    package let flops: Int
    /// For each frame, or each step: what kernels read and write.
    package let bytesMoved: Int
    package let kernels: Int
    package let workspaceBytes: Int
    /// Bytes of packed weights.
    package let weightsBytes: Int

    init(_ plan: Plan) {
      let statistics = KernelStatistics(plan.kernelGraph)
      nodes = plan.graph.nodes.count
      flops = plan.graph.flopsPerFrame
      bytesMoved = statistics.bytesMoved
      kernels = statistics.kernels
      workspaceBytes = plan.layout.size
      weightsBytes = statistics.weightsBytes
    }
  }

  /// A rule of a pass, and how often it was applied.
  package struct Rule: Sendable, Encodable {
    package let name: String
    package let count: Int
  }

  package struct Row: Sendable, Encodable {
    package let name: String
    package let rewrites: Int
    package let before, after: Figures
    /// The rules of the pass, where it has a table of them.
    package let rules: [Rule]
  }

  package let rows: [Row]
}

extension Compilation {
  /// The journal of all optimisations that are switched on.
  ///
  /// - Throws: `ModelError.invalid` where the model takes too much memory before it is optimised.
  package func passJournal() throws(ModelError) -> PassJournal {
    var graphs = [compiled.source.aligned().canonical()]
    let reports = options.pipeline.run(compiled.source) { graphs.append($0) }.reports
    var stages = graphs.map { KernelGraph(lowering: $0) }
    let kernelReports = options.pipeline.lower(
      compiled.graph, for: options.target, goal: options.goal, after: reports
    ) { stages.append($0) }.reports
    var figures: [PassJournal.Figures] = []
    for stage in stages {
      do throws(PlanError) {
        let plan = try Plan(
          stage, target: options.target, goal: options.goal, aliases: options.pipeline.aliases,
          schedules: options.pipeline.schedules)
        figures.append(.init(plan))
      } catch {
        throw ModelError(error, in: stage.graph)
      }
    }
    let names =
      reports.map { ($0.name, $0.rewrites, $0.rules) } + kernelReports.map { ($0.name, $0.rewrites, []) }
    let rows = names.enumerated().map { index, report in
      PassJournal.Row(
        name: report.0, rewrites: report.1, before: figures[index], after: figures[index + 1],
        rules: report.2.map { .init(name: $0.name, count: $0.count) })
    }
    return PassJournal(rows: rows)
  }
}
