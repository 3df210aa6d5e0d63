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
    case .slice, .concatenate, .reshape, .transpose, .pad, .broadcast:
      return rearranged(operands, into: extents, zero: 0)
    // With a rounding each time, as native code does.
    case .sum(let axis):
      return x.map { $0.reduced(along: axis, extents, from: 0) { ($0 + $1.flushed).flushed } }
    case .maximum(let axis):
      return x.map {
        $0.reduced(along: axis, extents, from: -.infinity) { Swift.max($0, $1.flushed).flushed }
      }
    }
  }
}

private func elementwise(
  _ operands: [Constant], _ extents: [Int], _ function: ([Double]) -> Double
) -> Constant {
  Constant(elementwise: operands, extents) { Float(function($0.map { Double($0.flushed) })).flushed }
}

extension Float {
  /// The number, or a zero with its sign in place of a denormal.
  var flushed: Float { isSubnormal ? Float(signOf: self, magnitudeOf: 0) : self }
}
