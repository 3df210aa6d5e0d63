// SPDX-License-Identifier: Apache-2.0

package import GraphIR

extension Op {
  /// The result of an op that puts elements elsewhere and computes nothing; nil for any other.
  ///
  /// - Parameter zero: What stands where nothing is put.
  package func rearranged<Element>(
    _ operands: [Tensor<Element>], into extents: [Int], zero: Element
  ) -> Tensor<Element>? {
    guard let x = operands.first else { return nil }
    switch self {
    case .slice(let axis, let start, let count):
      return x.part(Region(x.extents.map { 0..<$0 }).with(axis, start..<start + count))
    case .concatenate(let axis):
      return Tensor(joining: operands, along: axis, extents)
    case .reshape:
      return Tensor(extents, x.numbers)
    case .transpose(let order):
      return x.gathered(extents, strides: order.map { x.extents.rowMajorStrides[$0] })
    case .pad(let axis, let before, let after):
      func zeros(_ count: Int) -> Tensor<Element> {
        var extents = x.extents
        extents[axis] = count
        return Tensor(extents, filledWith: zero)
      }
      return Tensor(joining: [zeros(before), x, zeros(after)], along: axis, extents)
    case .broadcast:
      return x.stretched(to: extents)
    case .input, .parameter, .literal, .weights, .unary, .binary, .select, .fma: return nil
    case .sum, .maximum, .dense, .convolution, .delay, .tap, .lookahead, .control, .phasor, .noise: return nil
    }
  }
}
