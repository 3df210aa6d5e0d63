// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

extension KernelPass {
  /// Computes functions of a fold's results before these are transposed.
  ///
  ///     buffer 0 ← conv2d(x), outputs side by side
  ///     buffer 1 ← buffer 0, transposed
  ///     buffer 2 ← max(buffer 1, 0), within zeros
  /// →
  ///     buffer 0 ← max(conv2d(x), 0)
  ///     buffer 2 ← buffer 0, transposed, within zeros
  ///
  /// Results are in registers then, and are written and read once less. Legal because the map reads nothing but them, number
  /// by number, and nobody else reads them. For what an epilogue may take see `Epilogue`.
  package static let transposeSinking = KernelPass(
    name: "transpose-sinking", summary: "computes functions of a fold's results before these are transposed"
  ) { graph, context in
    var uses = KernelUses(graph)
    for row in uses.leaves.indices {
      guard let sunk = SunkTranspose(at: row, among: uses, in: graph, context),
        context.mayRewrite()
      else { continue }
      uses.replace(sunk.rows.fold, with: .fold(sunk.fold))
      uses.replace(sunk.rows.transpose, with: nil)
      uses.replace(row, with: .map(sunk.transpose))
    }
    graph = graph.replacing(blockKernels: uses.blockKernels, kernels: uses.kernels)
  }
}

/// A fold, a copy of its results in another order, and a map that reads that copy: with the map's nodes in the fold.
private struct SunkTranspose {
  /// Where the two are that stand before the map.
  let rows: (fold: Int, transpose: Int)
  private(set) var fold: FoldKernel
  let transpose: MapKernel

  /// - Parameter row: that of the map.
  init?(at row: Int, among uses: KernelUses, in graph: KernelGraph, _ context: KernelPass.Context) {
    guard case .map(let map) = uses.leaves[row], !map.isTurn, !map.space.isWalked, !map.nodes.isEmpty,
      map.stores.count == 1, let result = map.stores[0].value, map.loads.count == 1,
      let (value, read) = map.loads.first,
      let transpose = uses.writer(of: read.location, readBy: row), let copy = Copy(uses.leaves[transpose]),
      let first = uses.writer(of: copy.load.location, readBy: transpose),
      case .fold(var fold) = uses.leaves[first], !fold.space.isWalked,
      fold.epilogue.stores.map(\.value) == [value], case .buffer(let id) = read.location,
      let view = View(
        from: copy.store, to: copy.load, over: copy.space, count: graph.buffers[id.index].extent.count),
      let origin = view.translate(read, Loops(map.space))
    else { return nil }
    let walks = fold.epilogue.loads.count + 1
    fold.epilogue.nodes += map.nodes
    fold.epilogue.stores[0] = Store(result, fold.epilogue.stores[0].access)
    let cost = fold.epilogue.nodes.reduce(0) { $0 + graph.graph[$1].op.cost }
    guard
      Epilogue(of: fold, for: context.target, goal: context.goal).holds(cost: cost, walks: walks),
      fold.isComputedInVectors == map.isComputedInVectors
    else { return nil }
    rows = (first, transpose)
    self.fold = fold
    self.transpose = MapKernel(space: map.space, loads: [result: origin], stores: map.stores)
  }
}

extension KernelUses {
  /// The only kernel that writes a buffer, where one kernel alone reads it.
  fileprivate func writer(of place: Location, readBy reader: Int) -> Int? {
    guard case .buffer(let id) = place, !isReadBySettling(id), readers(of: place) == [reader],
      writers(of: place).count == 1
    else { return nil }
    return writers(of: place).first
  }
}
