// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// Counts of kernels and of memory traffic, by which lists of kernels compare.
package struct KernelStatistics: Hashable, Sendable {
  /// Kernels that run for each tile or step, those around cycles one by one.
  package var kernels = 0
  /// Bytes that they read and write for each frame or step.
  package var bytesMoved = 0
  /// Bytes of them that are written by kernels that compute nothing.
  package var bytesCopied = 0
  /// Bytes of packed weights.
  package var weightsBytes: Int

  package init(_ graph: KernelGraph) {
    weightsBytes = graph.weights.count * 4
    for kernel in graph.kernels.flatMap(\.leaves) {
      kernels += 1
      bytesMoved += kernel.bytesPerFrame
      guard kernel.nodes.isEmpty, let copy = kernel.elementwise else { continue }
      bytesCopied += copy.space.bytes(of: copy.stores.map(\.access))
    }
  }
}
