// SPDX-License-Identifier: Apache-2.0

/// The last fixed axes brought to other extents, position k of the result lying at (k + ½) · old / new - ½ of x.
extension Function {
  static let resize = Function(
    name: "resize", group: .shapes,
    slots: [.value("x"), .integers("shape"), .choice("interpolation", ["linear", "nearest"])],
    meaning:
      "the last fixed axes brought to these extents: between positions interpolated, or the nearest one; what lies beyond "
      + "an end is the end"
  ) { (graph, call) throws(TypingError) in
    let extents = call.integers("shape")
    var x = call.value("x")
    guard let shape = graph.shape(of: x) else { return graph.forward(nil) }
    guard !extents.isEmpty, extents.count <= shape.fixed.count,
      extents.allSatisfy((1...Limits.extent).contains)
    else {
      throw TypingError(
        "resize needs an extent from 1 on for some of the last of \(shape.fixed.count) fixed axes; these are \(extents)"
      )
    }
    for (index, extent) in extents.enumerated() {
      let axis = shape.fixed.count - extents.count + index
      x = try graph.resized(x, axis, to: extent, isLinear: call.choice("interpolation") == "linear")
    }
    return x
  }
}

extension GraphAssembler {
  fileprivate mutating func resized(
    _ x: ValueID, _ axis: Int, to extent: Int, isLinear: Bool
  ) throws(TypingError) -> ValueID {
    guard let own = shape(of: x)?.fixed[axis], own != extent else { return x }
    let places = (0..<extent).map { (Double($0) + 0.5) * Double(own) / Double(extent) - 0.5 }
    func array(_ name: String, _ numbers: [Double]) -> ValueID {
      let name = "\(own) to \(extent) positions, \(name)"
      return weights(named: name)
        ?? weights(Weights(name: name, shape: [extent], values: Numbers(numbers.map { Float($0) })))
    }
    guard isLinear else {
      return try apply(.gather(axis: axis), x, array("nearest", places.map { ($0 + 0.5).rounded(.down) }))
    }
    let kept = places.map { max(0, min(Double(own - 1), $0)) }
    let before = try apply(.gather(axis: axis), x, array("before", kept.map { $0.rounded(.down) }))
    let after = try apply(
      .gather(axis: axis), x, array("after", kept.map { min(Double(own - 1), $0.rounded(.down) + 1) }))
    let share = try along(axis, of: before, array("share", kept.map { $0 - $0.rounded(.down) }))
    return try (Formula(before) + Formula(share) * (Formula(after) - Formula(before))).value(in: &self)
  }
}
