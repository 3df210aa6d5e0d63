// SPDX-License-Identifier: Apache-2.0

package import SVGDrawing

/// A layered graph with a place for each box and a way for each edge.
///
///     rows by longest paths  ─▶  dummies  ─▶  order in the rows  ─▶  places from left to right  ─▶  ways
///
/// Between two rows an edge is one curve that begins and ends upright; beside the boxes of a row it is straight. So
/// no edge can touch a box that is not its own. All steps are linear in boxes, edges and dummies, but for sorting.
package struct LayeredLayout: Sendable {
  /// A part of an edge: straight down, a curve, straight down.
  ///
  ///     start ─ │ ─ bend ─ ∫ ─ landing ─ │ ─ end
  package struct Way: Hashable, Sendable {
    package var start: Point
    package var bend: Double
    package var landing: Double
    package var end: Point
    /// How far a turn bulges beyond the row that it turns at; 0 for what is no turn.
    package var bulge = 0.0
    package var endsInBox: Bool
    package var leadsBack: Bool
  }

  package let frames: [Rectangle]
  package let ways: [Way]
  package let size: Size
  package let layers: [Int]
  package let crossings: Int
  /// Boxes, dummies and edges that were looked at; what it costs, in a unit that no machine changes.
  package let work: Int

  package init(_ graph: LayeredGraph) {
    let assignment = LayerAssignment(graph)
    let layering = ProperLayering(graph, assignment)
    let ordering = LayerOrdering(layering)
    let coordinates = LayerCoordinates(layering, ordering)
    let routing = EdgeRouting(graph, layering, coordinates.x)
    frames = routing.frames
    ways = routing.ways
    size = routing.size
    layers = assignment.layers
    crossings = ordering.crossings
    work = assignment.work + ordering.work + coordinates.work + layering.segments.count
  }
}
