// SPDX-License-Identifier: Apache-2.0

/// Normalisations of the channels of each frame (or step), as PyTorch has them: `nn.LayerNorm`, `nn.RMSNorm`,
/// `nn.GroupNorm`, and `nn.BatchNorm1d` as it is after training. Nothing is summed along the frames.
extension Function {
  static let normalization: [Function] = [
    Function(
      name: "layerNorm", group: .layers, slots: norm + [.number("epsilon", .number(1e-5))],
      meaning:
        "(x - mean) / sqrt(variance + epsilon) over a fixed axis, times a weight [channels], plus a bias [channels]"
    ) { (graph, call) throws(TypingError) in
      let axis = try graph.axis(call.integer("axis"), of: call.value("x"))
      let centred = try graph.centred(call.value("x"), axis)
      return try graph.scaled(try graph.sized(centred, axis, call), axis, call)
    },
    Function(
      name: "rmsNorm", group: .layers,
      slots: norm.filter { $0.name != "bias" } + [.number("epsilon", .number(0x1p-23))],
      meaning: "x / sqrt(mean of x² + epsilon) over a fixed axis, times a weight [channels]"
    ) { (graph, call) throws(TypingError) in
      let axis = try graph.axis(call.integer("axis"), of: call.value("x"))
      return try graph.scaled(try graph.sized(call.value("x"), axis, call), axis, call)
    },
    Function(
      name: "groupNorm", group: .layers,
      slots: [.value("x"), .integer("groups"), .optionalValue("weight"), .optionalValue("bias")]
        + [.integer("axis", .integer(0)), .number("epsilon", .number(1e-5))],
      meaning:
        "layerNorm over each of so many groups of channels, with all fixed axes behind the channels', times a weight "
        + "[channels], plus a bias [channels]"
    ) { (graph, call) throws(TypingError) in
      try graph.groupNorm(call)
    },
    Function(
      name: "batchNorm", group: .layers,
      slots: [
        .value("x"), .value("mean"), .value("variance"), .optionalValue("weight"), .optionalValue("bias"),
        .integer("axis", .integer(0)), .number("epsilon", .number(1e-5)),
      ],
      meaning:
        "(x - mean) / sqrt(variance + epsilon), times weight, plus bias, each [channels]: what was learnt of many "
        + "batches; one multiplication and one addition"
    ) { (graph, call) throws(TypingError) in
      let x = call.value("x")
      let axis = try graph.axis(call.integer("axis"), of: x)
      let size = Formula.sqrt(Formula(call.value("variance")) + Formula(call.number("epsilon")))
      let factor = (call.optionalValue("weight").map { Formula($0) } ?? 1) / size
      let moved = Formula(call.value("mean")) * factor
      let offset = (call.optionalValue("bias").map { Formula($0) } ?? 0) - moved
      let (scale, shift) = (try factor.value(in: &graph), try offset.value(in: &graph))
      let scaled = Formula(x) * Formula(try graph.along(axis, of: x, scale))
      return try (scaled + Formula(try graph.along(axis, of: x, shift))).value(in: &graph)
    },
  ]

  private static let norm: [Slot] = [
    .value("x"), .optionalValue("weight"), .optionalValue("bias"), .integer("axis", .integer(-1)),
  ]
}

extension GraphAssembler {
  /// The mean over an axis, which stays with one position.
  private mutating func mean(_ x: ValueID, _ axis: Int) throws(TypingError) -> ValueID {
    let sum = try keeping(axis, of: x, try apply(.sum(axis: axis), x))
    let count = shape(of: x).map { $0.fixed[axis] } ?? 1
    return try apply(.binary(.multiply), sum, literal(1 / Float(count)))
  }

  fileprivate mutating func centred(_ x: ValueID, _ axis: Int) throws(TypingError) -> ValueID {
    try apply(.binary(.subtract), x, try mean(x, axis))
  }

  /// The value, divided by the root of its mean square.
  fileprivate mutating func sized(
    _ x: ValueID, _ axis: Int, _ call: Call
  ) throws(TypingError) -> ValueID {
    let square = try mean(try apply(.binary(.multiply), x, x), axis)
    let size = Formula.sqrt(Formula(square) + Formula(call.number("epsilon")))
    return try (Formula(x) / size).value(in: &self)
  }

  /// The value times the call's weight, plus its bias, where there are any.
  fileprivate mutating func scaled(
    _ x: ValueID, _ axis: Int, _ call: Call
  ) throws(TypingError) -> ValueID {
    var result = x
    if let weight = call.optionalValue("weight") {
      result = try apply(.binary(.multiply), result, try along(axis, of: x, weight))
    }
    if let bias = call.optionalValue("bias") {
      result = try apply(.binary(.add), result, try along(axis, of: x, bias))
    }
    return result
  }

  /// An array of numbers for the positions of an axis, so that it broadcasts there; or one number for all of them.
  mutating func along(_ axis: Int, of x: ValueID, _ array: ValueID) throws(TypingError) -> ValueID {
    // Within a cycle the axis may be that of a shape which is not known yet.
    guard let shape = shape(of: x), shape.fixed.indices.contains(axis), let own = self.shape(of: array),
      !own.fixed.isEmpty
    else { return array }
    guard own.fixed.count == 1, [1, shape.fixed[axis]].contains(own.fixed[0]) else {
      throw TypingError(
        "what goes with axis \(axis) of \(shape) is one number for each position, [\(shape.fixed[axis])]; "
          + "this is \(own)")
    }
    guard axis < shape.fixed.count - 1 else { return array }
    return try apply(
      .reshape(own.fixed + [Int](repeating: 1, count: shape.fixed.count - 1 - axis)), array)
  }

  fileprivate mutating func groupNorm(_ call: Call) throws(TypingError) -> ValueID {
    let (x, groups) = (call.value("x"), call.integer("groups"))
    let axis = try self.axis(call.integer("axis"), of: x)
    guard let shape = shape(of: x) else { return try apply(.binary(.multiply), x, literal(1)) }
    guard groups > 0, shape.fixed[axis].isMultiple(of: groups) else {
      throw TypingError("groupNorm needs groups that divide \(shape.fixed[axis]) channels; \(groups) do not")
    }
    let behind = shape.fixed[axis...].reduce(1, *) / groups
    let apart = try apply(.reshape(shape.fixed[..<axis] + [groups, behind]), x)
    let normed = try sized(try centred(apart, axis + 1), axis + 1, call)
    return try scaled(try apply(.reshape(shape.fixed), normed), axis, call)
  }
}
