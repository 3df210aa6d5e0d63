// SPDX-License-Identifier: Apache-2.0

/// One field of a chart: two axes, and what is drawn between them.
package struct Panel: Sendable {
  /// How a reader learns which series is which.
  package enum Legend: Sendable {
    /// Names beside the title, or below it where they do not fit.
    case beside
    /// Each name where its line ends, on the right.
    case lineEnds
  }

  /// The title, with the unit where the ticks do not give it.
  package var title: String
  /// Lines below the title.
  package var notes: [String]
  package var x, y: Axis
  /// The title below the x axis; empty where its ticks suffice.
  package var xTitle: String
  package var series: [Series]
  package var legend: Legend
  /// Pixels from the bottom of the field to its top.
  package var height: Double

  package init(
    _ title: String, notes: [String] = [], x: Axis, xTitle: String = "", y: Axis, series: [Series],
    legend: Legend = .beside,
    height: Double = 180
  ) {
    self.title = title
    self.notes = notes
    self.x = x
    self.xTitle = xTitle
    self.y = y
    self.series = series
    self.legend = legend
    self.height = height
  }
}
