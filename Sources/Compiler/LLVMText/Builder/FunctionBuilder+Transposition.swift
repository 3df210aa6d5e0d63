// SPDX-License-Identifier: Apache-2.0

/// Rows and columns of a square of numbers that lies in registers.
extension FunctionBuilder {
  /// The columns of a square whose rows are vectors: as many as each has lanes, 4 or a larger power of two.
  ///
  ///     a0 a1 a2 a3        a0 b0 c0 d0
  ///     b0 b1 b2 b3   →    a1 b1 c1 d1
  ///     c0 c1 c2 c3        a2 b2 c2 d2
  ///     d0 d1 d2 d3        a3 b3 c3 d3
  ///
  /// First each four rows within each four lanes, which takes instructions of one cycle; then fours of lanes among
  /// rows.
  func transposed(_ rows: [Lanes]) -> [Lanes] {
    precondition(
      rows.count == width && width >= 4 && width.nonzeroBitCount == 1, "\(rows.count) rows of \(width)")
    // Lanes of every four, those of the second vector counted behind those of the first.
    func inFours(_ a: Lanes, _ b: Lanes, _ picks: [Int]) -> Lanes {
      shuffled(a, b, (0..<width).map { $0 / 4 * 4 + picks[$0 % 4] % 4 + picks[$0 % 4] / 4 * width })
    }
    func twoByTwo(_ a: Lanes, _ b: Lanes) -> (Lanes, Lanes) {
      (inFours(a, b, [0, 4, 1, 5]), inFours(a, b, [2, 6, 3, 7]))
    }
    func pairByPair(_ a: Lanes, _ b: Lanes) -> (Lanes, Lanes) {
      (inFours(a, b, [0, 1, 4, 5]), inFours(a, b, [2, 3, 6, 7]))
    }
    var result = rows
    for row in stride(from: 0, to: width, by: 4) {
      let (first, second) = twoByTwo(rows[row], rows[row + 1])
      let (third, fourth) = twoByTwo(rows[row + 2], rows[row + 3])
      (result[row], result[row + 1]) = pairByPair(first, third)
      (result[row + 2], result[row + 3]) = pairByPair(second, fourth)
    }
    /// The fours with even numbers, or with odd ones, of both vectors.
    func fours(_ a: Lanes, _ b: Lanes, odd: Int) -> Lanes {
      let picks = stride(from: odd, to: 2 * width / 4, by: 2)
      return shuffled(a, b, picks.flatMap { four in (0..<4).map { 4 * four + $0 } })
    }
    var distance = 4
    while distance < width {
      for row in 0..<width where row & distance == 0 {
        let (a, b) = (result[row], result[row + distance])
        (result[row], result[row + distance]) = (fours(a, b, odd: 0), fours(a, b, odd: 1))
      }
      distance *= 2
    }
    return result
  }
}
