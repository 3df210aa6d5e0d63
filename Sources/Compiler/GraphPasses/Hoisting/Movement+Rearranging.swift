// SPDX-License-Identifier: Apache-2.0

package import GraphIR

extension Op.Movement {
  /// The elements of the operands, at their places in the result.
  ///
  /// - Parameters:
  ///   - zero: What stands where nothing is put.
  ///   - number: What an element is as an index; nil where that is not known.
  /// - Returns: nil where an index is not known.
  package func rearranged<Element>(
    _ operands: [Tensor<Element>], into extents: [Int], zero: Element, _ number: (Element) -> Double?
  ) -> Tensor<Element>? {
    let x = operands[0]
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
    case .window(let window):
      return x.gathered(extents, strides: window.strides(x.extents.rowMajorStrides))
    case .shift(let axis, let by):
      let (count, inner) = (extents[axis], extents[(axis + 1)...].reduce(1, *))
      return Tensor(
        extents,
        x.numbers.indices.map { place in
          let source = place / inner % count - by
          return (0..<count).contains(source) ? x.numbers[place - by * inner] : zero
        })
    case .gather(let axis):
      let index = operands[1].numbers.compactMap(number)
      return index.count == operands[1].numbers.count ? x.gathered(index, along: axis, extents) : nil
    }
  }
}
