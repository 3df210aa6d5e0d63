// SPDX-License-Identifier: Apache-2.0

extension RandomAccessCollection {
  /// The least element that a share of all elements does not exceed: of sorted numbers the quantile by nearest rank.
  ///
  ///     1 2 3 4 5 6 7 8 9 10      a half: 5, nine tenths: 9, all: 10
  ///
  /// Precondition: there is an element, and they are sorted.
  package func nearestRank(_ share: Double) -> Element {
    let rank = Int((share * Double(count)).rounded(.up))
    return self[index(startIndex, offsetBy: Swift.min(Swift.max(rank, 1), count) - 1)]
  }
}
