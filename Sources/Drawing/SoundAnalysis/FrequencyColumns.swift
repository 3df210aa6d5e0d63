// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Power by frequency in columns of equal ratios, as a picture has them: bins of a transform are equally far apart, so
/// that a column at low frequencies has one, or none, and one at high frequencies has many.
package struct FrequencyColumns {
  /// The statistics of one column's bins.
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
    var gatherings: [Gathering] = []
    for (hertz, power) in bins where range.contains(hertz) {
      let place = min(count - 1, Int(log2(hertz / range.lowerBound) / octaves * Double(count)))
      if gatherings.last?.place == place {
        gatherings[gatherings.count - 1].add(hertz, power)
      } else {
        gatherings.append(Gathering(place, hertz, power))
      }
    }
    columns = gatherings.map(\.column)
  }
}

/// The bins of a column, one after the other.
private struct Gathering {
  let place: Int
  private let first: Double
  private var last: Double
  private var low, high, sum: Double
  private var count = 1.0

  init(_ place: Int, _ hertz: Double, _ power: Double) {
    self.place = place
    (first, last) = (hertz, hertz)
    (low, high, sum) = (power, power, power)
  }

  mutating func add(_ hertz: Double, _ power: Double) {
    last = hertz
    (low, high) = (min(low, power), max(high, power))
    sum += power
    count += 1
  }

  var column: FrequencyColumns.Column {
    FrequencyColumns.Column(hertz: (first * last).squareRoot(), low: low, mean: sum / count, high: high)
  }
}
