// SPDX-License-Identifier: Apache-2.0

extension RandomAccessCollection where Index == Int {
  /// The first of the elements at the end of which something holds, where it holds of none before them.
  ///
  ///     [2, 3, 5, 7].partitioningIndex(where: { $0 >= 4 })  →  2
  ///
  /// It asks of about as many elements as their number has bits; the result is `endIndex` where it holds of none.
  package func partitioningIndex(where holds: (Element) -> Bool) -> Int {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = low + (high - low) / 2
      if holds(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
