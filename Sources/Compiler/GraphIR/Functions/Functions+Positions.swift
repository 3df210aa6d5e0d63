// SPDX-License-Identifier: Apache-2.0

/// Numbers that are positions: classes, words, indices.
extension Function {
  static let positions: [Function] = [
    Function(
      name: "argmax", group: .reductions, slots: [.value("x"), .integer("axis", .integer(-1))],
      meaning: "the first position of the largest number over a fixed axis, which goes"
    ) { (graph, call) throws(TypingError) in
      let x = call.value("x")
      let axis = try graph.axis(call.integer("axis"), of: x)
      guard let shape = graph.shape(of: x) else { return graph.forward(nil) }
      let count = shape.fixed[axis]
      let largest = try graph.keeping(axis, of: x, try graph.apply(.maximum(axis: axis), x))
      // The largest of what counts down is the first.
      let places = try graph.along(axis, of: x, try graph.positions(count))
      let downwards = Formula(Double(count - 1)) - Formula(places)
      let isThere = Formula(.binary(.equal), Formula(x), Formula(largest))
      let found = Formula(.maximum(axis: axis), .select(isThere, downwards, 0))
      return try (Formula(Double(count - 1)) - found).value(in: &graph)
    },
    Function(
      name: "oneHot", group: .shapes, slots: [.value("x"), .integer("count")],
      meaning:
        "1 at the position that x, rounded down, says of a further last axis of so many, 0 at the others"
    ) { (graph, call) throws(TypingError) in
      let (x, count) = (call.value("x"), call.integer("count"))
      guard (1...Limits.extent).contains(count) else {
        throw TypingError("oneHot needs a count from 1 to \(Limits.extent); it is \(count)")
      }
      guard let shape = graph.shape(of: x) else { return graph.forward(nil) }
      let apart = Formula(.reshape(shape.fixed + [1]), Formula(.unary(.floor), Formula(x)))
      return try Formula(.binary(.equal), apart, Formula(try graph.positions(count))).value(in: &graph)
    },
    Function(
      name: "embedding", group: .layers, slots: [.value("x"), .value("weight")],
      meaning:
        "the rows of a weight [count, channels] that x says, rounded down and kept within them; a further last axis"
    ) { (graph, call) throws(TypingError) in
      try graph.apply(.gather(axis: 0), call.value("weight"), call.value("x"))
    },
  ]
}

extension GraphAssembler {
  /// The numbers from 0 on.
  package mutating func positions(_ count: Int) throws(TypingError) -> ValueID {
    guard count <= Limits.extent else {
      throw TypingError("there would be \(count) positions; \(Limits.extent) are the most")
    }
    let name = "0 to \(count - 1)"
    return weights(named: name)
      ?? weights(Weights(name: name, shape: [count], values: Numbers((0..<count).map { Float($0) })))
  }
}
