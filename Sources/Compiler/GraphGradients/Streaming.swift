// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// The walk that makes a stream.
struct Streaming {
  /// A value of the source in the stream.
  struct Timed {
    /// Without the axis of time, which is the frames where it has some.
    var value: ValueID
    /// The axis of time in the source; nil where it has none, and is the same at all frames.
    var axis: Int?
    /// Frame i of the source is the frame i + shift of the stream.
    var shift = 0
  }

  let source: Graph
  private let port: Int
  private let inputAxis: Int
  private let silent: Set<String>
  /// Frames that the outputs have fewer than the input; nil for none, where what is before the first frame is zero.
  let missing: Int?
  var assembler: GraphAssembler
  var values: [ValueID: Timed] = [:]
  private var forwards: [ValueID: ValueID] = [:]
  /// Within a cycle, the shift of all its values.
  var cycleShift: Int?

  init(_ source: Graph, port: Int, axis: Int, silent: Set<String>, missing: Int?) {
    (self.source, self.port, inputAxis) = (source, port, axis)
    (self.silent, self.missing) = (silent, missing)
    assembler = source.emptyAssembler(clock: .stream)
  }

  /// The frames that outputs have in the source.
  mutating func frames() throws(TypingError) -> Int {
    try walk()
    var found: Int?
    for output in source.outputs {
      guard let axis = values[output.value]?.axis else {
        throw TypingError("the output '\(output.name)' is the same at all frames")
      }
      let own = source.shape(of: output.value).fixed[axis]
      guard found == nil || found == own else {
        throw TypingError("the outputs have \(found!) and \(own) frames")
      }
      found = own
    }
    return found ?? 0
  }

  mutating func graph() throws(TypingError) -> Graph {
    try walk()
    for output in source.outputs {
      let value = try settled(values[output.value]!, at: 0)
      let rows = assembler.shape(of: value)!.count
      let result = try reshaped(value, [rows])
      assembler.output(output.name, result)
      assembler.name(result, output.name, at: nil)
    }
    return assembler.finished().withoutIdleWeights()
  }

  private mutating func walk() throws(TypingError) {
    for component in source.components(cuttingDelays: true) {
      guard source.isCycle(component) else {
        try define(component[0])
        continue
      }
      let order = try SequenceCycle(component, in: source).nodes
      let members = Set(component)
      let outside = order.flatMap { source[$0].operands }.filter { !members.contains(source[$0].definition) }
      let timed = outside.compactMap { values[$0] }.filter { $0.axis != nil && hasFrames($0.value) }
      guard timed.contains(where: { $0.axis == 0 }) else {
        throw TypingError("a recurrent layer along another axis than time")
      }
      cycleShift = missing == nil ? 0 : timed.map(\.shift).max()
      for id in order { try define(id) }
      cycleShift = nil
    }
  }

  private mutating func define(_ id: NodeID) throws(TypingError) {
    let value = source[id].result
    let timed: Timed
    do throws(TypingError) { timed = try streamed(source[id]) } catch { throw placed(error, id) }
    values[value] = timed
    if let forward = forwards[value] { assembler.bind(forward, to: timed.value) }
    // An output has its name from its port.
    guard let name = source.origins.names[value], !source.outputs.contains(where: { $0.name == name }) else {
      return
    }
    assembler.name(timed.value, name, at: source.origins.places[value])
  }

  // MARK: Refusals

  static func overAll(_ node: Node) -> TypingError {
    TypingError("\(node.op.shortName) over all frames, those to come among them")
  }

  static func skipping(_ stride: Int) -> TypingError {
    TypingError("a result for one of \(stride) frames only")
  }

  static var pairwise: TypingError {
    TypingError("each frame beside each other one, as attention has them")
  }

  /// The error of a node, with the name of the value that it is part of.
  private func placed(_ error: TypingError, _ node: NodeID) -> TypingError {
    let name = source.nodes[Int(node.index)...].lazy.compactMap { [source] in source.origins.names[$0.result]
    }.first
    return name.map { TypingError("\(error.description), at '\($0)'") } ?? error
  }

  // MARK: Operands

  func extents(_ value: ValueID) -> [Int] { source.shape(of: value).fixed }

  func hasFrames(_ value: ValueID) -> Bool { assembler.shape(of: value)?.frames != nil }

  /// The operand as it stands; of a cycle it may come later.
  mutating func operand(_ value: ValueID) -> Timed {
    if let known = values[value] { return known }
    let type = TensorType(Shape(Array(extents(value).dropFirst()), frames: .init()))
    let forward = forwards[value] ?? assembler.forward(type)
    forwards[value] = forward
    return Timed(value: forward, axis: 0, shift: cycleShift ?? 0)
  }

  /// A value whose frames are those of a shift.
  mutating func settled(_ timed: Timed, at shift: Int) throws(TypingError) -> ValueID {
    guard timed.axis != nil, hasFrames(timed.value), timed.shift != shift else { return timed.value }
    let late = shift - timed.shift
    return try assembler.apply(late > 0 ? .delay(late) : .lookahead(-late), timed.value)
  }

  /// Operands with the same frames, and the shift that they have.
  mutating func aligned(_ operands: [Timed]) throws(TypingError) -> (values: [ValueID], shift: Int) {
    let shifts = operands.filter { $0.axis != nil && hasFrames($0.value) }.map(\.shift)
    let shift = cycleShift ?? (missing == nil ? 0 : shifts.max() ?? 0)
    var values: [ValueID] = []
    for operand in operands { values.append(try settled(operand, at: shift)) }
    return (values, shift)
  }

  /// An operand that has the axis of time at a place, or an extent of 1 there, without it.
  ///
  /// - Parameter axis: its own axis; below 0 where it has none of these.
  mutating func withoutTime(_ value: ValueID, at axis: Int) throws(TypingError) -> Timed {
    let own = operand(value)
    if let known = own.axis {
      guard known == axis else { throw TypingError("time along two axes of one value") }
      return own
    }
    guard axis >= 0 else { return own }
    var rest = extents(value)
    guard rest.remove(at: axis) > 1 else {
      return Timed(value: try reshaped(own.value, rest), axis: axis)
    }
    let node = source.definition(of: value)
    if isZero(value) { return Timed(value: try filled(rest), axis: axis) }
    if node.op.kind == .movement(.broadcast) {
      let less = extents(value).count - extents(node.operands[0]).count
      let inner = try withoutTime(node.operands[0], at: axis - less)
      return Timed(value: try assembler.apply(.broadcast(rest), inner.value), axis: axis)
    }
    let name = source.origins.names[value].map { " of '\($0)'" } ?? ""
    throw TypingError("numbers\(name) that are others at each frame")
  }

  private mutating func filled(_ extents: [Int]) throws(TypingError) -> ValueID {
    try assembler.apply(.broadcast(extents), assembler.literal(0))
  }

  /// Whether a value is zero for ever.
  func isZero(_ value: ValueID) -> Bool {
    let node = source.definition(of: value)
    switch node.op.kind {
    case .given(.literal(let number)): return number == 0
    case .given(.weights(let id)): return source[id].values.allSatisfy { $0 == 0 }
    case .given(.input(let port)): return silent.contains(source.inputs[port].name)
    case .movement(.slice), .movement(.reshape), .movement(.transpose), .movement(.pad),
      .movement(.broadcast),
      .movement(.concatenate):
      return node.operands.allSatisfy(isZero)
    case .given, .elementwise, .movement, .reduction, .layer, .contraction, .time, .source: return false
    }
  }

  mutating func reshaped(_ value: ValueID, _ extents: [Int]) throws(TypingError) -> ValueID {
    assembler.shape(of: value)!.fixed == extents ? value : try assembler.apply(.reshape(extents), value)
  }

  // MARK: Nodes

  private mutating func streamed(_ node: Node) throws(TypingError) -> Timed {
    if let given = node.op.given { return try self.given(given) }
    let operands = node.operands.map { operand($0) }
    guard operands.contains(where: { $0.axis != nil }) else {
      if case .time = node.op.kind {
        throw TypingError("numbers that are remembered from step to step")
      }
      return Timed(value: try assembler.apply(node.op, operands.map(\.value)))
    }
    switch node.op.kind {
    case .elementwise: return try elementwise(node, operands)
    case .movement(let movement): return try moved(node, movement, operands)
    case .reduction(let reduction, let axis):
      let time = operands[0].axis!
      guard axis != time else {
        throw Self.overAll(node)
      }
      let (values, shift) = try aligned(operands)
      let own = axis < time ? axis : axis - 1
      let op: Op =
        switch reduction {
        case .sum(let ways): .sum(axis: own, ways: ways)
        case .maximum: .maximum(axis: own)
        }
      return Timed(
        value: try assembler.apply(op, values), axis: axis < time ? time - 1 : time, shift: shift)
    case .layer(let layer):
      guard operands.dropFirst().allSatisfy({ $0.axis == nil }) else {
        throw TypingError("weights of \(node.op.shortName) that are computed of each frame")
      }
      return try layered(node, layer, operands)
    case .contraction(let ways): return try contracted(node, ways)
    case .time: throw TypingError("numbers that are remembered from step to step")
    case .source, .given: preconditionFailure("\(node.op.shortName) has no operands in a graph of steps")
    }
  }

  private mutating func given(_ given: Op.Given) throws(TypingError) -> Timed {
    switch given {
    case .literal(let number): return Timed(value: assembler.literal(number))
    case .weights(let id): return Timed(value: assembler.weights(source[id]))
    case .parameter(let row): return Timed(value: assembler.parameter(source.parameters[row]))
    case .input(let port):
      let input = source.inputs[port]
      var rest = input.type.shape.fixed
      guard port == self.port else {
        guard silent.contains(input.name) else {
          throw TypingError(
            "the input '\(input.name)' as well; where it is remembered, a pair such as '\(input.name):\(input.name)n' says so"
          )
        }
        return Timed(value: try filled(rest))
      }
      rest.remove(at: inputAxis)
      let value = assembler.input(input.name, TensorType(Shape([rest.reduce(1, *)], frames: .init())))
      return Timed(value: try reshaped(value, rest), axis: inputAxis, shift: -(missing ?? 0))
    }
  }

  private mutating func elementwise(_ node: Node, _ operands: [Timed]) throws(TypingError) -> Timed {
    let rank = extents(node.result).count
    let axes = zip(node.operands, operands).compactMap { value, timed in
      timed.axis.map { $0 + rank - extents(value).count }
    }
    guard Set(axes).count == 1 else { throw Self.pairwise }
    let axis = axes[0]
    if node.op == .select, isFirstPosition(node.operands[0]) { return try begun(node, operands[2], axis) }
    var own: [Timed] = []
    for value in node.operands {
      own.append(try withoutTime(value, at: axis - (rank - extents(value).count)))
    }
    let (values, shift) = try aligned(own)
    return Timed(value: try assembler.apply(node.op, values), axis: axis, shift: shift)
  }

  /// The state of a recurrent layer, which begins with numbers of its own: silence is there already.
  private mutating func begun(_ node: Node, _ state: Timed, _ axis: Int) throws(TypingError) -> Timed {
    let initial = node.operands[1]
    guard !isZero(initial) else { return state }
    let rank = extents(node.result).count
    let first = try withoutTime(initial, at: axis - (rank - extents(initial).count))
    let hasBegun = try assembler.apply(.delay(1), assembler.literal(1))
    let (values, shift) = try aligned([Timed(value: hasBegun, axis: axis), state, first])
    return Timed(value: try assembler.apply(.select, values), axis: axis, shift: shift)
  }

  /// Whether a condition is that of the first position: `[0, 1, 2 …] == 0`.
  private func isFirstPosition(_ value: ValueID) -> Bool {
    let node = source.definition(of: value)
    guard node.op == .binary(.equal), source.definition(of: node.operands[1]).op.literal == 0 else {
      return false
    }
    var positions = source.definition(of: node.operands[0])
    while case .reshape = positions.op { positions = source.definition(of: positions.operands[0]) }
    guard case .weights(let id) = positions.op else { return false }
    return source[id].values.enumerated().allSatisfy { Float($0) == $1 }
  }
}

extension Graph {
  /// The graph without arrays that no node reads.
  fileprivate func withoutIdleWeights() -> Graph {
    var result = self
    result.weights = []
    for (row, node) in nodes.enumerated() {
      guard case .weights(let id) = node.op else { continue }
      result.nodes[row].op = .weights(WeightsID(result.weights.count))
      result.weights.append(self[id])
    }
    return result
  }
}
