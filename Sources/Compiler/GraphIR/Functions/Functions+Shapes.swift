// SPDX-License-Identifier: Apache-2.0

extension Function {
  static let shapes: [Function] = [
    Function(
      name: "slice", group: .shapes,
      slots: [.value("x"), .integer("axis"), .integer("start"), .integer("count", .integer(1))],
      meaning: "the positions start ..< start + count of a fixed axis"
    ) { (graph, call) throws(TypingError) in
      let x = call.value("x")
      let axis = try graph.axis(call.integer("axis"), of: x)
      return try graph.apply(
        .slice(axis: axis, start: call.integer("start"), count: call.integer("count")), x)
    },
    Function(
      name: "concatenate", group: .shapes, slots: [.values("parts"), .integer("axis", .integer(0))],
      meaning: "the parts one after the other along a fixed axis; one without fixed axes is one channel"
    ) { (graph, call) throws(TypingError) in
      let given = call.values("parts")
      guard given.count <= Limits.nodes else {
        throw TypingError("concatenate takes at most \(Limits.nodes) parts; these are \(given.count)")
      }
      let parts = try given.map { part throws(TypingError) in
        let isSingle = graph.shape(of: part).map(\.fixed.isEmpty) ?? false
        return isSingle ? try graph.apply(.reshape([1]), part) : part
      }
      guard let first = parts.first else { throw TypingError("concatenate needs at least one part") }
      return try graph.apply(.concatenate(axis: try graph.axis(call.integer("axis"), of: first)), parts)
    },
    Function(
      name: "reshape", group: .shapes, slots: [.value("x"), .integers("shape")],
      meaning: "the same numbers, row-major, under other fixed extents; frames stay"
    ) { (graph, call) throws(TypingError) in
      try graph.apply(.reshape(call.integers("shape")), call.value("x"))
    },
    Function(
      name: "transpose", group: .shapes, slots: [.value("x"), .integers("order", .absent)],
      meaning: "fixed axis i becomes what was axis order[i]; without an order, all reversed"
    ) { (graph, call) throws(TypingError) in
      let x = call.value("x")
      let reversed = Array((0..<(graph.shape(of: x)?.fixed.count ?? 0)).reversed())
      return try graph.apply(.transpose(call.optionalIntegers("order") ?? reversed), x)
    },
    Function(
      name: "pad", group: .shapes,
      slots: [
        .value("x"), .integer("axis"), .integer("before", .integer(0)), .integer("after", .integer(0)),
      ],
      meaning: "zeros before and after along a fixed axis"
    ) { (graph, call) throws(TypingError) in
      let x = call.value("x")
      let axis = try graph.axis(call.integer("axis"), of: x)
      return try graph.apply(
        .pad(axis: axis, before: call.integer("before"), after: call.integer("after")), x)
    },
    Function(
      name: "broadcast", group: .shapes, slots: [.value("x"), .integers("shape")],
      meaning: "x stretched to these fixed extents; frames stay"
    ) { (graph, call) throws(TypingError) in
      try graph.apply(.broadcast(call.integers("shape")), call.value("x"))
    },
    Function(
      name: "gather", group: .shapes, slots: [.value("x"), .value("index"), .integer("axis", .integer(0))],
      meaning:
        "the positions of a fixed axis of x that the index says, rounded down and kept within the axis; in place of the "
        + "axis stand those of the index"
    ) { (graph, call) throws(TypingError) in
      let x = call.value("x")
      let axis = try graph.axis(call.integer("axis"), of: x)
      return try graph.apply(.gather(axis: axis), x, call.value("index"))
    },
    lookup, resize, runningSum,
    Function(
      name: "shifted", group: .shapes,
      slots: [.value("x"), .integer("axis", .integer(0)), .integer("by", .integer(1))],
      meaning:
        "x of so many positions before along a fixed axis, zero before the first; of later ones where by is negative; in a "
        + "model of steps it may close a cycle along the first axis"
    ) { (graph, call) throws(TypingError) in
      let x = call.value("x")
      return try graph.apply(
        .shift(axis: try graph.axis(call.integer("axis"), of: x), by: call.integer("by")), x)
    },
    Function(
      name: "windows", group: .shapes,
      slots: [
        .value("x"), .integer("axis", .integer(-1)), .integer("size"), .integer("hop", .integer(1)),
        .integer("dilation", .integer(1)),
      ],
      meaning:
        "stretches of size numbers along a fixed axis, hop apart, their numbers dilation apart; [n] becomes [positions, "
        + "size]"
    ) { (graph, call) throws(TypingError) in
      let x = call.value("x")
      let window = Window(
        axis: try graph.axis(call.integer("axis"), of: x), size: call.integer("size"),
        hop: call.integer("hop"),
        dilation: call.integer("dilation"))
      return try graph.apply(.window(window), x)
    },
  ]

  static let reductions: [Function] = [
    reduction(
      "sum", [.integer("ways", .integer(1))],
      "the sum over the axes, which go; all fixed axes without any named; ways: partial sums by turns, up to 16, which wait "
        + "less for each other"
    ) { (graph, call, axes) throws(TypingError) in
      let ways = call.integer("ways")
      return try graph.reduce(call.value("x"), axes) { .sum(axis: $0, ways: ways) }
    },
    reduction("mean", [], "the sum over the axes divided by their number of positions") {
      (graph, call, axes) throws(TypingError) in
      let x = call.value("x")
      let count = axes.reduce(1) { $0 * (graph.shape(of: x)?.fixed[$1] ?? 1) }
      let divisor = graph.literal(Float(count))
      return try graph.apply(.binary(.divide), try graph.reduce(x, axes) { .sum(axis: $0) }, divisor)
    },
    reduction("maximum", [], "the largest over the axes, which go; not-a-numbers are passed over") {
      (graph, call, axes) throws(TypingError) in
      try graph.reduce(call.value("x"), axes) { .maximum(axis: $0) }
    },
    Function(
      name: "softmax", group: .reductions, slots: [.value("x"), .integer("axis", .integer(-1))],
      meaning: "exp(x - maximum(x)) divided by its sum over a fixed axis"
    ) { (graph, call) throws(TypingError) in
      let x = call.value("x")
      let axis = try graph.axis(call.integer("axis"), of: x)
      let largest = try graph.keeping(axis, of: x, try graph.apply(.maximum(axis: axis), x))
      let grown = try graph.apply(.unary(.exp), try graph.apply(.binary(.subtract), x, largest))
      let total = try graph.keeping(axis, of: x, try graph.apply(.sum(axis: axis), grown))
      return try graph.apply(.binary(.divide), grown, total)
    },
  ]

  private static func reduction(
    _ name: String, _ further: [Slot], _ meaning: String,
    _ build: @escaping @Sendable (inout GraphAssembler, Call, [Int]) throws(TypingError) -> ValueID
  ) -> Function {
    Function(
      name: name, group: .reductions, slots: [.value("x"), .integers("axis", .absent)] + further,
      meaning: meaning
    ) { (graph, call) throws(TypingError) in
      let x = call.value("x")
      guard let shape = graph.shape(of: x) else { return try build(&graph, call, []) }
      var axes: [Int] = []
      for axis in call.optionalIntegers("axis") ?? Array(shape.fixed.indices) {
        let axis = try graph.axis(axis, of: x)
        guard !axes.contains(axis) else { throw TypingError("axis \(axis) is named twice") }
        axes.append(axis)
      }
      return try build(&graph, call, axes)
    }
  }
}

extension GraphAssembler {
  /// The fixed axis that a number from an expression names: negative ones count from the last fixed axis.
  package func axis(_ number: Int, of x: ValueID) throws(TypingError) -> Int {
    guard let shape = shape(of: x) else { return max(0, number) }
    let axis = number < 0 ? number + shape.fixed.count : number
    guard shape.fixed.indices.contains(axis) else {
      if shape.frames != nil, number == shape.fixed.count || shape.fixed.isEmpty && number == -1 {
        let remedy = shape.fixed.isEmpty ? "; reshape(…, [1]) gives it one" : ""
        throw TypingError(
          "axis \(number) of \(shape) is the frames; this works along fixed axes only\(remedy)")
      }
      let axes = shape.fixed.count == 1 ? "1 fixed axis" : "\(shape.fixed.count) fixed axes"
      throw TypingError("\(shape) has \(axes); there is no fixed axis \(number)")
    }
    return axis
  }

  fileprivate mutating func reduce(
    _ x: ValueID, _ axes: [Int], _ op: (Int) -> Op
  ) throws(TypingError) -> ValueID {
    var result = x
    for axis in axes.sorted(by: >) { result = try apply(op(axis), result) }
    return result
  }

  /// A reduced value with the reduced axis put back, one position long.
  mutating func keeping(
    _ axis: Int, of x: ValueID, _ reduced: ValueID
  ) throws(TypingError) -> ValueID {
    guard let shape = shape(of: x) else { return reduced }
    return try apply(.reshape(shape.with(axis, 1).fixed), reduced)
  }
}
