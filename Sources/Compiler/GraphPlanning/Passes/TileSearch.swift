// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// The search for the fastest tile of a fold, by a simple cost model of a step of the innermost loop.
///
/// For size it has four sums at most, which do not wait for each other for long, and leaves no row over.
struct TileSearch {
  private let fold: FoldKernel
  private let target: Target
  private let goal: Goal
  /// The axes along which rows of a tile may lie, which have their vectors in common.
  private let rowAxes: [Int]
  /// The numbers of the innermost axis, and the vectors of these that a tile may have.
  private let (innermost, widths): (Int, [Int])

  /// The most rows of a line, and the most lines.
  private static let mostRows = 12

  init(_ fold: FoldKernel, for target: Target, _ goal: Goal) {
    (self.fold, self.target, self.goal, rowAxes) = (fold, target, goal, fold.rowAxes)
    switch fold.space.inner {
    case .frames:
      innermost = Plan.tileFrames
      widths = [2, 4, 8, 1].filter { $0 * target.lanes <= Plan.stageFrames }
    case .count(let count):
      innermost = count
      let all = (count + target.lanes - 1) / target.lanes
      // A tile as wide as a matrix reads its weights one after the other.
      widths = [2, 4, 8, 1, 3, 5, 6, 7, 9, 10, 11, 12, 16, 20, 24].filter { $0 <= all }
    }
  }

  var best: FoldTile {
    guard fold.right != nil else { return tileOfSums }
    let axes: [Int?] = rowAxes.isEmpty ? [fold.ownVectorsAxis] : rowAxes
    let step = StepCost(
      ways: fold.combination.ways, target: target, apart: fold.apart, sharesVectors: !rowAxes.isEmpty)
    let all = axes.flatMap { axis in
      widths.flatMap { width in
        (1...min(extent(of: axis), Self.mostRows)).flatMap { rows in
          candidates(FoldTile(rowAxis: axis, rows: rows, vectors: width), step)
        }
      }
    }
    return all.min { $0.cost < $1.cost }?.tile ?? FoldTile(rowAxis: axes[0], rows: 1, vectors: 1)
  }

  /// The tile of a reduction of one operand, which has vectors only.
  private var tileOfSums: FoldTile {
    let most =
      switch goal {
      case .speed: max(1, target.vectorRegisters / 4 / fold.combination.ways)
      case .size: 1
      }
    return FoldTile(rowAxis: nil, rows: 1, vectors: min(most, widths.max() ?? 1))
  }

  private func extent(of axis: Int?) -> Int { axis.map { fold.space.extents[$0] } ?? 1 }

  /// The vectors of the innermost axis.
  private var vectors: Int { (innermost + target.lanes - 1) / target.lanes }

  /// A tile, and the cycles that a step takes for a row of its axis.
  private typealias Candidate = (tile: FoldTile, cost: Double)

  /// A tile, and those with several lines of it, for which there are registers.
  private func candidates(_ tile: FoldTile, _ step: StepCost) -> [Candidate] {
    let extent = extent(of: tile.rowAxis)
    guard step.holds(rows: tile.rows, vectors: tile.vectors) else { return [] }
    if goal == .size {
      let leavesNone = extent % tile.rows == 0 && vectors % tile.vectors == 0
      guard tile.rows * tile.vectors <= 4, leavesNone else { return [] }
    }
    guard case .count = fold.space.inner else {
      return [(tile, tile.cost(ofRows: extent, frames: innermost, step) / Double(extent))]
    }
    let lined = goal == .speed ? tilesWithLines(tile) : []
    return ([(tile, tile.rows, tile.vectors)] + lined).compactMap { lined, rows, width in
      guard step.holds(rows: rows, vectors: width) else { return nil }
      let flat = FoldTile(rowAxis: tile.rowAxis, rows: rows, vectors: width)
      let cost = flat.cost(
        ofRows: extent * (rows / tile.rows), vectors: vectors * (width / tile.vectors), step)
      return (lined, cost / Double(extent * lined.lines))
    }
  }

  private typealias LinedTile = (tile: FoldTile, rows: Int, vectors: Int)

  /// The tile with several lines: of a second axis of rows where it has all of the first, else of vectors where it is as wide
  /// as the innermost axis; each with the rows and vectors of a tile without lines that takes as long.
  private func tilesWithLines(_ tile: FoldTile) -> [LinedTile] {
    guard !rowAxes.isEmpty else { return [] }
    func lines(along axis: Int) -> [FoldTile] {
      (2...Self.mostRows).filter { fold.space.extents[axis] % $0 == 0 }.map { lines in
        var result = tile
        (result.lineAxis, result.lines) = (axis, lines)
        return result
      }
    }
    if let axis = tile.rowAxis, tile.rows == extent(of: axis),
      let next = rowAxes.first(where: { $0 != axis })
    {
      return lines(along: next).map { ($0, tile.rows * $0.lines, tile.vectors) }
    }
    guard tile.vectors == vectors, let axis = fold.ownVectorsAxis else { return [] }
    // Vectors of lines lie across cache lines: they pay where twice as many rows use each of them.
    return lines(along: axis).map { ($0, tile.rows, vectors * $0.lines) }.filter { 2 * $2 <= $1 }
  }
}

extension FoldKernel {
  /// The axes along which the broadcast operand changes and the one of the vectors does not, those with the least distances
  /// first.
  fileprivate var rowAxes: [Int] {
    guard let (vector, broadcast) = vectorAndBroadcast else { return [] }
    return space.extents.indices.dropFirst(space.isWalked ? 1 : 0).filter { axis in
      space.extents[axis] > 1 && vector.strides[axis] == 0 && vector.delayStrides[axis] == 0
        && broadcast.strides[axis] != 0
    }.sorted { broadcast.strides[$0] < broadcast.strides[$1] }
  }

  /// The innermost axis along which the vectors change and the broadcast operand does not, such as the lines of a
  /// convolution in which each channel has a kernel of its own.
  fileprivate var ownVectorsAxis: Int? {
    guard let (vector, broadcast) = vectorAndBroadcast else { return nil }
    return space.extents.indices.dropFirst(space.isWalked ? 1 : 0).last { axis in
      space.extents[axis] > 1 && vector.strides[axis] != 0 && broadcast.strides[axis] == 0
        && broadcast.delayStrides[axis] == 0
    }
  }

  /// The distance of the numbers of a vector; of weights 1, as they are brought into any order.
  fileprivate var apart: Int {
    guard let vector = vectorAndBroadcast?.vector, vector.isReadInVectors else { return 1 }
    if case .weights = vector.location { return 1 }
    return vector.innerStride
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
