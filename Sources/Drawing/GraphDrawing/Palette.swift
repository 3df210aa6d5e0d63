// SPDX-License-Identifier: Apache-2.0

package import SVGDrawing

/// The colours of a drawing, once for light surroundings and once for dark ones.
package struct Palette: Sendable {
  /// A box: its ground, its border, and its text.
  package struct Paint: Sendable {
    package let fill, stroke, text: String

    init(_ fill: String, _ stroke: String, _ text: String) {
      (self.fill, self.stroke, self.text) = (fill, stroke, text)
    }
  }

  package let page: PageColors
  /// Of edges that lead back.
  package let back: String
  package let paint: @Sendable (Diagram.Kind) -> Paint

  package static let light = Palette(page: .light, back: "#be123c") { kind in
    switch kind {
    case .port: Paint("#dbeafe", "#2563eb", "#1e3a8a")
    case .parameter: Paint("#fef3c7", "#b45309", "#78350f")
    case .weights: Paint("#ede9fe", "#7c3aed", "#4c1d95")
    case .state: Paint("#ffe4e6", "#be123c", "#881337")
    case .operation: Paint("#ffffff", "#64748b", "#0f172a")
    case .layer: Paint("#d1fae5", "#047857", "#064e3b")
    case .movement: Paint("#f1f5f9", "#64748b", "#0f172a")
    case .memory: Paint("#cfe8ee", "#0e7490", "#164e63")
    case .kernel: Paint("#f3f6fa", "#94a3b8", "#334155")
    case .cycle: Paint("#fff5f6", "#be123c", "#881337")
    }
  }

  package static let dark = Palette(page: .dark, back: "#fb7185") { kind in
    switch kind {
    case .port: Paint("#1e3a6d", "#60a5fa", "#dbeafe")
    case .parameter: Paint("#4a3208", "#f59e0b", "#fef3c7")
    case .weights: Paint("#3b2a6b", "#a78bfa", "#ede9fe")
    case .state: Paint("#5a1a2b", "#fb7185", "#ffe4e6")
    case .operation: Paint("#1a2436", "#8fa1b8", "#f1f5f9")
    case .layer: Paint("#0b4434", "#34d399", "#d1fae5")
    case .movement: Paint("#2a3648", "#8fa1b8", "#f1f5f9")
    case .memory: Paint("#134350", "#22d3ee", "#cffafe")
    case .kernel: Paint("#131d31", "#5b6b82", "#cbd5e1")
    case .cycle: Paint("#24141f", "#fb7185", "#fecdd3")
    }
  }

  /// Rules for the classes that `DiagramDrawing` uses.
  var rules: [String] {
    var rules = [
      ".page { fill: \(page.background) }",
      ".heading, .key { fill: \(page.text) }",
      ".note { fill: \(page.muted) }",
      ".edge { stroke: \(page.edge) }",
      ".edge-head { fill: \(page.edge) }",
      ".back { stroke: \(back) }",
      ".back-head { fill: \(back) }",
    ]
    for kind in Diagram.Kind.allCases {
      let paint = paint(kind)
      rules.append(".\(kind.rawValue) { fill: \(paint.fill); stroke: \(paint.stroke) }")
      rules.append(".on-\(kind.rawValue) { fill: \(paint.text) }")
    }
    return rules
  }
}
