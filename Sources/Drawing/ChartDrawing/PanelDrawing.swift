// SPDX-License-Identifier: Apache-2.0

internal import SVGDrawing

/// A panel at its place on the page.
///
///     title                    ▪ series  ▪ series
///     notes
///     −6 ┤╭─╮ ╭─╮                            names, where they stand at the ends of lines
///    −12 ┤╯ ╰─╯ ╰──                   series
///        └┬────┬────
///         1    2
///            x
struct PanelDrawing {
  static let textSize = 13.0
  static let titleSize = 15.0
  static let lineHeight = 18.0

  private let panel: Panel
  private let left, top, width: Double
  private let xTicks, yTicks: [Tick]
  private let xDomain, yDomain: ClosedRange<Double>
  /// The margins left and right of the field.
  let leftMargin: Double
  private let rightMargin: Double
  private let legend: LegendDrawing
  private let notes: [String]
  /// The height of the names below the field where they are turned; 0 where they stand level.
  private let turnedHeight: Double

  /// - Parameter least: the least margin left of the field, so that fields stand below each other.
  init(_ panel: Panel, left: Double, top: Double, width: Double, margin least: Double = 0) {
    (self.panel, self.left, self.top, self.width) = (panel, left, top, width)
    legend = LegendDrawing(panel, left: left, width: width)
    notes = panel.notes.flatMap { Self.lines($0, width: width) }
    let mostY = max(2, Int(panel.height / 30))
    yDomain = panel.y.domain(of: panel.series.flatMap(\.ys), ticks: mostY)
    yTicks = panel.y.ticks(over: yDomain, most: mostY)
    leftMargin = max(least, 8 + (yTicks.map { Self.width($0.label) }.max() ?? 0))
    switch panel.legend {
    case .beside: rightMargin = 16
    case .lineEnds: rightMargin = 12 + (panel.series.map { Self.width(Self.cut($0.name)) }.max() ?? 0)
    }
    let mostX = max(2, Int((width - leftMargin - rightMargin) / 62))
    xDomain = panel.x.domain(of: panel.series.flatMap(\.xs), ticks: mostX)
    xTicks = panel.x.ticks(over: xDomain, most: mostX)
    let slot = (width - leftMargin - rightMargin) / Double(max(1, xTicks.count))
    let widest = xTicks.map { Self.width($0.label) }.max() ?? 0
    turnedHeight = panel.x.names != nil && widest > slot - 6 ? widest * Self.turn.rise + 6 : 0
  }

  /// Names that do not fit side by side rise towards the right, by an angle with such a sine.
  private static let turn = (angle: -40.0, rise: 0.643)

  /// Title, legend and notes.
  var headHeight: Double { Double(1 + legend.rows + notes.count) * Self.lineHeight + 10 }

  func height(head: Double) -> Double {
    head + panel.height + max(22, turnedHeight) + (panel.xTitle.isEmpty ? 0 : Self.lineHeight)
  }

  func draw(in page: inout SVGDocument, head: Double) {
    let field = Rectangle(
      Point(left + leftMargin, top + head), Size(width - leftMargin - rightMargin, panel.height))
    let x = Scale(xDomain, isRatio: panel.x.quantity.isRatio, from: field.left, to: field.right)
    let y = Scale(yDomain, isRatio: panel.y.quantity.isRatio, from: field.bottom, to: field.top)
    drawHead(in: &page)
    drawKey(in: &page, field)
    drawAxes(in: &page, field, x, y)
    // What is thin or wide lies behind what is drawn exactly.
    let ordered = panel.series.filter { !$0.isExact } + panel.series.filter(\.isExact)
    for series in ordered { page.draw(series, x, y) }
    if case .lineEnds = panel.legend { drawLineEnds(in: &page, field, y) }
  }

  private func drawHead(in page: inout SVGDocument) {
    var baseline = top + 14
    page.text(panel.title, at: Point(left, baseline), class: "heading")
    legend.draw(in: &page, baseline)
    baseline += Double(legend.rows) * Self.lineHeight
    for note in notes {
      baseline += Self.lineHeight
      page.text(note, at: Point(left, baseline), class: "note")
    }
  }

  /// The colours of a raster beside the title, from the lowest number to the highest.
  private func drawKey(in page: inout SVGDocument, _ field: Rectangle) {
    let rasters = panel.series.compactMap { series -> Series.Raster? in
      if case .raster(let raster) = series.shape { raster } else { nil }
    }
    guard let raster = rasters.first else { return }
    let (low, high) = (Double(raster.range.lowerBound), Double(raster.range.upperBound))
    let texts = [low, high].map { Tick.number($0) + " " + raster.unit }
    let width = Self.width(texts[1])
    page.text(texts[1], at: Point(field.right, top + 14), class: "note", anchor: "end")
    let frame = Rectangle(Point(field.right - width - 126, top + 4), Size(120, 11))
    page.image(Series.Raster.strip, in: frame)
    page.text(texts[0], at: Point(frame.left - 6, top + 14), class: "note", anchor: "end")
  }

  private func drawAxes(in page: inout SVGDocument, _ field: Rectangle, _ x: Scale, _ y: Scale) {
    var grid = ""
    for tick in yTicks {
      guard let place = y.position(of: tick.value) else { continue }
      if panel.y.names == nil {
        grid += SVGDocument.line(from: Point(field.left, place), to: Point(field.right, place))
      }
      page.text(tick.label, at: Point(field.left - 6, place + 4.5), class: "note", anchor: "end")
    }
    for tick in xTicks {
      guard let place = x.position(of: tick.value) else { continue }
      if turnedHeight > 0 {
        page.text(
          tick.label, at: Point(place + 4, field.bottom + 14), class: "note", anchor: "end",
          angle: Self.turn.angle)
        continue
      }
      if panel.x.names == nil {
        grid += SVGDocument.line(from: Point(place, field.top), to: Point(place, field.bottom))
      }
      let half = Self.width(tick.label) / 2
      // A label at an end of the axis stays within the panel.
      let anchor = place + half > left + width ? "end" : place - half < left ? "start" : "middle"
      page.text(tick.label, at: Point(place, field.bottom + 18), class: "note", anchor: anchor)
    }
    if !grid.isEmpty { page.path(grid, class: "grid") }
    let (bottomLeft, bottomRight) = (Point(field.left, field.bottom), Point(field.right, field.bottom))
    page.path(
      SVGDocument.line(from: Point(field.left, field.top), to: bottomLeft)
        + SVGDocument.line(from: bottomLeft, to: bottomRight), class: "axis")
    if !panel.xTitle.isEmpty {
      page.text(
        panel.xTitle, at: Point(field.middle, field.bottom + max(18, turnedHeight) + Self.lineHeight),
        class: "note",
        anchor: "middle")
    }
  }

  private func drawLineEnds(in page: inout SVGDocument, _ field: Rectangle, _ y: Scale) {
    let ends = panel.series.compactMap { series -> (Series, Double)? in
      guard !series.name.isEmpty, let last = series.ys.last(where: { !$0.isNaN }) else { return nil }
      return y.position(of: last).map { (series, $0) }
    }
    let places = spread(ends.map(\.1), apart: 17, within: field.top...field.bottom)
    for ((series, _), place) in zip(ends, places) {
      page.text(
        Self.cut(series.name), at: Point(field.right + 10, place + 4.5), class: "on-\(series.tint.rawValue)")
    }
  }

  // MARK: Text

  /// The width of text in the usual font, which is narrower than those of equal widths.
  static func width(_ text: String) -> Double { TextMeasure.width(text, size: textSize * 0.95) }

  /// The text, cut to what fits and to what is quick to read.
  static func cut(_ text: String, width: Double = .infinity) -> String {
    TextMeasure.cut(text, columns: Int(min(40, max(1, width / Self.width("n")))))
  }

  /// The text, cut to so many letters.
  static func cut(_ text: String, columns: Int) -> String { TextMeasure.cut(text, columns: columns) }

  /// The text in lines that fit.
  static func lines(_ text: String, width: Double) -> [String] {
    TextMeasure.lines(text, columns: max(8, Int(width / (textSize * 0.55))), most: 4)
  }
}

extension Series {
  fileprivate var isExact: Bool {
    switch shape {
    case .line, .dottedLine, .marks: true
    case .thinLine, .band, .paleBand, .cells, .raster: false
    }
  }
}
