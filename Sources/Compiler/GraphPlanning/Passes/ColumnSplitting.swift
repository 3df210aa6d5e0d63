// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

extension KernelPass {
  /// Gives the columns of a matrix that fill no panel a fold of their own.
  ///
  ///     fold over i: 20 × j: 1021        tile of 8 rows, 3 vectors
  /// →
  ///     fold over i: 20 × j: 1008        21 panels of 48
  ///     fold over i: 20 × j: 13          what is left
  ///
  /// Columns that a tile divides are read panel by panel, see `weightRepacking`; others would be read at the distance of whole
  /// rows. Legal because each sum has the same terms in the same order. Weights that something else reads, too, stay whole:
  /// parts of them would be one more copy.
  package static let columnSplitting = KernelPass(
    name: "column-splitting", summary: "gives columns of a matrix that fill no panel a fold of their own"
  ) { graph, context in
    guard graph.graph.clock == .step, context.goal == .speed else { return }
    var readers: [Location: Int] = [:]
    for read in graph.allKernels.flatMap(\.walks.reads) { readers[read.access.location, default: 0] += 1 }
    let kernels = graph.kernels.flatMap { kernel -> [Kernel] in
      guard case .fold(let fold) = kernel, let right = fold.right, readers[right.location] == 1,
        let columns = fold.columnsInPanels(of: context.target.lanes), context.mayRewrite()
      else { return [kernel] }
      return columns.map { .fold(fold.part($0, of: context.target.lanes)) }
    }
    graph = graph.replacing(kernels: kernels)
  }
}

extension FoldKernel {
  /// Columns of a row that is half a page: of fewer, whole rows are near enough to each other.
  private static let manyColumns = 512

  /// The columns of whole panels of a matrix, and those behind them; nil where there are none of either.
  fileprivate func columnsInPanels(of lanes: Int) -> [Range<Int>]? {
    guard takesPanels, let right, right.innerStride != 0, tile.rows > 1, !space.isWalked,
      case .count(let count) = space.inner, count >= Self.manyColumns
    else { return nil }
    let rest = count % (tile.vectors * lanes)
    guard rest > 0, rest < count else { return nil }
    return [0..<count - rest, count - rest..<count]
  }

  /// The same fold of some of its columns.
  fileprivate func part(_ columns: Range<Int>, of lanes: Int) -> FoldKernel {
    func moved(_ access: Access) -> Access {
      var result = access
      result.offset += access.innerStride * columns.lowerBound
      return result
    }
    var result = self
    (result.left, result.right, result.bias) = (moved(left), right.map(moved), bias.map(moved))
    result.epilogue.loads = epilogue.loads.mapValues(moved)
    result.epilogue.stores = epilogue.stores.map { Store($0.value, moved($0.access)) }
    result.epilogue.space.inner = .count(columns.count)
    result.isPart = true
    result.tile.vectors = min(tile.vectors, (columns.count + lanes - 1) / lanes)
    return result
  }
}
