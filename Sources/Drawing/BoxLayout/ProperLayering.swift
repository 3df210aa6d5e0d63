// SPDX-License-Identifier: Apache-2.0

internal import SVGDrawing

/// A layered graph in which every edge joins neighbouring rows: long edges run through dummies.
///
///     a            a                  ┌──╮           What leads back leaves its source at the bottom, as any
///     │╲           │╲                 │  d           edge, turns, climbs through dummies beside everything
///     b │    →     b ·                ·  │           between, and enters its target from above.
///     │╱           │╱                 ·  e
///     c            c                  ╰──┘
///
/// Edges that leave a box at the same port carry the same value: they share their dummies, and part where they must.
struct ProperLayering {
  struct Vertex {
    /// The box that it is; nil for a dummy.
    var box: Int?
    var layer: Int
    var width: Double
    /// The vertex of the same row that a turn leads to, for the dummies at the ends of what leads back.
    var partner: Int?
  }

  /// A part of an edge, from one row to the next.
  struct Segment {
    var upper: Int
    var lower: Int
    /// How far right of the middle of the vertices it is joined to them.
    var upperPort = 0.0
    var lowerPort: Double?
    var leadsBack = false
    /// How much it wants to be straight.
    var weight: Double
  }

  /// The turn of an edge that leads back, within the space between two rows.
  struct Turn {
    enum Side {
      /// Above the target.
      case above
      /// Below the source.
      case below
    }

    var side: Side
    var box: Int
    var dummy: Int
    var port: Double?
  }

  private(set) var vertices: [Vertex]
  private(set) var segments: [Segment] = []
  private(set) var turns: [Turn] = []
  let layerCount: Int

  private static let dummyWidth = 10.0

  init(_ graph: LayeredGraph, _ assignment: LayerAssignment) {
    layerCount = assignment.count
    vertices = graph.boxes.indices.map {
      Vertex(box: $0, layer: assignment.layers[$0], width: graph.boxes[$0].size.width)
    }
    var trunks: [Port: [Int]] = [:]
    for edge in graph.edges {
      if vertices[edge.source].layer < vertices[edge.target].layer {
        addForward(edge, &trunks)
      } else {
        addBackward(edge)
      }
    }
  }

  private struct Port: Hashable {
    let box: Int
    let offset: Double
    let leadsBack: Bool
  }

  /// - Parameter trunks: The source of each port and its dummies, from the top.
  private mutating func addForward(_ edge: LayeredGraph.Edge, _ trunks: inout [Port: [Int]]) {
    let port = Port(box: edge.source, offset: edge.sourcePort, leadsBack: edge.leadsBack)
    var trunk = trunks[port] ?? [edge.source]
    let rows = vertices[edge.target].layer - vertices[edge.source].layer
    while trunk.count < rows {
      let dummy = addDummy(layer: vertices[edge.source].layer + trunk.count)
      join(trunk[trunk.count - 1], dummy, edge)
      trunk.append(dummy)
    }
    trunks[port] = trunk
    join(trunk[rows - 1], edge.target, edge)
    segments[segments.count - 1].lowerPort = edge.targetPort
  }

  private mutating func join(_ upper: Int, _ lower: Int, _ edge: LayeredGraph.Edge) {
    let port = vertices[upper].box == nil ? 0 : edge.sourcePort
    let lowerPort = vertices[lower].box == nil ? 0.0 : nil
    segments.append(
      Segment(
        upper: upper, lower: lower, upperPort: port, lowerPort: lowerPort, leadsBack: edge.leadsBack,
        weight: edge.weight))
  }

  private mutating func addBackward(_ edge: LayeredGraph.Edge) {
    let rows = vertices[edge.target].layer...vertices[edge.source].layer
    let dummies = rows.map { addDummy(layer: $0) }
    for (upper, lower) in zip(dummies, dummies.dropFirst()) {
      segments.append(Segment(upper: upper, lower: lower, lowerPort: 0, leadsBack: true, weight: edge.weight))
    }
    let (first, last) = (dummies[0], dummies[dummies.count - 1])
    vertices[first].partner = edge.target
    if last != first { vertices[last].partner = edge.source }
    turns.append(Turn(side: .above, box: edge.target, dummy: first, port: edge.targetPort))
    turns.append(Turn(side: .below, box: edge.source, dummy: last, port: edge.sourcePort))
  }

  private mutating func addDummy(layer: Int) -> Int {
    vertices.append(Vertex(layer: layer, width: Self.dummyWidth))
    return vertices.count - 1
  }

  /// From the middle of one vertex to the middle of the next in its row.
  func room(_ left: Int, _ right: Int) -> Double {
    let (a, b) = (vertices[left], vertices[right])
    let gap =
      switch (a.box, b.box) {
      case (nil, nil): 6.0
      case (nil, _), (_, nil): 10.0
      case (_, _): 22.0
      }
    return (a.width + b.width) / 2 + gap
  }
}
