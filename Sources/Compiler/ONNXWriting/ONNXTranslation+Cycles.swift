// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// A cycle along positions (`SequenceCycle`), which is a `Scan`: its body is a graph of steps, one for each position, in
/// which the shifts are delays.
///
///     y = x + shifted(y, axis: 0, by: 1)            Scan(zeros [1, 1, 4], x [160, 4]) ─▶ y [160, 4]
///     x, y [160, 4]                                   body: x [4] ─▶ reshaped [1, 4]; Gather, Add, …; y_in, y_out
///
/// In the body the positions are an axis of 1, so that every other axis is where it is outside. Weights and numbers stand
/// in the body once more; what else is the same for all positions the body finds around it.
extension ONNXTranslation {
  mutating func translate(cycle component: [NodeID]) {
    let cycle: SequenceCycle
    do throws(TypingError) { cycle = try SequenceCycle(component, in: graph) } catch {
      preconditionFailure("a verified cycle: \(error)")
    }
    var body = CycleBody(cycle, of: graph)
    body.build()
    // Which of its inputs stand around it, and which are handed over position by position.
    var (captured, scanned): ([ValueID: String], [String]) = ([:], [])
    for (port, source) in body.sources.enumerated() where !source.isScanned {
      captured[body.inputs[port]] = tensor(source.value)
    }
    for source in body.sources where source.isScanned { scanned.append(tensor(source.value)) }
    let results = body.results.map { tensor($0) }
    let (inner, rows) = body.graph.canonicalRows()
    let known = captured.compactMap { value, name in rows[value].map { ($0, name) } }
    let translation = ONNXTranslation(
      inner, names: names, tensors: Dictionary(uniqueKeysWithValues: known))
    names = translation.names

    func ports(_ states: [ONNXState], _ name: (ONNXState) -> String) -> [ONNXPort] {
      states.map { ONNXPort(name: name($0), extents: $0.shape) }
    }
    var given = body.sources.indices.filter { body.sources[$0].isScanned }.map { port in
      ONNXPort(name: translation.inputNames[port], extents: inner.inputs[port].type.shape.fixed)
    }
    if given.isEmpty {
      // It goes by something.
      given = [ONNXPort(name: names.take("position"), extents: [])]
      scanned = [zeros([cycle.positions])]
    }
    let last = translation.states.map { _ in names.take("last") }
    let first = translation.states.map { zeros($0.shape) }
    let directions = { (count: Int) in [Int](repeating: cycle.isBackward ? 1 : 0, count: count) }
    emit(
      "Scan", first + scanned,
      [
        ONNXAttribute(
          "body",
          ONNXBody(
            name: "position", nodes: translation.nodes, initializers: translation.initializers,
            inputs: ports(translation.states, \.input) + given,
            outputs: ports(translation.states, \.output) + translation.outputs)),
        ONNXAttribute("num_scan_inputs", given.count),
        ONNXAttribute("scan_input_directions", directions(given.count)),
        ONNXAttribute("scan_output_directions", directions(results.count)),
      ], as: last + results)
  }
}

/// The graph of one position of a cycle.
private struct CycleBody {
  /// A value from outside of the cycle.
  struct Source {
    let value: ValueID
    /// Whether each position has its own part of it.
    let isScanned: Bool
  }

  private let cycle: SequenceCycle
  private let outer: Graph
  private let members: Set<NodeID>
  private(set) var graph: Graph
  /// By the inputs of the graph.
  private(set) var sources: [Source] = []
  /// The values of the inputs.
  private(set) var inputs: [ValueID] = []
  /// The values of the cycle that something outside reads, by the outputs of the graph.
  private(set) var results: [ValueID] = []
  private var values: [ValueID: ValueID] = [:]
  /// The inputs for values from outside, as a whole and position by position.
  private var (whole, scanned): ([ValueID: ValueID], [ValueID: ValueID]) = ([:], [:])

  init(_ cycle: SequenceCycle, of outer: Graph) {
    (self.cycle, self.outer, members) = (cycle, outer, Set(cycle.nodes))
    graph = Graph(name: outer.name, clock: .step, sampleRate: outer.sampleRate)
  }

  mutating func build() {
    // Rows for all of the cycle first: it reads itself.
    for id in cycle.nodes {
      let node = outer[id]
      var type = outer[node.result].type
      type.shape.fixed[0] = 1
      values[node.result] = graph.append(onePosition(of: node), [], type: type)
      if let name = outer.name(of: node.result) { graph.origins.names[values[node.result]!] = name }
    }
    for id in cycle.nodes {
      let node = outer[id]
      var operands: [ValueID] = []
      for (index, operand) in node.operands.enumerated() {
        operands.append(
          values[operand] ?? outside(operand, isScanned: node.hasPositions(index, cycle.positions, in: outer))
        )
      }
      let own = graph[values[node.result]!].definition
      graph[own].operands = operands
    }
    let read = Set(
      outer.outputs.map(\.value)
        + outer.nodeIDs.filter { !members.contains($0) }.flatMap { outer[$0].operands })
    results = cycle.nodes.map { outer[$0].result }.filter(read.contains)
    for (row, result) in results.enumerated() {
      let own = values[result]!
      let shape = Array(graph.shape(of: own).fixed.dropFirst())
      let part = graph.append(.reshape(shape), [own], type: TensorType(Shape(shape)))
      graph.outputs.append(OutputPort(name: outer.name(of: result) ?? "row_\(row)", value: part))
    }
  }

  private func onePosition(of node: Node) -> Op {
    switch node.op {
    case .shift(_, let by): .delay(abs(by))
    case .reshape(let extents): .reshape([1] + extents.dropFirst())
    case .broadcast(let extents): .broadcast([1] + extents.dropFirst())
    case _: node.op
    }
  }

  /// The value in the body of an operand from outside.
  private mutating func outside(_ value: ValueID, isScanned: Bool) -> ValueID {
    if let known = isScanned ? scanned[value] : whole[value] { return known }
    let result: ValueID
    switch outer.definition(of: value).op.given {
    case .literal(let number) where !isScanned:
      result = graph.append(.literal(number), [], type: TensorType(.scalar))
    case .weights(let id) where !isScanned:
      graph.weights.append(outer[id])
      result = graph.append(.weights(WeightsID(graph.weights.count - 1)), [], type: outer[value].type)
    case .input, .parameter, .literal, .weights, nil:
      result = input(value, isScanned: isScanned)
    }
    if isScanned { scanned[value] = result } else { whole[value] = result }
    return result
  }

  private mutating func input(_ value: ValueID, isScanned: Bool) -> ValueID {
    let fixed = outer.shape(of: value).fixed
    let type = TensorType(Shape(isScanned ? Array(fixed.dropFirst()) : fixed))
    graph.inputs.append(InputPort(name: outer.name(of: value) ?? "given", type: type))
    let input = graph.append(.input(sources.count), [], type: type)
    sources.append(Source(value: value, isScanned: isScanned))
    inputs.append(input)
    guard isScanned else { return input }
    let one = [1] + type.shape.fixed
    return graph.append(.reshape(one), [input], type: TensorType(Shape(one)))
  }
}
