// SPDX-License-Identifier: Apache-2.0

internal import BoxLayout
internal import SVGDrawing

extension Diagram {
  /// The same diagram with signs in place of edges that nobody could follow.
  ///
  ///     src ─────── over more rows than a screen shows ──────▶ mix
  /// →
  ///     src         (src) ─▶ mix
  ///
  /// An edge through n rows needs room in each of them: without this, a value that is used all over a graph of many
  /// rows would take room for rows times values.
  func cuttingLongEdges() -> Diagram {
    let layers = LayerAssignment(LayeredGraph(self, sizes: boxes.map { _ in Size(1, 1) })).layers
    func isLong(_ edge: Edge) -> Bool {
      abs(layers[edge.target] - layers[edge.source]) > Self.longestEdge
    }
    var result = self
    result.disconnect(where: isLong)
    var signs: [[Int]: Int] = [:]
    for edge in edges where isLong(edge) {
      let key = [edge.source, edge.target, edge.targetPin ?? -1]
      if signs[key] == nil {
        let sign = result.add(Box(sign: boxes[edge.source].kind, boxes[edge.source].title))
        result.connect(Edge(sign, edge.target, targetPin: edge.targetPin))
        signs[key] = sign
      }
    }
    return result
  }

  /// The most rows that an edge is drawn through.
  private static let longestEdge = 32
}

extension LayeredGraph {
  init(_ diagram: Diagram, sizes: [Size]) {
    self.init(
      boxes: zip(diagram.boxes, sizes).map { LayeredGraph.Box($1, row: $0.row) },
      edges: diagram.edges.map { edge in
        // What a sign stands beside matters less than where the signal goes.
        LayeredGraph.Edge(
          edge.source, edge.target, leadsBack: edge.leadsBack,
          weight: diagram.boxes[edge.source].isSign ? 0.25 : 1)
      })
  }
}
