// SPDX-License-Identifier: Apache-2.0

/// The weights by which numbers along a row become more or fewer.
///
///     area, 5 ─▶ 2         a b c d e  ─▶  (a + b + c/2) / 2.5, (c/2 + d + e) / 2.5
///     bilinear, 2 ─▶ 4     a b        ─▶  a, 3a/4 + b/4, a/4 + 3b/4, b
///
/// Weights of one result sum to 1. Result i of n has its centre at (i + ½) · N/n of N, where number j has its own at j + ½.
/// - `bilinear`: weights fall linearly from the centre, to 0 at a distance of 1, or of N/n where numbers become fewer. At
///   an edge those that are there count.
/// - `area`: where numbers become fewer, the part of each that a result covers; else as `bilinear`.
///
/// Of a part of a row N is what that has, and i + ½ counts from its beginning; what lies beside it counts as in the whole.
struct Resampling {
  /// For each result the first number, and where its weights begin; one more for the end.
  private var rows: [(first: Int, start: Int)] = []
  private var weights: [Float] = []

  /// - Parameters:
  ///   - part: the numbers that become others.
  ///   - count: numbers of the whole row.
  init(_ rule: ImageConversion.Resize, from part: Range<Int>, of count: Int, to size: Int) {
    for result in 0..<size {
      rows.append((0, weights.count))
      switch rule {
      case .area where size < part.count: cover(result, part, size)
      case .area, .bilinear: fall(result, part, count, size)
      }
    }
    rows.append((0, weights.count))
  }

  /// The first number that a result is made of.
  func first(_ result: Int) -> Int { rows[result].first }

  /// The weights of that number and those that follow.
  subscript(result: Int) -> ArraySlice<Float> { weights[rows[result].start..<rows[result + 1].start] }

  /// Lengths in units of 1/size of a number: all of them are whole.
  private mutating func cover(_ result: Int, _ part: Range<Int>, _ size: Int) {
    let count = part.count
    let covered = result * count..<(result + 1) * count
    let numbers = covered.lowerBound / size...(covered.upperBound - 1) / size
    rows[result].first = part.lowerBound + numbers.lowerBound
    for number in numbers {
      let common = covered.clamped(to: number * size..<(number + 1) * size)
      weights.append(Float(Double(common.count) / Double(count)))
    }
  }

  private mutating func fall(_ result: Int, _ part: Range<Int>, _ count: Int, _ size: Int) {
    let ratio = Double(part.count) / Double(size)
    let centre = Double(part.lowerBound) + (Double(result) + 0.5) * ratio
    let reach = max(ratio, 1)
    let numbers = max(0, Int(centre - reach + 0.5))..<min(count, Int(centre + reach + 0.5))
    rows[result].first = numbers.lowerBound
    let falling = numbers.map { max(0, 1 - abs(Double($0) + 0.5 - centre) / reach) }
    let sum = falling.reduce(0, +)
    weights += falling.map { Float($0 / sum) }
  }
}
