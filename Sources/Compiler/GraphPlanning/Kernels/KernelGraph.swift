// SPDX-License-Identifier: Apache-2.0

package import GraphIR

/// The graph as kernels in the order in which they run, with every value in its place.
///
/// It is made by lowering, obviously right, and rewritten by one `KernelPass` at a time.
package struct KernelGraph: Sendable {
  /// Memory of the workspace that passes values between kernels.
  package struct Buffer: Hashable, Sendable {
    package enum Extent: Hashable, Sendable {
      /// Rows of a tile's frames.
      case rows(Int)
      case elements(Int)
      /// Columns of so many elements, one for each of a tile's frames.
      case columns(Int)

      /// How many rows or elements.
      package var count: Int {
        switch self {
        case .rows(let count), .elements(let count), .columns(let count): count
        }
      }
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

  /// The state of a value: rings of frames, or slots of frames (or steps) whose elements lie side by side.
  package struct History: Hashable, Sendable {
    package var value: ValueID
    /// Rows of frames, or elements of one frame (or step).
    package var width: Int
    /// How many frames (or steps) back the furthest reader looks.
    package var length: Int
    package var layout: FrameLayout
  }

  package let graph: Graph
  /// Kernels that run when a stepped parameter, or an array parameter, has changed: values that depend on nothing else.
  package let blockKernels: [Kernel]
  /// Kernels that run for each tile, or for each step.
  package let kernels: [Kernel]
  package let buffers: [Buffer]
  package let histories: [History]
  package let weights: PackedWeights
  /// Values without fixed axes that depend on parameters only: while those are settled, one number each.
  package let uniform: Set<ValueID>
  /// Values without fixed axes that depend on held samples only: one number each in a tile.
  package let held: Set<ValueID>
  /// Computes uniform values once, when the last ramp has landed; nil where there is nothing to compute.
  package let settling: MapKernel?
  /// The buffers of the settled values that kernels use.
  package let settledValues: [ValueID: BufferID]
}

extension KernelGraph {
  /// The settling map as a kernel: one, or none.
  var settlingKernels: [Kernel] { settling.map { [.map($0)] } ?? [] }

  /// Every kernel, whenever it runs.
  var allKernels: [Kernel] { blockKernels + kernels + settlingKernels }

  /// The cost of nodes for each number while parameters are settled and uniform values are known.
  func costWhileSettled(of nodes: [NodeID]) -> Int {
    nodes.reduce(0) { uniform.contains(graph[$1].result) ? $0 : $0 + graph[$1].op.cost }
  }

  /// The same graph with other kernels, weights or buffers, and without the buffers that no kernel uses.
  package func replacing(
    blockKernels: [Kernel]? = nil, kernels: [Kernel]? = nil, settling: MapKernel?? = nil,
    weights: PackedWeights? = nil, buffers: [Buffer]? = nil
  ) -> KernelGraph {
    KernelGraph(
      graph: graph, blockKernels: blockKernels ?? self.blockKernels, kernels: kernels ?? self.kernels,
      buffers: buffers ?? self.buffers, histories: histories, weights: weights ?? self.weights,
      uniform: uniform, held: held, settling: settling ?? self.settling, settledValues: settledValues
    ).withoutUnusedBuffers
  }

  private var withoutUnusedBuffers: KernelGraph {
    var isUsed = [Bool](repeating: false, count: buffers.count)
    for place in settledValues.values { isUsed[place.index] = true }
    for kernel in allKernels {
      let (reads, writes) = kernel.accesses
      for case .buffer(let id) in (reads + writes).lazy.map(\.location) { isUsed[id.index] = true }
    }
    guard isUsed.contains(false) else { return self }
    var kept: [Buffer] = []
    let ids = zip(buffers, isUsed).map { buffer, isUsed in
      if isUsed { kept.append(buffer) }
      return BufferID(kept.count - 1)
    }
    func renamed(_ access: Access, _: Loops) -> Access {
      guard case .buffer(let id) = access.location else { return access }
      var access = access
      access.location = .buffer(ids[id.index])
      return access
    }
    func renamed(_ kernel: Kernel) -> Kernel { kernel.rewriting(reads: renamed, writes: renamed) }
    var settled: MapKernel?
    if let settling, case .map(let map) = renamed(.map(settling)) { settled = map }
    return KernelGraph(
      graph: graph, blockKernels: blockKernels.map(renamed), kernels: kernels.map(renamed), buffers: kept,
      histories: histories, weights: weights, uniform: uniform, held: held, settling: settled,
      settledValues: settledValues.mapValues { ids[$0.index] })
  }

  /// Histories that are written frame by frame within a cycle and read at delays so short that registers may hold them:
  /// memory has no more of their frames than are read.
  package var historiesInRegisters: Set<HistoryID> {
    var found: Set<HistoryID> = []
    func visit(_ kernel: Kernel) {
      guard case .cycle(let cycle) = kernel, cycle.layout == .rows, cycle.positions == nil else { return }
      guard cycle.span == 1 else { return cycle.kernels.forEach(visit) }
      for case .history(let id) in kernel.accesses.writes.map(\.location)
      where histories[id.index].length < Graph.leastSpan { found.insert(id) }
    }
    kernels.forEach(visit)
    return found
  }
}
