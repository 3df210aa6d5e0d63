// SPDX-License-Identifier: Apache-2.0

/// How near voices are to each person's usual one, as cosines between voices that are whitened: what changes while one
/// person speaks is as far in each direction then, and what is left are people.
///
///     voice [n] ─▶ whitening · voice, at length 1 ─▶ · centres ─▶ nearness [people]
///
/// The whitening is within-class covariance normalisation (Hatch, Kajarekar, Stolcke: Within-class covariance
/// normalization for SVM-based speaker recognition, 2006). Of so few windows the covariance is shrunk towards one of
/// equal variances, by 0.8.
package struct Nearness {
  /// [n, n]
  package let whitening: [[Float]]
  /// The mean of each person's whitened voices, at length 1: [people, n]
  package let centres: [[Float]]
  /// How near to a person's centre a voice has to be to be that one's: at most 1.6 times as far as that one's own
  /// windows are on average from those of other recordings. (Neither the centre nor the whitening knows the windows that
  /// are judged, or they would be nearer than any that come later.)
  package let bounds: [Double]

  private static let farthest = 1.6
  /// Parts of a person's recordings, of which each is held out.
  private static let mostParts = 4

  /// - Parameter people: the windows of the recordings of each one, or of anybody else.
  package init(_ people: [(recordings: [[[Float]]], isOne: Bool)]) {
    let count = people[0].recordings[0][0].count
    let moments = people.map { person in Moments(person.recordings.flatMap { $0 }, count) }
    let ones = people.indices.filter { people[$0].isOne }
    func estimate(_ person: Int? = nil, without part: Moments? = nil) -> Whitening {
      Whitening(ones.map { $0 == person ? moments[$0].without(part!) : moments[$0] }, count)
    }
    let whole = estimate()
    whitening = whole.rows
    centres = people.map { person in
      whole.centre(of: person.recordings.flatMap { $0 }).map { Float($0) }
    }
    bounds = people.indices.map { index in
      guard people[index].isOne else { return -1 }
      let parts = Self.parts(people[index].recordings)
      var (sum, windows) = (0.0, 0)
      for (place, part) in parts.enumerated() {
        let rest = estimate(index, without: Moments(part, count))
        let centre = rest.centre(of: parts.indices.filter { $0 != place }.flatMap { parts[$0] })
        for voice in part { sum += zip(rest.apply(voice), centre).reduce(0) { $0 + $1.0 * $1.1 } }
        windows += part.count
      }
      return 1 - Self.farthest * (1 - sum / Double(windows))
    }
  }

  /// Recordings in a few parts; a single one is cut, whose parts are nearer to each other.
  private static func parts(_ recordings: [[[Float]]]) -> [[[Float]]] {
    guard recordings.count > 1 else {
      let (windows, parts) = (recordings[0], min(mostParts, recordings[0].count))
      return (0..<parts).map { part in
        Array(windows[windows.count * part / parts..<windows.count * (part + 1) / parts])
      }
    }
    let count = min(mostParts, recordings.count)
    return (0..<count).map { part in
      stride(from: part, to: recordings.count, by: count).flatMap { recordings[$0] }
    }
  }
}

/// Sums over voices, of which means and covariances are made.
private struct Moments {
  private(set) var count = 0.0
  private var sum: [Double]
  /// Of products, row by row; only those up to the diagonal are used.
  private var products: [Double]

  init(_ voices: [[Float]], _ size: Int) {
    sum = Array(repeating: 0, count: size)
    products = Array(repeating: 0, count: size * size)
    for voice in voices {
      count += 1
      for row in 0..<size {
        let number = Double(voice[row])
        sum[row] += number
        for column in 0...row { products[row * size + column] += number * Double(voice[column]) }
      }
    }
  }

  /// The sums over the others.
  func without(_ part: Moments) -> Moments {
    var rest = self
    rest.count -= part.count
    for index in sum.indices { rest.sum[index] -= part.sum[index] }
    for index in products.indices { rest.products[index] -= part.products[index] }
    return rest
  }

  /// Adds products of what is beside the mean.
  func addScatter(to scatter: inout [Double]) {
    let size = sum.count
    guard count > 0 else { return }
    for row in 0..<size {
      for column in 0...row {
        scatter[row * size + column] += products[row * size + column] - sum[row] * sum[column] / count
      }
    }
  }
}

/// A matrix that makes what changes within classes as large in each direction: the inverse of a Cholesky factor of their
/// covariance.
private struct Whitening {
  /// The factor, a lower triangle, row by row.
  private var factor: [Double]
  private let size: Int

  private static let shrinkage = 0.8

  init(_ classes: [Moments], _ size: Int) {
    self.size = size
    factor = Array(repeating: 0, count: size * size)
    for own in classes { own.addScatter(to: &factor) }
    let power = (0..<size).reduce(0) { $0 + factor[$1 * size + $1] } / Double(size)
    // Numbers that never change are as good as any.
    let equal = max(power, 1e-12) * Self.shrinkage
    for row in 0..<size {
      for column in 0...row {
        var rest = (1 - Self.shrinkage) * factor[row * size + column] + (row == column ? equal : 0)
        for before in 0..<column { rest -= factor[row * size + before] * factor[column * size + before] }
        let diagonal = factor[column * size + column]
        factor[row * size + column] = row == column ? rest.squareRoot() : rest / diagonal
      }
    }
  }

  /// The matrix.
  var rows: [[Float]] {
    var rows = Array(repeating: [Float](repeating: 0, count: size), count: size)
    for column in 0..<size {
      let unit = (0..<size).map { $0 == column ? 1.0 : 0 }
      for (row, number) in solved(unit).enumerated() { rows[row][column] = Float(number) }
    }
    return rows
  }

  /// A voice, whitened, at length 1.
  func apply(_ voice: [Float]) -> [Double] { Self.unit(solved(voice.map { Double($0) })) }

  /// The mean of voices, at length 1.
  func centre(of voices: [[Float]]) -> [Double] {
    var sum = [Double](repeating: 0, count: size)
    for voice in voices { for (index, number) in apply(voice).enumerated() { sum[index] += number } }
    return Self.unit(sum)
  }

  private func solved(_ numbers: [Double]) -> [Double] {
    var result = numbers
    for row in 0..<size {
      for column in 0..<row { result[row] -= factor[row * size + column] * result[column] }
      result[row] /= factor[row * size + row]
    }
    return result
  }

  private static func unit(_ numbers: [Double]) -> [Double] {
    let length = numbers.reduce(0) { $0 + $1 * $1 }.squareRoot()
    return numbers.map { $0 / max(length, 1e-12) }
  }
}
