// SPDX-License-Identifier: Apache-2.0

/// The parts of a model that could not be read, and were reported for it: who uses them is not reported on top of it.
package struct UnreadParts: Sendable {
  /// Names of inputs, parameters and definitions.
  package var values: Set<String> = []
  package var weights: Set<String> = []
  /// Whether there may be values, or weights, of which not even the names are known.
  package var hidesValues = false
  package var hidesWeights = false

  package init() {}

  package var isEmpty: Bool { values.isEmpty && weights.isEmpty && !hidesValues && !hidesWeights }

  /// Notes that names may stand where nothing could be read.
  package mutating func hideNames() { (hidesValues, hidesWeights) = (true, true) }
}
