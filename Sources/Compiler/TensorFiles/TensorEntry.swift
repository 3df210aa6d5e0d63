// SPDX-License-Identifier: Apache-2.0

/// A tensor as a file's header describes it.
package struct TensorEntry: Hashable, Sendable {
  package let name: String
  package let element: TensorElement
  /// Row-major; [] for a single number, and with a 0 for none.
  package let shape: [Int]
  /// Behind the header.
  package let bytes: Range<Int>

  /// How many numbers it has.
  package var count: Int { bytes.count / element.width }
}
