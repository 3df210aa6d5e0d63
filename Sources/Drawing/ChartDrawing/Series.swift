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

  /// A field that is filled the more, the larger its share is, with words in it where they fit.
  package struct Cell: Hashable, Sendable {
    package var x, y: ClosedRange<Double>
    /// From 0 to 1.
    package var share: Double
    /// Lines, one below the other, of which as many are written as fit.
    package var words: [String]

    package init(x: ClosedRange<Double>, y: ClosedRange<Double>, share: Double, words: [String] = []) {
      (self.x, self.y, self.share, self.words) = (x, y, share, words)
    }
  }

  /// Numbers over a part of the field, side by side and from the bottom to the top, as colours.
  package struct Raster: Sendable {
    package let x, y: ClosedRange<Double>
    /// Each from the bottom to the top; all have as many numbers.
    package let columns: [[Float]]
    /// From the darkest to the brightest; what is beyond has the colour of that end.
    package let range: ClosedRange<Float>
    /// The unit of the numbers in the key.
    package let unit: String

    package init(
      x: ClosedRange<Double>, y: ClosedRange<Double>, columns: [[Float]], range: ClosedRange<Float>,
      unit: String
    ) {
      (self.x, self.y, self.columns, self.range, self.unit) = (x, y, columns, range, unit)
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
    case cells([Cell])
    case raster(Raster)
    /// Upright lines over what is behind them.
    case marks([Double])
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
    case .cells(let cells): cells.flatMap { [$0.x.lowerBound, $0.x.upperBound] }
    case .raster(let raster): [raster.x.lowerBound, raster.x.upperBound]
    case .marks(let xs): xs
    }
  }

  var ys: [Double] {
    switch shape {
    case .line(let values), .dottedLine(let values), .thinLine(let values): values.map(\.y)
    case .band(let spans), .paleBand(let spans): spans.flatMap { [$0.low, $0.high] }
    case .cells(let cells): cells.flatMap { [$0.y.lowerBound, $0.y.upperBound] }
    case .raster(let raster): [raster.y.lowerBound, raster.y.upperBound]
    case .marks: []
    }
  }
}
