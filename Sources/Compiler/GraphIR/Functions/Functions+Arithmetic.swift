// SPDX-License-Identifier: Apache-2.0

extension Function {
  static let arithmetic: [Function] = [
    binary(.add, .arithmetic, "the sum"),
    binary(.subtract, .arithmetic, "the difference"),
    binary(.multiply, .arithmetic, "the product"),
    binary(.divide, .arithmetic, "the quotient; x / 0 as IEEE 754 says"),
    binary(.modulo, .arithmetic, "x - y * floor(x / y), with the sign of y; x % 0 is not a number"),
    binary(.less, .arithmetic, "1 where x < y, else 0"),
    binary(.lessOrEqual, .arithmetic, "1 where x <= y, else 0"),
    binary(.greater, .arithmetic, "1 where x > y, else 0"),
    binary(.greaterOrEqual, .arithmetic, "1 where x >= y, else 0"),
    binary(.equal, .arithmetic, "1 where x == y, else 0"),
    binary(.notEqual, .arithmetic, "1 where x != y, else 0"),
    unary(.negate, .arithmetic, "-x, the sign turned"),
    binary(.min, .arithmetic, "the smaller one; the other one where one is not a number"),
    binary(.max, .arithmetic, "the larger one; the other one where one is not a number"),
    Function(
      name: "clamp", group: .arithmetic, slots: [.value("x"), .value("minimum"), .value("maximum")],
      meaning: "x, but at least minimum and at most maximum"
    ) { (graph, call) throws(TypingError) in
      try graph.clamp(call.value("x"), call.value("minimum"), call.value("maximum"))
    },
    Function(
      name: "limit", group: .arithmetic, slots: [.value("x"), .value("level")],
      meaning:
        "x, but at least -level and at most level, and 0 where it is not a number: in a loop it keeps what grows within "
        + "bounds; a level that moves to 0 or below makes silence"
    ) { (graph, call) throws(TypingError) in
      let x = call.value("x")
      var level = call.value("level")
      if let number = graph.number(of: level) {
        guard number > 0 else { throw TypingError("limit needs a level above 0; it is \(written(number))") }
      } else {
        // Below 0, or where it is not a number, it would let something through.
        level = try graph.apply(.binary(.max), level, graph.literal(0))
      }
      let within = try graph.clamp(x, try graph.apply(.unary(.negate), level), level)
      return try graph.apply(.select, try graph.apply(.binary(.equal), x, x), within, graph.literal(0))
    },
    unary(.abs, .arithmetic, "the magnitude of x"),
    unary(.sign, .arithmetic, "1, -1, or ±0 as x is"),
    unary(.floor, .arithmetic, "the largest integer that is not above x"),
    unary(.ceil, .arithmetic, "the smallest integer that is not below x"),
    unary(.round, .arithmetic, "the nearest integer, halves to even"),
    unary(.truncate, .arithmetic, "x without its fraction"),
    Function(
      name: "reciprocal", group: .arithmetic, slots: [.value("x")], meaning: "1 / x"
    ) { (graph, call) throws(TypingError) in
      try (1 / Formula(call.value("x"))).value(in: &graph)
    },
    operation(
      "select", .select, .arithmetic, "a where the condition is not 0, else b", ["condition", "a", "b"]),
    operation("fma", .fma, .arithmetic, "a * b + c, rounded once where the machine can", ["a", "b", "c"]),
  ]

  static func unary(_ op: UnaryOp, _ group: Group, _ meaning: String) -> Function {
    operation(op.rawValue, .unary(op), group, meaning, ["x"])
  }

  static func binary(
    _ op: BinaryOp, _ group: Group, _ meaning: String, _ operands: [String] = ["x", "y"]
  ) -> Function {
    operation(op.rawValue, .binary(op), group, meaning, operands)
  }

  /// A function that is an op without attributes.
  static func operation(
    _ name: String, _ op: Op, _ group: Group, _ meaning: String, _ operands: [String]
  ) -> Function {
    Function(name: name, group: group, slots: operands.map { .value($0) }, meaning: meaning) {
      (graph, call) throws(TypingError) in try graph.apply(op, operands.map(call.value))
    }
  }
}

extension GraphAssembler {
  package mutating func clamp(
    _ x: ValueID, _ minimum: ValueID, _ maximum: ValueID
  ) throws(TypingError) -> ValueID {
    try apply(.binary(.min), try apply(.binary(.max), x, minimum), maximum)
  }
}
