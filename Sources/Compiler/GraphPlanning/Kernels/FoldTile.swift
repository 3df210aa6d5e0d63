// SPDX-License-Identifier: Apache-2.0

/// The results of a fold that are computed side by side, in registers.
///
///                   vector 0   vector 1   …          one load for each vector,
///     row 0           Σ          Σ                   one broadcast for each row,
///     row 1           Σ          Σ                   rows × vectors accumulators
///     …
///
/// Vectors lie along the innermost axis, rows along an axis over which what the vectors are loaded from stays the
/// same: output channels of a convolution, whose frames are vectors and whose weights are broadcast; or the rows of
/// a matrix that is multiplied by weights, whose outputs are vectors. Where each channel has a kernel of its own, rows are
/// lines of the result: then weights are the same for all of them, and each has vectors of its own.
///
/// Where an axis is shorter than the registers hold, as a line of a small picture is, a tile has several lines: rounds of a
/// further axis, each with all rows and vectors. Either all have their vectors in common, and numbers of their own to
/// broadcast; or these are common, and each has vectors of its own.
///
/// A result whose terms are added in as many ways as there may be, and lie side by side, has a lane for each of them: its
/// terms are vectors, and rows are further results by which one operand stays the same.
package struct FoldTile: Hashable, Sendable {
  /// The axis of the space whose rounds are rows; nil where each round is computed alone.
  package var rowAxis: Int?
  package var rows: Int
  /// A further axis, some rounds of which are in the tile.
  package var lineAxis: Int?
  /// How many of them: they divide the axis.
  package var lines = 1
  package var vectors: Int
  /// Whether vectors lie along the terms of one result.
  package var isAlongTerms = false

  /// The rows of all lines.
  package var rowCount: Int { rows * lines }

  /// How many rounds of an axis of the space are in the tile.
  package func rounds(of axis: Int) -> Int {
    axis == rowAxis ? rows : axis == lineAxis ? lines : 1
  }

  /// The same tile where the space's axes have other numbers.
  package func renumbered(_ place: (Int) -> Int) -> FoldTile {
    var result = self
    (result.rowAxis, result.lineAxis) = (rowAxis.map(place), lineAxis.map(place))
    return result
  }

  /// One vector of results alone.
  package static let single = FoldTile(rowAxis: nil, rows: 1, vectors: 1)
  /// Results whose terms are vectors.
  package static func alongTerms(rows: Int, of axis: Int?) -> FoldTile {
    FoldTile(rowAxis: axis, rows: rows, vectors: 1, isAlongTerms: true)
  }
}
