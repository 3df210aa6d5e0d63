// SPDX-License-Identifier: Apache-2.0

/// A series of one colour: values along the axis, as a line or as the band between two.
package struct Series: Sendable {
  package struct Value: Hashable, Sendable {
    package var x, y: Double

    package init(_ x: Double, _ y: Double) { (self.x, self.y) = (x, y) }
  }

  /// From the lowest to the highest of what lies at one place.
  package struct Span: Hashable, Sendable {
    package var x, low, high: Double

    package init(_ x: Double, _ low: Double, _ high: Double) {
      (self.x, self.low, self.high) = (x, low, high)
    }
  }

  package enum Shape: Sendable {
    case line([Value])
    /// A line with a dot at each value: those that were measured.
    case dottedLine([Value])
    /// A thinner line, behind the others.
    case thinLine([Value])
    case band([Span])
    /// A band behind a line.
    case paleBand([Span])
  }

  /// Empty where the legend shall not list it.
  package var name: String
  package var tint: Tint
  package var shape: Shape

  package init(_ name: String, _ tint: Tint, _ shape: Shape) {
    self.name = name
    self.tint = tint
    self.shape = shape
  }

  /// Whether there is nothing to draw.
  package var isEmpty: Bool { xs.isEmpty }

  var xs: [Double] {
    switch shape {
    case .line(let values), .dottedLine(let values), .thinLine(let values): values.map(\.x)
    case .band(let spans), .paleBand(let spans): spans.map(\.x)
    }
  }

  var ys: [Double] {
    switch shape {
    case .line(let values), .dottedLine(let values), .thinLine(let values): values.map(\.y)
    case .band(let spans), .paleBand(let spans): spans.flatMap { [$0.low, $0.high] }
    }
  }
}
