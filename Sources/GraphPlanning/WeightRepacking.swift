// SPDX-License-Identifier: Apache-2.0

/// Puts weights into the order in which this target's kernels read them, once.
///
///     natural:  [output][input][tap]                panels:  [panel][tap][input][row]
///
///     o0: i0t0 i0t1 i1t0 i1t1 …                     panel 0:  t0i0: o0 o1 o2 o3   t0i1: o0 o1 o2 o3   …
///     o1: i0t0 i0t1 i1t0 i1t1 …                     panel 1:  t0i0: o4 o5 o6 o7   …
///
/// A panel has as many rows as the fold's tile where they divide the axis, else all of them, so that each step of
/// the innermost loop reads one number a row side by side and goes on from there. Where outputs are vectors (a matrix
/// times a vector) the panel's rows are those. The axis of rows becomes two loops, over panels and within one; no sum
/// changes its order, so that no bit changes. Natural weights that nobody reads any more go.
///
/// Weights that are computed, or read with both operands along the innermost axis, stay as they are. So do biases.
package struct WeightRepacking {
  package static let name = "weight-repacking"

  private let graph: KernelGraph
  private let target: Target
  private var weights: [Float]
  /// Where panels are that were packed already: folds may share weights.
  private var panels: [Panel: Int] = [:]

  /// Weights in an order.
  private struct Panel: Hashable {
    let location: Location
    let offset: Int
    /// From the slowest to the fastest.
    var axes: [Axis]
  }

  private struct Axis: Hashable {
    let extent: Int
    let stride: Int
  }

  private init(_ graph: KernelGraph, for target: Target) {
    self.graph = graph
    self.target = target
    weights = graph.weights
  }

  fileprivate static func repacked(_ graph: KernelGraph, for target: Target) -> KernelGraph {
    var packing = Self(graph, for: target)
    let blockKernels = graph.blockKernels.map { packing.repacked($0) }
    let kernels = graph.kernels.map { packing.repacked($0) }
    return graph.replacing(
      blockKernels: blockKernels, kernels: kernels, settling: graph.settling, weights: packing.weights
    ).droppingUnreadWeights()
  }

  private mutating func repacked(_ kernel: Kernel) -> Kernel {
    switch kernel {
    case .map, .sample: return kernel
    case .fold(let fold): return .fold(repacked(fold))
    case .cycle(let nested): return .cycle(nested.map { repacked($0) })
    }
  }

  private mutating func repacked(_ fold: FoldKernel) -> FoldKernel {
    guard let right = fold.right, fold.takesPanels else { return fold }
    var fold = fold
    // Rows of vectors: the innermost axis is the panel's. Else the axis of the tile's rows is, or a part of it.
    var panelAxis: Int?
    if right.innerStride == 0, let axis = fold.tile(for: target).rowAxis {
      let (rows, extent) = (fold.tile(for: target).rows, fold.space.extents[axis])
      let splits = extent > rows && extent % rows == 0
      if splits { fold = fold.splitting(axis: axis, into: rows) }
      panelAxis = splits ? axis + 1 : axis
    }
    fold.right = packed(fold.right!, of: fold, panelAxis)
    return fold
  }

  /// The way through a panel, which is made where there is none yet.
  private mutating func packed(_ natural: Access, of fold: FoldKernel, _ panelAxis: Int?) -> Access {
    var order = natural.strides.indices.filter { $0 != panelAxis && natural.strides[$0] != 0 }
    if let panelAxis { order.append(panelAxis) }
    let extents = fold.space.extents + fold.reduced
    var panel = Panel(
      location: natural.location, offset: natural.offset,
      axes: order.map { Axis(extent: extents[$0], stride: natural.strides[$0]) })
    var result = natural
    var distance = 1
    if natural.innerStride != 0, case .count(let count) = fold.space.inner {
      panel.axes.append(Axis(extent: count, stride: natural.innerStride))
      result.innerStride = 1
      distance = count
    }
    for axis in order.reversed() {
      result.strides[axis] = distance
      distance *= extents[axis]
    }
    guard result != natural else { return natural }
    result.location = .weights(place(of: panel))
    result.offset = 0
    return result
  }

  private mutating func place(of panel: Panel) -> Int {
    if let known = panels[panel] { return known }
    guard case .weights(let base) = panel.location else {
      preconditionFailure("what is packed is among the weights")
    }
    while weights.count % 16 != 0 { weights.append(0) }
    let begin = weights.count
    func pack(_ axes: ArraySlice<Axis>, from place: Int) {
      guard let axis = axes.first else { return weights.append(weights[place]) }
      for round in 0..<axis.extent {
        let place = place + round * axis.stride
        if axes.count == 1 { weights.append(weights[place]) } else { pack(axes.dropFirst(), from: place) }
      }
    }
    pack(panel.axes[...], from: base + panel.offset)
    panels[panel] = begin
    return begin
  }
}

extension KernelGraph {
  /// The same kernels, with the weights of folds as the target's kernels read them.
  package func repackingWeights(for target: Target) -> KernelGraph {
    WeightRepacking.repacked(self, for: target)
  }

  func replacing(
    blockKernels: [Kernel], kernels: [Kernel], settling: MapKernel?, weights: [Float]
  ) -> KernelGraph {
    KernelGraph(
      graph: graph, blockKernels: blockKernels, kernels: kernels, buffers: buffers, histories: histories,
      weights: weights, uniform: uniform, settling: settling, settledValues: settledValues)
  }
}
