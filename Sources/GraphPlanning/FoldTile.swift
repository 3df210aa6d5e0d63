// SPDX-License-Identifier: Apache-2.0

/// How many results of a fold are computed side by side, in registers.
///
///                   vector 0   vector 1   …          one load for each vector,
///     row 0           Σ          Σ                   one broadcast for each row,
///     row 1           Σ          Σ                   rows × vectors accumulators
///     …
///
/// Vectors lie along the innermost axis, rows along an axis over which what the vectors are loaded from stays the
/// same: output channels of a convolution, whose frames are vectors and whose weights are broadcast; or the rows of
/// a matrix that is multiplied by weights, whose outputs are vectors.
package struct FoldTile: Hashable, Sendable {
  /// The axis of the space whose rounds are rows; nil where each round is computed alone.
  package var rowAxis: Int?
  package var rows: Int
  package var vectors: Int
}

extension FoldKernel {
  /// What is loaded as vectors, and what is broadcast to all of them; nil where both change along the innermost axis
  /// or there is one operand only.
  package var vectorAndBroadcast: (vector: Access, broadcast: Access)? {
    guard let right else { return nil }
    switch (left.innerStride == 0, right.innerStride == 0) {
    case (false, true): return (left, right)
    case (true, false): return (right, left)
    case (true, true), (false, false): return nil
    }
  }

  /// The axis along which the broadcast operand changes, the least of all, and the one of the vectors does not.
  private var rowAxis: Int? {
    guard let (vector, broadcast) = vectorAndBroadcast else { return nil }
    return space.extents.indices.filter { axis in
      space.extents[axis] > 1 && vector.strides[axis] == 0 && vector.delayStrides[axis] == 0
        && broadcast.strides[axis] != 0
    }.min { broadcast.strides[$0] < broadcast.strides[$1] }
  }

  /// The tile that takes the least time, by a simple account of a step of the innermost loop.
  package func tile(for target: Target) -> FoldTile {
    let lanes = target.lanes
    let innermost =
      switch space.inner {
      case .frames: Plan.tileFrames
      case .count(let count): count
      }
    let vectors = (innermost + lanes - 1) / lanes
    guard right != nil else {
      let most = target.vectorRegisters / 4
      return FoldTile(rowAxis: nil, rows: 1, vectors: min(most, vectors.roundedDownToPowerOfTwo))
    }
    let axis = rowAxis
    let extent = axis.map { space.extents[$0] } ?? 1
    var best: (tile: FoldTile, cost: Double)?
    for width in [4, 8, 2, 1] where width <= vectors {
      for rows in 1...min(extent, 8) where target.holds(rows: rows, vectors: width) {
        let tile = FoldTile(rowAxis: axis, rows: rows, vectors: width)
        let cost = tile.cost(ofRows: extent, vectors: vectors)
        if cost < best?.cost ?? .infinity { best = (tile, cost) }
      }
    }
    return best?.tile ?? FoldTile(rowAxis: axis, rows: 1, vectors: 1)
  }
}

extension FoldTile {
  /// Cycles that a step takes for a whole axis of rows and vectors, remainders in smaller tiles included.
  ///
  /// A remainder of rows is further code: it has to be worth a twentieth.
  fileprivate func cost(ofRows extent: Int, vectors count: Int) -> Double {
    func cycles(_ rows: Int) -> Double {
      Double(count / vectors) * Self.cycles(rows: rows, vectors: vectors)
        + Double(count % vectors) * Self.cycles(rows: rows, vectors: 1)
    }
    let rest = extent % rows
    let whole = Double(extent / rows) * cycles(rows)
    return rest == 0 ? whole : (whole + cycles(rest)) * 1.05
  }

  /// Two multiply-adds or two loads a cycle, and four cycles until a sum can take the next term.
  private static func cycles(rows: Int, vectors: Int) -> Double {
    max(Double(rows * vectors) / 2, Double(rows + vectors) / 2, 4) + 0.5
  }
}

extension Target {
  /// Whether there are registers for accumulators, the vectors of a step and one weight.
  ///
  /// A product takes one more where it is not fused.
  fileprivate func holds(rows: Int, vectors: Int) -> Bool {
    rows * vectors + vectors + (hasFMA ? 1 : 2) <= vectorRegisters
  }
}

extension Int {
  fileprivate var roundedDownToPowerOfTwo: Int {
    self < 1 ? 1 : 1 << (Int.bitWidth - 1 - leadingZeroBitCount)
  }
}
