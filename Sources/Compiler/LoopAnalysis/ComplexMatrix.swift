// SPDX-License-Identifier: Apache-2.0

/// Rows of complex numbers.
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
}
