// SPDX-License-Identifier: Apache-2.0

/// A bounded number of bins that gather items over time, however long it goes on.
///
///     a b c d          full: neighbours are joined, and each bin is of twice as many from then on
///     ab cd
///     ab cd e  …
struct FoldingBins<Content> {
  /// The whole bins, and the last one.
  private(set) var bins: [Content] = []
  /// How many items a bin is of; the last may be of fewer.
  private(set) var width = 1
  /// Items in the last bin.
  private var filled = 0
  private let capacity: Int
  private let join: (inout Content, Content) -> Void

  /// - Parameters:
  ///   - capacity: the most bins there are, an even number.
  ///   - join: adds what came later to what came earlier.
  init(capacity: Int, join: @escaping (inout Content, Content) -> Void) {
    precondition(capacity > 0 && capacity % 2 == 0, "bins are joined in pairs")
    self.capacity = capacity
    self.join = join
    bins.reserveCapacity(capacity)
  }

  mutating func append(_ item: Content) {
    if !bins.isEmpty, filled < width {
      join(&bins[bins.count - 1], item)
      filled += 1
      return
    }
    if bins.count == capacity { fold() }
    bins.append(item)
    filled = 1
  }

  private mutating func fold() {
    for index in 0..<capacity / 2 {
      var pair = bins[2 * index]
      join(&pair, bins[2 * index + 1])
      bins[index] = pair
    }
    bins.removeLast(capacity / 2)
    width *= 2
  }
}
