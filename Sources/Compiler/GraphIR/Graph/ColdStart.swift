// SPDX-License-Identifier: Apache-2.0

extension Graph {
  /// The graph in which models that ask for no silence begin with the first frame, beside others that warm up.
  ///
  ///     amp = …                           warms up for 64 frames, and makes a click meanwhile
  ///     dst = amp + delay(dst, 300)       an echo: it must not remember the click
  /// →
  ///     v1 = delay(1, frames: 64)         0 while silence runs, then 1
  ///     v2 = select(v1, amp, 0)
  ///     dst = v2 + delay(dst, 300)
  ///
  /// What such a model remembers is 0 until the first frame: its inputs are, and so is what follows from nothing but
  /// these. A history of something else, as of an oscillator's frequency, is of a value that counts as 0 until then; a
  /// number is delayed by the silence, too. Nothing rests at 0 that may be the product of 0 and infinity.
  package func startingCold() -> Graph {
    guard prewarm > 0 else { return self }
    var start = ColdStart(self)
    start.run()
    return start.graph.canonical()
  }
}

private struct ColdStart {
  private(set) var graph: Graph
  private let source: Graph
  /// The values that change with frames, or steps.
  private let varying: Set<NodeID>
  /// The values of cold models that are 0 while silence runs, and where `held`, all others that these read.
  private var rests: [Bool]
  /// Whether something that a cold model remembers follows from a value.
  private var isRemembered: [Bool]
  private var held: [ValueID: ValueID] = [:]
  /// The numbers of the graph, by their bits.
  private var literals: [UInt32: ValueID] = [:]
  private var begun: ValueID?

  init(_ graph: Graph) {
    (source, self.graph, varying) = (graph, graph, graph.nodesOfEachFrame)
    rests = [Bool](repeating: true, count: graph.values.count)
    isRemembered = [Bool](repeating: false, count: graph.values.count)
    for node in graph.nodes {
      if case .literal(let number) = node.op { literals[number.bitPattern] = node.result }
    }
  }

  mutating func run() {
    guard source.nodes.contains(where: { isCold($0) && $0.op.history > 0 }) else { return }
    findRests()
    findRemembered()
    for id in source.nodeIDs where isCold(source[id]) {
      let node = source[id]
      if case .delay(let count) = node.op, case .literal = source.definition(of: node.operands[0]).op {
        // A number needs no hold, and the position goes on to say what is remembered of it.
        graph[id].op = .delay(count + source.prewarm)
        continue
      }
      for (position, operand) in node.operands.enumerated() {
        let enters = isWarm(operand) && isRemembered[Int(node.result.index)]
        let begins = position == 0 && node.op.history > 0 && !rests[Int(operand.index)]
        if enters || begins { graph[id].operands[position] = hold(operand) }
      }
    }
  }

  private func isCold(_ node: Node) -> Bool {
    !node.op.isLeaf && !source.origins.warmed.contains(node.result)
  }

  /// Whether a value comes from a model that warms up, and may be something else than 0 meanwhile.
  private func isWarm(_ value: ValueID) -> Bool {
    source.origins.warmed.contains(value) && varying.contains(source[value].definition)
  }

  /// Begins with all of them, and takes away until nothing more follows: around cycles, what is 0 stays so.
  private mutating func findRests() {
    var readers = [[NodeID]](repeating: [], count: source.values.count)
    for id in source.nodeIDs {
      for operand in source[id].operands { readers[Int(operand.index)].append(id) }
    }
    var open = Array(source.nodeIDs)
    while let id = open.popLast() {
      let result = Int(source[id].result.index)
      guard rests[result], !rests(source[id]) else { continue }
      rests[result] = false
      open += readers[result].filter { rests[Int(source[$0].result.index)] }
    }
  }

  /// Whether a node's result is 0 while silence runs, if its operands are that say so.
  private func rests(_ node: Node) -> Bool {
    func operand(_ index: Int) -> Bool {
      let value = node.operands[index]
      return isWarm(value) || rests[Int(value.index)]
    }
    func all() -> Bool { node.operands.indices.allSatisfy(operand) }
    /// Of what depends on parameters only it is the model's own affair where that is no number.
    func depends(_ index: Int) -> Bool { varying.contains(source[node.operands[index]].definition) }
    /// 0 times infinity is no number.
    func product() -> Bool {
      func isFinite(_ index: Int) -> Bool {
        operand(index) || !depends(index) || source.isFinite(node.operands[index])
      }
      return (operand(0) && isFinite(1)) || (operand(1) && isFinite(0))
    }
    switch node.op.given {
    case .input: return true
    case .literal(let number): return number == 0
    case .parameter, .weights: return false
    case nil: break
    }
    guard isCold(node) else { return false }
    switch node.op.kind {
    case .given: return false
    case .elementwise(.unary(let op)): return op.evaluate(0) == 0 && operand(0)
    case .elementwise(.binary(.multiply)): return product()
    case .elementwise(.binary(.divide)), .elementwise(.binary(.modulo)):
      return operand(0) && !depends(1)
    case .elementwise(.binary(let op)): return op.evaluate(0, 0) == 0 && all()
    case .elementwise(.select): return operand(2) && (operand(0) || operand(1))
    case .elementwise(.fma): return product() && operand(2)
    case .movement(.gather): return operand(0)
    case .movement, .reduction: return all()
    // What it remembers is 0, or counts as 0.
    case .layer(let layer): return node.operands.count == 2 && (operand(0) || layer.remembers)
    case .contraction: return product()
    case .time(.delay), .time(.tap), .source(.phasor): return true
    case .time(.control): return operand(0)
    case .time(.lookahead), .source(.noise): return false
    }
  }

  private mutating func findRemembered() {
    var open = source.nodes.filter { isCold($0) && $0.op.history > 0 }.map(\.result)
    for value in open { isRemembered[Int(value.index)] = true }
    while let value = open.popLast() {
      for operand in source.definition(of: value).operands
      where !isRemembered[Int(operand.index)] && isCold(source.definition(of: operand)) {
        isRemembered[Int(operand.index)] = true
        open.append(operand)
      }
    }
  }

  /// A value that is 0 while silence runs, and the same from the first frame on.
  private mutating func hold(_ value: ValueID) -> ValueID {
    if let known = held[value] { return known }
    let zero = literal(0)
    var type = source[value].type
    if source.clock == .stream { type.shape.frames = type.shape.frames ?? .init() }
    let result = graph.append(.select, [beginning(), value, zero], type: type)
    if let place = graph.origins.places[value] { graph.origins.places[result] = place }
    held[value] = result
    return result
  }

  /// A number that the graph has already, or one more.
  private mutating func literal(_ number: Float) -> ValueID {
    if let known = literals[number.bitPattern] { return known }
    let result = graph.append(.literal(number), [], type: TensorType(.scalar))
    literals[number.bitPattern] = result
    return result
  }

  /// 0 while silence runs, then 1.
  private mutating func beginning() -> ValueID {
    if let begun { return begun }
    let one = literal(1)
    let type = TensorType(source.clock == .stream ? .frames : .scalar)
    let result = graph.append(.delay(source.prewarm), [one], type: type)
    begun = result
    return result
  }
}

extension Op.Layer {
  /// Whether it keeps earlier frames.
  fileprivate var remembers: Bool {
    switch self {
    case .dense: false
    case .convolution(let convolution): convolution.history > 0
    }
  }
}
