// SPDX-License-Identifier: Apache-2.0

/// Checks the invariants of a graph; runs after every pass, and collects all violations.
package enum Verifier {
  package struct Violation: Hashable, Sendable, CustomStringConvertible {
    package var node: NodeID?
    package var message: String

    package var description: String { node.map { "node \($0.index): \(message)" } ?? message }
  }

  package static func violations(in graph: Graph) -> [Violation] {
    var violations: [Violation] = []
    func report(_ node: NodeID?, _ message: String) { violations.append(.init(node: node, message: message)) }

    func reportCycle(_ cycle: [NodeID], _ sentence: String) {
      let names = cycle.compactMap { graph.origins.names[graph[$0].result] }.sorted()
      let list = names.map { "'\($0)'" }.joined(separator: ", ")
      let numbers = cycle.map { String($0.index) }.joined(separator: ", ")
      let subject = names.isEmpty ? "nodes \(numbers) make" : "\(list) make\(names.count == 1 ? "s" : "")"
      report(names.isEmpty ? cycle[0] : nil, "\(subject) \(sentence)")
    }

    if graph.nodes.count > Limits.nodes {
      report(nil, "the graph has \(graph.nodes.count) nodes; \(Limits.nodes) are the most")
    }
    if !(0...Limits.delay).contains(graph.latency) { report(nil, "the latency is \(graph.latency)") }
    if !(0...Limits.prewarm).contains(graph.prewarm) {
      report(nil, "the graph warms up for \(graph.prewarm) frames; 0…\(Limits.prewarm) are possible")
    }
    if !(graph.sampleRate > 0 && graph.sampleRate.isFinite) {
      report(nil, "the sample rate is \(graph.sampleRate)")
    }
    for message in givenViolations(in: graph) { report(nil, message) }
    // Whoever computes with a shape that cannot be may overflow.
    guard violations.isEmpty else { return violations }
    var isConnected = true
    var defined = Set<ValueID>()
    for id in graph.nodeIDs {
      let node = graph[id]
      guard graph.values.indices.contains(Int(node.result.index)), graph[node.result].definition == id,
        defined.insert(node.result).inserted
      else {
        report(id, "its result belongs to another node")
        isConnected = false
        continue
      }
      guard node.operands.allSatisfy({ graph.values.indices.contains(Int($0.index)) }) else {
        report(id, "an operand does not exist")
        isConnected = false
        continue
      }
      guard node.op.operandCounts.contains(node.operands.count) else {
        report(id, "\(node.op) has \(node.operands.count) operands")
        isConnected = false
        continue
      }
      if let message = typeViolation(node, in: graph) { report(id, message) }
    }
    for output in graph.outputs where !graph.values.indices.contains(Int(output.value.index)) {
      report(nil, "output '\(output.name)' shows a value that does not exist")
      isConnected = false
    }
    // What follows walks along operands, which must exist for that.
    guard isConnected else { return violations }
    violations += clockViolations(in: graph)
    for (cycle, flaw) in graph.meaninglessCycles() { reportCycle(cycle, flaw) }
    let state = graph.stateBytes
    if state > Limits.stateBytes {
      report(nil, "the graph keeps \(state) bytes of state; \(Limits.stateBytes) are the most")
    }
    let values = graph.valueBytes
    if values > Limits.valueBytes {
      report(nil, "the graph's values take \(values) bytes at a time; \(Limits.valueBytes) are the most")
    }
    let cost = graph.cost
    if cost > Limits.cost {
      report(nil, "the graph needs about \(cost) vector instructions; \(Limits.cost) are the most")
    }
    return violations.isEmpty && graph.looksAhead ? alignmentViolations(in: graph) : violations
  }

  /// The violations of a graph that show only once lookaheads are aligned.
  private static func alignmentViolations(in graph: Graph) -> [Violation] {
    let obstacles = Latencies(graph).obstacles
    guard obstacles.isEmpty else { return obstacles.map { .init(node: $0.node, message: $0.message) } }
    let aligned = graph.aligned()
    guard !aligned.isWithinLimits else { return [] }
    let state = aligned.stateBytes
    let first = graph.nodeIDs.first { graph[$0].op.isLookahead }
    return [
      .init(
        node: first,
        message: state > Limits.stateBytes
          ? "what waits for lookaheads keeps \(state) bytes of state; \(Limits.stateBytes) are the most"
          : "the graph is too large with all that waits for lookaheads")
    ]
  }

  /// The flaws of ports, parameters and weights, each taken by itself.
  private static func givenViolations(in graph: Graph) -> [String] {
    var messages: [String] = []
    for input in graph.inputs {
      if let flaw = input.type.shape.flaw { messages.append("input '\(input.name)' \(flaw)") }
    }
    for parameter in graph.parameters {
      messages += parameter.flaws.map { "parameter '\(parameter.name)': \($0.message)" }
    }
    for array in graph.weights {
      var name: String { quoted(array.name) }
      if let flaw = Shape(array.shape).flaw {
        messages.append("weights \(name) \(flaw)")
      } else if Shape(array.shape).count != array.values.count {
        messages.append("weights \(name) of shape \(array.shape) have \(array.values.count) numbers")
      }
      if let place = array.values.firstNonFinite {
        messages.append("weights \(name) hold \(array.values[place]); each number must be finite")
      }
    }
    messages += repeated(graph.weights.map(\.name)).map { "two weights are called \(quoted($0))" }
    messages += repeated(graph.outputs.map(\.name)).map { "two outputs are called \(quoted($0))" }
    let names = graph.inputs.map(\.name) + graph.parameters.map(\.name)
    messages += repeated(names).map { "two inputs or parameters are called \(quoted($0))" }
    if graph.outputs.isEmpty { messages.append("the graph has no outputs; it needs at least one") }
    return messages
  }

  /// Repeated names, each as often as it is repeated.
  private static func repeated(_ names: [String]) -> [String] {
    var known: Set<String> = []
    return names.filter { !known.insert($0).inserted }
  }

  private static func typeViolation(_ node: Node, in graph: Graph) -> String? {
    let stated = graph[node.result].type
    let right: TensorType
    switch node.op.given {
    case .input(let index):
      guard graph.inputs.indices.contains(index) else { return "there is no input \(index)" }
      right = graph.inputs[index].type
    case .parameter(let index):
      guard graph.parameters.indices.contains(index) else { return "there is no parameter \(index)" }
      right = graph.parameters[index].type(in: graph.clock)
    case .weights(let id):
      guard graph.weights.indices.contains(Int(id.index)) else { return "there are no weights \(id.index)" }
      right = TensorType(Shape(graph[id].shape))
    case .literal(let number) where !number.isFinite || number.isSubnormal:
      return "the literal is \(number); it must be finite, and 0 where it is denormal"
    case .literal, nil:
      do throws(TypingError) {
        right = try node.op.resultType(node.operands.map { graph[$0].type }, clock: graph.clock)
      } catch {
        return error.description
      }
    }
    return stated == right ? nil : "its result is stated as \(stated), and is \(right)"
  }

  private static func clockViolations(in graph: Graph) -> [Violation] {
    var violations: [Violation] = []
    switch graph.clock {
    case .stream:
      for input in graph.inputs where input.type.shape.frames == nil {
        violations.append(
          .init(message: "input '\(input.name)' of a stream needs the axis frames; it is \(input.type)"))
      }
      for output in graph.outputs where graph.shape(of: output.value).frames == nil {
        let shape = graph.shape(of: output.value)
        violations.append(
          .init(
            node: graph[output.value].definition,
            message: "output '\(output.name)' of a stream needs the axis frames; it is \(shape)"))
      }
    case .step:
      for value in graph.values where value.type.shape.frames != nil {
        violations.append(
          .init(node: value.definition, message: "a graph of steps has no axis frames; this is \(value.type)")
        )
      }
    }
    return violations
  }
}

extension Graph {
  /// Bytes of the state of delays and histories.
  package var stateBytes: Int {
    nodes.reduce(0) { total, node in Swift.min(total + stateBytes(of: node), 1 << 60) }
  }

  /// Bytes of one node's state; 2^60 stands for more than that.
  package func stateBytes(of node: Node) -> Int {
    let history = node.op.history
    guard history > 0 else { return 0 }
    let (numbers, overflow) = shape(of: node.operands[0]).count.multipliedReportingOverflow(by: history)
    return overflow ? 1 << 60 : Swift.min(numbers, 1 << 58) * 4
  }

  /// Bytes of all computed values together, 128 frames of each.
  package var valueBytes: Int {
    nodes.reduce(0) { total, node in
      guard !node.op.isLeaf else { return total }
      let shape = shape(of: node.result)
      return total + shape.count * (shape.frames == nil ? 4 : 512)
    }
  }
}
