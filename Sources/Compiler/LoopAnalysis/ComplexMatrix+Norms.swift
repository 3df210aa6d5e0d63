// SPDX-License-Identifier: Apache-2.0

internal import Foundation

extension ComplexMatrix {
  /// How loud a way around can become at most by a square matrix behind which stand delays of any lengths: the largest
  /// singular value, made small by other units for the numbers.
  ///
  /// It bounds the structured singular value (Doyle 1982); the units are those that make each row as large as its
  /// column (Osborne 1960), for which a lossless matrix, whatever its units were, has a norm of 1.
  var loudestWay: Double {
    rows == 1 ? self[0, 0].magnitude : balanced.norm
  }

  /// The largest magnitude of an eigenvalue of a square matrix: of what is left of it after 2^20 times (Gelfand 1941).
  var spectralRadius: Double {
    var (power, logarithm) = (self, 0.0)
    for doubling in 0...20 {
      let size = power.numbers.reduce(0) { $0 + $1.squaredMagnitude }.squareRoot()
      guard size > 0, size.isFinite else { return size }
      logarithm += log(size) / Double(1 << doubling)
      power = power.scaled(by: 1 / size)
      power = power.times(power)
    }
    return exp(logarithm)
  }

  private func times(_ other: ComplexMatrix) -> ComplexMatrix {
    var result = ComplexMatrix(rows: rows, columns: other.columns)
    for row in 0..<rows {
      for column in 0..<other.columns {
        result[row, column] = (0..<columns).reduce(.zero) { $0 + self[row, $1] * other[$1, column] }
      }
    }
    return result
  }

  private var balanced: ComplexMatrix {
    var result = self
    for _ in 0..<50 {
      var change = 1.0
      for place in 0..<rows {
        var (row, column) = (0.0, 0.0)
        for other in 0..<rows where other != place {
          row += result[place, other].squaredMagnitude
          column += result[other, place].squaredMagnitude
        }
        guard row > 0, column > 0, row.isFinite, column.isFinite else { continue }
        let unit = (row / column).squareRoot().squareRoot()
        change = max(change, unit, 1 / unit)
        for other in 0..<rows where other != place {
          result[place, other] = result[place, other] * (1 / unit)
          result[other, place] = result[other, place] * unit
        }
      }
      if change < 1 + 1e-9 { break }
    }
    return result
  }

  /// The largest singular value, by iteration.
  private var norm: Double {
    // No vector that one would write is at right angles to this one.
    var vector = (0..<columns).map { Complex(radius: 1, angle: Double($0 * $0) + 0.3) }
    var result = 0.0
    for _ in 0..<100 {
      let image = times(vector)
      let back = adjointTimes(image)
      let length = back.reduce(0) { $0 + $1.squaredMagnitude }.squareRoot()
      guard length > 0, length.isFinite else { return length.squareRoot() }
      let squared = length / vector.reduce(0) { $0 + $1.squaredMagnitude }.squareRoot()
      vector = back.map { $0 * (1 / length) }
      if abs(squared - result) <= 1e-12 * squared { return squared.squareRoot() }
      result = squared
    }
    return result.squareRoot()
  }

  private func times(_ vector: [Complex]) -> [Complex] {
    (0..<rows).map { row in (0..<columns).reduce(.zero) { $0 + self[row, $1] * vector[$1] } }
  }

  /// By the rows as columns, conjugated.
  private func adjointTimes(_ vector: [Complex]) -> [Complex] {
    (0..<columns).map { column in
      (0..<rows).reduce(.zero) { sum, row in
        let number = self[row, column]
        return sum + Complex(number.real, -number.imaginary) * vector[row]
      }
    }
  }
}
