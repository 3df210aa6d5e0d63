// SPDX-License-Identifier: Apache-2.0

internal import SVGDrawing

/// The colour of a series, one of which stands out; each has a shade for light and one for dark surroundings.
package enum Tint: String, CaseIterable, Sendable {
  /// The colour of a reference.
  case gray
  case blue, orange, green, violet, rose, teal

  /// The colours that tell several of one kind apart.
  package static let several: [Tint] = [.blue, .orange, .green, .violet, .rose, .teal]

  package var light: String {
    switch self {
    case .gray: "#64748b"
    case .blue: "#2563eb"
    case .orange: "#c2410c"
    case .green: "#047857"
    case .violet: "#7c3aed"
    case .rose: "#be123c"
    case .teal: "#0e7490"
    }
  }

  package var dark: String {
    switch self {
    case .gray: "#8fa1b8"
    case .blue: "#60a5fa"
    case .orange: "#fb923c"
    case .green: "#34d399"
    case .violet: "#a78bfa"
    case .rose: "#fb7185"
    case .teal: "#22d3ee"
    }
  }

  /// Rules for all classes of a chart.
  static let style = SVGDocument.style(
    [
      "text { font-family: sans-serif; font-size: \(PanelDrawing.textSize)px }",
      ".heading { font-size: \(SVGDocument.number(PanelDrawing.titleSize))px; font-weight: bold }",
      ".large { font-size: 22px }",
      ".grid { fill: none; stroke-width: 1px; stroke-opacity: 0.3 }",
      ".axis { fill: none; stroke-width: 1px }",
      ".line { fill: none; stroke-width: 2px; stroke-linejoin: round; stroke-linecap: round }",
      ".thin { stroke-width: 1px; stroke-opacity: 0.75 }",
      ".band { stroke-width: 0.7px; fill-opacity: 0.75 }",
      ".cell { stroke: none }",
      ".mark { fill: none; stroke: #ffffff; stroke-width: 1px; stroke-opacity: 0.75 }",
      ".pale { stroke-opacity: 0.4; fill-opacity: 0.25 }",
    ],
    light: rules(.light) { $0.light }, dark: rules(.dark) { $0.dark })

  private static func rules(_ page: PageColors, _ shade: (Tint) -> String) -> [String] {
    [
      ".page { fill: \(page.background) }",
      ".heading, .key { fill: \(page.text) }",
      ".note { fill: \(page.muted) }",
      ".grid, .axis { stroke: \(page.edge) }",
      ".onFull { fill: \(page.background) }",
    ]
      + allCases.flatMap { tint in
        [
          ".line-\(tint.rawValue) { stroke: \(shade(tint)) }",
          ".fill-\(tint.rawValue) { fill: \(shade(tint)); stroke: \(shade(tint)) }",
          ".on-\(tint.rawValue), .cell-\(tint.rawValue) { fill: \(shade(tint)) }",
        ]
      }
  }
}
