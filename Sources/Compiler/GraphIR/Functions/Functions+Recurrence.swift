// SPDX-License-Identifier: Apache-2.0

/// Recurrent layers; formulas, layouts and order of gates are those of PyTorch's `nn.RNN`, `nn.LSTM` and `nn.GRU`.
extension Function {
  static let recurrence: [Function] = [
    recurrent(
      "rnn", [.choice("activation", ["tanh", "relu"])],
      "a plain recurrent layer: h = tanh(weight x + bias + recurrent h₁ + recurrentBias), or relu of it; weight [units, in], "
        + "recurrent [units, units], h₁ is h of a frame earlier, zero before the start, or initial [units]"
    ) { (graph, call) throws(TypingError) in
      let layer = try RecurrentLayer("rnn", gates: 1, call, in: graph)
      let state = layer.state(in: &graph)
      let sum = try layer.taken(in: &graph) + layer.fed(layer.past(state, in: &graph), in: &graph)
      let h = call.choice("activation") == "relu" ? Formula.max(sum, 0) : Formula(.unary(.tanh), sum)
      return try graph.closing(state, try h.value(in: &graph))
    },
    recurrent(
      "gru", [.choice("reset", ["after", "before"])],
      "a gated recurrent unit: weight [3 units, in] and recurrent [3 units, units] with the gates r, z, n in a row; "
        + "h = (1 - z) n + z h₁, n = tanh(W x + b + r (U h₁ + b')), or of U (r h₁) + b' where reset is before; "
        + "h begins with initial [units]"
    ) { (graph, call) throws(TypingError) in
      let layer = try RecurrentLayer("gru", gates: 3, call, in: graph)
      let state = layer.state(in: &graph)
      let past = try layer.past(state, in: &graph)
      let taken = try layer.taken(in: &graph)
      let resetsAfter = call.choice("reset") == "after"
      let fed = try layer.fed(past, gates: resetsAfter ? nil : 0..<2, in: &graph)
      func gate(_ index: Int) -> Formula {
        Formula(.unary(.sigmoid), layer.gate(index, of: taken) + layer.gate(index, of: fed))
      }
      let (reset, kept) = (gate(0), gate(1))
      let last =
        resetsAfter
        ? reset * layer.gate(2, of: fed) : try layer.fed(reset * past, gates: 2..<3, in: &graph)
      let fresh = Formula(.unary(.tanh), layer.gate(2, of: taken) + last)
      return try graph.closing(state, try (fresh + kept * (past - fresh)).value(in: &graph))
    },
    recurrent(
      "lstm", [.optionalValue("projection")], cell: [.optionalValue("initialCell")],
      last: [.choice("result", ["hidden", "both"]), .optionalValue("peepholes")],
      "a long short-term memory: weight [4 units, in] and recurrent [4 units, units] with the gates i, f, g, o in a row; "
        + "c = f c₁ + i g, h = o tanh(c); a projection [out, units] makes out channels of it, which recurrent takes then; "
        + "h begins with initial [units, or out], c with initialCell [units]; the result is h, or both, h and c in a row; "
        + "peepholes [3 units] add their products with c₁ to i and f, with c to o"
    ) { (graph, call) throws(TypingError) in
      let layer = try RecurrentLayer("lstm", gates: 4, call, in: graph)
      let (state, cell) = (layer.state(in: &graph), layer.state(ofUnits: true, in: &graph))
      let gates = try layer.taken(in: &graph) + layer.fed(layer.past(state, in: &graph), in: &graph)
      let earlier = try layer.past(cell, initial: "initialCell", in: &graph)
      func gate(_ index: Int, sees c: Formula, _ peephole: Int) throws(TypingError) -> Formula {
        let sum = layer.gate(index, of: gates)
        guard let weight = try layer.peephole(peephole, of: cell, in: &graph) else {
          return Formula(.unary(.sigmoid), sum)
        }
        return Formula(.unary(.sigmoid), sum + weight * c)
      }
      let fresh = Formula(.unary(.tanh), layer.gate(2, of: gates))
      let next = try gate(1, sees: earlier, 1) * earlier + gate(0, sees: earlier, 0) * fresh
      graph.bind(cell, to: try next.value(in: &graph))
      let h = try gate(3, sees: next, 2) * Formula(.unary(.tanh), next)
      let result = try graph.closing(state, try layer.projected(h, in: &graph))
      guard call.choice("result") == "both" else { return result }
      return try graph.apply(.concatenate(axis: layer.axis), [result, try next.value(in: &graph)])
    },
  ]

  private static func recurrent(
    _ name: String, _ further: [Slot], cell: [Slot] = [], last: [Slot] = [], _ meaning: String,
    _ build: @escaping Build
  ) -> Function {
    Function(
      name: name, group: .layers,
      slots: [
        .value("x"), .value("weight"), .value("recurrent"), .optionalValue("bias"),
        .optionalValue("recurrentBias"),
      ] + further + [.optionalValue("initial")] + cell + [
        .integer("axis", .integer(-1)), .choice("along", ["time", "positions"]),
        .choice("direction", ["forward", "backward"]),
      ] + last,
      meaning: meaning + "; along positions: a sequence that is the first axis of x, in a model of steps",
      build: build)
  }
}

extension GraphAssembler {
  /// Gives a state its next value, which is the result.
  fileprivate mutating func closing(_ state: ValueID, _ next: ValueID) throws(TypingError) -> ValueID {
    bind(state, to: next)
    return next
  }
}
