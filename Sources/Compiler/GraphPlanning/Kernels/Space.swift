// SPDX-License-Identifier: Apache-2.0

package import GraphIR

/// The loops that a kernel runs: fixed axes around an innermost axis that is computed in vectors.
package struct Space: Hashable, Sendable {
  package enum Inner: Hashable, Sendable {
    /// The frames of the present tile.
    case frames
    /// A fixed number of elements.
    case count(Int)
  }

  package var extents: [Int]
  package var inner: Inner
  /// Whether the first axis is gone through by the cycle around the kernel, position by position.
  package var isWalked = false

  /// Rounds of all loops; frames count as one.
  var count: Int {
    switch inner {
    case .frames: extents.reduce(1, *)
    case .count(let count): extents.reduce(count, *)
    }
  }

  package init(extents: [Int], inner: Inner) {
    self.extents = extents
    self.inner = inner
  }

  /// The space over a shape: the frames innermost where it has them, else the last axis.
  package init(of shape: Shape) {
    precondition(shape.count >= 1, "a loop over nothing")
    if shape.frames != nil {
      self.init(extents: shape.fixed, inner: .frames)
    } else {
      self.init(extents: Array(shape.fixed.dropLast()), inner: .count(shape.fixed.last ?? 1))
    }
  }
}
