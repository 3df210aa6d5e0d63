// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// The frames of each value that anybody reads, where these are one of several.
///
///     c   = delay(select(c + 1 < 4, c + 1, 0), 1)     0 1 2 3 0 1 2 3 …
///     y   = dense(x, 'm')                             read where c is 2 only: computed there only
///     dst = select(c == 2, y, delay(dst, 1))
///
/// Networks with strides along time are streams of this form: see `Graph.streamed`. What a recurrent layer behind a stride
/// remembers is that of its own frames, a multiple of four before, and in between nothing has to be computed at all.
struct SparseFrames {
  /// Every so many frames, from the one of a phase on.
  struct Every: Hashable, Comparable {
    var hop: Int
    var phase: Int

    static func < (a: Every, b: Every) -> Bool { (a.hop, a.phase) < (b.hop, b.phase) }
  }

  private let graph: Graph
  /// The numbers of one round of what goes around by itself.
  private var rounds: [ValueID: [Double]] = [:]
  /// Numbers that count frames from 0 up to a period, by that.
  private var counters: [Int: ValueID] = [:]
  /// The frames of a round that are read of each value.
  private var needed: [[Bool]] = []
  /// Nodes that are computed for some frames only.
  private(set) var nodes: [NodeID: Every] = [:]

  /// Fewer frames apart, all of them at once are as fast.
  private static let leastHop = 4
  /// The longest round that is looked at, and the most nodes that it has.
  private static let (longest, mostNodes) = (1 << 12, 64)
  /// The most frames of all values together.
  private static let mostFrames = 1 << 24

  init(_ graph: Graph) {
    self.graph = graph
    findRounds()
    var period = 1
    for count in counters.keys where period <= Self.longest { period = Self.commonMultiple(period, count) }
    guard period > 1, period <= Self.longest, period * graph.values.count <= Self.mostFrames else { return }
    findNeeded(period)
    for component in graph.components() { assign(component, period) }
  }

  /// A number that counts frames, of which a hop is a part.
  func counter(for every: Every) -> ValueID? {
    counters.filter { $0.key.isMultiple(of: every.hop) }.min { $0.key < $1.key }?.value
  }

  // MARK: What goes around

  private mutating func findRounds() {
    for component in graph.components() {
      if graph.isCycle(component) {
        runRound(of: component)
      } else if graph[component[0]].op.isElementwise {
        derive(graph[component[0]])
      }
    }
  }

  /// A cycle that nothing enters is run until all that it remembers is as at first.
  private mutating func runRound(of component: [NodeID]) {
    guard component.count <= Self.mostNodes else { return }
    let members = Set(component)
    let order = graph.components(of: component, cuttingDelaysFrom: 0).flatMap(\.self)
    for id in component {
      let node = graph[id]
      guard graph.shape(of: node.result) == .frames, node.op.isElementwise || node.op == .delay(1) else {
        return
      }
      for operand in node.operands where !members.contains(graph[operand].definition) {
        guard graph.definition(of: operand).op.isLiteral else { return }
      }
    }
    let memories = component.filter { graph[$0].op == .delay(1) }.map { graph[$0].operands[0] }
    var before: [ValueID: Double] = [:]
    var numbers: [ValueID: [Double]] = [:]
    for frame in 0...Self.longest {
      if frame > 0, memories.allSatisfy({ before[$0] == 0 }) { break }
      guard frame < Self.longest else { return }
      var present: [ValueID: Double] = [:]
      for id in order {
        let node = graph[id]
        let number =
          node.op == .delay(1)
          ? before[node.operands[0]] ?? 0
          : evaluate(node) { graph.definition(of: $0).op.literal.map(Double.init) ?? present[$0] ?? 0 }
        present[node.result] = number
        numbers[node.result, default: []].append(number)
      }
      before = present
    }
    for (value, numbers) in numbers {
      rounds[value] = numbers
      if numbers.count > 1, numbers.enumerated().allSatisfy({ Double($0) == $1 }) {
        counters[numbers.count] = min(value, counters[numbers.count] ?? value)
      }
    }
  }

  private func evaluate(_ node: Node, _ number: (ValueID) -> Double) -> Double {
    guard case .elementwise(let op) = node.op.kind else { preconditionFailure("it is a function of numbers") }
    // Counts are far below 2^24; what is rounded otherwise in single precision is no count.
    return Double(Float(op.evaluate(node.operands.map(number))))
  }

  /// What follows from one round and from numbers goes around with it.
  private mutating func derive(_ node: Node) {
    guard graph.shape(of: node.result) == .frames else { return }
    var length = 1
    for operand in node.operands {
      if let round = rounds[operand] {
        guard length == 1 || round.count == length else { return }
        length = round.count
      } else if !graph.definition(of: operand).op.isLiteral {
        return
      }
    }
    guard length > 1 else { return }
    rounds[node.result] = (0..<length).map { frame in
      evaluate(node) { rounds[$0]?[frame] ?? graph.definition(of: $0).op.literal.map(Double.init) ?? 0 }
    }
  }

  // MARK: What is read

  private mutating func findNeeded(_ period: Int) {
    needed = graph.values.map { _ in [Bool](repeating: false, count: period) }
    let all = [Bool](repeating: true, count: period)
    var open: [NodeID] = []
    for output in graph.outputs {
      needed[Int(output.value.index)] = all
      open.append(graph[output.value].definition)
    }
    while let id = open.popLast() {
      let node = graph[id]
      let own = needed[Int(node.result.index)]
      for (row, operand) in node.operands.enumerated() {
        let before = needed[Int(operand.index)]
        var after = before
        for frame in 0..<period where own[frame] { mark(&after, frame, node, row) }
        guard after != before else { continue }
        needed[Int(operand.index)] = after
        open.append(graph[operand].definition)
      }
    }
  }

  /// The frames of an operand that one frame of a node reads. What it remembers has to be there at its own frames, too.
  private func mark(_ frames: inout [Bool], _ frame: Int, _ node: Node, _ row: Int) {
    func mark(_ back: Int) { frames[((frame - back) % frames.count + frames.count) % frames.count] = true }
    switch node.op.kind {
    case .elementwise(.select):
      // Another round than those of the frames that are counted says nothing of them.
      if row > 0, let condition = rounds[node.operands[0]], frames.count.isMultiple(of: condition.count) {
        guard (condition[frame % condition.count] != 0) == (row == 1) else { return }
      }
      mark(0)
    case .time(.delay(let count)):
      mark(count)
      mark(0)
    case .layer(.convolution(let convolution)) where convolution.axis == .frames && row == 0:
      for tap in 0..<convolution.walks[0].kernelSize { mark(tap * convolution.walks[0].dilation) }
    case .time(.tap), .time(.control), .time(.lookahead), .source:
      frames = frames.map { _ in true }
    case .given, .elementwise, .movement, .reduction, .layer, .contraction: mark(0)
    }
  }

  // MARK: What is computed

  /// A cycle is computed as a whole. What reads earlier frames goes with what it remembers.
  private mutating func assign(_ component: [NodeID], _ period: Int) {
    let members = Set(component)
    var all: Set<Every> = []
    for id in component {
      let node = graph[id]
      guard canBeSparse(node), let every = every(of: node.result, period) else { return }
      if node.op.history > 0, !members.contains(graph[node.operands[0]].definition) {
        guard let own = nodes[graph[node.operands[0]].definition] else { return }
        all.insert(own)
      } else {
        all.insert(every)
      }
    }
    guard all.count == 1, let every = all.first else { return }
    for id in component { nodes[id] = every }
  }

  private func canBeSparse(_ node: Node) -> Bool {
    guard graph.shape(of: node.result).frames != nil, rounds[node.result] == nil else { return false }
    switch node.op.kind {
    case .elementwise, .movement, .reduction, .layer, .contraction, .time(.delay): return true
    case .given, .time, .source: return false
    }
  }

  /// The fewest frames, equally far apart, among which are all that are read.
  private func every(of value: ValueID, _ period: Int) -> Every? {
    let frames = needed[Int(value.index)].indices.filter { needed[Int(value.index)][$0] }
    guard let first = frames.first else { return nil }
    let hop = frames.reduce(period) { Self.commonDivisor($0, $1 - first) }
    return hop >= Self.leastHop ? Every(hop: hop, phase: first % hop) : nil
  }

  private static func commonDivisor(_ a: Int, _ b: Int) -> Int { b == 0 ? a : commonDivisor(b, a % b) }

  private static func commonMultiple(_ a: Int, _ b: Int) -> Int { a / commonDivisor(a, b) * b }
}
