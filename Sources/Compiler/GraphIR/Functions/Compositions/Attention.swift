// SPDX-License-Identifier: Apache-2.0

/// Attention (Vaswani et al. 2017): each query gathers the values whose keys are like it.
///
///     q [batch…, n, heads · d]     softmax(q kᵀ / √d + mask) v, head by head
///     k [batch…, m, heads · d]
///     v [batch…, m, heads · e]     →   [batch…, n, heads · e]
extension Function {
  static let attention = Function(
    name: "attention", group: .layers,
    slots: [
      .value("q"), .value("k"), .value("v"), .optionalValue("mask"), .integer("heads", .integer(1)),
      .choice("sees", ["all", "past"]), .number("scale", .absent),
    ],
    meaning:
      "softmax(q kᵀ · scale + mask) v of queries [batch…, n, heads · d], keys [batch…, m, heads · d] and values [batch…, m, "
      + "heads · e], head by head; scale: without one, 1 / √d; sees: all positions, or those of the past and its own"
  ) { (graph, call) throws(TypingError) in
    try graph.attention(call)
  }
}

extension GraphAssembler {
  fileprivate mutating func attention(_ call: Call) throws(TypingError) -> ValueID {
    let heads = call.integer("heads")
    var parts: [ValueID] = []
    for name in ["q", "k", "v"] {
      guard let part = try apart(call.value(name), name, heads) else { return forward(nil) }
      parts.append(part)
    }
    let width = shape(of: parts[0])?.fixed.last ?? 1
    let scale = call.optionalNumber("scale") ?? 1 / Double(width).squareRoot()
    let queries = try apply(.binary(.multiply), parts[0], literal(Float(scale)))
    // Keys by queries: so the sums over keys have their results side by side.
    var scores = try apply(.contraction(), parts[1], queries)
    if let mask = call.optionalValue("mask") {
      scores = try apply(.binary(.add), scores, try exchanged(mask))
    }
    if call.choice("sees") == "past" { scores = try maskingFuture(scores) }
    let weights = try self.call(
      Function.byName["softmax"]!, Call(["x": .value(scores), "axis": .integer(-2)]))
    let mixed = try apply(.contraction(), try exchanged(weights), try exchanged(parts[2]))
    guard let fixed = shape(of: mixed)?.fixed else { return mixed }
    let rank = fixed.count
    let order = Array(0..<rank - 3) + [rank - 2, rank - 3, rank - 1]
    return try apply(
      .reshape(fixed.dropLast(3) + [fixed[rank - 2], heads * fixed[rank - 1]]),
      try apply(.transpose(order), mixed))
  }

  /// `[batch…, n, heads · d]` as `[batch…, heads, n, d]`; nil where the shape is not known yet.
  private mutating func apart(
    _ value: ValueID, _ name: String, _ heads: Int
  ) throws(TypingError) -> ValueID? {
    guard let shape = shape(of: value) else { return nil }
    let rank = shape.fixed.count
    guard rank >= 2, heads >= 1, shape.fixed[rank - 1].isMultiple(of: heads) else {
      throw TypingError(
        "attention with \(heads) heads needs \(name) as [batch…, positions, channels] with channels that they divide; it is \(shape)"
      )
    }
    let split = try apply(.reshape(shape.fixed.dropLast() + [heads, shape.fixed[rank - 1] / heads]), value)
    return try apply(.transpose(Array(0..<rank - 2) + [rank - 1, rank - 2, rank]), split)
  }

  /// A value with its last two axes exchanged; one of fewer axes as it is broadcast there.
  private mutating func exchanged(_ value: ValueID) throws(TypingError) -> ValueID {
    guard let fixed = shape(of: value)?.fixed, !fixed.isEmpty else { return value }
    guard fixed.count > 1 else { return try apply(.reshape([fixed[0], 1]), value) }
    return try apply(.transpose(Array(0..<fixed.count - 2) + [fixed.count - 1, fixed.count - 2]), value)
  }

  /// Scores `[…, m, n]`, lowered where a key comes after its query.
  private mutating func maskingFuture(_ scores: ValueID) throws(TypingError) -> ValueID {
    guard let fixed = shape(of: scores)?.fixed else { return scores }
    let (keys, queries) = (fixed[fixed.count - 2], fixed[fixed.count - 1])
    let key = Formula(.reshape([keys, 1]), Formula(try positions(keys)))
    return try Formula.select(
      Formula(.binary(.lessOrEqual), key, Formula(try positions(queries))), Formula(scores),
      Formula(-Double(Float.greatestFiniteMagnitude))
    ).value(in: &self)
  }
}
