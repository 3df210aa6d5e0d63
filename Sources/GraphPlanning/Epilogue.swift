// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// How much of what follows a fold is computed while its results are in registers.
///
/// Code for an epilogue is written once for each vector of the tile, and for each vector of the smaller tiles that take
/// what is left:
///
///                   vector 0   vector 1   single vector
///     row 0         tanh       tanh       tanh               2 rows and a remainder of one row, 2 vectors:
///     row 1         tanh       tanh       tanh               9 times
///     last row      tanh       tanh       tanh
///
/// So what it may cost depends on the tile. A map of its own is written for four vectors at most, and has all
/// registers: an epilogue that passes the limit would take longer to compile, and spill.
struct Epilogue {
  /// The most vector instructions that may be written for one epilogue.
  private static let maximumInstructions = 1000
  /// The most addresses that may be computed for one tile.
  private static let maximumWalks = 64

  /// How often each node is written.
  private let copies: Int
  private let rows: Int

  init(of fold: FoldKernel, for target: Target) {
    let tile = fold.tile(for: target)
    rows = tile.rows + (tile.rowAxis.map { fold.space.extents[$0] % tile.rows } ?? 0)
    copies = rows * (tile.vectors + 1)
  }

  /// Whether it may cost so many vector instructions and walk along so many places.
  func holds(cost: Int, walks: Int) -> Bool {
    cost * copies <= Self.maximumInstructions && walks * rows <= Self.maximumWalks
  }
}
