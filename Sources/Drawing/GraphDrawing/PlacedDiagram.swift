// SPDX-License-Identifier: Apache-2.0

package import BoxLayout
package import SVGDrawing

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

  /// How many columns a high diagram is broken into; one where it is whole.
  package let columns: Int

  package init(_ whole: Diagram) {
    let interiors = whole.boxes.map { $0.interior.map { PlacedDiagram($0) } }
    let sizes = zip(whole.boxes, interiors).map { Self.size(of: $0, around: $1?.size) }
    let breaking = ColumnBreaking(whole, sizes)
    var placed: [Box?] = whole.boxes.map { _ in nil }
    var signs: [Box] = []
    var ways: [LayeredLayout.Way] = []
    var size = Size(0, 0)
    var work = interiors.reduce(0) { $0 + ($1?.work ?? 0) }
    var columns: [(layout: Layout, numbers: [Int?])] = []
    for column in 0..<breaking.count {
      let (part, numbers) =
        breaking.count == 1 ? (whole, whole.boxes.indices.map { $0 }) : whole.column(column, of: breaking)
      let layout = Layout(
        part, numbers.map { $0.flatMap { interiors[$0] } }, numbers.map { $0.map { sizes[$0] } })
      columns.append((layout, numbers))
      size.height = max(size.height, layout.layout.size.height)
      work += layout.layout.work
    }
    for (layout, numbers) in columns {
      let left = size.width == 0 ? 0 : size.width + Self.columnGap
      let (boxes, moved) = layout.placed(at: left, height: size.height)
      for (index, box) in boxes.enumerated() {
        if index < numbers.count, let number = numbers[index] {
          placed[number] = box
        } else {
          signs.append(box)
        }
      }
      ways += moved
      size.width = left + layout.layout.size.width
    }
    boxes = placed.compactMap(\.self) + signs
    (self.ways, self.size, self.work, self.columns) = (ways, size, work, breaking.count)
  }

  private static let columnGap = 44.0

  /// The origin of a box's interior, from the corner of the box.
  static func interiorOrigin(_ box: Diagram.Box, _ interior: Size, in size: Size) -> Point {
    Point((size.width - interior.width) / 2, headHeight(box) + interiorPadding)
  }

  /// How far right of the middle of its box a box within it stands.
  fileprivate static func offset(of pin: Int, in interior: PlacedDiagram?, _ size: Size) -> Double {
    guard let interior else { preconditionFailure("a pin of a box without an interior") }
    return interior.boxes[pin].frame.middle - interior.size.width / 2
  }

  fileprivate static func size(of box: Diagram.Box, around interior: Size?) -> Size {
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

/// One column of a diagram, laid out.
private struct Layout {
  let diagram: Diagram
  let interiors: [PlacedDiagram?]
  let layout: LayeredLayout

  /// - Parameter sizes: Those of boxes that were measured already.
  init(_ part: Diagram, _ interiors: [PlacedDiagram?], _ sizes: [Size?]) {
    diagram = part.cuttingLongEdges()
    let signs = diagram.boxes.count - part.boxes.count
    self.interiors = interiors + [PlacedDiagram?](repeating: nil, count: signs)
    let known = sizes + [Size?](repeating: nil, count: signs)
    let all = zip(diagram.boxes, known).map { $1 ?? PlacedDiagram.size(of: $0, around: nil) }
    var graph = LayeredGraph(diagram, sizes: all)
    for (index, edge) in diagram.edges.enumerated() {
      if let pin = edge.sourcePin {
        graph.edges[index].sourcePort = PlacedDiagram.offset(
          of: pin, in: self.interiors[edge.source], all[edge.source])
      }
      if let pin = edge.targetPin {
        graph.edges[index].targetPort = PlacedDiagram.offset(
          of: pin, in: self.interiors[edge.target], all[edge.target])
      }
    }
    layout = LayeredLayout(graph)
  }

  /// The boxes and ways, moved to the right; what belongs to the last row goes down to the given height.
  func placed(at left: Double, height: Double) -> (boxes: [PlacedDiagram.Box], ways: [LayeredLayout.Way]) {
    let down = height - layout.size.height
    // Nothing else stands in the row of those.
    let lastTop = zip(diagram.boxes, layout.frames).filter { $0.0.row == .last }.map(\.1.top).min()
    let boxes = diagram.boxes.indices.map { index in
      let isLast = diagram.boxes[index].row == .last
      return PlacedDiagram.Box(
        box: diagram.boxes[index], frame: layout.frames[index].moved(by: Point(left, isLast ? down : 0)),
        interior: interiors[index])
    }
    let ways = layout.ways.map { way in
      var way = way
      if way.endsInBox, let lastTop, way.end.y >= lastTop { way.end.y += down }
      way.start.x += left
      way.end.x += left
      return way
    }
    return (boxes, ways)
  }
}
