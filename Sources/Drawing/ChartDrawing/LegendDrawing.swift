// SPDX-License-Identifier: Apache-2.0

internal import SVGDrawing

/// The names of a panel's series: at the right end of the title's line, or in columns below it where they do not fit.
///
///     title                    ▪ series  ▪ series
///
///     a longer title
///     ▪ series  ▪ series
///     ▪ series  ▪ series
struct LegendDrawing {
  private static let swatch = Size(12, 10)
  /// From the swatch to its name.
  private static let inset = swatch.width + 6
  /// Between one entry and the next.
  private static let gap = 14.0

  private let entries: [(name: String, width: Double, tint: Tint)]
  private let left, width: Double
  /// Lines below the title's, none where all names fit beside it, and the names in each.
  let rows: Int
  private let columns: Int

  init(_ panel: Panel, left: Double, width: Double) {
    (self.left, self.width) = (left, width)
    let series: [Series] =
      switch panel.legend {
      case .beside: panel.series.filter { !$0.name.isEmpty }
      case .lineEnds: []
      }
    entries = series.map { series in
      let name = PanelDrawing.cut(series.name, width: width - Self.inset)
      return (name, Self.inset + PanelDrawing.width(name), series.tint)
    }
    let title = TextMeasure.width(panel.title, size: PanelDrawing.titleSize)
    let beside = entries.reduce(title + Self.gap) { $0 + Self.gap + $1.width }
    guard let widest = entries.map(\.width).max(), beside > width else {
      (columns, rows) = (0, 0)
      return
    }
    let most = max(1, Int((width + Self.gap) / (widest + Self.gap)))
    rows = (entries.count + most - 1) / most
    // As many in each row as it takes: three and three rather than five and one.
    columns = (entries.count + rows - 1) / rows
  }

  /// - Parameter baseline: the title's.
  func draw(in page: inout SVGDocument, _ baseline: Double) {
    if rows == 0 { drawBeside(in: &page, baseline) } else { drawBelow(in: &page, baseline) }
  }

  /// From the right end to the left.
  private func drawBeside(in page: inout SVGDocument, _ baseline: Double) {
    var right = left + width
    for entry in entries.reversed() {
      page.text(entry.name, at: Point(right, baseline), class: "key", anchor: "end")
      right -= entry.width
      drawSwatch(in: &page, entry.tint, Point(right, baseline))
      right -= Self.gap
    }
  }

  private func drawBelow(in page: inout SVGDocument, _ baseline: Double) {
    let columnWidth = (entries.map(\.width).max() ?? 0) + Self.gap
    for (index, entry) in entries.enumerated() {
      let (row, column) = index.quotientAndRemainder(dividingBy: columns)
      let place = Point(
        left + Double(column) * columnWidth, baseline + Double(row + 1) * PanelDrawing.lineHeight)
      page.text(entry.name, at: Point(place.x + Self.inset, place.y), class: "key")
      drawSwatch(in: &page, entry.tint, place)
    }
  }

  private func drawSwatch(in page: inout SVGDocument, _ tint: Tint, _ place: Point) {
    page.rectangle(
      Rectangle(Point(place.x, place.y - Self.swatch.height), Self.swatch), radius: 2,
      class: "fill-\(tint.rawValue)")
  }
}
