// SPDX-License-Identifier: Apache-2.0

extension Function {
  static let activations: [Function] = [
    unary(.sigmoid, .activations, "1 / (1 + exp(-x))"),
    composed(.activations, "relu", "max(x, 0)") { (x, _) in .max(x, 0) },
    composed(.activations, "leakyRelu", "x where x > 0, else slope * x", [.number("slope", .number(0.01))]) {
      (x, call) in
      .select(Formula(.binary(.greater), x, 0), x, x * Formula(call.number("slope")))
    },
    composed(.activations, "elu", "x where x > 0, else alpha * (exp(x) - 1)", [.number("alpha", .number(1))])
    { (x, call) in
      // At 0 the second operand gets the slope, here and in those below: it is that of the exponential.
      let below = (Formula.exp(.min(0, x)) - 1) * Formula(call.number("alpha"))
      // A value that is not a number is not below 0, and stays.
      return .select(Formula(.binary(.lessOrEqual), x, 0), below, x)
    },
    composed(
      .activations, "celu", "x where x > 0, else alpha * (exp(x / alpha) - 1)", [.number("alpha", .number(1))]
    ) {
      (x, call) in
      let alpha = call.number("alpha")
      let below = (Formula.exp(.min(0, x) * Formula(1 / alpha)) - 1) * Formula(alpha)
      return .select(Formula(.binary(.lessOrEqual), x, 0), below, x)
    },
    composed(
      .activations, "selu",
      "1.0507 x where x > 0, else 1.0507 * 1.6733 * (exp(x) - 1) (Klambauer et al. 2017)"
    ) { (x, _) in
      let (scale, alpha) = (1.0507009873554804934193349852946, 1.6732632423543772848170429916717)
      let below = (Formula.exp(.min(0, x)) - 1) * Formula(scale * alpha)
      return .select(Formula(.binary(.lessOrEqual), x, 0), below, x * Formula(scale))
    },
    Function(
      name: "prelu", group: .activations,
      slots: [.value("x"), .value("slope"), .integer("axis", .integer(0))],
      meaning: "x where x > 0, else slope * x; slopes [channels] are those of a fixed axis"
    ) { (graph, call) throws(TypingError) in
      let x = call.value("x")
      var slope = call.value("slope")
      if let shape = graph.shape(of: slope), !shape.fixed.isEmpty, shape.fixed != [1] {
        slope = try graph.along(try graph.axis(call.integer("axis"), of: x), of: x, slope)
      }
      let result = Formula.select(
        Formula(.binary(.greater), Formula(x), 0), Formula(x), Formula(slope) * Formula(x))
      return try result.value(in: &graph)
    },
    composed(.activations, "softplus", "log(1 + exp(x)), computed as max(x, 0) + log(1 + exp(-abs(x)))") {
      (x, _) in .softplus(x)
    },
    composed(.activations, "softsign", "x / (1 + abs(x))") { (x, _) in x / (Formula.abs(x) + 1) },
    composed(.activations, "hardTanh", "clamp(x, -1, 1)") { (x, _) in .min(.max(x, -1), 1) },
    composed(.activations, "hardSigmoid", "clamp(x / 6 + 0.5, 0, 1)") { (x, _) in hardSigmoid(x) },
    composed(.activations, "hardSwish", "x * clamp(x / 6 + 0.5, 0, 1)") { (x, _) in x * hardSigmoid(x) },
    composed(.activations, "mish", "x * tanh(softplus(x)) (Misra 2019)") { (x, _) in
      x * Formula(.unary(.tanh), .softplus(x))
    },
    Function(
      name: "gated", group: .activations, slots: [.value("x"), .integer("axis", .integer(0))],
      meaning:
        "tanh of the first half of a fixed axis, times sigmoid of the second half (van den Oord et al. 2016)"
    ) { (graph, call) throws(TypingError) in
      let x = call.value("x")
      let axis = try graph.axis(call.integer("axis"), of: x)
      let count = graph.shape(of: x)?.fixed[axis] ?? 2
      guard count.isMultiple(of: 2) else {
        throw TypingError("gated needs an even number of channels; axis \(axis) has \(count)")
      }
      func half(_ index: Int, _ op: UnaryOp) -> Formula {
        Formula(
          .unary(op), Formula(.slice(axis: axis, start: index * count / 2, count: count / 2), Formula(x)))
      }
      return try (half(0, .tanh) * half(1, .sigmoid)).value(in: &graph)
    },
    composed(.activations, "gelu", "x / 2 * (1 + erf(x / sqrt(2))) (Hendrycks and Gimpel 2016)") { (x, _) in
      x * ((Formula(.unary(.erf), x * Formula(0.5.squareRoot())) + 1) * 0.5)
    },
    composed(.activations, "silu", "x * sigmoid(x)") { (x, _) in x * Formula(.unary(.sigmoid), x) },
  ]

  private static func hardSigmoid(_ x: Formula) -> Formula { .min(.max(x * Formula(1.0 / 6) + 0.5, 0), 1) }

  /// A function of one value that is a formula.
  static func composed(
    _ group: Group, _ name: String, _ meaning: String, _ attributes: [Slot] = [], of operand: String = "x",
    _ formula: @escaping @Sendable (Formula, Call) -> Formula
  ) -> Function {
    Function(name: name, group: group, slots: [.value(operand)] + attributes, meaning: meaning) {
      (graph, call) throws(TypingError) in try formula(Formula(call.value(operand)), call).value(in: &graph)
    }
  }
}
