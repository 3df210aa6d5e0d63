// SPDX-License-Identifier: Apache-2.0

/// A diagram whose boxes have sizes and places, and whose edges have ways; interiors first, as they decide sizes.
package struct PlacedDiagram: Sendable {
  package struct Box: Sendable {
    package var box: Diagram.Box
    /// From the diagram's corner, the tab included.
    package var frame: Rectangle
    package var interior: PlacedDiagram?
  }

  package let boxes: [Box]
  package let ways: [LayeredLayout.Way]
  package let size: Size
  /// The work of all layouts in it.
  package let work: Int

  package static let titleSize = 12.0
  package static let detailSize = 11.0
  package static let smallSize = 9.5
  static let padding = 9.0
  static let lineHeight = 15.0
  static let tabHeight = 14.0
  static let signHeight = 19.0
  /// Between the border of a box and its interior, below the lines of text.
  static let interiorPadding = 14.0
  /// Text beyond so many columns is cut; the whole stands in the box' tooltip.
  package static let longestLine = 44

  package init(_ whole: Diagram) {
    let diagram = whole.cuttingLongEdges()
    let interiors = diagram.boxes.map { $0.interior.map { PlacedDiagram($0) } }
    let sizes = zip(diagram.boxes, interiors).map { Self.size(of: $0, around: $1?.size) }
    var graph = LayeredGraph(diagram, sizes: sizes)
    for (index, edge) in diagram.edges.enumerated() {
      if let pin = edge.sourcePin {
        graph.edges[index].sourcePort = Self.offset(of: pin, in: interiors[edge.source], sizes[edge.source])
      }
      if let pin = edge.targetPin {
        graph.edges[index].targetPort = Self.offset(of: pin, in: interiors[edge.target], sizes[edge.target])
      }
    }
    let layout = LayeredLayout(graph)
    boxes = diagram.boxes.indices.map {
      Box(box: diagram.boxes[$0], frame: layout.frames[$0], interior: interiors[$0])
    }
    ways = layout.ways
    size = layout.size
    work = interiors.reduce(layout.work) { $0 + ($1?.work ?? 0) }
  }

  /// Where the interior of a box begins, from the corner of the box.
  static func interiorOrigin(_ box: Diagram.Box, _ interior: Size, in size: Size) -> Point {
    Point((size.width - interior.width) / 2, headHeight(box) + interiorPadding)
  }

  /// How far right of the middle of its box a box within it stands.
  private static func offset(of pin: Int, in interior: PlacedDiagram?, _ size: Size) -> Double {
    guard let interior else { preconditionFailure("a pin of a box without an interior") }
    return interior.boxes[pin].frame.middle - interior.size.width / 2
  }

  private static func size(of box: Diagram.Box, around interior: Size?) -> Size {
    func width(_ text: String, _ size: Double) -> Double {
      TextMeasure.width(TextMeasure.cut(text, columns: longestLine), size: size)
    }
    if box.isSign { return Size(width(box.title, detailSize) + 16, signHeight) }
    let corner = box.corner.isEmpty ? 0 : width(box.corner, smallSize) + 14
    var widest = width(box.title, titleSize) + corner
    for detail in box.details { widest = max(widest, width(detail, detailSize)) }
    if !box.tab.isEmpty { widest = max(widest, width(box.tab, smallSize) + 24) }
    var size = Size(max(64, widest + 2 * padding), headHeight(box) + (box.tab.isEmpty ? 0 : tabHeight))
    if let interior {
      size.width = max(size.width, interior.width + 2 * interiorPadding)
      size.height += interior.height + 2 * interiorPadding
    }
    return size
  }

  /// The height of the lines of text.
  private static func headHeight(_ box: Diagram.Box) -> Double {
    Double(1 + box.details.count) * lineHeight + 9
  }
}
