// SPDX-License-Identifier: Apache-2.0

/// How large a graph may be: a model file comes from strangers and must not exhaust the machine.
package enum Limits {
  /// Nodes of a graph.
  package static let nodes = 65_536
  /// Bytes of state: delay lines and histories.
  package static let stateBytes = 1 << 30
  /// Numbers in one value, or rows of frames.
  package static let elements = 1 << 24
  /// Levels of brackets in an expression, and of values in a file.
  package static let depth = 256
  /// Axes of a value.
  package static let rank = 8
}
