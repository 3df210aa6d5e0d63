// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// Whether a linear loop grows without end.
///
///     y = x + 1.2 * delay(y, 100)                    1 = 1.2 z^-100 has a solution above 1
///     y = x + 1.2 * lowpass(delay(y, 100), 800)      likewise; at a standstill the filter passes all
///
/// With B(z) the matrix of what the numbers of a loop are of their own past, each frame a 1/z, the loop grows where
/// det(1 - B(z)) is 0 for a z outside of the unit circle. Far outside the determinant is 1: where it lies below 0 at 1 or
/// at -1, there is such a z in between (the first of Jury's conditions). The product of all z where it is 0 is the
/// determinant of what is oldest: where that lies outside of the circle, one of them does. Up to the second order
/// nothing else grows.
struct LoopGain {
  /// Where the determinant is looked at.
  private enum Place: CaseIterable {
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
    guard let longest = pasts.map({ loop.pasts[$0].frames }).max() else { return nil }
    let gains = Place.allCases.compactMap { gain(of: part, at: $0, pasts) } + [oldest(of: part, pasts)]
    guard let gain = gains.max(), gain > 1 + Self.margin else { return nil }
    return (longest, gain)
  }

  /// What the loop makes of itself at a place: 1 less the determinant. What goes around within it more often than every
  /// few frames is a filter, and its own determinant divides that of all.
  private func gain(of part: [Int], at place: Place, _ pasts: [Int]) -> Double? {
    guard place == .standstill || pasts.allSatisfy({ loop.pasts[$0].isWhole }) else { return nil }
    func rest(where isHeard: (Int) -> Bool) -> Double {
      determinant(
        of: part.map { row in
          part.map { number in
            let share = pasts.reduce(0) { sum, past in
              guard loop.pasts[past].number == number, isHeard(loop.pasts[past].frames) else { return sum }
              let isTurned = place == .alternating && !loop.pasts[past].frames.isMultiple(of: 2)
              return sum + (isTurned ? -loop.rows[row][past] : loop.rows[row][past])
            }
            return (row == number ? 1 : 0) - share
          }
        })
    }
    let isFilter = pasts.allSatisfy { loop.pasts[$0].frames < Graph.leastSpan }
    let within = isFilter ? 1 : rest { $0 < Graph.leastSpan }
    return 1 - rest { _ in true } / (within > 0 ? within : 1)
  }

  /// The product of all that goes around, from frame to frame; 0 where it is not known.
  private func oldest(of part: [Int], _ pasts: [Int]) -> Double {
    guard pasts.allSatisfy({ loop.pasts[$0].isWhole }) else { return 0 }
    let lengths = part.map { number in
      pasts.filter { loop.pasts[$0].number == number }.map { loop.pasts[$0].frames }.max()
    }
    return abs(
      determinant(
        of: part.map { row in
          zip(part, lengths).map { number, length in
            pasts.filter { loop.pasts[$0].number == number && loop.pasts[$0].frames == length }
              .reduce(0) { $0 + loop.rows[row][$1] }
          }
        }))
  }

  /// The numbers that hear each other, apart from others.
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
