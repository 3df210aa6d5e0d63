// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// Movements: numbers flow back to where they came from, and are added up where several came from one.
extension Adjoint {
  mutating func moved(_ movement: Op.Movement, _ wanted: [Bool]) throws(TypingError) -> [ValueID?] {
    let c = cotangent
    switch movement {
    case .slice(let axis, let start, let count):
      let after = operandShape(0)[axis] - start - count
      return [try padded(c, axis, before: start, after: after)]
    case .concatenate(let axis):
      var (start, flows) = (0, [ValueID?]())
      for operand in node.operands.indices {
        let count = operandShape(operand)[axis]
        flows.append(wanted[operand] ? try sliced(c, axis, start, count) : nil)
        start += count
      }
      return flows
    case .reshape:
      return [try reshaped(c, operandShape(0))]
    case .transpose(let order):
      var inverse = order
      for (axis, source) in order.enumerated() { inverse[source] = axis }
      return [try transposed(c, inverse)]
    case .pad(let axis, let before, _):
      return [try sliced(c, axis, before, operandShape(0)[axis])]
    case .broadcast:
      return [try folded(c, to: operandShape(0))]
    case .gather(let axis):
      return [try scattered(axis), nil]
    case .window(let window):
      return [try overlapped(window)]
    case .shift(let axis, let by):
      return [try assembler.apply(.shift(axis: axis, by: -by), c)]
    }
  }

  /// Rows are added up at the positions where they were read: a product with a matrix of ones and zeros.
  ///
  ///     x [pre…, n, post…], index [i…]      cotangent [pre…, i…, post…]   →   [pre · post, i]  ×  [n, i]
  private mutating func scattered(_ axis: Int) throws(TypingError) -> ValueID {
    let (shape, indices) = (operandShape(0), operandShape(1))
    let (n, count) = (shape[axis], indices.reduce(1, *))
    let (pre, post) = (shape[..<axis].reduce(1, *), shape[(axis + 1)...].reduce(1, *))
    guard n * count <= Limits.elements else {
      throw TypingError(
        "the gradient of gather takes a matrix of \(n) x \(count) numbers; \(Limits.elements) are the most")
    }
    // An index that is no number counts as 0, which is what max makes of it.
    let index = Formula.min(
      .max(Formula(.unary(.floor), Formula(try reshaped(node.operands[1], [1, count]))), 0),
      Formula(Double(n - 1)))
    let positions = try reshaped(try assembler.positions(n), [n, 1])
    let matrix = try Formula(.binary(.equal), index, Formula(positions)).value(in: &assembler)
    let rows = try transposed(try reshaped(cotangent, [pre, count, post]), [0, 2, 1])
    let sums = try assembler.apply(.contraction(), reshaped(rows, [pre * post, count]), matrix)
    return try reshaped(transposed(reshaped(sums, [pre, post, n]), [0, 2, 1]), shape)
  }

  /// Stretches are laid over each other: hop by hop where their numbers lie side by side, else number by number.
  private mutating func overlapped(_ window: Window) throws(TypingError) -> ValueID {
    let (axis, hop) = (window.axis, window.hop)
    let extent = operandShape(0)[axis]
    let isDense = window.dilation == 1
    // So many numbers of each stretch are laid down at a time.
    let piece = isDense ? hop : 1
    let rounds = (window.size + piece - 1) / piece
    guard rounds <= Self.mostRounds else {
      throw TypingError(
        "the gradient of a window of \(window.size) numbers lays \(rounds) pieces over each other; \(Self.mostRounds) "
          + "are the most: a longer hop makes fewer")
    }
    let whole = try padded(cotangent, axis + 1, before: 0, after: rounds * piece - window.size)
    var result: ValueID?
    for round in 0..<rounds {
      let part = try sliced(whole, axis + 1, round * piece, piece)
      let laid = try spread(part, axis, hop, joining: true)
      let start = round * piece * window.dilation
      let kept = try sliced(laid, axis, 0, min(fixed(laid)[axis], extent - start))
      let placed = try padded(kept, axis, before: start, after: extent - start - fixed(kept)[axis])
      result =
        try result.map { other throws(TypingError) in try assembler.apply(.binary(.add), other, placed) }
        ?? placed
    }
    return result!
  }

  private static var mostRounds: Int { 1024 }

  /// The positions of an axis a step apart, with zeros between them and behind the last one.
  ///
  /// - Parameter joining: whether the axis behind it holds the first numbers of what lies between.
  mutating func spread(
    _ value: ValueID, _ axis: Int, _ step: Int, joining: Bool = false
  ) throws(TypingError) -> ValueID {
    var apart = fixed(value)
    if !joining {
      guard step > 1 else { return value }
      apart.insert(1, at: axis + 1)
    }
    let wide = try padded(
      reshaped(value, apart), axis + 1, before: 0, after: step - apart[axis + 1])
    apart.replaceSubrange(axis...(axis + 1), with: [apart[axis] * step])
    return try reshaped(wide, apart)
  }
}
