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
/// a matrix that is multiplied by weights, whose outputs are vectors.
package struct FoldTile: Hashable, Sendable {
  /// The axis of the space whose rounds are rows; nil where each round is computed alone.
  package var rowAxis: Int?
  package var rows: Int
  package var vectors: Int

  /// One vector of results alone.
  package static let single = FoldTile(rowAxis: nil, rows: 1, vectors: 1)
}
