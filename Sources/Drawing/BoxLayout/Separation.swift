// SPDX-License-Identifier: Apache-2.0

/// Places numbers in order, each as near as can be to where it wants to be, with room between neighbours.
///
///     wanted   ··a·b··············c··
///     placed   ·a···b·············c··        a and b have moved apart, the heavier one less
///
/// The sum of squared moves, each times its weight, is the least possible: less the room on its left, every number
/// is at least its predecessor, which is isotonic regression; who is in conflict is pooled (Ayer et al. 1955).
enum Separation {
  /// - Parameter room: Between each number and the next; one fewer than there are numbers.
  static func place(_ wanted: [Double], weights: [Double], room: [Double]) -> [Double] {
    struct Pool {
      var sum: Double
      var weight: Double
      var count: Int
      var value: Double { sum / weight }
    }
    var offsets: [Double] = []
    var offset = 0.0
    var pools: [Pool] = []
    for (index, want) in wanted.enumerated() {
      if index > 0 { offset += room[index - 1] }
      offsets.append(offset)
      var pool = Pool(sum: (want - offset) * weights[index], weight: weights[index], count: 1)
      while let last = pools.last, last.value > pool.value {
        pool = Pool(
          sum: last.sum + pool.sum, weight: last.weight + pool.weight, count: last.count + pool.count)
        pools.removeLast()
      }
      pools.append(pool)
    }
    let values = pools.flatMap { pool in repeatElement(pool.value, count: pool.count) }
    return zip(values, offsets).map { $0 + $1 }
  }
}
