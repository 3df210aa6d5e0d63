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
  /// rows. Legal because each sum has the same terms in the same order, and no part reads what another one writes: a fold whose
  /// output may lie where an input does, which it adds to it, stays whole. So do weights of which something else reads other
  /// parts, which would be there twice.
  package static let columnSplitting = KernelPass(
    name: "column-splitting", summary: "gives columns of a matrix that fill no panel a fold of their own"
  ) { graph, context in
    guard graph.graph.clock == .step, context.goal == .speed else { return }
    let lanes = context.target.lanes
    // How each array is read: the parts of each fold of it, nil where something reads it whole.
    var readers: [Location: Set<[Range<Int>]?>] = [:]
    for kernel in graph.allKernels.flatMap(\.leaves) {
      for location in Set(kernel.walks.reads.map(\.access.location)) {
        var parts: [Range<Int>]?
        if case .fold(let fold) = kernel, fold.right?.location == location, !fold.goesInPlace(in: graph.graph)
        {
          parts = fold.columnsInPanels(for: lanes)
        }
        readers[location, default: []].insert(parts)
      }
    }
    func split(_ kernels: [Kernel]) -> [Kernel] {
      kernels.flatMap { kernel -> [Kernel] in
        switch kernel {
        case .map, .sample: return [kernel]
        case .fold(let fold):
          guard let right = fold.right, let ways = readers[right.location], ways.count == 1,
            let parts = ways.first!, context.mayRewrite()
          else { return [kernel] }
          return parts.map { .fold(fold.part($0, for: lanes)) }
        case .cycle(var cycle):
          cycle.kernels = split(cycle.kernels)
          return [.cycle(cycle)]
        }
      }
    }
    graph = graph.replacing(kernels: split(graph.kernels))
  }
}

extension FoldKernel {
  /// Columns of a row that is half a page: of fewer, whole rows are near enough to each other.
  private static let manyColumns = 512

  /// The columns of whole panels of a matrix, and those behind them; nil where there are none of either.
  fileprivate func columnsInPanels(for lanes: Int) -> [Range<Int>]? {
    guard takesPanels, let right, right.innerStride != 0, tile.rows > 1, !goesOn,
      case .count(let count) = space.inner, count >= Self.manyColumns
    else { return nil }
    let rest = count % (tile.vectors * lanes)
    guard rest > 0, rest < count else { return nil }
    return [0..<count - rest, count - rest..<count]
  }

  /// Whether it writes an output that may lie where the input does that its epilogue reads.
  fileprivate func goesInPlace(in graph: Graph) -> Bool {
    epilogue.loads.values.contains { load in
      guard case .input(let index) = load.location, graph.mayAlias(index) else { return false }
      return epilogue.stores.contains { $0.access.location == .output(index) }
    }
  }

  /// The same fold of some of its columns.
  fileprivate func part(_ columns: Range<Int>, for lanes: Int) -> FoldKernel {
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
