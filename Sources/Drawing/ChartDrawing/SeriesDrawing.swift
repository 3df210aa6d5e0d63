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
