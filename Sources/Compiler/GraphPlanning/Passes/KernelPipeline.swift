// SPDX-License-Identifier: Apache-2.0

package import GraphIR
package import GraphPasses

/// The passes over the kernels, in order, each with its reason.
extension Pipeline {
  package static let kernelPasses: [KernelPass] = [
    // Copies first: a kernel that reads a value where it stands, and writes its result where it is wanted, lies no
    // longer behind a copy that fusion would have to step over.
    .copyElision,
    // What a fold reads along which axis is decided by now, and what may follow it in registers depends on its tile.
    .foldTiling,
    // Then what runs over the same space shares one loop, and what it hands on stays in registers.
    .fusion,
    // What is left behind a transposed copy did not find to the fold in front of it.
    .transposeSinking,
    // What is still written beside a history is read by kernels that have not joined.
    .presentReading,
    // What kernels of one position still hand on, behind fusion, needs no room for all positions.
    .positionReuse,
    // Tiles and epilogues are settled: what tiles read again and again may stay near.
    .termBlocking,
    // Loops that follow each other are one map each by now, and what stands between them is one map as well.
    .loopChaining,
    // What is in one map is settled, and so is the longest way through it.
    .criticalPath,
    // By now it is decided how all that folds read is walked over.
    .pitchPadding,
    // Tiles are as wide as they stay: what fills no panel of a matrix goes by itself.
    .columnSplitting,
    // Weights last: by now it is decided which kernels read them, and in which tiles.
    .weightRepacking,
  ]

  /// The switch of the arena: without it every buffer has memory of its own.
  package static let aliasing = "aliasing"

  /// The switch of schedules: without it cycles go frame by frame or span by span, and maps vector by vector.
  package static let scheduling = "scheduling"

  /// The names of what can be switched off behind the passes over the graph.
  package static let kernelSwitches = kernelPasses.map(\.name) + [scheduling, aliasing]

  /// The names of everything that can be switched off.
  package static let switches = passes.map(\.name) + kernelSwitches

  /// Nothing that is optional: each node a kernel, each value a buffer.
  package static let plain = Pipeline(disabled: Set(switches))

  /// Whether buffers may share memory.
  package var aliases: Bool { !disabled.contains(Self.aliasing) }

  /// Whether the fastest way is chosen for each kernel.
  package var schedules: Bool { !disabled.contains(Self.scheduling) }

  /// Lowers a graph to kernels and runs all passes over them that are switched on.
  ///
  /// The kernels are verified before the first pass and after each: one that breaks them is a defect of the compiler
  /// and traps.
  ///
  /// - Parameters:
  ///   - target: the machine that the kernels are for.
  ///   - goal: what code is made to have.
  ///   - reports: what the passes over the graph did; their rewrites count towards the limit.
  ///   - observe: sees the kernels after each pass.
  package func lower(
    _ graph: Graph, for target: Target, goal: Goal = .speed, after reports: [PassReport] = [],
    observe: (KernelGraph) -> Void = { _ in }
  ) -> (kernels: KernelGraph, reports: [KernelPassReport]) {
    var left = reports.reduce(limit) { $0 - $1.rewrites }
    var kernels = KernelGraph(lowering: graph)
    var kernelReports: [KernelPassReport] = []
    verify(kernels, after: "lowering")
    for pass in Self.kernelPasses where !disabled.contains(pass.name) {
      var context = KernelPass.Context(target: target, goal: goal, limit: left)
      pass.rewrite(&kernels, &context)
      left -= context.rewrites
      verify(kernels, after: pass.name)
      kernelReports.append(KernelPassReport(name: pass.name, rewrites: context.rewrites))
      observe(kernels)
    }
    return (kernels, kernelReports)
  }

  private func verify(_ kernels: KernelGraph, after pass: String) {
    let violations = KernelVerifier.violations(in: kernels)
    precondition(violations.isEmpty, "\(pass) broke the kernels: \(violations)")
  }
}
