// SPDX-License-Identifier: Apache-2.0

/// The budget for computations on a fold's results while they are in registers.
///
/// Code for an epilogue is written once for each vector of the tile, and for each vector of the smaller tiles that take
/// what is left; along frames one at a time:
///
///                   vector 0   vector 1   single vector
///     row 0         tanh       tanh       tanh               2 rows and a remainder of one row, 2 vectors:
///     row 1         tanh       tanh       tanh               9 times
///     last row      tanh       tanh       tanh
///
/// So its cost is bounded by the tile: long code takes long to compile. A series takes registers for its coefficients
/// and intermediate results, while the sums of the other rows occupy theirs. Where registers are few it is faster in a
/// loop of its own, which reads the sums from the nearest cache; a few instructions are faster here on every machine.
struct Epilogue {
  /// The most vector instructions that may be written for one epilogue.
  private static let maximumInstructions = 1600
  /// The most addresses that may be computed for one tile.
  private static let maximumWalks = 128
  /// The most that an epilogue costs that needs hardly any register.
  private static let smallCost = 8
  /// How many registers it takes for more, and how many vectors it then has side by side, as maps have.
  private static let (registers, mostVectors) = (32, 4)
  /// The cost of another kernel's loop, in instructions.
  private static let loopInstructions = 20

  private let target: Target
  private let goal: Goal
  private let tile: FoldTile
  /// Rows and vectors for which code is written.
  private let (rows, vectors): (Int, Int)

  init(of fold: FoldKernel, for target: Target, goal: Goal) {
    (self.target, self.goal) = (target, goal)
    let tile = fold.tile
    rows = (tile.rows + (tile.rowAxis.map { fold.space.extents[$0] % tile.rows } ?? 0)) * tile.lines
    self.tile = tile
    switch fold.space.inner {
    case .frames: vectors = tile.vectors + 1
    case .count(let count):
      vectors = Stages(of: count, lanes: target.lanes, vectors: tile.vectors).written(of: count)
    }
  }

  /// Whether it may cost so many vector instructions for each number and walk along so many places.
  func holds(cost: Int, walks: Int) -> Bool {
    let written = cost * rows * vectors
    let hasRegisters = target.vectorRegisters >= Self.registers && tile.vectors <= Self.mostVectors
    switch goal {
    case .speed: guard cost <= Self.smallCost || hasRegisters else { return false }
    // A map is written for one vector, and once more for what is left.
    case .size: guard written <= 2 * cost + Self.loopInstructions else { return false }
    }
    return written <= Self.maximumInstructions && walks * rows <= Self.maximumWalks
  }
}
