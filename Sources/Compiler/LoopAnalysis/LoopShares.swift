// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import GraphPasses

/// The state of a linear loop, and the share of each past number in each next one.
///
///     y = x + 0.7 * delay(y, 1) - 0.6 * delay(y, 2)       y of 1 and of 2 frames ago; of these 0.7 and -0.6
///
/// The contents of the delays are the unknowns: each number of the loop is a sum of shares of them, and of input from
/// outside. Channels are told apart.
struct LoopShares {
  /// A number of the loop as it was some frames ago.
  private struct Past: Hashable {
    /// The index of the delayed number.
    var number: Int
    var frames: Int
  }

  private struct Share {
    static let nothing = Share()

    /// The factor of each past; empty where all are 0.
    private(set) var pasts: [Double] = []
    /// Whether the loop reads anything from outside.
    var readsOutside = false

    mutating func add(_ factor: Double, ofPast past: Int, of count: Int) {
      if pasts.isEmpty { pasts = [Double](repeating: 0, count: count) }
      pasts[past] += factor
    }

    static func + (a: Self, b: Self) -> Self {
      let sums = a.pasts.isEmpty ? b.pasts : b.pasts.isEmpty ? a.pasts : zip(a.pasts, b.pasts).map(+)
      return Share(pasts: sums, readsOutside: a.readsOutside || b.readsOutside)
    }

    static func * (share: Self, factor: Double) -> Self {
      Share(pasts: share.pasts.map { $0 * factor }, readsOutside: share.readsOutside && factor != 0)
    }
  }

  /// The numbers that read each other, apart from others, where something from outside comes to them: others are zero
  /// for ever. Channels that are alike are one.
  private(set) var parts: [LoopPart] = []
  /// The parameters that factors depend on.
  private(set) var parameters: Set<Int> = []

  /// The limits of the analysis: larger loops are not examined.
  private static let (mostNodes, mostNumbers, mostShares, mostReads) = (4096, 256, 1 << 20, 1 << 18)

  private let graph: Graph
  private let resting: RestingValues
  private var pasts: [Past] = []
  private var places: [Past: Int] = [:]
  /// For each delayed value, the index of its first number among all delayed ones.
  private var delayed: [ValueID: Int] = [:]
  /// The linear reads of ops that look back or mix channels.
  private var reads: [ValueID: Tensor<[LinearRead]>] = [:]
  private var shares: [ValueID: Tensor<Share>] = [:]

  /// nil where the loop is not linear, or one of its factors is not constant.
  init?(of loop: [NodeID], in graph: Graph, _ resting: RestingValues) {
    guard loop.count <= Self.mostNodes, loop.allSatisfy({ graph[$0].op.row.linearity != .none }) else {
      return nil
    }
    (self.graph, self.resting) = (graph, resting)
    let order = graph.components(of: loop, cuttingDelaysFrom: 0).flatMap(\.self).map { graph[$0] }
    let numbers = order.reduce(0) { $0 + graph.shape(of: $1.result).count }
    guard numbers <= Self.mostShares, order.reduce(0, { $0 + mostReads(of: $1) }) <= Self.mostReads else {
      return nil
    }
    for node in order {
      shares[node.result] = Tensor(graph.shape(of: node.result).fixed, filledWith: .nothing)
    }
    guard let values = remember(order),
      values.reduce(0, { $0 + graph.shape(of: $1).count }) <= Self.mostNumbers,
      numbers * pasts.count <= Self.mostShares
    else { return nil }
    for node in order {
      guard let found = share(of: node) else { return nil }
      shares[node.result] = found
    }
    divide(values.flatMap { shares[$0]?.numbers ?? [] })
  }

  /// - Parameter rows: The share of each number that is delayed.
  private mutating func divide(_ rows: [Share]) {
    var terms: [LoopPart.Term] = []
    for (row, share) in rows.enumerated() {
      for (past, factor) in zip(pasts, share.pasts) where factor != 0 {
        terms.append(.init(row: row, column: past.number, frames: past.frames, share: factor))
      }
    }
    var isReached = rows.map(\.readsOutside)
    var waiting = isReached.indices.filter { isReached[$0] }
    while let number = waiting.popLast() {
      for term in terms where term.column == number && !isReached[term.row] {
        isReached[term.row] = true
        waiting.append(term.row)
      }
    }
    // Rows that are not reached stay zero, and so does what they give.
    for part in LoopPart.parts(of: terms.filter { isReached[$0.row] && isReached[$0.column] }, rows.count)
    where !parts.contains(part) { parts.append(part) }
  }

  /// How many numbers are looked at for a node that looks back or mixes channels, at most.
  private func mostReads(of node: Node) -> Int {
    guard node.op.row.linearity == .reads else { return 0 }
    let count = graph.shape(of: node.result).count
    // Of a weight, those for each output; of the frames that a signal delays by, up to four.
    guard node.op.layer != nil else { return node.op.row.counted == nil ? count : 4 * count }
    return graph.shape(of: node.operands[1]).fixed.dropFirst().reduce(count, *)
  }

  /// Finds the pasts, and returns the values that are delayed, in their order; nil where something that is
  /// read is not constant, or of the present frame.
  private mutating func remember(_ order: [Node]) -> [ValueID]? {
    var values: [ValueID] = []
    var count = 0
    for node in order where node.op.row.linearity == .reads {
      let value = node.operands[0]
      guard let known = shares[value] else { return nil }
      let other = node.operands.dropFirst().first.flatMap { factor($0) }
      let extents = graph.shape(of: node.result).fixed
      guard let found = node.op.linearReads(of: known.extents, other, into: extents) else { return nil }
      reads[node.result] = found
      let earlier = found.numbers.joined().filter { $0.frames > 0 }
      guard !earlier.isEmpty else { continue }
      if delayed[value] == nil {
        delayed[value] = count
        values.append(value)
        count += known.numbers.count
      }
      for read in earlier {
        let past = past(of: value, read)
        guard places[past] == nil else { continue }
        places[past] = pasts.count
        pasts.append(past)
      }
    }
    return values
  }

  private func past(of value: ValueID, _ read: LinearRead) -> Past {
    Past(number: delayed[value]! + read.number, frames: read.frames)
  }

  // MARK: Shares

  /// The share in a value that is no part of the loop: nothing where it is zero.
  private func share(outside value: ValueID) -> Tensor<Share> {
    let (extents, outside) = (graph.shape(of: value).fixed, Share(readsOutside: true))
    if let numbers = resting[value] {
      return Tensor(extents, numbers.numbers.map { $0 == 0 ? .nothing : outside })
    }
    let node = graph.definition(of: value)
    guard case .movement(let movement) = node.op.kind, case .pad = movement else {
      return Tensor(extents, filledWith: outside)
    }
    let operand = share(outside: node.operands[0])
    return movement.rearranged([operand], into: extents, zero: .nothing) { _ in nil }
      ?? Tensor(extents, filledWith: outside)
  }

  private mutating func noteFactor(_ value: ValueID) {
    parameters.formUnion(resting.parameters(of: value))
  }

  /// The factors that a value from outside multiplies with; nil where they are not known, or the value is of the loop.
  private mutating func factor(_ value: ValueID) -> Tensor<Double>? {
    guard shares[value] == nil else { return nil }
    noteFactor(value)
    return resting[value]
  }

  private mutating func share(of node: Node) -> Tensor<Share>? {
    let (operands, extents) = (node.operands, graph.shape(of: node.result).fixed)
    let own = operands.map { shares[$0] ?? share(outside: $0) }
    if let reads = reads[node.result] {
      let axis = node.op.layer?.channelAxis(of: graph.shape(of: operands[0]))
      return biased(sums(of: operands[0], reads), own.dropFirst(2).first, axis)
    }
    switch node.op.kind {
    case .elementwise(.unary(.negate)): return Tensor(extents, own[0].numbers.map { $0 * -1 })
    case .elementwise(.binary(.add)): return own[0].combined(with: own[1], extents, +)
    case .elementwise(.binary(.subtract)):
      return own[0].combined(with: own[1], extents) { $0 + $1 * -1 }
    case .elementwise(.binary(.multiply)): return product(operands[0], operands[1], extents)
    case .elementwise(.binary(.divide)):
      return factor(operands[1]).map { own[0].combined(with: $0, extents) { $0 * (1 / $1) } }
    case .elementwise(.fma):
      return product(operands[0], operands[1], extents).map { $0.combined(with: own[2], extents, +) }
    case .movement(let movement): return movement.rearranged(own, into: extents, zero: .nothing) { _ in nil }
    case .reduction(.sum, let axis): return own[0].reduced(along: axis, extents, from: .nothing, +)
    case .given, .elementwise, .reduction, .layer, .contraction, .time, .source: return nil
    }
  }

  /// nil where both are parts of the loop.
  private mutating func product(_ a: ValueID, _ b: ValueID, _ extents: [Int]) -> Tensor<Share>? {
    guard let (part, other) = shares[a].map({ ($0, b) }) ?? shares[b].map({ ($0, a) }) else {
      return Tensor(extents, filledWith: Share(readsOutside: true))
    }
    return factor(other).map { part.combined(with: $0, extents, *) }
  }

  private func sums(of value: ValueID, _ reads: Tensor<[LinearRead]>) -> Tensor<Share> {
    let known = shares[value]!
    let sums = reads.numbers.map { reads in
      var sum = Share.nothing
      for read in reads {
        if read.frames > 0 {
          sum.add(read.factor, ofPast: places[past(of: value, read)]!, of: pasts.count)
        } else {
          sum = sum + known.numbers[read.number] * read.factor
        }
      }
      return sum
    }
    return Tensor(reads.extents, sums)
  }

  /// With a share for each channel beside.
  private func biased(_ sums: Tensor<Share>, _ bias: Tensor<Share>?, _ axis: Int?) -> Tensor<Share> {
    guard let bias, let axis else { return sums }
    let inner = sums.extents[(axis + 1)...].map { _ in 1 }
    return sums.combined(with: Tensor(bias.extents + inner, bias.numbers), sums.extents, +)
  }
}
