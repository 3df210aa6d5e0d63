// SPDX-License-Identifier: Apache-2.0

package import GraphIR

/// The gradient of one number of a graph of steps: how fast it changes with each number of some inputs.
///
///     x ───▶ tanh ───▶ y ───▶ sum ───▶ loss      forward
///     x̄ ◀── ȳ (1 - y²) ◀── broadcast ◀── 1       backward, in the same graph
///
/// A value's *cotangent* is how fast the loss changes with it: the sum of what flows back from each of its users, which
/// `Adjoint` says op by op. A cycle along positions needs nothing of its own: `shift(n)` becomes `shift(-n)`, all
/// edges turn around, and the adjoint is a cycle that runs backwards. What `delay` gives back of steps before is taken as
/// given, so that nothing flows into it (truncated back-propagation through time).
struct Gradient {
  private let source: Graph
  private var adjoint: Adjoint
  /// By the row of a value: its cotangent, where the loss depends on it and it on what the gradient is asked of.
  private var cotangents: [ValueID?]
  /// The flows back into each value, whose sum is its cotangent.
  private var parts: [[ValueID]]
  /// The values of cycles along positions.
  private let feedback: Set<ValueID>

  /// - Parameters:
  ///   - source: a graph of steps in canonical order.
  ///   - loss: a value of one number.
  ///   - values: those that the gradient is asked of.
  /// - Throws: `TypingError` where an op has no derivative that a graph can say.
  init(of loss: ValueID, withRespectTo values: Set<ValueID>, in source: Graph) throws(TypingError) {
    self.source = source
    adjoint = Adjoint(at: source.definition(of: loss), in: GraphAssembler(continuing: source))
    parts = Array(repeating: [], count: source.values.count)
    cotangents = Array(repeating: nil, count: source.values.count)
    let components = source.components(cuttingDelays: true)
    feedback = Set(components.filter(source.isCycle).joined().map { source[$0].result })
    let active = source.values(from: values, to: loss)
    for value in active where feedback.contains(value) {
      cotangents[Int(value.index)] = adjoint.assembler.forward(source[value].type)
    }
    guard active.contains(loss) else { return }
    let one = adjoint.assembler.literal(1)
    let fixed = source.shape(of: loss).fixed
    parts[Int(loss.index)] = [fixed.isEmpty ? one : try adjoint.assembler.apply(.broadcast(fixed), one)]
    // Users first, but around cycles: then all that flows back into a value is there. Delays pass nothing, and so are no
    // users; nodes in the order of the source may stand before what they read by way of one.
    for id in components.joined().reversed() where active.contains(source[id].result) {
      let node = source[id]
      let row = Int(node.result.index)
      if cotangents[row] == nil { cotangents[row] = try sum(parts[row], like: node.result) }
      try flowBack(through: node, to: active)
    }
    for value in active where feedback.contains(value) {
      adjoint.assembler.bind(cotangents[Int(value.index)]!, to: try sum(parts[Int(value.index)], like: value))
    }
  }

  private mutating func flowBack(through node: Node, to active: Set<ValueID>) throws(TypingError) {
    let wanted = node.operands.indices.map { operand in
      node.op.passesChanges(of: operand) && active.contains(node.operands[operand])
    }
    guard wanted.contains(true) else { return }
    let flows = try adjoint.flows(
      through: node, cotangents[Int(node.result.index)]!, wanted, inFeedback: feedback.contains(node.result))
    for (operand, flow) in zip(node.operands, flows) {
      if let flow { parts[Int(operand.index)].append(flow) }
    }
  }

  private mutating func sum(_ all: [ValueID], like value: ValueID) throws(TypingError) -> ValueID {
    let parts = try joined(all)
    guard var result = parts.first else {
      let fixed = source.shape(of: value).fixed
      let zero = adjoint.assembler.literal(0)
      return fixed.isEmpty ? zero : try adjoint.assembler.apply(.broadcast(fixed), zero)
    }
    for part in parts.dropFirst() { result = try adjoint.assembler.apply(.binary(.add), result, part) }
    return result
  }

  /// The parts, of which those that stand beside each other along an axis, with zeros around them, are put together: what
  /// flows back into a value that is cut into slices, such as the gates of a layer.
  ///
  ///     [a a 0 0 0] + [0 0 0 b b]   →   [a a 0 b b]
  private mutating func joined(_ parts: [ValueID]) throws(TypingError) -> [ValueID] {
    struct Padded {
      let axis, before, count: Int
      let value: ValueID
    }
    let graph = adjoint.assembler.graph
    let padded = parts.compactMap { part -> Padded? in
      let node = graph.definition(of: part)
      guard case .pad(let axis, let before, _) = node.op else { return nil }
      return Padded(
        axis: axis, before: before, count: graph.shape(of: node.operands[0]).fixed[axis],
        value: node.operands[0])
    }.sorted { $0.before < $1.before }
    guard padded.count == parts.count, padded.count > 1, let axis = padded.first?.axis,
      padded.allSatisfy({ $0.axis == axis }),
      zip(padded, padded.dropFirst()).allSatisfy({ $0.before + $0.count <= $1.before })
    else { return parts }
    let extent = graph.shape(of: parts[0]).fixed[axis]
    let ends = padded.dropFirst().map(\.before) + [extent]
    var pieces: [ValueID] = []
    for (row, piece) in padded.enumerated() {
      let (before, after) = (row == 0 ? piece.before : 0, ends[row] - piece.before - piece.count)
      pieces.append(try adjoint.padded(piece.value, axis, before: before, after: after))
    }
    return [try adjoint.assembler.apply(.concatenate(axis: axis), pieces)]
  }

  /// The graph with one more output for each name: the cotangent of its value, zeros where the loss does not depend on it.
  /// As large as weights are, they are not to be computed elsewhere and copied.
  ///
  /// The outputs stand in the order in which the way back comes to them, which is that of their computations: what flows back
  /// is read while it is in the caches, and needs no memory up to the end.
  mutating func graph(showing shown: [(name: String, value: ValueID)]) throws(TypingError) -> Graph {
    var outputs: [(name: String, cotangent: ValueID)] = []
    for (name, value) in shown {
      let cotangent = if let known = cotangents[Int(value.index)] { known } else { try sum([], like: value) }
      outputs.append((name, cotangent))
    }
    for (name, cotangent) in outputs.sorted(by: { $0.cotangent < $1.cotangent }) {
      adjoint.assembler.output(name, cotangent, isApart: true)
    }
    return adjoint.assembler.finished()
  }
}

extension Graph {
  /// The name of the output that the gradient of an input gets.
  package static func gradientName(of input: String) -> String { "gradient.\(input)" }

  /// The graph with the gradient of an output of one number: an output `gradient.x` in the shape of x for each input x that
  /// is named.
  ///
  /// - Throws: `TypingError` where an op has no derivative that a graph can say, or a name is wrong.
  package func withGradient(of loss: String, withRespectTo names: [String]) throws(TypingError) -> Graph {
    precondition(clock == .step, "gradients are of graphs of steps; bound(frames:) makes one of a stream")
    var source = canonical()
    guard let output = source.outputs.first(where: { $0.name == loss }) else {
      throw TypingError("there is no output \(quoted(loss)) to be made small")
    }
    let shape = source.shape(of: output.value)
    guard shape.count == 1 else {
      throw TypingError("what is made small is one number; \(quoted(loss)) is \(shape)")
    }
    var shown: [(name: String, value: ValueID)] = []
    for name in names {
      guard let port = source.inputs.firstIndex(where: { $0.name == name }) else {
        throw TypingError("there is no input \(quoted(name)) for a gradient")
      }
      let value =
        source.nodes.first { $0.op == .input(port) }?.result
        ?? source.append(.input(port), [], type: source.inputs[port].type)
      shown.append((Self.gradientName(of: name), value))
    }
    var gradient = try Gradient(of: output.value, withRespectTo: Set(shown.map(\.value)), in: source)
    return try gradient.graph(showing: shown)
  }

  /// Whether an output changes bit by bit with an input of some names, as a loss has to with what learns.
  package func hasGradient(of output: String, withRespectTo names: Set<String>) -> Bool {
    guard let end = outputs.first(where: { $0.name == output })?.value else { return false }
    let start = nodes.filter { node in
      if case .input(let port) = node.op { names.contains(inputs[port].name) } else { false }
    }
    return !values(from: Set(start.map(\.result)), to: end).isDisjoint(with: start.map(\.result))
  }

  /// The values on the ways from some to one, along operands whose changes are passed on.
  fileprivate func values(from start: Set<ValueID>, to end: ValueID) -> Set<ValueID> {
    var users = [[ValueID]](repeating: [], count: values.count)
    var reads = users
    for node in nodes {
      for (place, operand) in node.operands.enumerated() where node.op.passesChanges(of: place) {
        users[Int(operand.index)].append(node.result)
        reads[Int(node.result.index)].append(operand)
      }
    }
    func reached(from start: Set<ValueID>, _ edges: [[ValueID]]) -> Set<ValueID> {
      var (found, left) = (start, Array(start))
      while let value = left.popLast() {
        for next in edges[Int(value.index)] where found.insert(next).inserted { left.append(next) }
      }
      return found
    }
    return reached(from: start, users).intersection(reached(from: [end], reads))
  }
}
