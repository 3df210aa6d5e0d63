// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GraphIR

/// Numbers of a linear loop that read each other, over frequency.
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

  /// A delay line: terms of one number whose frames are far back and near each other.
  private struct Line: Equatable {
    var column: Int
    var frames: Int
    var terms: [Term]

    var width: Int { terms[terms.count - 1].frames - frames }

    func takes(_ term: Term) -> Bool {
      term.column == column && term.frames - frames - width < LoopPart.widestGap
        && term.frames - frames < LoopPart.widestLine
    }
  }

  /// Frames with more between them are different lines, and those further from a line's first one.
  private static let (widestGap, widestLine) = (16, 512)

  let count: Int
  /// How long the way around is that leads through the longest delay, and is the shortest of those.
  let framesAround: Int
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
      if let last = lines.last, last.takes(term) {
        lines[lines.count - 1].terms.append(term)
      } else {
        lines.append(Line(column: term.column, frames: term.frames, terms: [term]))
      }
    }
    self.lines = lines
    framesAround = Self.framesAround(self.terms, count)
  }

  var hasLines: Bool { !lines.isEmpty }

  var shortestLine: Int { lines.map(\.frames).min() ?? 0 }
  var longestLine: Int { lines.map(\.frames).max() ?? 0 }

  /// The most frames that something is delayed by.
  var longest: Int { terms.map(\.frames).max() ?? 0 }

  /// The parts of the feedback within a few frames.
  var filters: [LoopPart] { Self.parts(of: near, count) }

  // MARK: Parts

  /// The numbers of some that read themselves, those together that read each other.
  static func parts(of terms: [Term], _ count: Int) -> [LoopPart] {
    var read = [[Int]](repeating: [], count: count)
    for term in terms { read[term.row].append(term.column) }
    return strongComponents(count: count) { read[$0] }.map { $0.sorted() }.compactMap { members in
      let places = Dictionary(uniqueKeysWithValues: zip(members, members.indices))
      let own = terms.compactMap { term -> Term? in
        guard let row = places[term.row], let column = places[term.column] else { return nil }
        return Term(row: row, column: column, frames: term.frames, share: term.share)
      }
      return own.isEmpty ? nil : LoopPart(count: members.count, own)
    }
  }

  // MARK: Lengths

  /// The degree of the determinant at most.
  var degree: Int { Self.degree(terms, count) }

  /// How quickly the filters and the response turn, in radians for each radian of the frequency.
  var degreeOfResponse: Int {
    Self.degree(near, count) + (lines.map { max($0.width, Self.widestGap) }.max() ?? 0)
  }

  private static func degree(_ terms: [Term], _ count: Int) -> Int {
    var longest = [Int](repeating: 0, count: count)
    for term in terms { longest[term.column] = max(longest[term.column], term.frames) }
    return longest.reduce(0, +)
  }

  /// Multiplications for one determinant, more or less.
  var work: Double {
    let neighbours = zip(terms, terms.dropFirst()).count { $1.frames - $0.frames <= 1 }
    return Double(count * count * count / 3 + 20 * terms.count - 16 * neighbours)
  }

  /// The same for one look at how loud the lines are.
  var workOfResponse: Double {
    work + Double(lines.count * lines.count) * Double(lines.count + count) / 8
  }

  /// Whether no number is made of more than what it is made of, whatever the frequency is.
  var isQuiet: Bool {
    var sums = [Double](repeating: 0, count: count)
    for term in terms { sums[term.row] += abs(term.share) }
    return sums.allSatisfy { $0 <= 1 }
  }

  private static func framesAround(_ terms: [Term], _ count: Int) -> Int {
    // Never reached in a sum of two.
    let none = Int.max / 4
    var ways = (0..<count).map { row in (0..<count).map { $0 == row ? 0 : none } }
    for term in terms { ways[term.row][term.column] = min(ways[term.row][term.column], term.frames) }
    // By way of others, too (Floyd 1962).
    for middle in 0..<count {
      for row in 0..<count where ways[row][middle] < none {
        for column in 0..<count {
          ways[row][column] = min(ways[row][column], ways[row][middle] + ways[middle][column])
        }
      }
    }
    let longest = terms.map(\.frames).max() ?? 0
    let back = terms.filter { $0.frames == longest }.map { ways[$0.column][$0.row] }.min() ?? 0
    return longest + back
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

  /// The response of each line's number to each line, through all filters.
  func response(radius: Double, angle: Double) -> ComplexMatrix {
    var given = ComplexMatrix(rows: count, columns: lines.count)
    for (place, line) in lines.enumerated() {
      var powers = Powers(radius: radius, angle: angle)
      for term in line.terms {
        given[term.row, place] = given[term.row, place] + powers.next(term.frames - line.frames) * term.share
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
  func feedback(radius: Double, angle: Double) -> ComplexMatrix {
    var result = response(radius: radius, angle: angle)
    for (column, line) in lines.enumerated() {
      let power = Powers.power(line.frames, radius, angle)
      for row in lines.indices { result[row, column] = result[row, column] * power }
    }
    return result
  }

  private func determinant(of terms: [Term], _ radius: Double, _ angle: Double) -> Complex {
    var powers = Powers(radius: radius, angle: angle)
    guard count > 1 else { return terms.reduce(.one) { $0 - powers.next($1.frames) * $1.share } }
    return terms.isEmpty ? .one : rest(of: terms, radius, angle).determinant()
  }

  /// 1 - B for some of the terms.
  private func rest(of terms: [Term], _ radius: Double, _ angle: Double) -> ComplexMatrix {
    var result = ComplexMatrix(rows: count, columns: count)
    for place in 0..<count { result[place, place] = .one }
    var powers = Powers(radius: radius, angle: angle)
    for term in terms {
      result[term.row, term.column] = result[term.row, term.column] - powers.next(term.frames) * term.share
    }
    return result
  }
}

/// Powers of a number, of which each is mostly the next one.
private struct Powers {
  let radius: Double
  let angle: Double
  private let base: Complex
  private var exponent = 0
  private var power = Complex.one

  init(radius: Double, angle: Double) {
    (self.radius, self.angle) = (radius, angle)
    base = Complex(radius: radius, angle: angle)
  }

  mutating func next(_ exponent: Int) -> Complex {
    switch exponent - self.exponent {
    case 0: break
    case 1: power = power * base
    default: power = Self.power(exponent, radius, angle)
    }
    self.exponent = exponent
    return power
  }

  static func power(_ exponent: Int, _ radius: Double, _ angle: Double) -> Complex {
    Complex(radius: pow(radius, Double(exponent)), angle: angle * Double(exponent))
  }
}
