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
  package let kernels: [Kernel]
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

extension Op {
  /// What the op costs in vector instructions, roughly; the measure by which kernels are kept small.
  package var cost: Int {
    switch self {
    case .input, .parameter, .literal, .weights: 0
    case .unary(let op):
      switch op {
      case .negate, .abs, .floor, .ceil, .round, .truncate: 1
      case .sqrt, .sign: 3
      case .tanh: 16
      case .sigmoid, .exp, .erf, .log: 22
      case .sin, .cos: 50
      case .tan: 70
      }
    case .binary(let op):
      switch op {
      case .add, .subtract, .multiply: 1
      case .divide, .min, .max: 2
      case .less, .lessOrEqual, .greater, .greaterOrEqual, .equal, .notEqual: 2
      case .modulo: 5
      case .atan2: 40
      case .pow: 90
      }
    case .select, .fma: 2
    case .slice, .concatenate, .reshape, .transpose, .pad, .broadcast: 1
    case .sum, .maximum, .dense, .convolution, .delay, .control: 1
    }
  }
}
