// SPDX-License-Identifier: Apache-2.0

internal import Legato

/// The nanoseconds that one run took, once for each batch (or each call), in the order of the rounds.
struct Samples {
  let nanoseconds: [Double]
  private let sorted: [Double]

  init(_ nanoseconds: [Double]) {
    precondition(!nanoseconds.isEmpty, "nothing was measured")
    self.nanoseconds = nanoseconds
    sorted = nanoseconds.sorted()
  }

  var median: Double { sorted.nearestRank(0.5) }

  /// The 99th percentile.
  var p99: Double { sorted.nearestRank(0.99) }

  /// The 99.9th percentile.
  var p999: Double { sorted.nearestRank(0.999) }

  var maximum: Double { sorted[sorted.count - 1] }

  /// The median over rounds of this time divided by another one's.
  func ratio(to other: Samples) -> Double {
    Samples(zip(nanoseconds, other.nanoseconds).map { $0 / $1 }).median
  }

  /// The same for a time in excess of a part of another one's, in nanoseconds.
  func excess(over other: Samples, times factor: Double) -> Double {
    Samples(zip(nanoseconds, other.nanoseconds).map { $0 - $1 * factor }).median
  }
}
