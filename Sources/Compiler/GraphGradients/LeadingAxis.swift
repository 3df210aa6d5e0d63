// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// A graph that is made again with one more axis in some of its values: the examples of a batch, or the frames of a stream.
///
///     x [3, 4] ──▶ tanh ──▶ dense ──▶ y [3, 2]         x [8, 3, 4] ──▶ tanh ──▶ dense ──▶ y [8, 3, 2]
///                   weights ───┘                                        weights ───┘
///
/// The axis stands in front, but in a cycle along positions (`SequenceCycle`), which keep the first place: there it is the
/// second one. What has the axis and what has not is told by the maker; weights of layers cannot have it.
struct LeadingAxis {
  let source: Graph
  let extent: Int
  /// By the row of a value of the source.
  let has: [Bool]
  /// Where the axis stands in each value that has it: 1 in cycles along positions.
  private let places: [Int]
  var assembler: GraphAssembler
  private var values: [ValueID?]
  private var forwards: [ValueID?]

  /// - Parameters:
  ///   - source: a graph in canonical order.
  ///   - assembler: begins the new graph.
  init(_ source: Graph, extent: Int, has: [Bool], in assembler: GraphAssembler) {
    self.source = source
    self.extent = extent
    self.has = has
    self.assembler = assembler
    values = Array(repeating: nil, count: source.values.count)
    forwards = values
    var places = [Int](repeating: 0, count: source.values.count)
    if source.clock == .step {
      for component in source.components(cuttingDelays: true) where source.isCycle(component) {
        for node in component { places[Int(source[node].result.index)] = 1 }
      }
    }
    self.places = places
  }

  func has(_ value: ValueID) -> Bool { has[Int(value.index)] }

  private func place(_ value: ValueID) -> Int { places[Int(value.index)] }

  /// The fixed extents of a value of the source in the new graph.
  func extents(_ value: ValueID) -> [Int] {
    var result = source.shape(of: value).fixed
    if has(value) { result.insert(extent, at: place(value)) }
    return result
  }

  // MARK: Values

  /// Begins with the inputs, in the shapes that they get, and with parameters, numbers and weights as they are.
  mutating func declareGiven(_ shape: (InputPort) -> Shape) {
    let inputs = source.inputs.map { assembler.input($0.name, TensorType(shape($0))) }
    let parameters = source.parameters.map { assembler.parameter($0) }
    for node in source.nodes {
      switch node.op.given {
      case .input(let port): define(node.result, as: inputs[port])
      case .parameter(let row): define(node.result, as: parameters[row])
      case .literal(let number): define(node.result, as: assembler.literal(number))
      case .weights(let id): define(node.result, as: assembler.weights(source[id]))
      case nil: continue
      }
    }
  }

  /// Says what a value of the source is in the new graph.
  mutating func define(_ value: ValueID, as result: ValueID) {
    values[Int(value.index)] = result
    if let forward = forwards[Int(value.index)] { assembler.bind(forward, to: result) }
    guard let name = source.origins.names[value] else { return }
    assembler.name(result, name, at: source.origins.places[value])
  }

  /// The value of the new graph, as it stands there.
  mutating func value(_ value: ValueID) -> ValueID {
    if let known = values[Int(value.index)] ?? forwards[Int(value.index)] { return known }
    var type = source[value].type
    type.shape.fixed = extents(value)
    if assembler.graph.clock == .step { type.shape.frames = nil }
    let forward = assembler.forward(type)
    forwards[Int(value.index)] = forward
    return forward
  }

  /// The value with the axis at a place, whether it has one or not.
  mutating func lifted(_ value: ValueID, at place: Int = 0) throws(TypingError) -> ValueID {
    let own = self.value(value)
    let fixed = source.shape(of: value).fixed
    guard !has(value) else {
      guard place != self.place(value) else { return own }
      return try assembler.apply(.transpose([1, 0] + (2..<max(2, fixed.count + 1))), own)
    }
    var apart = fixed
    apart.insert(1, at: place)
    var all = fixed
    all.insert(extent, at: place)
    return try assembler.apply(.broadcast(all), reshaped(own, apart))
  }

  /// The value as an operand of something that is computed element by element over so many axes of the source.
  mutating func stretched(
    _ value: ValueID, rank: Int, at place: Int
  ) throws(TypingError) -> ValueID {
    var fixed = source.shape(of: value).fixed
    let missing = rank - fixed.count
    guard has(value) else {
      // Behind positions the axis is one that stretches.
      guard place == 1, missing == 0, !fixed.isEmpty else { return self.value(value) }
      fixed.insert(1, at: 1)
      return try reshaped(self.value(value), fixed)
    }
    if missing == 0 { return try lifted(value, at: place) }
    let spread = try reshaped(
      lifted(value), [extent] + [Int](repeating: 1, count: missing) + fixed)
    return place == 0
      ? spread : try assembler.apply(.transpose([1, 0] + (2..<rank + 1)), spread)
  }

  mutating func reshaped(_ value: ValueID, _ extents: [Int]) throws(TypingError) -> ValueID {
    assembler.shape(of: value)!.fixed == extents ? value : try assembler.apply(.reshape(extents), value)
  }

  // MARK: Nodes

  /// Makes all nodes again, with the axis where they have it.
  mutating func applyNodes() throws(TypingError) {
    for node in source.nodes where !node.op.isLeaf {
      let value =
        has(node.result)
        ? try apply(node) : try assembler.apply(node.op, node.operands.map { self.value($0) })
      define(node.result, as: value)
    }
  }

  /// A node of the source with the axis, which at least one of its operands has.
  mutating func apply(_ node: Node) throws(TypingError) -> ValueID {
    let place = place(node.result)
    let rank = source.shape(of: node.result).fixed.count
    func moved(_ axis: Int) -> Int { axis < place ? axis : axis + 1 }
    func first() throws(TypingError) -> ValueID { try lifted(node.operands[0], at: place) }
    switch node.op.kind {
    case .elementwise:
      var operands: [ValueID] = []
      for operand in node.operands { operands.append(try stretched(operand, rank: rank, at: place)) }
      return try assembler.apply(node.op, operands)
    case .movement(.slice(let axis, let start, let count)):
      return try assembler.apply(.slice(axis: moved(axis), start: start, count: count), first())
    case .movement(.concatenate(let axis)):
      var operands: [ValueID] = []
      for operand in node.operands { operands.append(try lifted(operand, at: place)) }
      return try assembler.apply(.concatenate(axis: moved(axis)), operands)
    case .movement(.reshape):
      return try reshaped(first(), extents(node.result))
    case .movement(.transpose(let order)):
      var order = order.map(moved)
      order.insert(place, at: place)
      return try assembler.apply(.transpose(order), first())
    case .movement(.pad(let axis, let before, let after)):
      return try assembler.apply(.pad(axis: moved(axis), before: before, after: after), first())
    case .movement(.broadcast):
      return try assembler.apply(
        .broadcast(extents(node.result)), stretched(node.operands[0], rank: rank, at: place))
    case .movement(.gather(let axis)):
      return try gathered(node, axis, at: place)
    case .movement(.window(var window)):
      window.axis = moved(window.axis)
      return try assembler.apply(.window(window), first())
    case .movement(.shift(let axis, let by)):
      return try assembler.apply(.shift(axis: moved(axis), by: by), first())
    case .reduction(.sum(let ways), let axis):
      return try assembler.apply(.sum(axis: moved(axis), ways: ways), first())
    case .reduction(.maximum, let axis):
      return try assembler.apply(.maximum(axis: moved(axis)), first())
    case .layer(let layer):
      for operand in node.operands.dropFirst() where has(operand) {
        throw TypingError("the weights of \(node.op.shortName) depend on what there is several of")
      }
      let weights = node.operands.dropFirst().map { value($0) }
      switch layer {
      case .dense(let axis, let ways):
        return try assembler.apply(.dense(axis: moved(axis), ways: ways), [first()] + weights)
      case .convolution(var convolution):
        if case .fixed(let axis) = convolution.axis { convolution.axis = .fixed(moved(axis)) }
        return try assembler.apply(.convolution(convolution), [first()] + weights)
      }
    case .contraction(let ways):
      var operands: [ValueID] = []
      for operand in node.operands { operands.append(try stretched(operand, rank: rank, at: place)) }
      return try assembler.apply(.contraction(ways: ways), operands)
    case .time(.delay), .time(.lookahead):
      return try assembler.apply(node.op, first())
    case .time(.tap):
      return try assembler.apply(
        node.op, stretched(node.operands[0], rank: rank, at: place),
        stretched(node.operands[1], rank: rank, at: place))
    case .time(.control), .source:
      throw TypingError("\(node.op.shortName) of a signal cannot be that of several examples at once")
    case .given:
      preconditionFailure("\(node.op.shortName) has no operands")
    }
  }

  /// Rows by an index: of one x for all, of an x for each, or of both the own ones.
  private mutating func gathered(
    _ node: Node, _ axis: Int, at place: Int
  ) throws(TypingError) -> ValueID {
    let (x, index) = (node.operands[0], node.operands[1])
    guard has(index) else {
      return try assembler.apply(
        .gather(axis: axis < place ? axis : axis + 1), lifted(x, at: place), value(index))
    }
    let (shape, indices) = (source.shape(of: x).fixed, source.shape(of: index).fixed)
    let n = shape[axis]
    let others = shape.indices.filter { $0 != axis }
    let result: ValueID
    if has(x) {
      // The rows of all one under the other: an index is moved to those of its own.
      guard extent * n <= Limits.extent else {
        throw TypingError("gather would look among \(extent) x \(n) rows; \(Limits.extent) are the most")
      }
      let own = try lifted(x)
      let turned = try assembler.apply(.transpose([0, axis + 1] + others.map { $0 + 1 }), own)
      let rows = try reshaped(turned, [extent * n] + others.map { shape[$0] })
      let first = try assembler.apply(
        .binary(.multiply), assembler.positions(extent), assembler.literal(Float(n)))
      let start = try reshaped(first, [extent] + indices.map { _ in 1 })
      let kept = Formula.min(
        .max(Formula(.unary(.floor), Formula(try lifted(index))), 0), Formula(Double(n - 1)))
      let row = try (kept + Formula(start)).value(in: &assembler)
      result = try assembler.apply(.gather(axis: 0), rows, row)
    } else {
      let turned = try assembler.apply(.transpose([axis] + others), value(x))
      result = try assembler.apply(.gather(axis: 0), turned, lifted(index))
    }
    // [extent, index…, others…]: the index stands where the axis was.
    let places = 1..<(1 + indices.count)
    let behind = Array((1 + indices.count)..<(1 + indices.count + others.count))
    let order = [0] + behind[..<axis] + places + behind[axis...]
    let whole = try assembler.apply(.transpose(order), result)
    return place == 0
      ? whole : try assembler.apply(.transpose([1, 0] + (2..<order.count)), whole)
  }
}
