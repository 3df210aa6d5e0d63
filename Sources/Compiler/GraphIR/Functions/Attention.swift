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
    let names = ["q", "k", "v"]
    var parts: [ValueID] = []
    var width = 1
    for name in names {
      let value = call.value(name)
      guard let shape = shape(of: value) else { return forward(nil) }
      let rank = shape.fixed.count
      guard rank >= 2, heads >= 1, shape.fixed[rank - 1].isMultiple(of: heads) else {
        throw TypingError(
          "attention with \(heads) heads needs \(name) as [batch…, positions, channels] with channels that they divide; it is \(shape)"
        )
      }
      let own = shape.fixed[rank - 1] / heads
      if name == "q" { width = own }
      let apart = try apply(.reshape(shape.fixed.dropLast() + [heads, own]), value)
      // Heads go before the positions; values lie with their positions last.
      let order =
        Array(0..<rank - 2) + (name == "v" ? [rank - 1, rank, rank - 2] : [rank - 1, rank - 2, rank])
      parts.append(try apply(.transpose(order), apart))
    }
    let scale = call.optionalNumber("scale") ?? 1 / Double(width).squareRoot()
    let scaled = try apply(.binary(.multiply), parts[0], literal(Float(scale)))
    var scores = try apply(.contraction(), scaled, parts[1])
    if let mask = call.optionalValue("mask") { scores = try apply(.binary(.add), scores, mask) }
    if call.choice("sees") == "past" { scores = try maskingFuture(scores) }
    let weights = try self.call(
      Function.byName["softmax"]!, Call(["x": .value(scores), "axis": .integer(-1)]))
    let mixed = try apply(.contraction(), weights, parts[2])
    guard let fixed = shape(of: mixed)?.fixed else { return mixed }
    let rank = fixed.count
    let order = Array(0..<rank - 3) + [rank - 2, rank - 3, rank - 1]
    return try apply(
      .reshape(fixed.dropLast(3) + [fixed[rank - 2], heads * fixed[rank - 1]]),
      try apply(.transpose(order), mixed))
  }

  /// Scores `[…, n, m]`, lowered where a key comes after its query.
  private mutating func maskingFuture(_ scores: ValueID) throws(TypingError) -> ValueID {
    guard let fixed = shape(of: scores)?.fixed else { return scores }
    let queries = Formula(
      .reshape([fixed[fixed.count - 2], 1]), Formula(try positions(fixed[fixed.count - 2])))
    let keys = Formula(try positions(fixed[fixed.count - 1]))
    return try Formula.select(
      Formula(.binary(.lessOrEqual), keys, queries), Formula(scores),
      Formula(-Double(Float.greatestFiniteMagnitude))
    ).value(in: &self)
  }
}
