// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GraphIR

/// Numbers of a linear loop that hear each other, over frequency.
///
/// With B(w) the matrix of what each of them is of the past of each, n frames ago being w^n, they grow where
/// det(1 - B(w)) is 0 for a w inside of the unit circle. What goes around within a few frames is a filter; behind it
/// stand lines of many frames:
///
///     det(1 - B) = det(1 - filter) det(1 - response lines)
struct LoopPart: Equatable {
  /// A share of a number as it was.
  struct Term: Equatable {
    var row: Int
    var column: Int
    var frames: Int
    var share: Double
  }

  /// What is far back of a number: a few neighbouring frames.
  private struct Line: Equatable {
    var column: Int
    var frames: Int
    var terms: [Term]
  }

  /// Further apart frames are different lines.
  private static let widestLine = 16

  let count: Int
  private let terms: [Term]
  private let near: [Term]
  private let lines: [Line]

  private init(count: Int, _ terms: [Term]) {
    self.count = count
    // Those of a past one after the other.
    self.terms = terms.sorted { $0.frames < $1.frames }
    near = self.terms.filter { $0.frames < Graph.leastSpan }
    var lines: [Line] = []
    for term in terms.sorted(by: { ($0.column, $0.frames) < ($1.column, $1.frames) })
    where term.frames >= Graph.leastSpan {
      if let last = lines.last, last.column == term.column, term.frames - last.frames < Self.widestLine {
        lines[lines.count - 1].terms.append(term)
      } else {
        lines.append(Line(column: term.column, frames: term.frames, terms: [term]))
      }
    }
    self.lines = lines
  }

  var hasLines: Bool { !lines.isEmpty }

  /// In frames.
  var shortestLine: Int { lines.map(\.frames).min() ?? 0 }
  var longestLine: Int { lines.map(\.frames).max() ?? 0 }

  /// What hears itself within a few frames.
  var filters: [LoopPart] { Self.parts(of: near, count) }

  /// The most that the shares of a number come to.
  var largestSum: Double {
    (0..<count).map { row in terms.reduce(0) { $1.row == row ? $0 + abs($1.share) : $0 } }.max() ?? 0
  }

  // MARK: Parts

  /// The numbers of some that hear themselves, those together that hear each other.
  static func parts(of terms: [Term], _ count: Int) -> [LoopPart] {
    let hears = hearing(terms, count)
    var isKnown = [Bool](repeating: false, count: count)
    return (0..<count).compactMap { number in
      guard hears[number][number], !isKnown[number] else { return nil }
      let members = (0..<count).filter { hears[number][$0] && hears[$0][number] }
      for member in members { isKnown[member] = true }
      let places = Dictionary(uniqueKeysWithValues: zip(members, members.indices))
      let own = terms.compactMap { term -> Term? in
        guard let row = places[term.row], let column = places[term.column] else { return nil }
        return Term(row: row, column: column, frames: term.frames, share: term.share)
      }
      return LoopPart(count: members.count, own)
    }
  }

  /// Whether a number hears another one, by way of others, too (Warshall 1962).
  static func hearing(_ terms: [Term], _ count: Int) -> [[Bool]] {
    var hears = (0..<count).map { _ in [Bool](repeating: false, count: count) }
    for term in terms { hears[term.row][term.column] = true }
    for middle in hears.indices {
      for row in hears.indices where hears[row][middle] {
        for number in hears.indices where hears[middle][number] { hears[row][number] = true }
      }
    }
    return hears
  }

  // MARK: Lengths

  /// The degree of the determinant at most.
  var degree: Int { Self.degree(terms, count) }

  /// How quickly the filters and the response turn, in radians for each radian of the frequency.
  var degreeOfResponse: Int { Self.degree(near, count) + (hasLines ? Self.widestLine : 0) }

  private static func degree(_ terms: [Term], _ count: Int) -> Int {
    var longest = [Int](repeating: 0, count: count)
    for term in terms { longest[term.column] = max(longest[term.column], term.frames) }
    return longest.reduce(0, +)
  }

  /// Multiplications for one determinant, more or less.
  var work: Double { Double(count * count * count / 3 + 20 * terms.count) }

  /// The way around that leads through what is delayed most, and is the shortest of those: its length, and through how
  /// many lines it leads.
  var wayAround: (frames: Int, lines: Int) {
    let slowest = terms.last!.column
    // Never reached in a sum of two.
    let none = (frames: Int.max / 4, lines: 0)
    var ways = (0..<count).map { _ in [(frames: Int, lines: Int)](repeating: none, count: count) }
    // From the shortest to the longest.
    for term in terms {
      ways[term.row][term.column] = (term.frames, term.frames < Graph.leastSpan ? 0 : 1)
    }
    // By way of others, too (Floyd 1962).
    for middle in 0..<count {
      for row in 0..<count {
        for column in 0..<count {
          let (first, second) = (ways[row][middle], ways[middle][column])
          guard first.frames + second.frames < ways[row][column].frames else { continue }
          ways[row][column] = (first.frames + second.frames, first.lines + second.lines)
        }
      }
    }
    return ways[slowest][slowest]
  }

  // MARK: At a frequency

  /// det(1 - B) for a w of some radius and angle.
  func determinant(radius: Double, angle: Double) -> Complex {
    determinant(of: terms, radius, angle)
  }

  /// The same of what goes around within a few frames.
  func determinantOfFilters(radius: Double, angle: Double) -> Complex {
    determinant(of: near, radius, angle)
  }

  /// What comes out of each line's number for what each line gives, with all filters.
  func response(radius: Double, angle: Double) -> ComplexMatrix {
    var given = ComplexMatrix(rows: count, columns: lines.count)
    for (place, line) in lines.enumerated() {
      for term in line.terms {
        given[term.row, place] =
          given[term.row, place] + Self.power(term.frames - line.frames, radius, angle) * term.share
      }
    }
    let filtered = rest(of: near, radius, angle).solved(for: given)
    var result = ComplexMatrix(rows: lines.count, columns: lines.count)
    for (row, line) in lines.enumerated() {
      for column in lines.indices { result[row, column] = filtered[line.column, column] }
    }
    return result
  }

  /// The same for what each line was given: the response, delayed.
  func heard(radius: Double, angle: Double) -> ComplexMatrix {
    var result = response(radius: radius, angle: angle)
    for (column, line) in lines.enumerated() {
      let power = Self.power(line.frames, radius, angle)
      for row in lines.indices { result[row, column] = result[row, column] * power }
    }
    return result
  }

  private func determinant(of terms: [Term], _ radius: Double, _ angle: Double) -> Complex {
    guard count > 1 else {
      return terms.reduce(.one) { $0 - Self.power($1.frames, radius, angle) * $1.share }
    }
    return terms.isEmpty ? .one : rest(of: terms, radius, angle).determinant()
  }

  /// 1 - B for some of the terms.
  private func rest(of terms: [Term], _ radius: Double, _ angle: Double) -> ComplexMatrix {
    var result = ComplexMatrix(rows: count, columns: count)
    for place in 0..<count { result[place, place] = .one }
    var (frames, power) = (0, Complex.one)
    for term in terms {
      if term.frames != frames { (frames, power) = (term.frames, Self.power(term.frames, radius, angle)) }
      result[term.row, term.column] = result[term.row, term.column] - power * term.share
    }
    return result
  }

  private static func power(_ frames: Int, _ radius: Double, _ angle: Double) -> Complex {
    Complex(radius: pow(radius, Double(frames)), angle: angle * Double(frames))
  }
}
