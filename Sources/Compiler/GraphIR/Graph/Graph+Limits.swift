// SPDX-License-Identifier: Apache-2.0

extension Graph {
  /// Whether the graph is no larger than graphs may be.
  ///
  /// A graph from a file is refused where it is not; a pass that makes one of another is undone.
  package var isWithinLimits: Bool {
    nodes.count <= Limits.nodes && stateBytes <= Limits.stateBytes && valueBytes <= Limits.valueBytes
      && cost <= Limits.cost
  }
}
