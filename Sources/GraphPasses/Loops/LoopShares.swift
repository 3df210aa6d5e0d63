// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// What a linear loop remembers, and how much of it goes into what it will remember.
///
///     y = x + 0.7 * delay(y, 1) - 0.6 * delay(y, 2)       y of 1 and of 2 frames ago; of these 0.7 and -0.6
///
/// What stands in the delays of the loop is all that is not known: each number of the loop is a sum of shares of it,
/// and of what comes from outside. Channels are told apart.
struct LoopShares {
  /// A number of the loop as it was some frames ago.
  private struct Past: Hashable {
    /// Which of the numbers that are delayed.
    var number: Int
    var frames: Int
  }

  private struct Share {
    static let nothing = Share()

    /// So much of each past; empty for nothing of any.
    var pasts: [Double] = []
    /// Whether something comes from outside.
    var hearsOutside = false

    static func + (a: Self, b: Self) -> Self {
      let sums = a.pasts.isEmpty ? b.pasts : b.pasts.isEmpty ? a.pasts : zip(a.pasts, b.pasts).map(+)
      return Share(pasts: sums, hearsOutside: a.hearsOutside || b.hearsOutside)
    }

    static func * (share: Self, factor: Double) -> Self {
      Share(pasts: share.pasts.map { $0 * factor }, hearsOutside: share.hearsOutside && factor != 0)
    }
  }

  /// The numbers that hear each other, apart from others, where something from outside comes to them: others are zero
  /// for ever. Channels that are alike are one.
  private(set) var parts: [LoopPart] = []
  /// The parameters that a factor becomes another one with.
  private(set) var parameters: Set<Int> = []

  /// Larger loops are not looked at.
  private static let (mostNodes, mostNumbers, mostShares) = (4096, 256, 1 << 20)

  private let graph: Graph
  private let resting: RestingValues
  private var pasts: [Past] = []
  /// For each number of a delay's result, the pasts that it is made of, and with which factors.
  private var reads: [ValueID: Tensor<[(past: Int, factor: Double)]>] = [:]
  private var shares: [ValueID: Tensor<Share>] = [:]

  /// nil where the loop is not linear, or something that it multiplies with does not stand still.
  init?(of loop: [NodeID], in graph: Graph, _ resting: RestingValues) {
    guard loop.count <= Self.mostNodes else { return nil }
    (self.graph, self.resting) = (graph, resting)
    let order = graph.components(of: loop, cuttingDelaysFrom: 0).flatMap(\.self).map { graph[$0] }
    for node in order {
      shares[node.result] = Tensor(graph.shape(of: node.result).fixed, filledWith: .nothing)
    }
    let delayed = remember(order)
    let numbers = order.reduce(0) { $0 + graph.shape(of: $1.result).count }
    guard let delayed, delayed.reduce(0, { $0 + graph.shape(of: $1).count }) <= Self.mostNumbers,
      numbers * pasts.count <= Self.mostShares
    else { return nil }
    for node in order {
      guard let found = share(of: node) else { return nil }
      shares[node.result] = found
    }
    divide(delayed.flatMap { shares[$0]?.numbers ?? [] })
  }

  /// - Parameter rows: The share of each number that is delayed.
  private mutating func divide(_ rows: [Share]) {
    var terms: [LoopPart.Term] = []
    for (row, share) in rows.enumerated() {
      for (past, factor) in zip(pasts, share.pasts) where factor != 0 {
        terms.append(.init(row: row, column: past.number, frames: past.frames, share: factor))
      }
    }
    var isReached = rows.map(\.hearsOutside)
    var waiting = isReached.indices.filter { isReached[$0] }
    while let number = waiting.popLast() {
      for term in terms where term.column == number && !isReached[term.row] {
        isReached[term.row] = true
        waiting.append(term.row)
      }
    }
    // What is not reached stays zero, and so does what it gives.
    for part in LoopPart.parts(of: terms.filter { isReached[$0.row] && isReached[$0.column] }, rows.count)
    where !parts.contains(part) { parts.append(part) }
  }

  /// Finds the pasts, and returns the values that are delayed; nil where one is delayed by less than a frame, or by a
  /// signal.
  private mutating func remember(_ order: [Node]) -> [ValueID]? {
    var delayed: [ValueID] = []
    var firstNumber: [ValueID: Int] = [:]
    var count = 0
    var places: [Past: Int] = [:]
    for node in order {
      let extents = graph.shape(of: node.result).fixed
      let distances: Tensor<[(frames: Int, factor: Double)]>
      switch node.op {
      case .delay(let frames): distances = Tensor(extents, filledWith: [(frames, 1)])
      case .tap(let tap):
        guard let by = resting[node.operands[1]] else { return nil }
        let found = by.numbers.compactMap(tap.reads)
        guard found.count == by.numbers.count else { return nil }
        distances = Tensor(by.extents, found).stretched(to: extents)
        noteFactor(node.operands[1])
      case .input, .parameter, .literal, .weights, .unary, .binary, .select, .fma, .slice, .concatenate,
        .reshape, .transpose, .pad, .broadcast, .sum, .maximum, .dense, .convolution, .lookahead, .control,
        .phasor, .noise:
        continue
      }
      let value = node.operands[0]
      guard let known = shares[value] else { return nil }
      if firstNumber[value] == nil {
        firstNumber[value] = count
        delayed.append(value)
        count += known.numbers.count
      }
      let first = firstNumber[value]!
      let numbers = Tensor(known.extents, Array(first..<first + known.numbers.count)).stretched(to: extents)
      let read = zip(numbers.numbers, distances.numbers).map { number, distances in
        distances.map { frames, factor in
          let past = Past(number: number, frames: frames)
          let place = places[past] ?? pasts.count
          if place == pasts.count { pasts.append(past) }
          places[past] = place
          return (past: place, factor: factor)
        }
      }
      reads[node.result] = Tensor(extents, read)
    }
    return delayed
  }

  // MARK: Shares

  private func whole(of past: Int) -> Share { Share(pasts: pasts.indices.map { $0 == past ? 1 : 0 }) }

  /// The share in a value that is no part of the loop: nothing where it is zero.
  private func share(outside value: ValueID) -> Tensor<Share> {
    let (extents, outside) = (graph.shape(of: value).fixed, Share(hearsOutside: true))
    if let numbers = resting[value] {
      return Tensor(extents, numbers.numbers.map { $0 == 0 ? .nothing : outside })
    }
    let node = graph.definition(of: value)
    guard case .pad = node.op else { return Tensor(extents, filledWith: outside) }
    return node.op.rearranged([share(outside: node.operands[0])], into: extents, zero: .nothing)
      ?? Tensor(extents, filledWith: outside)
  }

  private mutating func noteFactor(_ value: ValueID) {
    parameters.formUnion(resting.parameters(of: value))
  }

  /// What a value from outside is multiplied with.
  private mutating func factor(_ value: ValueID) -> Tensor<Double>? {
    guard shares[value] == nil else { return nil }
    noteFactor(value)
    return resting[value]
  }

  private mutating func share(of node: Node) -> Tensor<Share>? {
    let (operands, extents) = (node.operands, graph.shape(of: node.result).fixed)
    let own = operands.map { shares[$0] ?? share(outside: $0) }
    switch node.op {
    case .unary(.negate): return Tensor(extents, own[0].numbers.map { $0 * -1 })
    case .binary(.add): return own[0].combined(with: own[1], extents, +)
    case .binary(.subtract):
      return own[0].combined(with: own[1], extents) { $0 + $1 * -1 }
    case .binary(.multiply): return product(operands[0], operands[1], extents)
    case .binary(.divide):
      return factor(operands[1]).map { own[0].combined(with: $0, extents) { $0 * (1 / $1) } }
    case .fma:
      return product(operands[0], operands[1], extents).map { $0.combined(with: own[2], extents, +) }
    case .slice, .concatenate, .reshape, .transpose, .pad, .broadcast:
      return node.op.rearranged(own, into: extents, zero: .nothing)
    case .sum(let axis): return own[0].reduced(along: axis, extents, from: .nothing, +)
    case .dense(let axis): return factor(operands[1]).map { dense(own[0], $0, along: axis, extents) }
    case .delay, .tap:
      let sums = reads[node.result]!.numbers.map { read in
        read.reduce(.nothing) { $0 + whole(of: $1.past) * $1.factor }
      }
      return Tensor(extents, sums)
    case .input, .parameter, .literal, .weights, .unary, .binary, .select: return nil
    case .maximum, .convolution, .lookahead, .control, .phasor, .noise: return nil
    }
  }

  /// nil where both are parts of the loop.
  private mutating func product(_ a: ValueID, _ b: ValueID, _ extents: [Int]) -> Tensor<Share>? {
    guard let (part, other) = shares[a].map({ ($0, b) }) ?? shares[b].map({ ($0, a) }) else {
      return Tensor(extents, filledWith: Share(hearsOutside: true))
    }
    return factor(other).map { part.combined(with: $0, extents, *) }
  }

  private func dense(
    _ x: Tensor<Share>, _ weight: Tensor<Double>, along axis: Int, _ extents: [Int]
  ) -> Tensor<Share> {
    let (outputs, inputs) = (weight.extents[0], weight.extents[1])
    let whole = Region(x.extents.map { 0..<$0 })
    let layers = (0..<inputs).map { x.part(whole.with(axis, $0..<$0 + 1)) }
    let results = (0..<outputs).map { output in
      let terms = zip(layers, weight.numbers[output * inputs..<(output + 1) * inputs]).map { layer, factor in
        Tensor(layer.extents, layer.numbers.map { $0 * factor })
      }
      return terms.dropFirst().reduce(terms[0]) { $0.combined(with: $1, $1.extents, +) }
    }
    return Tensor(joining: results, along: axis, extents)
  }
}

extension Tap {
  /// Which frames it reads where it stands still, and with which factors; nil where it hears of the present frame.
  fileprivate func reads(_ by: Double) -> [(frames: Int, factor: Double)]? {
    guard by.isFinite else { return nil }
    let kept = max(Double(minimum), min(Double(maximum), by))
    let (whole, t) = (Int(kept), kept - kept.rounded(.down))
    let factors: [(Int, Double)]
    switch interpolation {
    case _ where t == 0, .none: factors = [(whole, 1)]
    case .linear: factors = [(whole, 1 - t), (whole + 1, t)]
    case .cubic:
      factors = [
        (whole - 1, t * (t * (1 - t / 2) - 0.5)), (whole, 1 + t * t * (1.5 * t - 2.5)),
        (whole + 1, t * (0.5 + t * (2 - 1.5 * t))), (whole + 2, t * t * (t - 1) / 2),
      ]
    }
    let reads = factors.map { (frames: max(minimum, min(maximum, $0)), factor: $1) }
    return reads.allSatisfy { $0.frames >= 1 } ? reads : nil
  }
}
