// SPDX-License-Identifier: Apache-2.0

/// Writes SVG 1.1: shapes and text, without scripts. Text may hold any character; what XML cannot hold is replaced.
package struct SVGDocument: Sendable {
  private var lines: [String] = []

  package init() {}

  /// - Parameter opacity: Of what fills it.
  package mutating func rectangle(
    _ frame: Rectangle, radius: Double = 0, class name: String, title: String? = nil, opacity: Double? = nil
  ) {
    let shade = opacity.map { " fill-opacity=\"\(Self.hundredths($0))\"" } ?? ""
    let corner = (radius > 0 ? " rx=\"\(Self.number(radius))\"" : "") + shade
    let start =
      "<rect class=\"\(name)\" x=\"\(Self.number(frame.left))\" y=\"\(Self.number(frame.top))\""
      + " width=\"\(Self.number(frame.size.width))\" height=\"\(Self.number(frame.size.height))\"\(corner)"
    lines.append(start + (title.map { "><title>\(Self.escaped($0))</title></rect>" } ?? "/>"))
  }

  /// - Parameters:
  ///   - anchor: Which point of the text stands at the place: `start`, `middle` or `end`.
  ///   - angle: By how many degrees it is turned around the place, clockwise.
  package mutating func text(
    _ text: String, at place: Point, class name: String, anchor: String = "start", angle: Double = 0
  ) {
    let anchored = anchor == "start" ? "" : " text-anchor=\"\(anchor)\""
    let (x, y) = (Self.number(place.x), Self.number(place.y))
    let turned = angle == 0 ? "" : " transform=\"rotate(\(Self.number(angle)) \(x) \(y))\""
    lines.append(
      "<text class=\"\(name)\" x=\"\(x)\" y=\"\(y)\"\(anchored)\(turned)>\(Self.escaped(text))</text>")
  }

  /// A picture of dots, stretched to a frame.
  package mutating func image(_ image: PixelImage, in frame: Rectangle) {
    lines.append(
      "<image x=\"\(Self.number(frame.left))\" y=\"\(Self.number(frame.top))\""
        + " width=\"\(Self.number(frame.size.width))\" height=\"\(Self.number(frame.size.height))\""
        + " preserveAspectRatio=\"none\" href=\"\(image.address)\"/>")
  }

  package mutating func path(_ commands: String, class name: String, head: String? = nil) {
    let marker = head.map { " marker-end=\"url(#\($0))\"" } ?? ""
    lines.append("<path class=\"\(name)\" d=\"\(commands)\"\(marker)/>")
  }

  package mutating func append(_ other: SVGDocument) { lines += other.lines }

  /// The whole document.
  ///
  /// - Parameter style: rules of CSS; `style(_:light:dark:)` makes those of a page for both surroundings.
  package func text(size: Size, style: [String], definitions: [String] = [], title: String) -> String {
    let (width, height) = (Self.number(size.width), Self.number(size.height))
    let head = [
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
      "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"\(width)\" height=\"\(height)\""
        + " viewBox=\"0 0 \(width) \(height)\">",
      "<title>\(Self.escaped(title))</title>",
      "<style type=\"text/css\">",
    ]
    let shared = definitions.isEmpty ? [] : ["<defs>"] + definitions + ["</defs>"]
    let all = head + style + ["</style>"] + shared + lines + ["</svg>"]
    return all.joined(separator: "\n") + "\n"
  }

  /// Rules for light surroundings, and for dark ones where the viewer prefers them.
  package static func style(_ rules: [String], light: [String], dark: [String]) -> [String] {
    rules + light + ["@media (prefers-color-scheme: dark) {"] + dark.map { "  " + $0 } + ["}"]
  }

  /// A number with at most one decimal.
  package static func number(_ value: Double) -> String {
    let tenths = Int((value * 10).rounded())
    let (whole, rest) = (abs(tenths) / 10, abs(tenths) % 10)
    return (tenths < 0 ? "-" : "") + "\(whole)" + (rest == 0 ? "" : ".\(rest)")
  }

  /// A number from 0 to 1 with two decimals.
  private static func hundredths(_ value: Double) -> String {
    let whole = Int((min(max(value, 0), 1) * 100).rounded())
    return whole == 100 ? "1" : "0." + (whole < 10 ? "0" : "") + String(whole)
  }

  /// Text that XML reads back as it was, but for characters that no XML document may hold.
  package static func escaped(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;".unicodeScalars
      case "<": result += "&lt;".unicodeScalars
      case ">": result += "&gt;".unicodeScalars
      case "\"": result += "&quot;".unicodeScalars
      case "\t", "\n", "\r": result.append(" ")
      case "\u{0}"..<" ", "\u{7F}"..."\u{9F}", "\u{FFFE}", "\u{FFFF}": result.append("\u{FFFD}")
      case _: result.append(scalar)
      }
    }
    return String(result)
  }
}

/// The colours that all pictures share: the ground of a page, and what is written and drawn on it.
package struct PageColors: Sendable {
  package let background, text, muted, edge: String

  package static let light = PageColors(
    background: "#ffffff", text: "#0f172a", muted: "#52606d", edge: "#64748b")
  package static let dark = PageColors(
    background: "#0f172a", text: "#f1f5f9", muted: "#a8b5c7", edge: "#8fa1b8")
}
