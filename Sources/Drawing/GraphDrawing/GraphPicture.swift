// SPDX-License-Identifier: Apache-2.0

internal import BoxLayout
package import GraphIR
package import GraphPlanning
internal import SVGDrawing

/// A graph before and after the compiler, as one page.
///
///     Bitcrusher
///     48000 Hz · … · latency 0 frames
///     parameters
///     ┌ as declared ┐  ┌ as compiled ┐      side by side, or one above the other where they are wide
///     legend
///
/// The page is drawn for light and for dark surroundings at once: its style asks the viewer.
package struct GraphPicture: Sendable {
  private let source: Graph
  private let plan: Plan
  private let declared: PlacedDiagram
  private let compiled: PlacedDiagram

  private static let margin = 32.0
  private static let panelGap = 56.0

  /// - Parameter source: The graph as it was before any pass.
  package init(of source: Graph, _ plan: Plan) {
    self.source = source
    self.plan = plan
    declared = PlacedDiagram(Diagram(declared: source))
    compiled = PlacedDiagram(Diagram(compiled: plan))
  }

  /// The page as an SVG document.
  package var svg: String {
    var page = SVGDocument()
    let below = Self.isBetterBelow(declared.size, compiled.size)
    let panels =
      below
      ? max(declared.size.width, compiled.size.width)
      : declared.size.width + Self.panelGap + compiled.size.width
    let width = max(panels, 760)
    var content = SVGDocument()
    var y = drawHead(&content, width)
    let first = drawPanel(&content, declaredTitle, declared, at: Point(Self.margin, y))
    if below {
      y = first + Self.panelGap / 2
      y = drawPanel(&content, compiledTitle, compiled, at: Point(Self.margin, y))
    } else {
      let x = Self.margin + declared.size.width + Self.panelGap
      y = max(first, drawPanel(&content, compiledTitle, compiled, at: Point(x, y)))
    }
    y = drawLegend(&content, at: y + 24, width)
    let size = Size(width + 2 * Self.margin, y + Self.margin)
    page.rectangle(Rectangle(Point(0, 0), size), class: "page")
    page.append(content)
    return page.text(size: size, style: Self.style, definitions: Self.heads, title: source.name)
  }

  /// Whether a screen shows more of the panels when one stands above the other.
  private static func isBetterBelow(_ a: Size, _ b: Size) -> Bool {
    func scale(_ width: Double, _ height: Double) -> Double { min(1600 / width, 1000 / height, 1) }
    return scale(max(a.width, b.width), a.height + b.height)
      > scale(a.width + b.width, max(a.height, b.height)) * 1.1
  }

  // MARK: Head

  private func drawHead(_ page: inout SVGDocument, _ width: Double) -> Double {
    var y = Self.margin + 18
    let name = TextMeasure.cut(printable(source.name), columns: 60)
    page.text(name.isEmpty ? "unnamed" : name, at: Point(Self.margin, y), class: "heading large")
    for line in facts {
      y += 20
      page.text(line, at: Point(Self.margin, y), class: "note detail")
    }
    y += 14
    return drawParameters(&page, width, y) + 12
  }

  private var facts: [String] {
    let clock =
      switch source.clock {
      case .stream: "stream at \(written(source.sampleRate)) Hz"
      case .step: "steps"
      }
    let weights = plan.kernelGraph.weights.count * MemoryLayout<Float>.stride
    return [
      "\(clock) · latency \(plan.latency) frames · workspace \(plan.layout.size) bytes, of which "
        + "\(plan.layout.stateRange.count) are state · weights \(weights) bytes",
      "compiled for \(plan.target.cpu), vectors of \(plan.target.lanes) floats",
    ]
  }

  /// Parameters in columns, each with its range.
  private func drawParameters(_ page: inout SVGDocument, _ width: Double, _ top: Double) -> Double {
    let rows = source.parameters.map { parameter in
      let unit = parameter.unit.isEmpty ? "" : " " + printable(parameter.unit, limit: 12)
      let range = "\(written(parameter.minimum)) to \(written(parameter.maximum))\(unit)"
      let ramp = parameter.rampFrames > 0 ? "ramp \(parameter.rampFrames) frames" : "steps"
      return (parameter.name, "\(range), \(ramp), default \(written(parameter.initial))")
    }
    guard !rows.isEmpty else { return top }
    let signWidth =
      rows.map { TextMeasure.width(TextMeasure.cut($0.0, columns: 30), size: PlacedDiagram.detailSize) }
      .max()! + 16
    let textWidth = rows.map { TextMeasure.width($0.1, size: PlacedDiagram.detailSize) }.max()!
    let column = signWidth + 10 + textWidth + 32
    let columns = max(1, Int((width + 32) / column))
    let height = 26.0
    for (index, row) in rows.enumerated() {
      let corner = Point(
        Self.margin + Double(index % columns) * column, top + Double(index / columns) * height)
      page.drawSign(
        .parameter, TextMeasure.cut(row.0, columns: 30),
        Rectangle(corner, Size(signWidth, PlacedDiagram.signHeight)))
      page.text(row.1, at: corner + Point(signWidth + 10, 13), class: "note detail")
    }
    return top + Double((rows.count + columns - 1) / columns) * height
  }

  // MARK: Panels

  private var declaredTitle: String {
    "as declared: \(counted(source.nodes.count { !$0.op.isLeaf }, "node"))" + Self.reading(declared)
  }

  private var compiledTitle: String {
    let graph = plan.kernelGraph
    let nodes = plan.graph.nodes.count { !$0.op.isLeaf }
    let kernels = graph.kernels.count + graph.blockKernels.count + (graph.settling == nil ? 0 : 1)
    return "as compiled: \(counted(nodes, "node")) in \(counted(kernels, "kernel"))"
      + Self.reading(compiled)
  }

  /// How a panel of several columns is read.
  private static func reading(_ diagram: PlacedDiagram) -> String {
    diagram.columns > 1 ? ", in \(diagram.columns) columns from left to right" : ""
  }

  /// Draws a panel; where it ends.
  private func drawPanel(
    _ page: inout SVGDocument, _ title: String, _ diagram: PlacedDiagram, at place: Point
  ) -> Double {
    page.text(title, at: place + Point(0, 14), class: "heading")
    page.draw(diagram, at: place + Point(0, 34))
    return place.y + 34 + diagram.size.height
  }

  // MARK: Legend

  private func drawLegend(_ page: inout SVGDocument, at top: Double, _ width: Double) -> Double {
    var place = Point(Self.margin, top)
    func advance(_ text: String) -> Point {
      let needed = 40 + TextMeasure.width(text, size: PlacedDiagram.smallSize)
      if place.x + needed > Self.margin + width, place.x > Self.margin {
        place = Point(Self.margin, place.y + 22)
      }
      defer { place.x += needed + 12 }
      return place
    }
    let kinds = Self.kinds(in: declared).union(Self.kinds(in: compiled))
    for kind in Diagram.Kind.allCases where kinds.contains(kind) {
      let corner = advance(kind.meaning)
      page.rectangle(Rectangle(corner, Size(22, 12)), radius: 4, class: kind.rawValue)
      page.text(kind.meaning, at: corner + Point(28, 10), class: "note small")
    }
    let ways = Self.ways(in: declared) + Self.ways(in: compiled)
    if ways.contains(where: \.leadsBack) {
      let meaning = "from an earlier frame or step"
      let corner = advance(meaning)
      let (left, right) = (corner + Point(0, 6), corner + Point(22, 6))
      page.path(
        "M\(SVGDocument.number(left.x)) \(SVGDocument.number(left.y))L\(SVGDocument.number(right.x))"
          + " \(SVGDocument.number(right.y))", class: "edge back")
      page.text(meaning, at: corner + Point(28, 10), class: "note small")
    }
    return place.y + 12
  }

  private static func kinds(in diagram: PlacedDiagram) -> Set<Diagram.Kind> {
    diagram.boxes.reduce(into: []) { kinds, box in
      kinds.insert(box.box.kind)
      if let interior = box.interior { kinds.formUnion(Self.kinds(in: interior)) }
    }
  }

  private static func ways(in diagram: PlacedDiagram) -> [LayeredLayout.Way] {
    diagram.ways + diagram.boxes.flatMap { $0.interior.map(Self.ways) ?? [] }
  }

  // MARK: Style

  private static let style = SVGDocument.style(
    [
      "text { font-family: monospace; font-size: \(PlacedDiagram.detailSize)px }",
      ".title { font-size: \(PlacedDiagram.titleSize)px; font-weight: bold }",
      ".small { font-size: \(PlacedDiagram.smallSize)px }",
      ".heading { font-family: sans-serif; font-size: 15px; font-weight: bold }",
      ".large { font-size: 24px }",
      ".edge { fill: none; stroke-width: 1.3px }",
      ".back { stroke-width: 1.6px; stroke-dasharray: 5 3 }",
      ".cycle { stroke-dasharray: 6 4 }",
    ], light: Palette.light.rules, dark: Palette.dark.rules)

  private static let heads = ["arrow", "back-arrow"].map { name in
    "<marker id=\"\(name)\" viewBox=\"0 0 8 8\" refX=\"7.5\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\""
      + " markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path class=\"\(name == "arrow" ? "edge" : "back")-head\""
      + " d=\"M0 0.5L8 4L0 7.5z\"/></marker>"
  }
}
