// SPDX-License-Identifier: Apache-2.0

package import GraphPasses

/// One rewriting of the kernels: a name and a function.
///
/// Its order among the others and the reason for it stand in `KernelPipeline.swift`.
package struct KernelPass: Sendable {
  package let name: String
  /// One line for people.
  package let summary: String
  /// Rewrites the kernels, as far as the context allows.
  let rewrite: @Sendable (inout KernelGraph, inout PassContext) -> Void

  package init(
    name: String, summary: String, rewrite: @escaping @Sendable (inout KernelGraph, inout PassContext) -> Void
  ) {
    self.name = name
    self.summary = summary
    self.rewrite = rewrite
  }

  /// The kernels after this pass alone, and how often it rewrote something.
  package func run(on kernels: KernelGraph) -> (kernels: KernelGraph, rewrites: Int) {
    var (kernels, context) = (kernels, PassContext())
    rewrite(&kernels, &context)
    return (kernels, context.rewrites)
  }
}

/// What a pass did to the kernels.
package struct KernelPassReport: Hashable, Sendable {
  package var name: String
  package var rewrites: Int
  package var before: KernelStatistics
  package var after: KernelStatistics
}
