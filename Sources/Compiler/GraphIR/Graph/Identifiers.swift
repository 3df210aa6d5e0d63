// SPDX-License-Identifier: Apache-2.0

/// Names a node: its row in `Graph.nodes`.
package struct NodeID: Hashable, Sendable, Comparable {
  package let index: UInt32

  package init(_ index: Int) { self.index = UInt32(index) }

  package static func < (a: NodeID, b: NodeID) -> Bool { a.index < b.index }
}

/// Names a value: its row in `Graph.values`.
package struct ValueID: Hashable, Sendable, Comparable {
  package let index: UInt32

  package init(_ index: Int) { self.index = UInt32(index) }

  package static func < (a: ValueID, b: ValueID) -> Bool { a.index < b.index }
}

/// Names an array of weights: its row in `Graph.weights`.
package struct WeightsID: Hashable, Sendable {
  package let index: UInt32

  package init(_ index: Int) { self.index = UInt32(index) }
}
