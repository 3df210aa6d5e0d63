// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

extension Op {
  /// The result for constants, or nil where the op is not worked out ahead of time.
  func evaluate(_ operands: [Constant], into extents: [Int]) -> Constant? {
    let x = operands.first
    switch kind {
    case .given, .layer, .time, .source:
      return nil
    case .elementwise(let function):
      return Constant(elementwise: operands, extents) {
        Float(function.evaluate($0.map { Double($0.flushed) })).flushed
      }
    case .movement(let movement):
      return movement.rearranged(operands, into: extents, zero: 0) { Double($0) }
    // With a rounding each time, as native code does.
    case .reduction(.sum, let axis):
      return x.map { $0.reduced(along: axis, extents, from: 0) { ($0 + $1.flushed).flushed } }
    case .reduction(.maximum, let axis):
      return x.map {
        $0.reduced(along: axis, extents, from: -.infinity) { Swift.max($0, $1.flushed).flushed }
      }
    }
  }
}

extension Float {
  /// The number, or a zero with its sign in place of a denormal.
  var flushed: Float { isSubnormal ? Float(signOf: self, magnitudeOf: 0) : self }
}
