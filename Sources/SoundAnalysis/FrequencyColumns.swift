// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Power by frequency in columns of equal ratios, as a picture has them: bins of a transform are equally far apart, so
/// that a column at low frequencies has one, or none, and one at high frequencies has many.
package struct FrequencyColumns {
  /// What the bins of one column have.
  package struct Column: Hashable, Sendable {
    /// The bin's, or the geometric middle of those of several bins.
    package var hertz: Double
    package var low, mean, high: Double
  }

  /// From low to high; columns without a bin are left out.
  package let columns: [Column]

  /// - Parameters:
  ///   - bins: from low frequencies to high ones.
  ///   - count: columns in the whole range.
  package init(
    _ bins: some Sequence<(hertz: Double, power: Double)>, within range: ClosedRange<Double>, count: Int
  ) {
    precondition(
      range.lowerBound > 0 && range.upperBound > range.lowerBound && count > 0, "a range of ratios")
    let octaves = log2(range.upperBound / range.lowerBound)
    var columns: [Column] = []
    var (latest, sum, bounds, members) = (-1, 0.0, (0.0, 0.0), 0)
    for (hertz, power) in bins where range.contains(hertz) {
      let place = min(count - 1, Int(log2(hertz / range.lowerBound) / octaves * Double(count)))
      if place != latest {
        (latest, sum, bounds.0, members) = (place, 0, hertz, 0)
        columns.append(Column(hertz: hertz, low: power, mean: power, high: power))
      }
      (sum, bounds.1, members) = (sum + power, hertz, members + 1)
      let last = columns[columns.count - 1]
      columns[columns.count - 1] = Column(
        hertz: (bounds.0 * bounds.1).squareRoot(), low: min(last.low, power), mean: sum / Double(members),
        high: max(last.high, power))
    }
    self.columns = columns
  }
}
