// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

extension KernelPass {
  /// Chooses the tile of each fold, see `FoldTile`.
  ///
  ///     fold over i: 16 × frames, reducing r: 3
  /// →
  ///     fold over i: 16 × frames, reducing r: 3
  ///       tile of 4 rows along i, 4 vectors
  ///
  /// Legal because each result has a register of its own, in which its terms are added in the same order. A tile has as
  /// many rows, lines and vectors as there are registers for, and as leave little over.
  package static let foldTiling = KernelPass(
    name: "fold-tiling", summary: "computes many results of a fold side by side, in registers"
  ) { graph, context in
    func tiled(_ kernels: [Kernel]) -> [Kernel] {
      kernels.map { kernel in
        switch kernel {
        case .map, .sample: return kernel
        case .fold(var fold):
          let tile =
            graph.canGoAlongTerms(fold)
            ? fold.tileAlongTerms(for: context.target, context.goal)
            : TileSearch(fold, for: context.target, context.goal).best
          guard tile != fold.tile, context.mayRewrite() else { return kernel }
          fold.tile = tile
          return .fold(fold)
        case .cycle(var cycle):
          cycle.kernels = tiled(cycle.kernels)
          return .cycle(cycle)
        }
      }
    }
    graph = graph.replacing(blockKernels: tiled(graph.blockKernels), kernels: tiled(graph.kernels))
  }
}

extension KernelGraph {
  /// Whether a fold has one result at a time, whose terms lie one after the other in all of its operands, and each lane
  /// that a vector may have is a way of combining them. Results side by side are such, too, where an operand's numbers for
  /// them are far apart.
  func canGoAlongTerms(_ fold: FoldKernel) -> Bool {
    guard fold.reduced.count == 1, fold.combination.goesInLanes(of: fold.reduced[0]) else { return false }
    switch fold.space.inner {
    case .frames: return false
    case .count(let count):
      guard count == 1 || !isReadAlongResults(fold) else { return false }
    }
    return [fold.left, fold.right].compactMap(\.self).allSatisfy { operand in
      operand.strides.last == 1 && operand.delayStrides.last == 0 && operand.index == nil
        && isElements(operand.location)
    }
  }

  /// Whether vectors of results side by side are read at once from all operands; weights of products are brought into any
  /// order.
  private func isReadAlongResults(_ fold: FoldKernel) -> Bool {
    guard let right = fold.right else { return fold.left.isReadInVectors }
    return [fold.left, right].allSatisfy { operand in
      if case .weights = operand.location { true } else { operand.isReadInVectors }
    }
  }

  /// Whether strides of a place count single numbers.
  private func isElements(_ location: Location) -> Bool {
    switch location {
    case .input, .output: graph.clock == .step
    case .weights, .parameter: true
    case .buffer(let id):
      switch buffers[id.index].extent {
      case .rows: false
      case .elements, .columns: true
      }
    case .history(let id): histories[id.index].layout == .columns
    }
  }
}

extension Op.Reduction {
  /// Whether so many terms that lie side by side are combined in lanes: sums in as many ways as there may be, and the
  /// largest of many, which is the same in any order.
  func goesInLanes(of terms: Int) -> Bool {
    switch self {
    case .sum(let ways): ways == Limits.ways
    case .maximum: terms >= Limits.fewestTermsInVectors
    }
  }
}

extension FoldKernel {
  /// As many rows as there are registers for their ways, in tiles alike, along an axis by which one operand stays the same.
  fileprivate func tileAlongTerms(for target: Target, _ goal: Goal) -> FoldTile {
    let axis = space.extents.indices.dropFirst(space.isWalked ? 1 : 0).last { axis in
      space.extents[axis] > 1
        && [left, right].contains { $0.map { $0.strides[axis] == 0 && $0.delayStrides[axis] == 0 } ?? false }
    }
    guard let axis, goal == .speed else { return .alongTerms(rows: 1, of: nil) }
    let vectors = max(1, Limits.ways / target.lanes)
    let most = min(8, (target.vectorRegisters - 2) / vectors)
    let tiles = (space.extents[axis] + most - 1) / most
    return .alongTerms(rows: (space.extents[axis] + tiles - 1) / tiles, of: axis)
  }
}
