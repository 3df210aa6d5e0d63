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
  struct Past {
    /// Which of the numbers that are delayed.
    var number: Int
    var frames: Int
    /// Whether it is the number of that frame, and not one between it and its neighbours.
    var isWhole: Bool
  }

  /// So much of each past, and of what comes from outside; empty for nothing of any.
  private typealias Share = [Double]

  private(set) var pasts: [Past] = []
  /// For each number that is delayed, its share of each past.
  private(set) var rows: [[Double]] = []
  /// For each number that is delayed, whether something from outside goes into it.
  private(set) var hearsOutside: [Bool] = []
  /// Whether a factor becomes another one where a parameter is set.
  private(set) var dependsOnParameters = false

  /// Larger loops are not looked at.
  private static let (mostNodes, mostNumbers, mostShares) = (512, 128, 1 << 20)

  private let graph: Graph
  private let resting: RestingValues
  /// Where the pasts of a delay begin.
  private var firstPast: [ValueID: Int] = [:]
  private var shares: [ValueID: Tensor<Share>] = [:]

  /// nil where the loop is not linear, or something that it multiplies with does not stand still.
  init?(of loop: [NodeID], in graph: Graph, _ resting: RestingValues) {
    guard loop.count <= Self.mostNodes else { return nil }
    (self.graph, self.resting) = (graph, resting)
    let order = graph.components(of: loop, cuttingDelaysFrom: 0).flatMap(\.self).map { graph[$0] }
    for node in order { shares[node.result] = Tensor(graph.shape(of: node.result).fixed, filledWith: []) }
    let delayed = remember(order)
    let numbers = order.reduce(0) { $0 + graph.shape(of: $1.result).count }
    guard let delayed, delayed.reduce(0, { $0 + graph.shape(of: $1).count }) <= Self.mostNumbers,
      numbers * pasts.count <= Self.mostShares
    else { return nil }
    for node in order {
      guard let found = share(of: node) else { return nil }
      shares[node.result] = found
    }
    for share in delayed.flatMap({ shares[$0]?.numbers ?? [] }) {
      rows.append(share.isEmpty ? [Double](repeating: 0, count: pasts.count) : share.dropLast())
      hearsOutside.append(share.last.map { $0 != 0 } ?? false)
    }
  }

  /// Finds the pasts, and returns the values that are delayed; nil where one is delayed by less than a frame, or by a
  /// signal.
  private mutating func remember(_ order: [Node]) -> [ValueID]? {
    var delayed: [ValueID] = []
    var firstNumber: [ValueID: Int] = [:]
    var count = 0
    for node in order {
      let distance: (frames: Int, isWhole: Bool)
      switch node.op {
      case .delay(let frames): distance = (frames, true)
      case .tap(let tap):
        guard let by = resting[node.operands[1]], let found = tap.distance(by: by.numbers) else { return nil }
        distance = found
        noteFactor(node.operands[1])
      case .input, .parameter, .literal, .weights, .unary, .binary, .select, .fma, .slice, .concatenate,
        .reshape,
        .transpose, .pad, .broadcast, .sum, .maximum, .dense, .convolution, .lookahead, .control, .phasor,
        .noise:
        continue
      }
      let value = node.operands[0]
      guard shares[value] != nil else { return nil }
      let width = graph.shape(of: value).count
      if firstNumber[value] == nil {
        firstNumber[value] = count
        delayed.append(value)
        count += width
      }
      firstPast[node.result] = pasts.count
      for number in 0..<width {
        pasts.append(
          Past(number: firstNumber[value]! + number, frames: distance.frames, isWhole: distance.isWhole))
      }
    }
    return delayed
  }

  // MARK: Shares

  /// The whole of one past, or of what comes from outside.
  private func whole(_ place: Int) -> Share { (0...pasts.count).map { $0 == place ? 1 : 0 } }

  /// The share in a value that is no part of the loop: nothing where it is zero.
  private func share(outside value: ValueID) -> Tensor<Share> {
    let (extents, outside) = (graph.shape(of: value).fixed, whole(pasts.count))
    if let numbers = resting[value] { return Tensor(extents, numbers.numbers.map { $0 == 0 ? [] : outside }) }
    let node = graph.definition(of: value)
    guard case .pad = node.op else { return Tensor(extents, filledWith: outside) }
    return node.op.rearranged([share(outside: node.operands[0])], into: extents, zero: [])
      ?? Tensor(extents, filledWith: outside)
  }

  private mutating func noteFactor(_ value: ValueID) {
    if resting.dependsOnParameters(value) { dependsOnParameters = true }
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
    case .unary(.negate): return Tensor(extents, own[0].numbers.map { Self.scaled($0, by: -1) })
    case .binary(.add): return own[0].combined(with: own[1], extents, Self.sum)
    case .binary(.subtract):
      return own[0].combined(with: own[1], extents) { Self.sum($0, Self.scaled($1, by: -1)) }
    case .binary(.multiply): return product(operands[0], operands[1], extents)
    case .binary(.divide):
      return factor(operands[1]).map { own[0].combined(with: $0, extents) { Self.scaled($0, by: 1 / $1) } }
    case .fma:
      return product(operands[0], operands[1], extents).map { $0.combined(with: own[2], extents, Self.sum) }
    case .slice, .concatenate, .reshape, .transpose, .pad, .broadcast:
      return node.op.rearranged(own, into: extents, zero: [])
    case .sum(let axis): return own[0].reduced(along: axis, extents, from: [], Self.sum)
    case .dense(let axis): return factor(operands[1]).map { dense(own[0], $0, along: axis, extents) }
    case .delay, .tap:
      let first = firstPast[node.result]!
      let units = own[0].numbers.indices.map { whole(first + $0) }
      return Tensor(own[0].extents, units).stretched(to: extents)
    case .input, .parameter, .literal, .weights, .unary, .binary, .select: return nil
    case .maximum, .convolution, .lookahead, .control, .phasor, .noise: return nil
    }
  }

  /// nil where both are parts of the loop.
  private mutating func product(_ a: ValueID, _ b: ValueID, _ extents: [Int]) -> Tensor<Share>? {
    guard let (part, other) = shares[a].map({ ($0, b) }) ?? shares[b].map({ ($0, a) }) else {
      return Tensor(extents, filledWith: whole(pasts.count))
    }
    return factor(other).map { part.combined(with: $0, extents, Self.scaled) }
  }

  private func dense(
    _ x: Tensor<Share>, _ weight: Tensor<Double>, along axis: Int, _ extents: [Int]
  ) -> Tensor<Share> {
    let (outputs, inputs) = (weight.extents[0], weight.extents[1])
    let whole = Region(x.extents.map { 0..<$0 })
    let layers = (0..<inputs).map { x.part(whole.with(axis, $0..<$0 + 1)) }
    let results = (0..<outputs).map { output in
      let terms = zip(layers, weight.numbers[output * inputs..<(output + 1) * inputs]).map { layer, factor in
        Tensor(layer.extents, layer.numbers.map { Self.scaled($0, by: factor) })
      }
      return terms.dropFirst().reduce(terms[0]) { $0.combined(with: $1, $1.extents, Self.sum) }
    }
    return Tensor(joining: results, along: axis, extents)
  }

  private static func sum(_ a: Share, _ b: Share) -> Share {
    a.isEmpty ? b : b.isEmpty ? a : zip(a, b).map(+)
  }

  private static func scaled(_ share: Share, by factor: Double) -> Share { share.map { $0 * factor } }
}

extension Tap {
  /// How far back it reads where all say the same; nil where it hears of the present frame.
  fileprivate func distance(by frames: [Double]) -> (frames: Int, isWhole: Bool)? {
    guard let first = frames.first, frames.allSatisfy({ $0 == first }), first.isFinite else { return nil }
    let kept = max(Double(minimum), min(Double(maximum), first))
    let isWhole = interpolation == .none || kept == kept.rounded(.down)
    // The slope at a frame is that between its neighbours.
    let least = interpolation == .cubic && !isWhole ? 2 : 1
    return Int(kept) >= least ? (Int(kept.rounded()), isWhole) : nil
  }
}
