// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

extension Op {
  /// The result for constants, or nil where the op is not worked out ahead of time.
  func evaluate(_ operands: [Constant], into extents: [Int]) -> Constant? {
    let x = operands.first
    switch self {
    case .input, .parameter, .literal, .weights, .dense, .convolution, .delay, .tap, .lookahead, .control,
      .phasor, .noise:
      return nil
    case .unary(let op):
      return elementwise(operands, extents) { op.evaluate($0[0]) }
    case .binary(let op):
      return elementwise(operands, extents) { op.evaluate($0[0], $0[1]) }
    case .select:
      return elementwise(operands, extents) { $0[0] != 0 ? $0[1] : $0[2] }
    case .fma:
      return elementwise(operands, extents) { $0[2].addingProduct($0[0], $0[1]) }
    case .slice(let axis, let start, let count):
      return x.map { $0.part(Region($0.extents.map { 0..<$0 }).with(axis, start..<start + count)) }
    case .concatenate(let axis):
      return joined(operands, along: axis, extents)
    case .reshape:
      return x.map { Constant(extents, $0.numbers) }
    case .transpose(let order):
      return x.map { x in x.gathered(extents, strides: order.map { x.extents.rowMajorStrides[$0] }) }
    case .pad(let axis, let before, let after):
      return x.map { x in
        func zeros(_ count: Int) -> Constant {
          var extents = x.extents
          extents[axis] = count
          return Constant(extents, Array(repeating: 0, count: extents.reduce(1, *)))
        }
        return joined([zeros(before), x, zeros(after)], along: axis, extents)
      }
    case .broadcast:
      return x?.stretched(to: extents)
    case .sum(let axis):
      return x.map { reduced($0, along: axis, extents, from: 0) { $0 + $1 } }
    case .maximum(let axis):
      return x.map { reduced($0, along: axis, extents, from: -.infinity) { Swift.max($0, $1) } }
    }
  }
}

private func elementwise(
  _ operands: [Constant], _ extents: [Int], _ function: ([Double]) -> Double
) -> Constant {
  let stretched = operands.map { $0.stretched(to: extents).numbers }
  return Constant(
    extents,
    stretched[0].indices.map { place in
      Float(function(stretched.map { Double($0[place].flushed) })).flushed
    })
}

private func joined(_ parts: [Constant], along axis: Int, _ extents: [Int]) -> Constant {
  let outer = extents[..<axis].reduce(1, *)
  var result = Constant(extents, [])
  result.numbers.reserveCapacity(extents.reduce(1, *))
  for row in 0..<outer {
    for part in parts {
      let length = part.numbers.count / outer
      result.numbers += part.numbers[row * length..<(row + 1) * length]
    }
  }
  return result
}

/// Combines along an axis in the order of its positions, with a rounding each time, as native code does.
private func reduced(
  _ x: Constant, along axis: Int, _ extents: [Int], from first: Float, _ combine: (Float, Float) -> Float
) -> Constant {
  let strides = x.extents.rowMajorStrides
  var outer = strides
  let stride = outer.remove(at: axis)
  var result = Constant(extents, Array(repeating: first, count: extents.reduce(1, *)))
  for position in 0..<x.extents[axis] {
    let row = x.gathered(extents, from: position * stride, strides: outer)
    for place in row.numbers.indices {
      result.numbers[place] = combine(result.numbers[place], row.numbers[place].flushed).flushed
    }
  }
  return result
}

extension Float {
  /// The number, or a zero with its sign in place of a denormal.
  var flushed: Float { isSubnormal ? Float(signOf: self, magnitudeOf: 0) : self }
}
