// SPDX-License-Identifier: Apache-2.0

internal import GraphGradients
internal import GraphIR

/// Loops whose turns are positions along an axis: the body is written once, for all of them.
extension ONNXTranslator {
  /// The body of a loop, its values, and how often it turns.
  struct Turns {
    let body: ONNXGraph
    let count: Int
    /// The values that are carried from turn to turn, as they are in the first one.
    var carried: [ONNXValue]
    /// The values that each turn has a part of: its positions are the first axis.
    var scanned: [ONNXValue]
    /// Whether the last position is the first turn.
    var isBackward = false
  }

  /// The values that come out of a loop.
  struct TurnResults {
    /// Those that its body has in front of the carried ones.
    let leading: [ONNXValue]
    /// The carried values behind the last turn.
    let last: [ONNXValue]
    /// The others in all turns, which are the first axis.
    let rows: [ONNXValue]
  }

  /// The results of all turns at once; nil where something in the body could not be made, which has been said.
  ///
  ///     body: h, x [4] ─▶ h' [4]         160 turns:  h' = f(shifted(h', axis: 0, by: 1) + first, x)     h' [160, 4]
  ///
  /// - Parameters:
  ///   - count: the number of the body's outputs that stand in front of the carried ones.
  ///   - order: the values as the body's inputs have them, of the carried ones and those of a turn.
  /// - Throws: `ONNXError` where something in the body needs all positions at once.
  func results(
    of turns: Turns, _ call: ONNXCall, _ scope: ONNXScope, leading count: Int = 0,
    order: (_ carried: [ONNXValue], _ elements: [ONNXValue]) -> [ONNXValue] = { $0 + $1 }
  ) throws(ONNXError) -> TurnResults? {
    /// The values from outside, by the names that the body has for them.
    var given: [String: ONNXValue] = [:]
    var inputs: (carried: [String], elements: [String]) = ([], [])
    func placeholder(
      _ wish: String, _ value: ONNXValue, _ shape: [Int], in names: inout [String]
    ) throws(ONNXError) -> ONNXValue {
      let name = writer.input("\(call.wish)_\(wish)", shape)
      names.append(name)
      given[name] = try call.line(wish, value)
      return trace.begin(ONNXValue(value.element, shape, .named(name)), from: value)
    }
    let traced = trace.count
    let carried = try turns.carried.map { value throws(ONNXError) in
      try placeholder("carried", value, value.shape, in: &inputs.carried)
    }
    let elements = try turns.scanned.map { value throws(ONNXError) in
      try placeholder("element", value, Array(value.shape.dropFirst()), in: &inputs.elements)
    }
    let begin = writer.lines.count
    trace.depth += 1
    defer { trace.depth -= 1 }
    guard var values = try outputs(of: turns.body, given: order(carried, elements), in: scope) else {
      return nil
    }
    let leading = Array(values.prefix(count))
    values.removeFirst(count)
    let isAlike = zip(values, carried).allSatisfy { $0.shape == $1.shape && $0.element == $1.element }
    guard values.count >= carried.count, isAlike else {
      throw ONNXError("what its body carries on has another shape or type than what goes in")
    }
    let pairs = zip(carried, values).map { (in: $0, out: $1) }
    if let excess = trace.excess(from: traced, carried: pairs, turns: turns.count, place: place) {
      throw ONNXError(
        "it turns more than \(Self.mostTurns) times, and \(excess) may come to integers beyond 2^24, which the floats "
          + "that carry them do not hold; carry floats, or integers that a remainder or a limit keeps small")
    }
    var names: [String] = []
    for (row, value) in values.enumerated() {
      names.append(try writer.define("\(call.wish)_\(row)", call.text(value).unbracketed, value.shape))
    }
    let graph = try graph(of: writer.cut(from: begin), named: Set(given.keys), results: names)
    let repeated: Graph
    do throws(TypingError) {
      repeated = try graph.repeated(
        turns.count,
        carrying: zip(inputs.carried, names).map { input, output in
          CarriedInput(input, from: output, isZeroAtFirst: given[input]?.constant?.isZero ?? false)
        }, scanning: Set(inputs.elements), backward: turns.isBackward)
    } catch {
      throw ONNXError(
        "it turns more than \(Self.mostTurns) times, and its turns cannot be computed along an axis: \(error.description)"
      )
    }
    let rows = try write(repeated, given, call)
    let all = zip(names, values).map { name, value in
      ONNXValue(value.element, [turns.count] + value.shape, .named(rows[name]!))
    }
    let last = try all.prefix(carried.count).map { value throws(ONNXError) in
      let end = try call.slice(value, axis: 0, start: turns.isBackward ? 0 : turns.count - 1, count: 1)
      return try call.reshape(end, Array(value.shape.dropFirst()))
    }
    return TurnResults(leading: leading, last: last, rows: Array(all.dropFirst(carried.count)))
  }

  /// The body of a loop as a graph of steps; what it reads of the graph around it are inputs.
  private func graph(
    of lines: [ONNXTranslation.Line], named given: Set<String>, results: [String]
  ) throws(ONNXError) -> Graph {
    var source = ModelSource(name: "body", clock: .step, sampleRate: 48_000)
    let own = Set(lines.map(\.name))
    var (inputs, arrays) = (given, Set<String>())
    for line in lines {
      let names = try line.names
      inputs.formUnion(names.values.filter { !own.contains($0) && writer.shapes[$0] != nil })
      arrays.formUnion(names.arrays.filter { writer.arrays[$0] != nil })
      source.definitions.append(.init(name: line.name, expression: try line.parsed))
    }
    source.inputs = inputs.sorted().map { InputPort(name: $0, type: TensorType(Shape(writer.shapes[$0]!))) }
    source.weights = arrays.sorted().map { name in
      Weights(name: name, shape: writer.arrays[name]!.shape, values: writer.arrays[name]!.floats)
    }
    source.outputs = results.map { ($0, $0) }
    do throws(ElaborationErrors) { return try source.elaborated() } catch {
      throw ONNXError("its body: \(error.all.first?.message ?? "it cannot be read")")
    }
  }

  /// Writes the nodes of a graph as lines.
  ///
  /// - Parameter given: what its inputs are; those that are not among them are called so.
  /// - Returns: the lines of its outputs.
  private func write(
    _ graph: Graph, _ given: [String: ONNXValue], _ call: ONNXCall
  ) throws(ONNXError) -> [String: String] {
    var names = graph.printedNames()
    for node in graph.nodes {
      switch node.op.given {
      case .input(let port):
        let name = graph.inputs[port].name
        if let value = given[name] { names[node.result] = try call.text(value) }
      case .weights(let id):
        let array = ONNXConstant(.float, graph[id].shape, .floats(graph[id].values), name: graph[id].name)
        names[node.result] = writer.keep(array, call.wish)
      case .literal(let number): names[node.result] = ONNXCall.text(Double(number))
      case .parameter: continue
      case nil: names[node.result] = writer.reserve(names[node.result]!)
      }
    }
    // Values around a cycle say of which shape they are: others around it may say another one first, or none.
    let around = Set(
      graph.nodes.compactMap { node in if case .shift = node.op { node.operands[0] } else { nil } })
    for node in graph.nodes where !node.op.isLeaf {
      let shape = graph.shape(of: node.result).fixed
      var expression = graph.expression(node, names)
      // An infinite number is a quotient, which is worked out as it is read where it is written as one.
      if case .binary(.divide) = node.op, names[node.operands[0]] == "1" {
        expression = "reciprocal(\(names[node.operands[1]]!))"
      }
      if case .shift = node.op { expression = "reshape(\(expression), \(shape))" }
      if around.contains(node.result) { expression = "broadcast(\(expression), \(shape))" }
      try writer.write(names[node.result]!, expression, shape)
    }
    return Dictionary(uniqueKeysWithValues: graph.outputs.map { ($0.name, names[$0.value]!) })
  }
}

extension ONNXConstant {
  fileprivate var isZero: Bool { floats.allSatisfy { $0.bitPattern == 0 } }
}
