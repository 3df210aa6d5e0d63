// SPDX-License-Identifier: Apache-2.0

package import GraphIR

/// The graph as kernels in the order in which they run, with every value in its place.
package struct KernelGraph: Sendable {
  /// Memory of the workspace that kernels hand values over in.
  package struct Buffer: Hashable, Sendable {
    package enum Extent: Hashable, Sendable {
      /// So many rows of a tile's frames.
      case rows(Int)
      case elements(Int)
    }

    package enum Lifetime: Hashable, Sendable {
      /// Within one tile (or step): its memory is used again.
      case tile
      /// Until the parameters that it depends on change.
      case held
      /// Crosses blocks, and is cleared by a reset.
      case state
    }

    package var extent: Extent
    package var lifetime: Lifetime
  }

  /// What remembers a value: rings of frames in a stream, slots of steps otherwise.
  package struct History: Hashable, Sendable {
    package var value: ValueID
    /// Rows of frames, or elements of one step.
    package var width: Int
    /// How many frames (or steps) back the furthest reader looks.
    package var length: Int
  }

  package let graph: Graph
  /// Kernels that run when a stepped parameter has changed: values that depend on nothing else.
  package let blockKernels: [Kernel]
  /// Kernels that run for each tile, or for each step.
  package var kernels: [Kernel]
  package let buffers: [Buffer]
  package let histories: [History]
  package let weights: [Float]
  /// Values without fixed axes that depend on parameters only: while those are settled, one number each.
  package let uniform: Set<ValueID>
  /// Computes uniform values once, when the last ramp has landed; nil where there is nothing to compute.
  package let settling: MapKernel?
  /// Where the numbers of settled values stand that kernels use.
  package let settledValues: [ValueID: BufferID]
}
