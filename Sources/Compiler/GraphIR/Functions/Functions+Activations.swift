// SPDX-License-Identifier: Apache-2.0

extension Function {
  static let activations: [Function] = [
    unary(.sigmoid, .activations, "1 / (1 + exp(-x))"),
    composed("relu", "max(x, 0)") { (graph, x, call) throws(TypingError) in
      let zero = graph.literal(0)
      return try graph.apply(.binary(.max), x, zero)
    },
    composed("leakyRelu", "x where x > 0, else slope * x", [.number("slope", .number(0.01))]) {
      (graph, x, call) throws(TypingError) in
      let (zero, slope) = (graph.literal(0), graph.literal(Float(call.number("slope"))))
      let positive = try graph.apply(.binary(.greater), x, zero)
      return try graph.apply(.select, positive, x, try graph.apply(.binary(.multiply), x, slope))
    },
    composed("elu", "x where x > 0, else alpha * (exp(x) - 1)", [.number("alpha", .number(1))]) {
      (graph, x, call) throws(TypingError) in
      let (zero, one) = (graph.literal(0), graph.literal(1))
      let alpha = graph.literal(Float(call.number("alpha")))
      let positive = try graph.apply(.binary(.greater), x, zero)
      let grown = try graph.apply(.unary(.exp), try graph.apply(.binary(.min), x, zero))
      let below = try graph.apply(.binary(.multiply), try graph.apply(.binary(.subtract), grown, one), alpha)
      return try graph.apply(.select, positive, x, below)
    },
    composed("softplus", "log(1 + exp(x)), computed as max(x, 0) + log(1 + exp(-abs(x)))") {
      (graph, x, call) throws(TypingError) in
      let (zero, one) = (graph.literal(0), graph.literal(1))
      let magnitude = try graph.apply(.unary(.abs), x)
      let decayed = try graph.apply(.unary(.exp), try graph.apply(.unary(.negate), magnitude))
      let correction = try graph.apply(.unary(.log), try graph.apply(.binary(.add), decayed, one))
      return try graph.apply(.binary(.add), try graph.apply(.binary(.max), x, zero), correction)
    },
    composed("softsign", "x / (1 + abs(x))") { (graph, x, call) throws(TypingError) in
      let one = graph.literal(1)
      let magnitude = try graph.apply(.unary(.abs), x)
      return try graph.apply(.binary(.divide), x, try graph.apply(.binary(.add), magnitude, one))
    },
    composed("hardTanh", "clamp(x, -1, 1)") { (graph, x, call) throws(TypingError) in
      let (low, high) = (graph.literal(-1), graph.literal(1))
      return try graph.clamp(x, low, high)
    },
    composed("gelu", "x / 2 * (1 + erf(x / sqrt(2))) (Hendrycks and Gimpel 2016)") {
      (graph, x, call) throws(TypingError) in
      let (one, half, scale) = (graph.literal(1), graph.literal(0.5), graph.literal(Float(0.5).squareRoot()))
      let error = try graph.apply(.unary(.erf), try graph.apply(.binary(.multiply), x, scale))
      let gate = try graph.apply(.binary(.multiply), try graph.apply(.binary(.add), error, one), half)
      return try graph.apply(.binary(.multiply), x, gate)
    },
    composed("silu", "x * sigmoid(x)") { (graph, x, call) throws(TypingError) in
      try graph.apply(.binary(.multiply), x, try graph.apply(.unary(.sigmoid), x))
    },
  ]

  private static func composed(
    _ name: String, _ meaning: String, _ attributes: [Slot] = [],
    _ build: @escaping @Sendable (inout GraphAssembler, ValueID, Call) throws(TypingError) -> ValueID
  ) -> Function {
    Function(name: name, group: .activations, slots: [.value("x")] + attributes, meaning: meaning) {
      (graph, call) throws(TypingError) in try build(&graph, call.value("x"), call)
    }
  }
}
