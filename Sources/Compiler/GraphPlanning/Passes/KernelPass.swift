// SPDX-License-Identifier: Apache-2.0

internal import GraphPasses

/// One rewriting of the kernels: a name and a function.
///
/// Its order among the others and the reason for it stand in `KernelPipeline.swift`.
package struct KernelPass: Sendable {
  package let name: String
  /// The pass in one line, for people.
  package let summary: String
  /// Rewrites the kernels, as far as the context allows.
  let rewrite: @Sendable (inout KernelGraph, inout Context) -> Void

  package init(
    name: String, summary: String, rewrite: @escaping @Sendable (inout KernelGraph, inout Context) -> Void
  ) {
    self.name = name
    self.summary = summary
    self.rewrite = rewrite
  }

  /// The kernels after this pass alone, and how often it rewrote something.
  package func run(
    on kernels: KernelGraph, for target: Target, goal: Goal = .speed
  ) -> (kernels: KernelGraph, rewrites: Int) {
    var (kernels, context) = (kernels, Context(target: target, goal: goal))
    rewrite(&kernels, &context)
    return (kernels, context.rewrites)
  }
}

extension KernelPass {
  /// The context of a pass while it rewrites: the target, the goal, and the number of rewrites left.
  package struct Context: Sendable {
    package let target: Target
    package let goal: Goal
    private var edits: PassContext

    /// - Parameter limit: The most rewrites that the pass may make.
    package init(target: Target, goal: Goal, limit: Int = .max) {
      self.target = target
      self.goal = goal
      edits = PassContext(limit: limit)
    }

    /// How many rewrites were made.
    package var rewrites: Int { edits.rewrites }

    /// Counts one rewrite, where there may be one more.
    package mutating func mayRewrite() -> Bool { edits.mayRewrite() }
  }
}

/// A pass's name and number of rewrites.
package struct KernelPassReport: Hashable, Sendable {
  package var name: String
  package var rewrites: Int
}
