// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A discrete Fourier transform along one fixed axis, in stages of few numbers each.
///
/// A length n = r · m is a transform of r numbers, factors, and transforms of the m that are left (Cooley and Tukey 1965):
///
///     x [r, m]  →  r numbers of each column  →  times w(k j / n)  →  transposed [m, r]  →  the same of the m, r at a time
///
/// so that what comes out lies in order (Stockham). The transform of r numbers is a matrix over both parts, which is what
/// the machine does best; a length that is prime is one matrix. n = 512 costs 8 + 16 + 10 products for each number that goes
/// in, where one matrix costs 514. Real numbers spare half of the first matrix, half a spectrum half of the last one.
///
/// It is composed of layers, products and movements: gradients, batches and everything else know them, and the adjoint of
/// a transform is the same stages backwards.
package struct FourierStages {
  /// Numbers of the transform.
  var size: Int
  var isInverse = false
  /// Whether what goes in, or comes out, has imaginary parts.
  var takesParts = true
  var makesParts = true
  /// Numbers that go in, the rest being zero, and those that are wanted.
  var taken, made: Int

  /// The extents of the stages, which multiply to the length: those that cost the least.
  static func stages(of size: Int) -> [Int] {
    var known: [Int: (cost: Int, stages: [Int])] = [:]
    func best(_ size: Int) -> (cost: Int, stages: [Int]) {
      if let result = known[size] { return result }
      var result = (cost: size, stages: [size])
      for radix in 2..<max(2, min(size, largestPrime + 1)) where size.isMultiple(of: radix) {
        let rest = best(size / radix)
        let cost = radix + stageCost + rest.cost
        // Where two cost the same the larger one goes first: later stages have as many numbers side by side.
        if cost <= result.cost { result = (cost, [radix] + rest.stages) }
      }
      known[size] = result
      return result
    }
    return best(size).stages
  }

  /// Whether a length can be transformed: its prime factors are matrices.
  package static func isPossible(_ size: Int) -> Bool {
    (1...Limits.extent).contains(size) && stages(of: size).allSatisfy { $0 <= largestPrime }
  }

  /// A stage by itself, in products of a number.
  private static let stageCost = 10
  /// The largest prime factor of a length.
  package static let largestPrime = 2048
}

extension GraphAssembler {
  /// The transform of an axis with what is before and behind it.
  ///
  ///     x [before, parts, taken, behind]  →  [before, parts, made, behind]
  mutating func transformed(
    _ x: ValueID, _ transform: FourierStages, before: Int, behind: Int
  ) throws(TypingError) -> ValueID {
    let (size, stages) = (transform.size, FourierStages.stages(of: transform.size))
    var (x, rest, done) = (x, size, 1)
    for (index, radix) in stages.enumerated() {
      let (isFirst, isLast) = (index == 0, index == stages.count - 1)
      let columns = rest / radix
      var matrix = FourierMatrix(size: radix, isInverse: transform.isInverse)
      if isFirst {
        matrix.takesParts = transform.takesParts
        matrix.taken = (transform.taken + columns - 1) / columns
        let missing = matrix.taken * columns - transform.taken
        if missing > 0 { x = try apply(.pad(axis: 2, before: 0, after: missing), x) }
      }
      if isLast {
        matrix.makesParts = transform.makesParts
        matrix.made = (transform.made + done - 1) / done
        if transform.isInverse { matrix.divisor = size }
      }
      let rows = [before, matrix.parts.taken * matrix.taken, columns * done * behind]
      x = try apply(
        .dense(axis: 1), try apply(.reshape(rows), x), array(matrix.name, matrix.shape, matrix.numbers))
      guard !isLast else { break }
      x = try turned(x, radix, columns, done, before: before, behind: behind, isInverse: transform.isInverse)
      (rest, done) = (columns, done * radix)
    }
    let (parts, made) = (transform.makesParts ? 2 : 1, (transform.made + done - 1) / done * done)
    x = try apply(.reshape([before, parts, made, behind]), x)
    return made == transform.made
      ? x : try apply(.slice(axis: 2, start: 0, count: transform.made), x)
  }

  /// Numbers of a stage times w(row · column / n), where n = rows · columns, and transposed.
  ///
  ///     x [before, 2 · rows, columns · done · behind]  →  [before, 2, columns, rows, done · behind]
  private mutating func turned(
    _ x: ValueID, _ rows: Int, _ columns: Int, _ done: Int, before: Int, behind: Int, isInverse: Bool
  ) throws(TypingError) -> ValueID {
    let inner = done * behind
    let extents = [before, 2, rows, columns] + (inner > 1 ? [inner] : [])
    let apart = try apply(.reshape(extents), x)
    func factors(_ name: String, _ function: (Double) -> Double) -> ValueID {
      let sign = isInverse ? 2 * Double.pi : -2 * Double.pi
      let numbers = (0..<rows).flatMap { row in
        (0..<columns).map { function(sign * Double(row * $0) / Double(rows * columns)) }
      }
      return array(
        "\(name) of \(rows) by \(columns)\(isInverse ? ", inverse" : "")",
        [rows, columns] + (inner > 1 ? [1] : []), numbers)
    }
    let (cosines, sines) = (Formula(factors("cosines", cos)), Formula(factors("sines", sin)))
    let real = Formula(.slice(axis: 1, start: 0, count: 1), Formula(apart))
    let imaginary = Formula(.slice(axis: 1, start: 1, count: 1), Formula(apart))
    let order = [0, 1, 3, 2] + (inner > 1 ? [4] : [])
    let both = Formula(
      .concatenate(axis: 1), Formula(.transpose(order), real * cosines - imaginary * sines),
      Formula(.transpose(order), real * sines + imaginary * cosines))
    return try both.value(in: &self)
  }

  /// An array that is the same wherever it has this name.
  mutating func array(_ name: String, _ shape: [Int], _ numbers: @autoclosure () -> [Double]) -> ValueID {
    weights(named: name)
      ?? weights(Weights(name: name, shape: shape, values: Numbers(numbers().map { Float($0) })))
  }
}

/// The matrix of a transform of few numbers: `[parts · made, parts · taken]`, real parts first.
private struct FourierMatrix {
  let size: Int
  let isInverse: Bool
  var (takesParts, makesParts) = (true, true)
  var taken, made: Int
  var divisor = 1

  init(size: Int, isInverse: Bool) {
    (self.size, self.isInverse, taken, made) = (size, isInverse, size, size)
  }

  var parts: (taken: Int, made: Int) { (takesParts ? 2 : 1, makesParts ? 2 : 1) }
  var shape: [Int] { [parts.made * made, parts.taken * taken] }

  var name: String {
    let words = [takesParts ? "complex" : "real", makesParts ? "complex" : "real"]
    return
      "transform of \(size)\(isInverse ? ", inverse, divided by \(divisor)" : ""), \(taken) \(words[0]) to \(made) "
      + words[1]
  }

  var numbers: [Double] {
    var numbers: [Double] = []
    numbers.reserveCapacity(shape[0] * shape[1])
    for (toPart, to) in (0..<parts.made).flatMap({ part in (0..<made).map { (part, $0) } }) {
      for (fromPart, from) in (0..<parts.taken).flatMap({ part in (0..<taken).map { (part, $0) } }) {
        let angle = (isInverse ? 2 : -2) * Double.pi * Double(to * from % size) / Double(size)
        let number = toPart == fromPart ? cos(angle) : toPart == 0 ? -sin(angle) : sin(angle)
        numbers.append(number / Double(divisor))
      }
    }
    return numbers
  }
}
