// SPDX-License-Identifier: Apache-2.0

package import SVGDrawing

/// Boxes of known sizes and edges between them, the input of a layered layout.
///
/// Edges lead downwards, but for those that lead back. Without the latter the graph has no cycles.
package struct LayeredGraph: Sendable {
  /// In which row a box may stand.
  package enum Row: Sendable {
    case any
    case first
    case last
  }

  package struct Box: Sendable {
    package var size: Size
    package var row: Row

    package init(_ size: Size, row: Row = .any) {
      self.size = size
      self.row = row
    }
  }

  package struct Edge: Sendable {
    package var source: Int
    package var target: Int
    /// How far right of the middle of its source the edge begins.
    package var sourcePort: Double
    /// How far right of the middle of its target the edge ends; nil where it may end anywhere.
    package var targetPort: Double?
    package var leadsBack: Bool
    /// How much it wants to be straight.
    package var weight: Double

    package init(
      _ source: Int, _ target: Int, sourcePort: Double = 0, targetPort: Double? = nil,
      leadsBack: Bool = false,
      weight: Double = 1
    ) {
      self.source = source
      self.target = target
      self.sourcePort = sourcePort
      self.targetPort = targetPort
      self.leadsBack = leadsBack
      self.weight = weight
    }
  }

  package var boxes: [Box]
  package var edges: [Edge]

  package init(boxes: [Box] = [], edges: [Edge] = []) {
    self.boxes = boxes
    self.edges = edges
  }
}
