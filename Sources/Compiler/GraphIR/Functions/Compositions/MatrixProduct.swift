// SPDX-License-Identifier: Apache-2.0

extension Function {
  static let matmul = Function(
    name: "matmul", group: .layers, slots: [.value("x"), .value("y"), .integer("ways", .integer(1))],
    meaning:
      "the product of matrices [batch…, m, k] and [batch…, k, n], both computed; the axes before are broadcast; an x or y of "
      + "one axis is a row, or a column, and that axis goes; ways: as of sum"
  ) { (graph, call) throws(TypingError) in
    try graph.matrixProduct(call.value("x"), call.value("y"), ways: call.integer("ways"))
  }

  static let contraction = Function(
    name: "contraction", group: .layers, slots: [.value("x"), .value("y"), .integer("ways", .integer(1))],
    meaning:
      "the sums over k of x [batch…, m, k] times y [batch…, n, k], which make [batch…, m, n]: rows of x by rows of y; the "
      + "axes before are broadcast; ways: as of sum"
  ) { (graph, call) throws(TypingError) in
    try graph.apply(.contraction(ways: call.integer("ways")), call.value("x"), call.value("y"))
  }
}

extension GraphAssembler {
  /// The product of two matrices, as NumPy's `matmul` means it.
  package mutating func matrixProduct(
    _ x: ValueID, _ y: ValueID, ways: Int = 1
  ) throws(TypingError) -> ValueID {
    guard let left = shape(of: x), let right = shape(of: y) else { return forward(nil) }
    guard !left.fixed.isEmpty, !right.fixed.isEmpty else {
      throw TypingError("matmul needs fixed axes on both sides; these are \(left) and \(right)")
    }
    let inner = right.fixed.count == 1 ? right.fixed[0] : right.fixed[right.fixed.count - 2]
    guard left.fixed.last == inner else {
      throw TypingError(
        "matmul of \(left) and \(right): the last axis of x has \(left.fixed.last!), that of y before its last \(inner)"
      )
    }
    // Rows of y are what contraction wants: a column is one already.
    let rows = left.fixed.count == 1 ? try apply(.reshape([1, inner]), x) : x
    let columns: ValueID
    if right.fixed.count == 1 {
      columns = try apply(.reshape([1, inner]), y)
    } else {
      let last = right.fixed.count - 1
      columns = try apply(.transpose(Array(0..<last - 1) + [last, last - 1]), y)
    }
    let product = try apply(.contraction(ways: ways), rows, columns)
    guard left.fixed.count == 1 || right.fixed.count == 1, var fixed = shape(of: product)?.fixed else {
      return product
    }
    if right.fixed.count == 1 { fixed.removeLast() }
    if left.fixed.count == 1 { fixed.remove(at: fixed.count - (right.fixed.count == 1 ? 1 : 2)) }
    return try apply(.reshape(fixed), product)
  }
}
