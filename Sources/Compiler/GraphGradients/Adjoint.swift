// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// The adjoints of nodes, one at a time: what flows back into the operands, by what flows back into the result.
struct Adjoint {
  var assembler: GraphAssembler
  /// The node that it is at.
  private(set) var node: Node
  /// How fast the loss changes with the node's result.
  private(set) var cotangent: ValueID
  /// Whether it is in a cycle along positions: then no position goes on before the one behind it.
  private(set) var isInFeedback = false

  /// - Parameter node: the first one that it will be at.
  init(at node: Node, in assembler: GraphAssembler) {
    (self.node, self.assembler) = (node, assembler)
    cotangent = node.result
  }

  /// The flows back into each operand of a node that is wanted, in the operand's shape.
  mutating func flows(
    through node: Node, _ cotangent: ValueID, _ wanted: [Bool], inFeedback: Bool
  ) throws(TypingError) -> [ValueID?] {
    (self.node, self.cotangent, isInFeedback) = (node, cotangent, inFeedback)
    switch node.op.kind {
    case .given, .time, .source:
      preconditionFailure("\(node.op.shortName) passes no changes")
    case .elementwise(let function): return try elementwise(function, wanted)
    case .movement(let movement): return try moved(movement, wanted)
    case .reduction(.sum, let axis): return [try stretched(cotangent, along: axis)]
    case .reduction(.maximum, let axis): return [try largest(axis)]
    case .layer(.dense(let axis, _)): return try dense(axis, wanted)
    case .layer(.convolution(let convolution)): return try convolved(convolution, wanted)
    case .contraction: return try contracted(wanted)
    }
  }

  // MARK: Shapes

  func fixed(_ value: ValueID) -> [Int] { assembler.shape(of: value)!.fixed }

  func operandShape(_ operand: Int) -> [Int] { fixed(node.operands[operand]) }

  mutating func reshaped(_ value: ValueID, _ extents: [Int]) throws(TypingError) -> ValueID {
    fixed(value) == extents ? value : try assembler.apply(.reshape(extents), value)
  }

  mutating func transposed(_ value: ValueID, _ order: [Int]) throws(TypingError) -> ValueID {
    order == Array(order.indices) ? value : try assembler.apply(.transpose(order), value)
  }

  mutating func sliced(
    _ value: ValueID, _ axis: Int, _ start: Int, _ count: Int
  ) throws(TypingError) -> ValueID {
    start == 0 && count == fixed(value)[axis]
      ? value : try assembler.apply(.slice(axis: axis, start: start, count: count), value)
  }

  /// Zeros before and after, put where the axis is in memory: of a transposed value, in front of the transposition.
  mutating func padded(
    _ value: ValueID, _ axis: Int, before: Int, after: Int
  ) throws(TypingError) -> ValueID {
    guard before > 0 || after > 0 else { return value }
    let node = assembler.graph.definition(of: value)
    if case .transpose(let order) = node.op {
      return try transposed(padded(node.operands[0], order[axis], before: before, after: after), order)
    }
    return try assembler.apply(.pad(axis: axis, before: before, after: after), value)
  }

  /// The sums over all axes that an operand of this shape was stretched along.
  mutating func folded(_ value: ValueID, to extents: [Int]) throws(TypingError) -> ValueID {
    let own = fixed(value)
    guard own != extents else { return value }
    if extents.allSatisfy({ $0 == 1 }) {
      let count = own.reduce(1, *)
      let sum = try assembler.apply(.sum(axis: 0, ways: count < 64 ? 1 : 16), reshaped(value, [count]))
      return try reshaped(sum, extents)
    }
    let more = own.count - extents.count
    var result = value
    for axis in own.indices.reversed() where own[axis] > 1 && (axis < more || extents[axis - more] == 1) {
      result = try assembler.apply(.sum(axis: axis), result)
    }
    return try reshaped(result, extents)
  }

  /// The operand of a reduction's shape, with one number at each of its positions.
  mutating func stretched(_ value: ValueID, along axis: Int) throws(TypingError) -> ValueID {
    var extents = operandShape(0)
    let all = extents
    extents[axis] = 1
    return try assembler.apply(.broadcast(all), reshaped(value, extents))
  }

  /// Equal shares of those that are the largest.
  private mutating func largest(_ axis: Int) throws(TypingError) -> ValueID {
    let (x, largest) = (node.operands[0], try stretched(node.result, along: axis))
    let isLargest = try assembler.apply(.binary(.equal), x, largest)
    let count = try assembler.apply(.sum(axis: axis), isLargest)
    let share = try assembler.apply(.binary(.divide), cotangent, count)
    return try assembler.apply(.binary(.multiply), stretched(share, along: axis), isLargest)
  }
}

extension Op {
  /// Whether the result changes with an operand bit by bit: jumps, indices, conditions and what steps before have left
  /// pass nothing on.
  func passesChanges(of operand: Int) -> Bool {
    switch kind {
    case .given, .time, .source: false
    case .elementwise(.unary(let op)):
      switch op {
      case .floor, .ceil, .round, .truncate, .sign: false
      case .negate, .abs, .sqrt, .exp, .log, .sin, .cos, .tan, .tanh, .sigmoid, .erf: true
      }
    case .elementwise(.binary(let op)):
      switch op {
      case .less, .lessOrEqual, .greater, .greaterOrEqual, .equal, .notEqual: false
      case .add, .subtract, .multiply, .divide, .modulo, .min, .max, .pow, .atan2: true
      }
    case .elementwise(.select): operand > 0
    case .movement(.gather): operand == 0
    case .elementwise(.fma), .movement, .reduction, .layer, .contraction: true
    }
  }
}
