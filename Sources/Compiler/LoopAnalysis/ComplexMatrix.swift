// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A matrix of complex numbers, row-major.
struct ComplexMatrix {
  let rows: Int
  let columns: Int
  private(set) var numbers: [Complex]

  init(rows: Int, columns: Int) {
    (self.rows, self.columns) = (rows, columns)
    numbers = [Complex](repeating: .zero, count: rows * columns)
  }

  subscript(row: Int, column: Int) -> Complex {
    get { numbers[row * columns + column] }
    set { numbers[row * columns + column] = newValue }
  }

  func scaled(by factor: Double) -> ComplexMatrix {
    var result = self
    result.numbers = numbers.map { $0 * factor }
    return result
  }

  /// The determinant of a square matrix.
  consuming func determinant() -> Complex {
    var nothing = ComplexMatrix(rows: rows, columns: 0)
    return eliminate(with: &nothing)
  }

  /// det(1 - scale self) of a square matrix.
  func determinantOfRest(scale: Double) -> Complex {
    var rest = self
    for row in 0..<rows {
      for column in 0..<columns {
        rest[row, column] = (row == column ? .one : .zero) - self[row, column] * scale
      }
    }
    return rest.determinant()
  }

  /// The x with self x = right, for a square matrix; nothing finite where there is none.
  consuming func solved(for right: consuming ComplexMatrix) -> ComplexMatrix {
    var result = right
    _ = eliminate(with: &result)
    for row in (0..<rows).reversed() {
      for column in 0..<result.columns {
        var sum = result[row, column]
        for later in row + 1..<rows { sum = sum - self[row, later] * result[later, column] }
        result[row, column] = sum / self[row, row]
      }
    }
    return result
  }

  /// Makes everything below the diagonal zero, the largest number of a column first, does the same to other rows, and
  /// returns the determinant.
  private mutating func eliminate(with right: inout ComplexMatrix) -> Complex {
    var result = Complex.one
    for column in 0..<columns {
      let largest = (column..<rows).max {
        self[$0, column].squaredMagnitude < self[$1, column].squaredMagnitude
      }
      if let largest, largest != column {
        swap(column, largest)
        right.swap(column, largest)
        result = result * -1
      }
      let pivot = self[column, column]
      result = result * pivot
      guard pivot != .zero else { return .zero }
      for row in column + 1..<rows where self[row, column] != .zero {
        let factor = self[row, column] / pivot
        for place in column..<columns { self[row, place] = self[row, place] - factor * self[column, place] }
        for place in 0..<right.columns {
          right[row, place] = right[row, place] - factor * right[column, place]
        }
      }
    }
    return result
  }

  private mutating func swap(_ a: Int, _ b: Int) {
    for column in 0..<columns { numbers.swapAt(a * columns + column, b * columns + column) }
  }

  /// An upper bound of the gain around a loop of a square matrix and delays of any lengths: the largest singular value,
  /// minimised by scaling.
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
