// SPDX-License-Identifier: Apache-2.0

internal import SVGDrawing

/// Panels on a page.
///
///     title
///     notes
///     ┌────────────────────┐       one row below the other; the panels of a row share its width
///     └────────────────────┘
///     ┌────────┐  ┌────────┐
///     └────────┘  └────────┘
///
/// The page is drawn for light and for dark surroundings at once: its style asks the viewer. The same chart is the same
/// bytes. A value that is not a number leaves a gap; an infinite one stands at the edge.
package struct Chart: Sendable {
  package var title: String
  /// Lines below the title.
  package var notes: [String]
  package var rows: [[Panel]]

  package init(_ title: String, notes: [String] = [], rows: [[Panel]]) {
    self.title = title
    self.notes = notes
    self.rows = rows
  }

  /// The width at which a page of text shows pictures without making them smaller.
  private static let width = 880.0
  private static let margin = 24.0
  private static let gap = 28.0

  /// The page as an SVG document.
  package var svg: String {
    var content = SVGDocument()
    let inner = Self.width - 2 * Self.margin
    var y = Self.margin + 20
    let columns = Int(inner / (22 * 0.61))
    content.text(
      TextMeasure.cut(title, columns: columns), at: Point(Self.margin, y), class: "heading large")
    for line in notes.flatMap({ PanelDrawing.lines($0, width: inner) }) {
      y += PanelDrawing.lineHeight
      content.text(line, at: Point(Self.margin, y), class: "note")
    }
    // Fields as wide as the page begin at one place: what is below each other is at one time, or in one epoch.
    let margin =
      rows.filter { $0.count == 1 }
      .map { PanelDrawing($0[0], left: Self.margin, top: 0, width: inner).leftMargin }.max() ?? 0
    for row in rows where !row.isEmpty {
      y += Self.gap
      let width = (inner - Double(row.count - 1) * Self.gap) / Double(row.count)
      let drawings = row.enumerated().map { column, panel in
        PanelDrawing(
          panel, left: Self.margin + Double(column) * (width + Self.gap), top: y, width: width,
          margin: row.count == 1 ? margin : 0)
      }
      // Fields beside each other begin at one height, whatever is said above them.
      let head = drawings.map(\.headHeight).max() ?? 0
      for drawing in drawings { drawing.draw(in: &content, head: head) }
      y += drawings.map { $0.height(head: head) }.max() ?? 0
    }
    let size = Size(Self.width, (y + Self.margin).rounded(.up))
    var page = SVGDocument()
    page.rectangle(Rectangle(Point(0, 0), size), class: "page")
    page.append(content)
    return page.text(size: size, style: Tint.style, title: title)
  }
}
