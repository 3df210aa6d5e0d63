// SPDX-License-Identifier: Apache-2.0

/// All that is known of an op and is no computation. `Op.row` has one for each op.
///
/// Defaults claim the least: no history, no delay, nothing linear, nothing known of the numbers.
package struct OpRow: Sendable {
  /// One word for the op, as lists and pictures show it.
  package let name: String
  package let kind: Op.Kind
  /// How many operands the op takes.
  package let operands: ClosedRange<Int>
  /// Vector instructions, roughly; the measure by which kernels are kept small.
  ///
  /// An elementwise op shares a loop with others. A copy, a fold or a sample has a kernel of its own, and its
  /// instructions are mostly the loop around it.
  package let cost: Int
  /// Whether it costs that much for each operand.
  package let costsEachOperand: Bool
  /// Whether its first two operands may change places without changing a bit.
  package let commutes: Bool
  package let linearity: Linearity
  package let numbers: Numbers
  /// How many earlier frames (or steps) of its first operand the op keeps as state.
  package let history: Int
  /// By how many frames, at least, the op delays its first operand; nil for what delays nothing.
  package let leastDelay: Int?
  /// How many frames later than its own the op looks; nil for what does not.
  package let ahead: Int?
  package let position: Position
  /// The range that its second operand is kept within, frame by frame, and counted where it lies outside.
  package let counted: ClosedRange<Int>?
  /// Whether it reads less than all of its operand where all of its result is wanted.
  package let demandsLess: Bool

  init(
    _ name: String, _ kind: Op.Kind, operands: ClosedRange<Int>, cost: Int, costsEachOperand: Bool = false,
    commutes: Bool = false, linearity: Linearity = .none, numbers: Numbers = .any, history: Int = 0,
    leastDelay: Int? = nil, ahead: Int? = nil, position: Position = .ignored,
    counted: ClosedRange<Int>? = nil, demandsLess: Bool = false
  ) {
    self.name = name
    self.kind = kind
    self.operands = operands
    self.cost = cost
    self.costsEachOperand = costsEachOperand
    self.commutes = commutes
    self.linearity = linearity
    self.numbers = numbers
    self.history = history
    self.leastDelay = leastDelay
    self.ahead = ahead
    self.position = position
    self.counted = counted
    self.demandsLess = demandsLess
  }

  /// In what a result is linear.
  package enum Linearity: Hashable, Sendable {
    case none
    /// In its operands: it is a sum of shares of them, one of which may be multiplied with another.
    case operands
    /// In its first operand, of which it reads several numbers or earlier ones, as the second one says.
    case reads
  }

  /// A property of all numbers of a result.
  package enum Numbers: Hashable, Sendable {
    case any
    /// Each is a number of an operand, or 0.
    case ofOperands
    /// Never negative where no number of an operand is.
    case signOfOperands
    case finite
    /// From 0 to below 1.
    case fraction
  }

  /// The use that an op makes of the position in the stream.
  package enum Position: Hashable, Sendable {
    case ignored
    /// The result is a function of it.
    case read
    /// The operand is sampled at its multiples of so many frames, and held.
    case sampled(every: Int)
  }
}

extension Op {
  package var kind: Kind { row.kind }
  package var shortName: String { row.name }
  package var operandCounts: ClosedRange<Int> { row.operands }
  package var cost: Int { row.cost }
  package var commutes: Bool { row.commutes }
  package var history: Int { row.history }
  package var leastDelay: Int? { row.leastDelay }

  /// The given thing that the node stands for; nil for what is computed.
  package var given: Given? {
    if case .given(let given) = kind { given } else { nil }
  }

  /// The function of one place; nil for what is no such function.
  package var elementwise: Elementwise? {
    if case .elementwise(let function) = kind { function } else { nil }
  }

  /// Whether the node stands for something given instead of computed.
  package var isLeaf: Bool { given != nil }

  /// The layer; nil for what is none.
  package var layer: Layer? {
    if case .layer(let layer) = kind { layer } else { nil }
  }

  /// Whether it computes element by element, so that it can run inside any loop over elements.
  package var isElementwise: Bool { elementwise != nil }

  /// Whether the result is numbers that stand in the model: the same for ever.
  package var isFixed: Bool {
    switch given {
    case .literal, .weights: true
    case .input, .parameter, nil: false
    }
  }

  /// Whether the node is a number that a user turns.
  package var isParameter: Bool {
    switch given {
    case .parameter: true
    case .input, .literal, .weights, nil: false
    }
  }

  /// The one number that the node is and that is written into the code; nil for anything else.
  package var literal: Float? {
    switch given {
    case .literal(let number): number
    case .input, .parameter, .weights, nil: nil
    }
  }

  package var isLiteral: Bool { literal != nil }

  /// Whether the op breaks a cycle: of its first operand the result depends on earlier frames only.
  package var isDelay: Bool { (leastDelay ?? 0) > 0 }

  /// How many frames later than its own the op looks.
  package var ahead: Int { row.ahead ?? 0 }

  /// Whether the op names a value of later frames.
  package var isLookahead: Bool { row.ahead != nil }

  /// Whether the result may change from frame to frame (or from step to step) although no operand does.
  package var beginsFrames: Bool {
    switch kind {
    case .time, .source, .given(.input): true
    case .given, .elementwise, .movement, .reduction, .layer, .contraction: false
    }
  }

  /// Whether it puts numbers elsewhere and computes none.
  package var isMovement: Bool { movement != nil }

  /// The movement; nil for what is none.
  package var movement: Movement? {
    if case .movement(let movement) = kind { movement } else { nil }
  }
}

extension Graph {
  /// Whether the node's result may change from frame to frame (or from step to step) although no operand does: as
  /// its op says, but for array parameters.
  package func beginsFrames(_ node: Node) -> Bool {
    if case .input(let port) = node.op.given, inputs[port].isArrayParameter { return false }
    return node.op.beginsFrames
  }
}

extension Node {
  /// The cost of the node in vector instructions, all its kernels together.
  package var cost: Int {
    let row = op.row
    return row.costsEachOperand ? row.cost * operands.count : row.cost
  }
}

extension Graph {
  /// The results of all delays by a signal, in the order in which they are counted.
  package var taps: [ValueID] { nodes.filter { $0.op.row.counted != nil }.map(\.result) }

  /// The periods, in frames, at which something is sampled and held.
  package var samplingPeriods: Set<Int> {
    nodes.reduce(into: []) { periods, node in
      if case .sampled(let period) = node.op.row.position { periods.insert(period) }
    }
  }

  /// Whether something is a function of the position in the stream.
  package var readsPosition: Bool { nodes.contains { $0.op.row.position == .read } }

  /// The cost of the graph in vector instructions: its nodes, and a copy for each output that shows what no map
  /// computes, or that would overwrite an input.
  package var cost: Int { nodes.reduce(outputs.count * Op.copyCost) { $0 + $1.cost } }
}
