// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// Whether a linear loop grows without end.
///
///     y = x + 1.2 * delay(y, 100)                    1 = 1.2 z^-100 has a solution above 1
///     y = x + 1.2 * lowpass(delay(y, 100), 800)      likewise; at a standstill the filter passes all
///
/// With B(z) the matrix of what the numbers of a loop are of their own past, each frame a 1/z, the loop grows where
/// det(1 - B(z)) is 0 for a z outside of the unit circle. Far outside the determinant is 1: where it lies below 0 at 1
/// or at -1, there is such a z in between (the first of Jury's conditions). The product of all z where it is 0 is the
/// determinant of what is oldest: where that lies outside of the circle, one of them does. Up to the second order
/// nothing else grows.
struct LoopGain {
  /// Where the determinant is looked at.
  private enum Place {
    case standstill
    case alternating
  }

  /// Rounding of what an author takes for 1.
  private static let margin = 1e-6

  private let loop: LoopShares

  init(_ loop: LoopShares) { self.loop = loop }

  /// After how many frames the loop hears itself, and how much louder; nil where it may die away.
  var growth: (frames: Int, gain: Double)? {
    parts.compactMap(growth).max { $0.gain < $1.gain }
  }

  private func growth(of part: [Int]) -> (frames: Int, gain: Double)? {
    let pasts = loop.pasts.indices.filter { past in
      part.contains(loop.pasts[past].number) && part.contains { loop.rows[$0][past] != 0 }
    }
    guard !pasts.isEmpty else { return nil }
    let isWhole = pasts.allSatisfy { loop.pasts[$0].isWhole }
    let gains =
      isWhole
      ? [
        gain(of: part, at: .standstill, pasts), gain(of: part, at: .alternating, pasts),
        oldest(of: part, pasts),
      ]
      : [gain(of: part, at: .standstill, pasts)]
    guard let gain = gains.filter(\.isFinite).max(), gain > 1 + Self.margin else { return nil }
    return (frames(around: part, pasts), gain)
  }

  /// How long the way around is that leads through what is delayed most, and is the shortest of those.
  private func frames(around part: [Int], _ pasts: [Int]) -> Int {
    let places = Dictionary(uniqueKeysWithValues: zip(part, part.indices))
    // Never reached in a sum of two.
    let none = Int.max / 4
    var ways = part.map { _ in [Int](repeating: none, count: part.count) }
    for (place, row) in part.enumerated() {
      for past in pasts where loop.rows[row][past] != 0 {
        let (number, frames) = (places[loop.pasts[past].number]!, loop.pasts[past].frames)
        ways[place][number] = ways[place][number] == none ? frames : max(ways[place][number], frames)
      }
    }
    // By way of others, too (Floyd 1962).
    for middle in part.indices {
      for row in part.indices {
        for number in part.indices {
          ways[row][number] = min(ways[row][number], ways[row][middle] + ways[middle][number])
        }
      }
    }
    let longest = pasts.max { loop.pasts[$0].frames < loop.pasts[$1].frames }!
    let slowest = places[loop.pasts[longest].number]!
    return ways[slowest][slowest]
  }

  /// What the loop makes of itself at a place: 1 less the determinant. What goes around within it more often than every
  /// few frames is a filter, and its own determinant divides that of all.
  private func gain(of part: [Int], at place: Place, _ pasts: [Int]) -> Double {
    func determinantOfRest(where isHeard: (Int) -> Bool) -> Double {
      var rest = sums(of: part, pasts) { past in
        guard isHeard(past.frames) else { return 0 }
        return place == .standstill || past.frames.isMultiple(of: 2) ? -1 : 1
      }
      for row in rest.indices { rest[row][row] += 1 }
      return determinant(of: rest)
    }
    let isFilter = pasts.allSatisfy { loop.pasts[$0].frames < Graph.leastSpan }
    let within = isFilter ? 1 : determinantOfRest { $0 < Graph.leastSpan }
    return 1 - determinantOfRest { _ in true } / (within > 0 ? within : 1)
  }

  /// The product of all that goes around, from frame to frame.
  private func oldest(of part: [Int], _ pasts: [Int]) -> Double {
    let lengths = Dictionary(
      pasts.map { (loop.pasts[$0].number, loop.pasts[$0].frames) }, uniquingKeysWith: max)
    return abs(determinant(of: sums(of: part, pasts) { $0.frames == lengths[$0.number] ? 1 : 0 }))
  }

  /// For each number of a part what it is of each, all pasts together, each of them multiplied with a factor.
  private func sums(
    of part: [Int], _ pasts: [Int], _ factor: (LoopShares.Past) -> Double
  ) -> [[Double]] {
    let columns = Dictionary(uniqueKeysWithValues: zip(part, part.indices))
    return part.map { row in
      var sums = [Double](repeating: 0, count: part.count)
      for past in pasts {
        sums[columns[loop.pasts[past].number]!] += factor(loop.pasts[past]) * loop.rows[row][past]
      }
      return sums
    }
  }

  /// The numbers that hear each other, apart from others, where something from outside comes to them: others are zero
  /// for ever.
  private var parts: [[Int]] {
    var hears = loop.rows.map { row in
      var heard = [Bool](repeating: false, count: loop.rows.count)
      for (past, share) in zip(loop.pasts, row) where share != 0 { heard[past.number] = true }
      return heard
    }
    // By way of others, too (Warshall 1962).
    for middle in hears.indices {
      for row in hears.indices where hears[row][middle] {
        for number in hears.indices where hears[middle][number] { hears[row][number] = true }
      }
    }
    var parts: [[Int]] = []
    for number in hears.indices where hears[number][number] {
      let isReached = hears.indices.contains { loop.hearsOutside[$0] && hears[number][$0] }
      guard isReached else { continue }
      guard !parts.contains(where: { $0.contains(number) }) else { continue }
      parts.append(hears.indices.filter { hears[number][$0] && hears[$0][number] })
    }
    return parts
  }
}

/// By elimination, with the largest number of a column first.
private func determinant(of rows: [[Double]]) -> Double {
  var (rows, result) = (rows, 1.0)
  for column in rows.indices {
    let largest = rows.indices[column...].max { abs(rows[$0][column]) < abs(rows[$1][column]) } ?? column
    if largest != column {
      rows.swapAt(largest, column)
      result = -result
    }
    let pivot = rows[column][column]
    guard pivot != 0 else { return 0 }
    result *= pivot
    for row in rows.indices[(column + 1)...] {
      let factor = rows[row][column] / pivot
      for place in rows.indices[column...] { rows[row][place] -= factor * rows[column][place] }
    }
  }
  return result
}
