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
      let below = (Formula.exp(.min(x, 0)) - 1) * Formula(call.number("alpha"))
      // A value that is not a number is not below 0, and stays.
      return .select(Formula(.binary(.lessOrEqual), x, 0), below, x)
    },
    composed(.activations, "softplus", "log(1 + exp(x)), computed as max(x, 0) + log(1 + exp(-abs(x)))") {
      (x, _) in
      let decayed = Formula.exp(Formula(.unary(.negate), .abs(x)))
      return .max(x, 0) + Formula(.unary(.log), decayed + 1)
    },
    composed(.activations, "softsign", "x / (1 + abs(x))") { (x, _) in x / (Formula.abs(x) + 1) },
    composed(.activations, "hardTanh", "clamp(x, -1, 1)") { (x, _) in .min(.max(x, -1), 1) },
    composed(.activations, "gelu", "x / 2 * (1 + erf(x / sqrt(2))) (Hendrycks and Gimpel 2016)") { (x, _) in
      x * ((Formula(.unary(.erf), x * Formula(0.5.squareRoot())) + 1) * 0.5)
    },
    composed(.activations, "silu", "x * sigmoid(x)") { (x, _) in x * Formula(.unary(.sigmoid), x) },
  ]

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
