// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// The walk that makes a stream.
///
///     conv1d, 3 wide, of x     frame i reads x[i] … x[i + 2]: it is the causal one's frame i + 2, a shift of 2
///     pad 2 before             frame i is x[i - 2]: a shift of 2 less; numbers before the first frame of x become zero
///     a + b                    the one of less shift waits for the other one
///
/// Behind a stride of 2 a value has one frame for two of the stream, a hop of 2: what reads earlier ones of it reads every
/// second one. In between stands what the stretch would have if it began a frame later, which nobody reads.
///
///     conv1d, 3 wide, stride 2    frame i is the causal one's frame 2 i + 2: a hop of 2, a shift of 2
///     pad 1 before of that        frame i is the one before: a shift of 2 less
struct Streaming {
  /// A value of the source in the stream.
  struct Timed {
    /// Without the axis of time, which is the frames where it has some.
    var value: ValueID
    /// The axis of time in the source; nil where it has none, and is the same at all frames.
    var axis: Int?
    var pace = Pace()
  }

  /// Where the frames of a value are: frame i of the source is the frame i * hop + shift of the stream. What the stream has
  /// before frame 0 means nothing.
  struct Pace: Hashable {
    var hop = 1
    var shift = 0
  }

  let source: Graph
  private let port: Int
  private let inputAxis: Int
  private let silent: Set<String>
  /// Those of the input.
  private let frames: Int
  var assembler: GraphAssembler
  var values: [ValueID: Timed] = [:]
  private var forwards: [ValueID: ValueID] = [:]
  /// The values that are zero for ever.
  private var zeros: Set<ValueID> = []
  /// The silent inputs that zeros are of.
  private var states: [ValueID: String] = [:]
  /// Values that are 0 before a frame, and 1 from it on.
  private var begun: [Int: ValueID] = [:]
  /// Numbers that say how many frames ago a value had its last one.
  var phases: [Pace: ValueID] = [:]
  /// Within a cycle, the pace of all its values.
  var cyclePace: Pace?
  /// The frames of the stream for whole ones of all values.
  private(set) var period = 1

  init(_ source: Graph, port: Int, axis: Int, silent: Set<String>) throws(TypingError) {
    (self.source, self.port, inputAxis, self.silent) = (source, port, axis, silent)
    frames = source.inputs[port].type.shape.fixed[axis]
    guard frames > 1 else { throw TypingError("a stretch of one frame, which tells nothing of time") }
    assembler = source.emptyAssembler(clock: .stream)
  }

  /// The stream. Outputs that have fewer frames begin with the first frame that knows so much of the sound, and before it
  /// the stream has gone through silence.
  mutating func graph() throws(TypingError) -> Graph {
    try walk()
    let outputs = source.outputs.map { values[$0.value]! }
    var missing = Int.max
    for (port, output) in zip(source.outputs, outputs) {
      guard let axis = output.axis else { throw TypingError("no frame at all, for '\(port.name)'") }
      missing = min(missing, frames - extents(port.value)[axis] * output.pace.hop, output.pace.shift)
    }
    missing = max(0, missing)
    for (port, output) in zip(source.outputs, outputs) {
      var value = try held(output)
      let shift = output.pace.shift - missing
      if shift != 0, hasFrames(value) {
        value = try assembler.apply(shift > 0 ? .lookahead(shift) : .delay(-shift), value)
      }
      let result = try reshaped(value, [assembler.shape(of: value)!.count])
      assembler.output(port.name, result)
      assembler.name(result, port.name, at: nil)
    }
    var result = assembler.finished().withoutIdleWeights()
    result.warmUp(steps: missing)
    return result
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
      cyclePace = Pace(
        hop: timed.map(\.pace.hop).max() ?? 1, shift: max(0, timed.map(\.pace.shift).max() ?? 0))
      for id in order { try define(id) }
      cyclePace = nil
    }
  }

  private mutating func define(_ id: NodeID) throws(TypingError) {
    let value = source[id].result
    let timed: Timed
    noteZero(source[id])
    do throws(TypingError) {
      timed = try streamed(source[id])
      if let axis = timed.axis, timed.pace.hop > 1, extents(value)[axis] == 1 {
        throw TypingError("one frame of all")
      }
    } catch {
      throw placed(error, id)
    }
    values[value] = timed
    period = commonMultiple(of: period, and: timed.pace.hop)
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

  /// The number of an axis where another one is not counted.
  static func axis(_ axis: Int, without other: Int) -> Int { axis < other ? axis : axis - 1 }

  func extents(_ value: ValueID) -> [Int] { source.shape(of: value).fixed }

  func hasFrames(_ value: ValueID) -> Bool { assembler.shape(of: value)?.frames != nil }

  /// The operand as it stands; of a cycle it may come later.
  mutating func operand(_ value: ValueID) -> Timed {
    if let known = values[value] { return known }
    let type = TensorType(Shape(Array(extents(value).dropFirst()), frames: .init()))
    let forward = forwards[value] ?? assembler.forward(type)
    forwards[value] = forward
    return Timed(value: forward, axis: 0, pace: cyclePace ?? Pace())
  }

  /// A value that waits for a shift.
  mutating func waiting(_ timed: Timed, for shift: Int) throws(TypingError) -> ValueID {
    guard timed.axis != nil, hasFrames(timed.value), timed.pace.shift < shift else { return timed.value }
    return try assembler.apply(.delay(shift - timed.pace.shift), timed.value)
  }

  /// Operands with the same frames, and the shift that they have: no frame is before the first one of the stream.
  mutating func aligned(_ operands: [Timed]) throws(TypingError) -> (values: [ValueID], pace: Pace) {
    let paces = operands.filter { $0.axis != nil && hasFrames($0.value) }.map(\.pace)
    let hop = cyclePace?.hop ?? paces.first?.hop ?? 1
    if let other = paces.first(where: { $0.hop != hop }) {
      throw TypingError("frames \(hop) apart beside frames \(other.hop) apart")
    }
    let pace = cyclePace ?? Pace(hop: hop, shift: max(0, paces.map(\.shift).max() ?? 0))
    var values: [ValueID] = []
    for operand in operands { values.append(try waiting(operand, for: pace.shift)) }
    return (values, pace)
  }

  /// The value with zeros before its first frame.
  mutating func silentBefore(_ timed: Timed) throws(TypingError) -> Timed {
    guard timed.pace.shift > 0, hasFrames(timed.value) else { return timed }
    return try beginning(timed, at: timed.pace.shift, with: assembler.literal(0))
  }

  /// The value with other numbers before a frame of the stream.
  mutating func beginning(_ timed: Timed, at frame: Int, with first: ValueID) throws(TypingError) -> Timed {
    if begun[frame] == nil { begun[frame] = try assembler.apply(.delay(frame), assembler.literal(1)) }
    return Timed(
      value: try assembler.apply(.select, begun[frame]!, timed.value, first), axis: timed.axis,
      pace: timed.pace)
  }

  /// An operand that has the axis of time at a place, or an extent of 1 there, without it.
  ///
  /// - Parameters:
  ///   - axis: its own axis; below 0 where it has none of these.
  ///   - extent: that of the result there.
  mutating func withoutTime(_ value: ValueID, at axis: Int, of extent: Int) throws(TypingError) -> Timed {
    let own = operand(value)
    if let known = own.axis {
      guard known == axis else { throw TypingError("time along two axes of one value") }
      guard extents(value)[axis] == extent else {
        throw TypingError("one frame beside all others, which knows all of them")
      }
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
      let inner = try withoutTime(node.operands[0], at: axis - less, of: extent)
      return Timed(value: try assembler.apply(.broadcast(rest), inner.value), axis: axis)
    }
    let name = source.origins.names[value].map { " of '\($0)'" } ?? ""
    throw TypingError("numbers\(name) that are others at each frame")
  }

  mutating func filled(_ extents: [Int]) throws(TypingError) -> ValueID {
    try assembler.apply(.broadcast(extents), assembler.literal(0))
  }

  /// Whether a value that has its place in the walk is zero for ever.
  func isZero(_ value: ValueID) -> Bool { zeros.contains(value) }

  /// Notes whether a node is zero for ever, as silence is and what only moves it.
  private mutating func noteZero(_ node: Node) {
    let isZero: Bool
    switch node.op.kind {
    case .given(.literal(let number)): isZero = number == 0
    case .given(.weights(let id)): isZero = source[id].values.allSatisfy { $0 == 0 }
    case .given(.input(let port)): isZero = silent.contains(source.inputs[port].name)
    case .movement(.gather), .movement(.shift): isZero = false
    case .movement: isZero = node.operands.allSatisfy(self.isZero)
    case .given, .elementwise, .reduction, .layer, .contraction, .time, .source: isZero = false
    }
    guard isZero else { return }
    zeros.insert(node.result)
    if case .input(let port) = node.op.given {
      states[node.result] = source.inputs[port].name
    } else {
      states[node.result] = node.operands.lazy.compactMap { [states] in states[$0] }.first
    }
  }

  mutating func reshaped(_ value: ValueID, _ extents: [Int]) throws(TypingError) -> ValueID {
    assembler.shape(of: value)!.fixed == extents ? value : try assembler.apply(.reshape(extents), value)
  }

  // MARK: Nodes

  private mutating func streamed(_ node: Node) throws(TypingError) -> Timed {
    if let given = node.op.given { return try self.given(given) }
    let operands = node.operands.map { operand($0) }
    try checkStates(of: node, operands)
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
      let (values, pace) = try aligned(operands)
      let own = Self.axis(axis, without: time)
      let op: Op =
        switch reduction {
        case .sum(let ways): .sum(axis: own, ways: ways)
        case .maximum: .maximum(axis: own)
        }
      return Timed(
        value: try assembler.apply(op, values), axis: Self.axis(time, without: axis), pace: pace)
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

  /// Zeros of what is remembered stand before the first frame or the first state of a recurrent layer, and nowhere else.
  private func checkStates(of node: Node, _ operands: [Timed]) throws(TypingError) {
    for (place, operand) in node.operands.enumerated() {
      guard let state = states[operand], !isZero(node.result) else { continue }
      let isFirst = place == 1 && operands.count == 3 && isBeginning(node, operands[2].axis ?? -1)
      var isBefore = false
      if case .concatenate(let axis) = node.op {
        isBefore = node.operands.contains { values[$0]?.axis == axis }
      }
      guard isFirst || isBefore else {
        throw TypingError("the input '\(state)', as more than what is before the first frame")
      }
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
      return Timed(value: try reshaped(value, rest), axis: inputAxis)
    }
  }

  private mutating func elementwise(_ node: Node, _ operands: [Timed]) throws(TypingError) -> Timed {
    let rank = extents(node.result).count
    let axes = zip(node.operands, operands).compactMap { value, timed in
      timed.axis.map { $0 + rank - extents(value).count }
    }
    guard Set(axes).count == 1 else { throw Self.pairwise }
    let axis = axes[0]
    if isBeginning(node, axis) { return try begun(node, operands[2], axis) }
    var own: [Timed] = []
    for value in node.operands {
      own.append(
        try withoutTime(value, at: axis - (rank - extents(value).count), of: extents(node.result)[axis]))
    }
    let (values, pace) = try aligned(own)
    return Timed(value: try assembler.apply(node.op, values), axis: axis, pace: pace)
  }

  /// The state of a recurrent layer, which begins with numbers of its own: silence is there already.
  private mutating func begun(_ node: Node, _ state: Timed, _ axis: Int) throws(TypingError) -> Timed {
    let initial = node.operands[1]
    guard !isZero(initial) else { return state }
    let shape = extents(node.result)
    let first = try withoutTime(
      initial, at: axis - (shape.count - extents(initial).count), of: shape[axis])
    return try beginning(state, at: state.pace.shift + 1, with: first.value)
  }

  /// Whether a node has numbers of its own at the first position: `select([0, 1, 2 …] == 0, initial, x)`.
  private func isBeginning(_ node: Node, _ time: Int) -> Bool {
    guard node.op == .select else { return false }
    let condition = source.definition(of: node.operands[0])
    guard condition.op == .binary(.equal), source.definition(of: condition.operands[1]).op.literal == 0 else {
      return false
    }
    var positions = source.definition(of: condition.operands[0])
    while case .reshape = positions.op { positions = source.definition(of: positions.operands[0]) }
    guard case .weights(let id) = positions.op else { return false }
    let own = extents(condition.result)
    let axis = time - (extents(node.result).count - own.count)
    return own.indices.contains(axis) && own[axis] == source[id].values.count && own[axis] > 1
      && source[id].values.enumerated().allSatisfy { Float($0) == $1 }
  }
}

/// The smallest multiple of both, where that is no more than any stretch has.
private func commonMultiple(of a: Int, and b: Int) -> Int {
  stride(from: b, through: Limits.elements, by: b).first { $0.isMultiple(of: a) } ?? b
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
