// SPDX-License-Identifier: Apache-2.0

/// A recurrent layer along the frames, steps or positions, as PyTorch has it: its layouts, its order of gates, its two biases.
///
///     x ─▶ W x + b ─────▶(+)─▶ gates ─▶ h ─▶
///                         ▲             │
///                         └─ U h₁ + b' ─┘        h₁: h of a frame earlier, zero before the start or `initial`
///
/// W is `[gates · units, in]`, U `[gates · units, out]`, where out is the number of units, or of what a projection
/// `[out, units]` makes of them. The axis of channels is any fixed axis of x; along positions, which are the first axis of a
/// graph of steps, any other one.
struct RecurrentLayer {
  let name: String
  let x: ValueID
  let axis: Int
  let units: Int
  private let call: Call
  /// Channels of the result.
  private let outputs: Int
  /// The shape of x; nil where it is not known yet.
  private let shape: Shape?
  /// Positions from one to the next of a sequence that is the first axis; nil where it goes from frame to frame.
  private let shift: Int?

  init(_ name: String, gates: Int, _ call: Call, in graph: GraphAssembler) throws(TypingError) {
    (self.name, self.call) = (name, call)
    x = call.value("x")
    shape = graph.shape(of: x)
    if let shape, shape.fixed.isEmpty {
      throw TypingError(
        "\(name) needs a fixed axis, and \(shape) has none; reshape(…, [1]) gives it one of 1")
    }
    axis = try graph.axis(call.integer("axis"), of: x)
    let isBackward = call.choice("direction") == "backward"
    shift = call.choice("along") == "time" ? nil : isBackward ? -1 : 1
    if shift != nil {
      guard graph.graph.clock == .step else {
        throw TypingError("\(name) goes along positions in models of steps; in a stream time goes on")
      }
      guard axis > 0 else {
        throw TypingError("\(name) along positions needs them as the first axis, and channels as another one")
      }
    } else if isBackward {
      throw TypingError("\(name) goes backward along positions only")
    }
    func fixed(_ slot: String) -> [Int]? {
      call.optionalValue(slot).flatMap { graph.shape(of: $0)?.fixed }
    }
    guard let weight = fixed("weight"), let recurrent = fixed("recurrent"), weight.count == 2,
      recurrent.count == 2, weight[0] == recurrent[0], weight[0].isMultiple(of: gates)
    else {
      let rows = gates == 1 ? "units" : "\(gates) units"
      let found = ["weight", "recurrent"].map { fixed($0).map { Shape($0).description } ?? "something else" }
      throw TypingError(
        "\(name) needs a weight [\(rows), in] and a recurrent one [\(rows), units]; these are \(found[0]) and "
          + "\(found[1])")
    }
    units = weight[0] / gates
    outputs = recurrent[1]
    let projection = fixed("projection")
    guard outputs == units || projection != nil, projection ?? [outputs, units] == [outputs, units] else {
      let made = projection.map { ", and its projection is \(Shape($0))" } ?? ""
      throw TypingError(
        "\(name) has \(units) units, and its recurrent weight \(Shape(recurrent)) takes \(outputs) channels\(made); "
          + "a projection [\(outputs), \(units)] would make them")
    }
  }

  // MARK: Parts

  /// The layer a frame earlier: its result, or numbers of its units.
  func state(ofUnits: Bool = false, in graph: inout GraphAssembler) -> ValueID {
    guard var shape else { return graph.forward(nil) }
    shape.fixed[axis] = ofUnits ? units : outputs
    if graph.graph.clock == .stream { shape.frames = shape.frames ?? .init() }
    return graph.forward(TensorType(shape), following: [x])
  }

  /// A state of a frame earlier; before the start an array along the axis, where there is one.
  func past(
    _ state: ValueID, initial slot: String = "initial", in graph: inout GraphAssembler
  ) throws(TypingError) -> Formula {
    if let shift { return try past(state, shift, initial: slot, in: &graph) }
    guard let initial = call.optionalValue(slot) else { return .previous(state) }
    guard let own = graph.shape(of: state) else { return .previous(state) }
    guard graph.shape(of: initial) == Shape([own.fixed[axis]]) else {
      let found = graph.shape(of: initial).map { "\($0)" } ?? "something else"
      throw TypingError("\(name) has \(slot) [\(own.fixed[axis])]; this is \(found)")
    }
    return Formula(try graph.delay(state, 1, initial: graph.along(axis, of: state, initial)))
  }

  /// A state of a position before; of the first one numbers of its own, where there are any.
  private func past(
    _ state: ValueID, _ shift: Int, initial slot: String, in graph: inout GraphAssembler
  ) throws(TypingError) -> Formula {
    let shifted = Formula(.shift(axis: 0, by: shift), Formula(state))
    guard let initial = call.optionalValue(slot), let own = graph.shape(of: state)?.fixed else {
      return shifted
    }
    let begins = Shape(Array(own.dropFirst()))
    guard let given = graph.shape(of: initial), begins.broadcast(with: given) == begins else {
      let found = graph.shape(of: initial).map { "\($0)" } ?? "something else"
      throw TypingError("\(name) along positions has \(slot) \(begins); this is \(found)")
    }
    let positions = Formula(
      .reshape([own[0]] + begins.fixed.map { _ in 1 }), Formula(try graph.positions(own[0])))
    let first = Formula(Double(shift > 0 ? 0 : own[0] - 1))
    return .select(Formula(.binary(.equal), positions, first), Formula(initial), shifted)
  }

  /// `W x + b`.
  func taken(in graph: inout GraphAssembler) throws(TypingError) -> Formula {
    try dense(x, call.value("weight"), call.optionalValue("bias"), in: &graph)
  }

  /// `U h + b'`, or some gates of it.
  func fed(
    _ h: Formula, gates: Range<Int>? = nil, in graph: inout GraphAssembler
  ) throws(TypingError) -> Formula {
    var (weight, bias) = (call.value("recurrent"), call.optionalValue("recurrentBias"))
    if let gates {
      let part = Op.slice(axis: 0, start: gates.lowerBound * units, count: gates.count * units)
      weight = try graph.apply(part, weight)
      if let whole = bias { bias = try graph.apply(part, whole) }
    }
    return try dense(try h.value(in: &graph), weight, bias, in: &graph)
  }

  /// The result that units make.
  func projected(_ h: Formula, in graph: inout GraphAssembler) throws(TypingError) -> ValueID {
    let value = try h.value(in: &graph)
    return try call.optionalValue("projection").map { weight throws(TypingError) in
      try graph.apply(.dense(axis: axis), value, weight)
    } ?? value
  }

  /// The weights by which one of three gates sees the cell, along its axis; nil where it does not.
  func peephole(_ index: Int, of cell: ValueID, in graph: inout GraphAssembler) throws(TypingError)
    -> Formula?
  {
    guard let weight = call.optionalValue("peepholes") else { return nil }
    guard graph.shape(of: weight) == Shape([3 * units]) else {
      let found = graph.shape(of: weight).map { "\($0)" } ?? "something else"
      throw TypingError("\(name) has peepholes [\(3 * units)]; this is \(found)")
    }
    let own = try graph.apply(.slice(axis: 0, start: index * units, count: units), weight)
    return Formula(try graph.along(axis, of: cell, own))
  }

  func gate(_ index: Int, of gates: Formula) -> Formula {
    Formula(.slice(axis: axis, start: index * units, count: units), gates)
  }

  private func dense(
    _ x: ValueID, _ weight: ValueID, _ bias: ValueID?, in graph: inout GraphAssembler
  ) throws(TypingError) -> Formula {
    Formula(try graph.apply(.dense(axis: axis), [x, weight] + [bias].compactMap(\.self)))
  }
}
