// SPDX-License-Identifier: Apache-2.0

/// A part of a value's numbers: all of them, or in a cycle along an axis those of one position.
struct ComputedPart {
  let position: Int
  let positions: Int

  static let whole = ComputedPart(position: 0, positions: 1)

  /// The part of so many rows, or of loops around them, that stand position after position.
  func range(of count: Int) -> Range<Int> {
    let each = count / positions
    return position * each..<(position + 1) * each
  }
}

/// A step in the computation of a frame.
enum ComputedStep {
  case node(Int)
  /// The nodes of a cycle along an axis, position by position.
  case sequence([Int], positions: [Int])
}
