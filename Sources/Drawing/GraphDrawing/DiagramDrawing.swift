// SPDX-License-Identifier: Apache-2.0

internal import BoxLayout
internal import SVGDrawing

extension SVGDocument {
  /// Draws a placed diagram: boxes, what is in them, and the edges over both.
  mutating func draw(_ diagram: PlacedDiagram, at origin: Point) {
    for placed in diagram.boxes {
      draw(placed.box, placed.frame.moved(by: origin))
      guard let interior = placed.interior else { continue }
      let corner = PlacedDiagram.interiorOrigin(placed.box, interior.size, in: placed.frame.size)
      draw(interior, at: origin + placed.frame.origin + corner)
    }
    for way in diagram.ways {
      path(
        way.commands(at: origin), class: way.leadsBack ? "edge back" : "edge",
        head: way.endsInBox ? (way.leadsBack ? "back-arrow" : "arrow") : nil)
    }
  }

  private mutating func draw(_ box: Diagram.Box, _ frame: Rectangle) {
    let kind = box.kind.rawValue
    let title = ([box.title] + box.details + [box.tab]).filter { !$0.isEmpty }.joined(separator: "\n")
    guard !box.isSign else { return drawSign(box.kind, box.title, frame) }
    var body = frame
    if !box.tab.isEmpty {
      body.size.height -= PlacedDiagram.tabHeight
      let width = TextMeasure.width(cut(box.tab), size: PlacedDiagram.smallSize) + 12
      // It begins within the box, which covers its upper half.
      let tab = Rectangle(
        Point(frame.middle - width / 2, body.bottom - PlacedDiagram.tabHeight),
        Size(width, 2 * PlacedDiagram.tabHeight))
      rectangle(tab, radius: 5, class: kind)
      text(
        cut(box.tab), at: Point(frame.middle, frame.bottom - 4), class: "small on-\(kind)", anchor: "middle")
    }
    rectangle(body, radius: radius(of: box), class: kind, title: title)
    let left = body.left + PlacedDiagram.padding
    var line = body.top + 16
    text(cut(box.title), at: Point(left, line), class: "title on-\(kind)")
    if !box.corner.isEmpty {
      text(
        cut(box.corner), at: Point(body.right - PlacedDiagram.padding, line), class: "small on-\(kind)",
        anchor: "end")
    }
    for detail in box.details {
      line += PlacedDiagram.lineHeight
      text(cut(detail), at: Point(left, line), class: "detail on-\(kind)")
    }
  }

  /// Draws a small sign.
  mutating func drawSign(_ kind: Diagram.Kind, _ title: String, _ frame: Rectangle) {
    rectangle(frame, radius: frame.size.height / 2, class: kind.rawValue, title: title)
    text(
      cut(title), at: Point(frame.middle, frame.top + 13), class: "detail on-\(kind.rawValue)",
      anchor: "middle")
  }

  private func cut(_ text: String) -> String { TextMeasure.cut(text, columns: PlacedDiagram.longestLine) }

  private func radius(of box: Diagram.Box) -> Double {
    switch box.kind {
    case .port: 12
    case .operation, .layer, .movement, .state, .parameter, .weights: 5
    case .memory: 2
    case .kernel, .cycle: 8
    }
  }
}

extension LayeredLayout.Way {
  /// The way as a path of SVG.
  fileprivate func commands(at origin: Point) -> String {
    func place(_ x: Double, _ y: Double) -> String {
      "\(SVGDocument.number(x + origin.x)) \(SVGDocument.number(y + origin.y))"
    }
    let (from, to) = (start.x, end.x)
    if bulge == 0, from == to { return "M\(place(from, start.y))L\(place(to, end.y))" }
    let (leaving, arriving) = bulge == 0 ? (middle, middle) : (bend + bulge, bend + bulge)
    var commands = "M\(place(from, start.y))"
    if start.y != bend { commands += "L\(place(from, bend))" }
    commands += "C\(place(from, leaving)) \(place(to, arriving)) \(place(to, landing))"
    if end.y != landing { commands += "L\(place(to, end.y))" }
    return commands
  }

  private var middle: Double { (bend + landing) / 2 }
}
