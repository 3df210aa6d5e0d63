// SPDX-License-Identifier: Apache-2.0

internal import SVGDrawing

extension SVGDocument {
  mutating func draw(_ series: Series, _ x: Scale, _ y: Scale) {
    let tint = series.tint.rawValue
    switch series.shape {
    case .line(let values): drawLine(values, x, y, class: "line line-\(tint)")
    case .thinLine(let values): drawLine(values, x, y, class: "line thin line-\(tint)")
    case .dottedLine(let values):
      drawLine(values, x, y, class: "line line-\(tint)")
      for value in values where x.shows(value.x) {
        guard let center = place(value, x, y) else { continue }
        let corner = Point(center.x - 3, center.y - 3)
        rectangle(Rectangle(corner, Size(6, 6)), radius: 3, class: "fill-\(tint)")
      }
    case .band(let spans): drawBand(spans, x, y, class: "band fill-\(tint)")
    case .paleBand(let spans): drawBand(spans, x, y, class: "pale band fill-\(tint)")
    case .cells(let cells): for cell in cells { draw(cell, tint, x, y) }
    case .marks(let xs):
      let lines = xs.compactMap { x.position(of: $0) }.map {
        Self.line(from: Point($0, y.start), to: Point($0, y.end))
      }
      if !lines.isEmpty { path(lines.joined(), class: "mark") }
    case .raster(let raster):
      let (left, right) = (x.position(of: raster.x.lowerBound), x.position(of: raster.x.upperBound))
      let (bottom, top) = (y.position(of: raster.y.lowerBound), y.position(of: raster.y.upperBound))
      guard let image = raster.image, let left, let right, let bottom, let top else { return }
      self.image(image, in: Rectangle(Point(left, top), Size(right - left, bottom - top)))
    }
  }

  /// A field, as strong as its share, and its words where they fit.
  private mutating func draw(_ cell: Series.Cell, _ tint: String, _ x: Scale, _ y: Scale) {
    guard let left = x.position(of: cell.x.lowerBound), let right = x.position(of: cell.x.upperBound),
      let bottom = y.position(of: cell.y.lowerBound), let top = y.position(of: cell.y.upperBound)
    else { return }
    // What lasts no time is seen all the same.
    let frame = Rectangle(
      Point(left + 0.5, top + 0.5), Size(max(1, right - left - 1), max(1, bottom - top - 1)))
    rectangle(
      frame, radius: 2, class: "cell cell-\(tint)", title: cell.words.joined(separator: " "),
      opacity: cell.share)
    // A word by itself may be cut; of several, those are written that fit.
    let room = frame.size.width - 2
    let words = cell.words.count == 1 ? cell.words : cell.words.filter { PanelDrawing.width($0) <= room }
    // Rows of one height are a little apart, as they are computed.
    let lines = min(words.count, Int(frame.size.height / (PanelDrawing.lineHeight - 2) + 0.01))
    guard lines > 0, PanelDrawing.width(words[0]) <= room || room > 26 else { return }
    let name = cell.share > 0.55 ? "onFull" : "key"
    let first = frame.top + frame.size.height / 2 + 4.5 - Double(lines - 1) * PanelDrawing.lineHeight / 2
    for (line, word) in words.prefix(lines).enumerated() {
      text(
        PanelDrawing.cut(word, width: room),
        at: Point(frame.middle, first + Double(line) * PanelDrawing.lineHeight), class: name, anchor: "middle"
      )
    }
  }

  static func line(from start: Point, to end: Point) -> String { "M\(pair(start))L\(pair(end))" }

  private static func pair(_ point: Point) -> String { "\(number(point.x)) \(number(point.y))" }

  private func place(_ value: Series.Value, _ x: Scale, _ y: Scale) -> Point? {
    guard let across = x.position(of: value.x), let up = y.position(of: value.y) else { return nil }
    return Point(across, up)
  }

  /// A line through all values that are shown, with a gap where one is not a number.
  private mutating func drawLine(_ values: [Series.Value], _ x: Scale, _ y: Scale, class name: String) {
    var commands = ""
    var isDown = false
    for value in values where !(value.x.isFinite && !x.shows(value.x)) {
      guard value.x.isFinite, let point = place(value, x, y) else {
        isDown = false
        continue
      }
      // A path of one point is drawn as the dot of its round ends.
      commands += isDown ? "L\(Self.pair(point))" : "M\(Self.pair(point))L\(Self.pair(point))"
      isDown = true
    }
    if !commands.isEmpty { path(commands, class: name) }
  }

  /// Bands between what is lowest and what is highest, with a gap where either is not a number.
  private mutating func drawBand(_ spans: [Series.Span], _ x: Scale, _ y: Scale, class name: String) {
    var commands = ""
    var (upper, lower): ([Point], [Point]) = ([], [])
    func flush() {
      guard !upper.isEmpty else { return }
      commands += "M" + (upper + lower.reversed()).map(Self.pair).joined(separator: "L") + "Z"
      (upper, lower) = ([], [])
    }
    for span in spans {
      guard x.shows(span.x), let across = x.position(of: span.x), let high = y.position(of: span.high),
        let low = y.position(of: span.low)
      else {
        flush()
        continue
      }
      upper.append(Point(across, high))
      lower.append(Point(across, low))
    }
    flush()
    if !commands.isEmpty { path(commands, class: name) }
  }
}
