// SPDX-License-Identifier: Apache-2.0

package import BoxLayout
internal import SVGDrawing

/// Boxes with text and edges between them, before they have sizes; a box may hold a diagram of its own.
///
///     ╭────────────────────╮
///     │ saturated    18:18 │   title, corner
///     │ tanh(v1)           │   details
///     ╰──┤ [2, frames] ├───╯   tab: where edges begin
package struct Diagram: Sendable {
  /// The kind of a box, which decides its colours and shape.
  package enum Kind: String, CaseIterable, Sendable {
    case port
    case parameter
    case weights
    case state
    case operation
    case layer
    case movement
    case memory
    case kernel
    case cycle

    /// The kind's text in the legend.
    package var meaning: String {
      switch self {
      case .port: "input, output"
      case .parameter: "parameter"
      case .weights: "weights"
      case .state: "state: delay, history"
      case .operation: "element by element"
      case .layer: "sum over an axis"
      case .movement: "data movement"
      case .memory: "buffer"
      case .kernel: "kernel: one loop"
      case .cycle: "cycle: spans of frames"
      }
    }
  }

  package struct Box: Sendable {
    package var kind: Kind
    package var title: String
    package var details: [String] = []
    package var corner = ""
    package var tab = ""
    package var row = LayeredGraph.Row.any
    package var interior: Diagram?
    /// Whether it is a small sign for something that stands elsewhere.
    package var isSign = false

    package init(_ kind: Kind, _ title: String, details: [String] = [], tab: String = "") {
      (self.kind, self.title, self.details, self.tab) = (kind, title, details, tab)
    }

    /// A sign: a title only.
    package init(sign kind: Kind, _ title: String, row: LayeredGraph.Row = .any) {
      self.init(kind, title)
      self.row = row
      isSign = true
    }
  }

  package struct Edge: Hashable, Sendable {
    package var source: Int
    package var target: Int
    /// The boxes within the source and the target at which the edge begins and ends.
    package var sourcePin: Int?
    package var targetPin: Int?
    package var leadsBack = false

    package init(
      _ source: Int, _ target: Int, sourcePin: Int? = nil, targetPin: Int? = nil, leadsBack: Bool = false
    ) {
      self.source = source
      self.target = target
      self.sourcePin = sourcePin
      self.targetPin = targetPin
      self.leadsBack = leadsBack
    }
  }

  package var boxes: [Box] = []
  package private(set) var edges: [Edge] = []
  private var known: Set<Edge> = []

  package init() {}

  package mutating func add(_ box: Box) -> Int {
    boxes.append(box)
    return boxes.count - 1
  }

  /// Adds an edge, unless it is there already.
  package mutating func connect(_ edge: Edge) {
    if known.insert(edge).inserted { edges.append(edge) }
  }

  mutating func disconnect(where isCut: (Edge) -> Bool) {
    edges.removeAll(where: isCut)
    known = Set(edges)
  }

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
