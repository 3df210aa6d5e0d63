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
            : fold.bestTile(for: context.target, context.goal)
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
  /// The axes along which the broadcast operand changes and the one of the vectors does not, those with the least distances
  /// first.
  private var rowAxes: [Int] {
    guard let (vector, broadcast) = vectorAndBroadcast else { return [] }
    return space.extents.indices.dropFirst(space.isWalked ? 1 : 0).filter { axis in
      space.extents[axis] > 1 && vector.strides[axis] == 0 && vector.delayStrides[axis] == 0
        && broadcast.strides[axis] != 0
    }.sorted { broadcast.strides[$0] < broadcast.strides[$1] }
  }

  /// The innermost axis along which the vectors change and the broadcast operand does not, such as the lines of a
  /// convolution in which each channel has a kernel of its own.
  private var ownVectorsAxis: Int? {
    guard let (vector, broadcast) = vectorAndBroadcast else { return nil }
    return space.extents.indices.dropFirst(space.isWalked ? 1 : 0).last { axis in
      space.extents[axis] > 1 && vector.strides[axis] != 0 && broadcast.strides[axis] == 0
        && broadcast.delayStrides[axis] == 0
    }
  }

  /// The distance of the numbers of a vector; of weights 1, as they are brought into any order.
  private var apart: Int {
    guard let vector = vectorAndBroadcast?.vector, vector.isReadInVectors else { return 1 }
    if case .weights = vector.location { return 1 }
    return vector.innerStride
  }

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

  /// The most rows of a line, and the most lines.
  private static let mostRows = 12

  private typealias LinedTile = (tile: FoldTile, rows: Int, vectors: Int)

  /// The tile with several lines: of a second axis of rows where it has all of the first, else of vectors where it is as wide
  /// as the innermost axis; each with the rows and vectors of a tile without lines that takes as long.
  private func tilesWithLines(_ tile: FoldTile, of vectors: Int) -> [LinedTile] {
    guard !rowAxes.isEmpty else { return [] }
    func lines(along axis: Int) -> [FoldTile] {
      (2...Self.mostRows).filter { space.extents[axis] % $0 == 0 }.map { lines in
        var result = tile
        (result.lineAxis, result.lines) = (axis, lines)
        return result
      }
    }
    if let axis = tile.rowAxis, tile.rows == space.extents[axis],
      let next = rowAxes.first(where: { $0 != axis })
    {
      return lines(along: next).map { ($0, tile.rows * $0.lines, tile.vectors) }
    }
    guard tile.vectors == vectors, let axis = ownVectorsAxis else { return [] }
    // Vectors of lines lie across cache lines: they pay where twice as many rows use each of them.
    return lines(along: axis).map { ($0, tile.rows, vectors * $0.lines) }.filter { 2 * $2 <= $1 }
  }

  /// The fastest tile, by a simple cost model of a step of the innermost loop.
  ///
  /// For size it has four sums at most, which do not wait for each other for long, and leaves no row over.
  fileprivate func bestTile(for target: Target, _ goal: Goal) -> FoldTile {
    let lanes = target.lanes
    let innermost: Int
    let widths: [Int]
    switch space.inner {
    case .frames:
      (innermost, widths) = (Plan.tileFrames, [2, 4, 8, 1].filter { $0 * lanes <= Plan.stageFrames })
    case .count(let count):
      let all = (count + lanes - 1) / lanes
      // A tile as wide as a matrix reads its weights one after the other.
      (innermost, widths) = (count, [2, 4, 8, 1, 3, 5, 6, 7, 9, 10, 11, 12, 16, 20, 24].filter { $0 <= all })
    }
    let vectors = (innermost + lanes - 1) / lanes
    let widest = widths.max() ?? 1
    let ways = combination.ways
    guard right != nil else {
      let most =
        switch goal {
        case .speed: max(1, target.vectorRegisters / 4 / ways)
        case .size: 1
        }
      return FoldTile(rowAxis: nil, rows: 1, vectors: min(most, widest))
    }
    let rowAxes = rowAxes
    let axes: [Int?] = rowAxes.isEmpty ? [ownVectorsAxis] : rowAxes
    let step = StepCost(ways: ways, target: target, apart: apart, sharesVectors: !rowAxes.isEmpty)
    var best: (tile: FoldTile, cost: Double)?
    for axis in axes {
      let extent = axis.map { space.extents[$0] } ?? 1
      for width in widths {
        for rows in 1...min(extent, Self.mostRows) where step.holds(rows: rows, vectors: width) {
          if goal == .size, rows * width > 4 || extent % rows != 0 || vectors % width != 0 { continue }
          let tile = FoldTile(rowAxis: axis, rows: rows, vectors: width)
          func consider(_ tile: FoldTile, _ cost: Double) {
            let each = cost / Double(extent * tile.lines)
            if each < best?.cost ?? .infinity { best = (tile, each) }
          }
          switch space.inner {
          case .frames: consider(tile, tile.cost(ofRows: extent, frames: innermost, step))
          case .count:
            let lined = goal == .speed ? tilesWithLines(tile, of: vectors) : []
            for (tile, flatRows, flatVectors) in [(tile, rows, width)] + lined
            where step.holds(rows: flatRows, vectors: flatVectors) {
              let flat = FoldTile(rowAxis: axis, rows: flatRows, vectors: flatVectors)
              let (ofRows, ofVectors) = (extent * (flatRows / rows), vectors * (flatVectors / width))
              consider(tile, flat.cost(ofRows: ofRows, vectors: ofVectors, step))
            }
          }
        }
      }
    }
    return best?.tile ?? FoldTile(rowAxis: axes[0], rows: 1, vectors: 1)
  }
}

extension FoldTile {
  /// Cycles that a step takes for an axis of rows and a block of frames.
  ///
  /// A half and a quarter of a tile count as much as a whole one, so that short blocks do not pay for a stage that
  /// hardly has frames. A stage that is not full counts as one that is.
  fileprivate func cost(ofRows extent: Int, frames: Int, _ step: StepCost) -> Double {
    [frames, frames / 2, frames / 4].reduce(0) { sum, frames in
      let lanes = vectors * step.target.lanes
      let stages = (frames + lanes - 1) / lanes
      let cost = cost(ofRows: extent) { Double(stages) * step.cycles(rows: $0, vectors: vectors) }
      return sum + cost / Double(frames)
    }
  }

  /// Cycles that a step takes for an axis of rows and one of vectors, of which what is left is a smaller tile.
  fileprivate func cost(ofRows extent: Int, vectors count: Int, _ step: StepCost) -> Double {
    cost(ofRows: extent) { rows in
      Double(count / vectors) * step.cycles(rows: rows, vectors: vectors)
        + (count % vectors > 0 ? step.cycles(rows: rows, vectors: count % vectors) : 0)
    }
  }

  /// A remainder of rows is further code: it has to be worth a twentieth.
  private func cost(ofRows extent: Int, _ cycles: (_ rows: Int) -> Double) -> Double {
    let rest = extent % rows
    let whole = Double(extent / rows) * cycles(rows)
    return rest == 0 ? whole : (whole + cycles(rest)) * 1.05
  }
}

/// The cost of a step of a fold's innermost loop.
private struct StepCost {
  /// The partial sums of each result.
  let ways: Int
  let target: Target
  /// The distance of the numbers of a vector.
  let apart: Int
  /// Whether rows have the vectors in common, and each a number of its own; else it is the other way around.
  let sharesVectors: Bool

  /// Two multiply-adds or two loads a cycle, and four cycles until a partial sum can take the next term.
  ///
  /// A broadcast is a load; where there is no fused multiply-add there is no such load either, and the number is spread
  /// by a further instruction. A vector of numbers that are apart is picked from as many, by instructions that take the
  /// place of multiply-adds.
  func cycles(rows: Int, vectors: Int) -> Double {
    let broadcast = target.hasFMA ? 1 : 2
    let loads = sharesVectors ? vectors : rows * vectors
    let wait = 4 / Double(ways)
    return max(
      Double(rows * vectors + loads * (apart - 1)) / 2,
      Double((sharesVectors ? rows : 1) * broadcast + loads * apart) / 2, wait) + 0.5
  }

  /// Whether there are registers for accumulators, the vectors of a step and one weight.
  ///
  /// A product takes one more where it is not fused. A vector that one row alone needs is read where it is used.
  func holds(rows: Int, vectors: Int) -> Bool {
    let isReadOnce = rows == 1 || !sharesVectors
    let loaded = isReadOnce && target.takesOperandsFromMemory ? 0 : vectors
    return rows * vectors * ways + loaded + (target.hasFMA ? 1 : 2) <= target.vectorRegisters
  }
}
