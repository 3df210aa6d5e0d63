// SPDX-License-Identifier: Apache-2.0

extension ONNXOperator {
  static let attention: [String: ONNXOperator] = [
    "Attention": .init { call throws(ONNXError) in try call.attention() },
    "RotaryEmbedding": .init(single: { call throws(ONNXError) in try call.rotated() }),
  ]
}

extension ONNXCall {
  /// Queries that gather the values whose keys are like them: `[batch, heads, positions, width]`, or
  /// `[batch, positions, heads · width]`. Several heads of queries may share one of keys and values.
  ///
  /// The outputs are Y, the keys and the values with those of the past, and a stage of the scores. A query that may see
  /// no key gathers zeros.
  fileprivate func attention() throws(ONNXError) -> [ONNXValue] {
    let q = try heads(0, "q_num_heads")
    var (k, v) = (try heads(1, "kv_num_heads"), try heads(2, "kv_num_heads"))
    guard has(4) == has(5), !has(4) || !has(6) else {
      throw ONNXError("it takes past keys with past values, or else a number of keys")
    }
    if has(4) {
      k = try line("key", try concatenate([try operand(4), k], axis: 2))
      v = try line("value", try concatenate([try operand(5), v], axis: 2))
    }
    guard k.rank == 4, v.rank == 4, q.shape[0] == k.shape[0], q.shape[3] == k.shape[3],
      k.shape[1] > 0, q.shape[1] % k.shape[1] == 0, v.shape[..<3] == k.shape[..<3]
    else {
      throw ONNXError("queries \(q.shape), keys \(k.shape) and values \(v.shape) do not go together")
    }
    // Keys by queries: so the sums over keys have their results side by side.
    let layout = Layout(
      batch: k.shape[0], groups: k.shape[1], keys: k.shape[2], repeats: q.shape[1] / k.shape[1],
      queries: q.shape[2])
    let rows = layout.repeats * layout.queries
    let scale = try attributes.float("scale", 1 / Double(q.shape[3]).squareRoot())
    let scaled = try reshape(try self.scaled(q, by: scale), [layout.batch, layout.groups, rows, q.shape[3]])
    let product = ONNXValue.expression(
      "contraction(\(try text(k).unbracketed), \(try text(scaled).unbracketed))", q.element,
      [layout.batch, layout.groups, layout.keys, rows])
    var stages = [try line("scores", try reshape(product, layout.shape))]
    func next(_ name: String, _ expression: (String) throws(ONNXError) -> String) throws(ONNXError) {
      let before = try text(stages.last!)
      let after = try expression(before)
      stages.append(
        after == before ? stages.last! : try line(name, .expression(after, q.element, layout.shape)))
    }
    let cap = try attributes.float("softcap", 0)
    try next("capped") { x in cap > 0 ? "\(Self.text(cap)) * tanh(\(x) / \(Self.text(cap)))" : x }
    let (seen, bias) = try mask(layout)
    try next("masked") { x throws(ONNXError) in
      let biased = try bias.map { value throws(ONNXError) in "\(x) + \(try text(value))" } ?? x
      return try seen.map { value throws(ONNXError) in
        "select(\(try text(value)), \(biased), \(Self.text(-.infinity)))"
      } ?? biased
    }
    try next("weights") { x throws(ONNXError) in
      if seen == nil, bias == nil { return "softmax(\(x), axis: 2)" }
      let largest = try text(try keeping([2], of: stages[2], "maximum(\(x), axis: 2)"))
      let lowest = Self.text(-Double(Float.greatestFiniteMagnitude))
      let grown = try line(
        "grown", .expression("exp(\(x) - max(\(largest), \(lowest)))", q.element, layout.shape))
      let total = try keeping([2], of: grown, "sum(\(try text(grown)), axis: 2)")
      return "\(try text(grown)) / max(\(try text(total)), 1)"
    }
    let weights = try transpose(
      try reshape(stages[3], [layout.batch, layout.groups, layout.keys, rows]), [0, 1, 3, 2])
    let mixed = ONNXValue.expression(
      "contraction(\(try text(weights).unbracketed), \(try text(try transpose(v, [0, 1, 3, 2])).unbracketed))",
      q.element, [layout.batch, layout.groups, rows, v.shape[3]])
    var result = try reshape(mixed, Array(q.shape[..<3]) + [v.shape[3]])
    if try operand(0).rank == 3 {
      result = try reshape(
        try transpose(result, [0, 2, 1, 3]), [layout.batch, layout.queries, q.shape[1] * v.shape[3]])
    }
    let stage = try attributes.integer("qk_matmul_output_mode", 0)
    guard stages.indices.contains(stage) else {
      throw ONNXError("the attribute 'qk_matmul_output_mode' is \(stage); known are 0 to 3")
    }
    let shown = try reshape(
      try transpose(stages[stage], [0, 1, 3, 4, 2]), Array(q.shape[..<3]) + [layout.keys])
    return [result, k, v, shown]
  }

  /// An operand as `[batch, heads, positions, width]`.
  private func heads(_ index: Int, _ attribute: String) throws(ONNXError) -> ONNXValue {
    let x = try operand(index)
    if x.rank == 4 { return x }
    let heads = try attributes.integer(attribute, 0)
    guard x.rank == 3, heads >= 1, x.shape[2] % heads == 0 else {
      throw ONNXError("the last axis of \(x.shape) does not divide into \(heads) heads")
    }
    return try line(
      ["query", "keys", "values"][index],
      try transpose(
        try reshape(x, [x.shape[0], x.shape[1], heads, x.shape[2] / heads]), [0, 2, 1, 3]))
  }

  /// How scores lie: groups are heads of keys, and repeats the heads of queries that share one.
  private struct Layout {
    let batch, groups, keys, repeats, queries: Int

    var shape: [Int] { [batch, groups, keys, repeats, queries] }
  }

  /// The truth of whether a query sees a key, and what is added to its score, stretched to the layout; nil where all see
  /// all, and where nothing is added.
  private func mask(_ layout: Layout) throws(ONNXError) -> (seen: ONNXValue?, bias: ONNXValue?) {
    var (seen, bias): (ONNXValue?, ONNXValue?) = (nil, nil)
    func apply(_ op: String, _ a: ONNXValue, _ b: ONNXValue) throws(ONNXError) -> ONNXValue {
      try ONNXElementwise.all[op]!.apply([a, b], self)
    }
    func allow(_ value: ONNXValue) throws(ONNXError) {
      guard let others = seen else {
        seen = value
        return
      }
      seen = try line("seen", try apply("And", others, value))
    }
    func integer(_ number: Int) -> ONNXValue {
      ONNXValue(ONNXConstant(.int64, [], .integers([Int64(number)])))
    }
    let key = try positions(layout.keys, axis: 2, rank: 5)
    if var given = optional(3) {
      let whole = [layout.batch, layout.groups * layout.repeats, layout.queries, layout.keys]
      let known = given.shape.last ?? 0
      guard (1...4).contains(given.rank), known <= layout.keys else {
        throw ONNXError("a mask \(given.shape) does not fit scores of \(whole)")
      }
      // Keys that the mask says nothing of are not seen.
      if known < layout.keys {
        try allow(try apply("Less", key, integer(known)))
        given = try pad(given, axis: given.rank - 1, 0, layout.keys - known)
      }
      guard given.shape.stretched(with: whole) == whole else {
        throw ONNXError("a mask \(given.shape) does not fit scores of \(whole)")
      }
      let shape = Array(repeating: 1, count: 4 - given.rank) + given.shape
      let heads = shape[1] == 1 ? [1, 1] : [layout.groups, layout.repeats]
      given = try transpose(
        try reshape(given, [shape[0]] + heads + [shape[2], shape[3]]), [0, 1, 4, 2, 3])
      if given.element == .bool { try allow(given) } else { bias = given }
    }
    // The position of a query among the keys: behind those of the past, or among the last that count.
    var first = integer(optional(4)?.shape[2] ?? 0)
    if let counts = optional(6) {
      guard counts.count == layout.batch else {
        throw ONNXError("there are \(counts.count) numbers of keys for a batch of \(layout.batch)")
      }
      let count = try reshape(counts, [layout.batch, 1, 1, 1, 1])
      try allow(try apply("Less", key, count))
      first = try apply("Sub", count, integer(layout.queries))
    }
    let query = try line(
      "query_position", try apply("Add", try positions(layout.queries, axis: 4, rank: 5), first))
    let left = try attributes.integer("left_window_size", -1)
    let right = try attributes.flag("is_causal") ? 0 : try attributes.integer("right_window_size", -1)
    if left >= 0 { try allow(try apply("LessOrEqual", query, try apply("Add", key, integer(left)))) }
    if right >= 0 { try allow(try apply("LessOrEqual", key, try apply("Add", query, integer(right)))) }
    return (seen, bias)
  }

  /// Pairs of numbers turned by the angles of their positions: `[batch, heads, positions, width]`, or
  /// `[batch, positions, heads · width]`.
  fileprivate func rotated() throws(ONNXError) -> ONNXValue {
    let x = try operand(0)
    let isFlat = x.rank == 3
    let heads = isFlat ? try attributes.integer("num_heads", 0) : x.rank == 4 ? x.shape[1] : 0
    guard heads >= 1, x.shape.last! % heads == 0 || !isFlat else {
      throw ONNXError("the last axis of \(x.shape) does not divide into \(heads) heads")
    }
    let (batch, count) = (x.shape[0], x.shape[isFlat ? 1 : 2])
    let width = isFlat ? x.shape[2] / heads : x.shape[3]
    let turned = try attributes.integer("rotary_embedding_dim", 0)
    let half = (turned == 0 ? width : turned) / 2
    guard half >= 1, 2 * half <= width else {
      throw ONNXError("\(turned) numbers of a width of \(width) cannot be turned in pairs")
    }
    // The axis of heads, which all are turned alike.
    let axis = isFlat ? 2 : 1
    func table(_ index: Int) throws(ONNXError) -> String {
      var table = try operand(index)
      if let places = optional(3) {
        guard places.shape == [batch, count], table.rank == 2 else {
          throw ONNXError("positions \(places.shape) of a table \(table.shape) do not fit \(x.shape)")
        }
        if let constant = places.constant {
          let rows = try positions(constant, within: table.shape[0])
          table = try reshape(try take(table, axis: 0, rows), [batch, count, table.shape[1]])
        } else {
          table = .expression(
            "gather(\(try text(table).unbracketed), \(try text(places).unbracketed), axis: 0)", table.element,
            [batch, count, table.shape[1]])
        }
      }
      guard table.shape == [batch, count, half] else {
        throw ONNXError("a table \(table.shape) does not fit \(x.shape)")
      }
      var shape = table.shape
      shape.insert(1, at: axis)
      return try text(try line(index == 1 ? "cosine" : "sine", try reshape(table, shape)))
    }
    let (cosine, sine) = (try table(1), try table(2))
    let parts = try line("heads", try reshape(x, isFlat ? [batch, count, heads, width] : x.shape))
    let isInterleaved = try attributes.flag("interleaved")
    let own = try slice(parts, axis: 3, start: 0, count: 2 * half)
    let shape = Array(parts.shape[..<3])
    // Pairs lie side by side, or half a width apart.
    let pairs = try line("pairs", try reshape(own, shape + (isInterleaved ? [half, 2] : [2, half])))
    func part(_ index: Int) throws(ONNXError) -> String {
      let part = try slice(pairs, axis: isInterleaved ? 4 : 3, start: index, count: 1)
      return try text(try line("part_\(index)", try reshape(part, shape + [half])))
    }
    let (a, b) = (try part(0), try part(1))
    let results = try ["\(cosine) * \(a) - \(sine) * \(b)", "\(sine) * \(a) + \(cosine) * \(b)"].map {
      text throws(ONNXError) in
      try reshape(
        .expression(text, x.element, shape + [half]), shape + (isInterleaved ? [half, 1] : [1, half]))
    }
    let joined = try reshape(try concatenate(results, axis: isInterleaved ? 4 : 3), shape + [2 * half])
    let rest = try slice(parts, axis: 3, start: 2 * half, count: width - 2 * half)
    return try reshape(try concatenate([joined, rest], axis: 3), x.shape)
  }
}
