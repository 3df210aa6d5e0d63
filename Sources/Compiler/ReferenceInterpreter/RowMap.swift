// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// The source of each row of a result: data movement and broadcasting as tables.
///
/// A row is one position of the fixed axes, counted row-major; frames are the business of others.
enum RowMap {
  /// The row of `operand` that each row of `result` reads, aligned at the last fixed axis, 1 stretched.
  static func broadcast(_ operand: [Int], to result: [Int]) -> [Int] {
    let offset = result.count - operand.count
    let strides = operand.rowMajorStrides
    return positions(of: result).map { position in
      operand.indices.reduce(0) { row, axis in
        operand[axis] == 1 ? row : row + position[axis + offset] * strides[axis]
      }
    }
  }

  static func slice(_ operand: [Int], axis: Int, start: Int, count: Int) -> [Int] {
    var result = operand
    result[axis] = count
    let strides = operand.rowMajorStrides
    return positions(of: result).map { $0.dot(strides) + start * strides[axis] }
  }

  static func transpose(_ operand: [Int], order: [Int]) -> [Int] {
    let strides = operand.rowMajorStrides
    let moved = order.map { strides[$0] }
    return positions(of: order.map { operand[$0] }).map { $0.dot(moved) }
  }

  static func window(_ operand: [Int], _ window: Window, to result: [Int]) -> [Int] {
    let strides = window.strides(operand.rowMajorStrides)
    return positions(of: result).map { $0.dot(strides) }
  }

  /// The row of the operand, or -1 where a zero stands.
  static func shift(_ operand: [Int], axis: Int, by: Int) -> [Int] {
    let strides = operand.rowMajorStrides
    return positions(of: operand).map { position in
      (0..<operand[axis]).contains(position[axis] - by) ? position.dot(strides) - by * strides[axis] : -1
    }
  }

  /// The row of the operand, or -1 where a zero stands.
  static func pad(_ operand: [Int], axis: Int, before: Int, after: Int) -> [Int] {
    var result = operand
    result[axis] += before + after
    let strides = operand.rowMajorStrides
    return positions(of: result).map { position in
      let source = position[axis] - before
      guard (0..<operand[axis]).contains(source) else { return -1 }
      return position.dot(strides) - before * strides[axis]
    }
  }

  /// For each row of the result, that of x at position 0 of the axis, and that of the index.
  static func picked(_ x: [Int], _ index: [Int], axis: Int) -> [(x: Int, index: Int)] {
    let inner = x[(axis + 1)...].reduce(1, *)
    let indices = index.reduce(1, *)
    return (0..<x[..<axis].reduce(1, *)).flatMap { outer in
      (0..<indices).flatMap { row in
        (0..<inner).map { (x: outer * x[axis] * inner + $0, index: row) }
      }
    }
  }

  /// For each row of a contraction's result, the first ones of x and of y that it is made of.
  static func contracted(_ x: [Int], _ y: [Int], to result: [Int]) -> [(x: Int, y: Int)] {
    let batch = Array(result.dropLast(2))
    let firsts = [x, y].map { broadcast(Array($0.dropLast(2)), to: batch) }
    let (m, n, k) = (x[x.count - 2], y[y.count - 2], x[x.count - 1])
    return zip(firsts[0], firsts[1]).flatMap { left, right in
      (0..<m).flatMap { row in (0..<n).map { (x: (left * m + row) * k, y: (right * n + $0) * k) } }
    }
  }

  /// The operand and its row that each row of the concatenation reads.
  static func concatenate(_ operands: [[Int]], axis: Int) -> [(operand: Int, row: Int)] {
    var result = operands[0]
    result[axis] = operands.reduce(0) { $0 + $1[axis] }
    let sources = operands.indices.flatMap { operand in
      (0..<operands[operand][axis]).map { (operand: operand, position: $0) }
    }
    let strides = operands.map(\.rowMajorStrides)
    return positions(of: result).map { position in
      let source = sources[position[axis]]
      var within = position
      within[axis] = source.position
      return (source.operand, within.dot(strides[source.operand]))
    }
  }

  /// All positions of a shape, the last axis running fastest.
  private static func positions(of shape: [Int]) -> [[Int]] {
    var positions: [[Int]] = [[]]
    for extent in shape {
      positions = positions.flatMap { position in (0..<extent).map { position + [$0] } }
    }
    return positions
  }
}

extension [Int] {
  fileprivate func dot(_ other: [Int]) -> Int { indices.reduce(0) { $0 + self[$1] * other[$1] } }
}
