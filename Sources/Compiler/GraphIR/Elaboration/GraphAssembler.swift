// SPDX-License-Identifier: Apache-2.0

/// Builds a graph node by node, and infers types.
///
/// The importer, the text form and the public builder all assemble graphs here, so that equal models give equal graphs.
/// A value may be used before it is defined: `forward` gives its name, `bind` its meaning. Until then its type may be
/// unknown; what is computed from an unknown type is typed by its other operands (1 stretches), or unknown too.
package struct GraphAssembler {
  package private(set) var graph: Graph
  private var types: [TensorType?] = []
  /// Whether a value's type follows from one that was only assumed.
  private var provisional: [Bool] = []
  private var leaves: [Op: ValueID] = [:]
  /// Literals by their bits: +0 and -0 are equal, but not the same.
  private var literals: [UInt32: ValueID] = [:]
  private var meanings: [ValueID: ValueID] = [:]

  package init(name: String, clock: Clock, sampleRate: Double) {
    graph = Graph(name: name, clock: clock, sampleRate: sampleRate)
  }

  /// Goes on with a graph that is whole.
  package init(continuing graph: Graph) {
    self.graph = graph
    types = graph.values.map(\.type)
    provisional = types.map { _ in false }
    for node in graph.nodes where node.op.isLeaf {
      if let number = node.op.literal {
        literals[number.bitPattern] = node.result
      } else {
        leaves[node.op] = node.result
      }
    }
  }

  // MARK: What is given

  package mutating func input(_ name: String, _ type: TensorType) -> ValueID {
    input(InputPort(name: name, type: type))
  }

  mutating func input(_ port: InputPort) -> ValueID {
    graph.inputs.append(port)
    return leaf(.input(graph.inputs.count - 1), port.type)
  }

  package mutating func parameter(_ declaration: ParameterDeclaration) -> ValueID {
    graph.parameters.append(declaration)
    return leaf(.parameter(graph.parameters.count - 1), declaration.type(in: graph.clock))
  }

  package mutating func weights(_ weights: Weights) -> ValueID {
    graph.weights.append(weights)
    return leaf(.weights(WeightsID(graph.weights.count - 1)), TensorType(Shape(weights.shape)))
  }

  /// The array that was added under a name.
  package func weights(named name: String) -> ValueID? {
    graph.weights.firstIndex { $0.name == name }.flatMap { leaves[.weights(WeightsID($0))] }
  }

  /// A number. Denormals count as zero, so that they are one from the start: whoever folds or compares numbers ahead
  /// of time need not think of them.
  package mutating func literal(_ value: Float) -> ValueID {
    let value = value.isSubnormal ? Float(signOf: value, magnitudeOf: 0) : value
    if let known = literals[value.bitPattern] { return known }
    let result = add(.literal(value), [], TensorType(.scalar))
    literals[value.bitPattern] = result
    return result
  }

  private mutating func leaf(_ op: Op, _ type: TensorType) -> ValueID {
    if let known = leaves[op] { return known }
    let value = add(op, [], type)
    leaves[op] = value
    return value
  }

  // MARK: What is computed

  package func type(of value: ValueID) -> TensorType? { types[Int(value.index)] }

  package func shape(of value: ValueID) -> Shape? { type(of: value)?.shape }

  package mutating func apply(_ op: Op, _ operands: ValueID...) throws(TypingError) -> ValueID {
    try apply(op, operands)
  }

  package mutating func apply(_ op: Op, _ operands: [ValueID]) throws(TypingError) -> ValueID {
    guard graph.nodes.count < Limits.nodes else {
      throw TypingError("the graph has more than \(Limits.nodes) nodes")
    }
    let known = operands.compactMap { types[Int($0.index)] }
    if known.count == operands.count {
      return add(op, operands, try op.resultType(known, clock: graph.clock))
    }
    var type: TensorType?
    if op.isElementwise, let first = known.first {
      var shape = first.shape
      for operand in known.dropFirst() { shape = try shape.broadcasting(operand.shape) }
      try shape.checkAsResult()
      type = TensorType(shape)
    } else if case .dense(let axis, _) = op {
      type = denseType(operands, axis)
    } else if case .reshape(let extents) = op, graph.clock == .step {
      // There are no frames: what it is called is what it is, also around a cycle.
      let shape = Shape(extents)
      try shape.checkAsResult()
      type = TensorType(shape)
    }
    return add(op, operands, type)
  }

  /// The type of a matrix over the axis along which parts are joined that are not all known: the weight says what becomes
  /// of it, and a known part the rest.
  private func denseType(_ operands: [ValueID], _ axis: Int) -> TensorType? {
    let joined = graph.definition(of: operands[0])
    guard case .concatenate(let own) = joined.op, own == axis, let weight = shape(of: operands[1]),
      weight.fixed.count == 2, let part = joined.operands.compactMap({ shape(of: $0) }).first,
      part.fixed.indices.contains(axis)
    else { return nil }
    var result = part.with(axis, weight.fixed[0])
    if graph.clock == .stream { result.frames = result.frames ?? .init() }
    return TensorType(result)
  }

  /// Adds the nodes of a function to the graph; where there are several, the function is noted as their origin.
  package mutating func call(_ function: Function, _ call: Call) throws(TypingError) -> ValueID {
    let first = graph.nodes.count
    let result = try function.build(&self, call)
    let parts = graph.nodes[first...].filter { !$0.op.isLeaf }.map(\.result)
    if parts.count > 1 { note(parts, areOf: function.name) }
    return result
  }

  package mutating func output(_ name: String, _ value: ValueID, isApart: Bool = false) {
    var port = OutputPort(name: name, value: value)
    port.isApart = isApart
    graph.outputs.append(port)
  }

  package mutating func name(_ value: ValueID, _ name: String, at place: Place?) {
    if graph.origins.names[value] == nil { graph.origins.names[value] = name }
    if let place { self.place(value, at: place) }
  }

  /// Notes where a value is written, unless that is known already.
  package mutating func place(_ value: ValueID, at place: Place) {
    if graph.origins.places[value] == nil { graph.origins.places[value] = place }
  }

  /// Notes that values are parts of a function.
  mutating func note(_ parts: [ValueID], areOf function: String) {
    for part in parts { graph.origins.functions[part] = function }
  }

  /// Notes that the nodes from one on are of a model that silence runs through.
  mutating func warm(from node: Int) {
    for node in graph.nodes[node...] where !node.op.isLeaf { warm(node.result) }
  }

  mutating func warm(_ value: ValueID) { graph.origins.warmed.insert(value) }

  // MARK: Values before their definition

  /// A value that is used before it is defined; `type` is what it is assumed to be.
  package mutating func forward(_ type: TensorType?) -> ValueID {
    let value = add(.literal(0), [], type)
    provisional[Int(value.index)] = true
    return value
  }

  /// A value that is used before it is defined, whose type follows from those of other values.
  package mutating func forward(_ type: TensorType, following values: [ValueID]) -> ValueID {
    let value = add(.literal(0), [], type)
    provisional[Int(value.index)] = values.contains(where: isProvisional)
    return value
  }

  /// Whether the value's type is unknown, or follows from what a forward value is assumed to be.
  package func isProvisional(_ value: ValueID) -> Bool { provisional[Int(value.index)] }

  package mutating func bind(_ forward: ValueID, to value: ValueID) { meanings[forward] = value }

  /// Whether a forward value has a meaning other than itself.
  package func isBound(_ forward: ValueID) -> Bool {
    guard let meaning = meaning(of: forward) else { return false }
    return meaning != forward
  }

  /// The value that a value stands for once all is bound, or nil where it stands for itself through others.
  private func meaning(of value: ValueID) -> ValueID? {
    var (result, steps) = (value, 0)
    while let next = meanings[result] {
      (result, steps) = (next, steps + 1)
      guard steps <= meanings.count else { return nil }
    }
    return result
  }

  /// A state of a function from frame to frame (or step to step), whose next value is given later with `bind`.
  ///
  /// It is as large as what all operands broadcast to.
  mutating func state(over operands: [ValueID]) throws(TypingError) -> ValueID {
    guard let first = operands.first, var shape = self.shape(of: first) else { return forward(nil) }
    for operand in operands.dropFirst() {
      guard let own = self.shape(of: operand) else { return forward(nil) }
      shape = try shape.broadcasting(own)
    }
    if graph.clock == .stream { shape.frames = shape.frames ?? .init() }
    return forward(TensorType(shape), following: operands)
  }

  /// A recurrence: a formula of its value a frame (or step) before, in the shape that all operands broadcast to.
  mutating func recurrence(
    over operands: [ValueID], _ formula: (Formula) -> Formula
  ) throws(TypingError) -> ValueID {
    let state = try state(over: operands)
    let result = try formula(.previous(state)).value(in: &self)
    bind(state, to: result)
    return result
  }

  /// The number that a value is, where it is one that is written down.
  func number(of value: ValueID) -> Double? {
    isProvisional(value) ? nil : graph.definition(of: value).op.literal.map(Double.init)
  }

  private mutating func add(_ op: Op, _ operands: [ValueID], _ type: TensorType?) -> ValueID {
    types.append(type)
    provisional.append(type == nil || operands.contains { provisional[Int($0.index)] })
    return graph.append(op, operands, type: type ?? TensorType(.scalar))
  }

  // MARK: Taking back

  /// A mark: the numbers of values and weights.
  struct Mark {
    fileprivate var values, weights: Int
  }

  var mark: Mark { Mark(values: graph.nodes.count, weights: graph.weights.count) }

  /// Undoes everything since a mark. Inputs and parameters stay.
  mutating func forget(from mark: Mark) {
    for node in graph.nodes[mark.values...] {
      if let number = node.op.literal, literals[number.bitPattern] == node.result {
        literals[number.bitPattern] = nil
      }
      if leaves[node.op] == node.result { leaves[node.op] = nil }
      meanings[node.result] = nil
      graph.origins.names[node.result] = nil
      graph.origins.places[node.result] = nil
      graph.origins.functions[node.result] = nil
      graph.origins.warmed.remove(node.result)
    }
    graph.nodes.removeSubrange(mark.values...)
    graph.values.removeSubrange(mark.values...)
    types.removeSubrange(mark.values...)
    provisional.removeSubrange(mark.values...)
    graph.weights.removeSubrange(mark.weights...)
  }

  // MARK: The whole

  /// The graph with every forward value replaced by its meaning; those without one stand for themselves.
  package func connected() -> Graph {
    var result = graph
    for node in result.nodes.indices where !result.nodes[node].operands.isEmpty {
      result.nodes[node].operands = result.nodes[node].operands.map(resolved)
    }
    for output in result.outputs.indices {
      result.outputs[output].value = resolved(result.outputs[output].value)
    }
    for forward in meanings.keys.sorted() {
      if let name = result.origins.names.removeValue(forKey: forward) {
        let value = resolved(forward)
        if result.origins.names[value] == nil { result.origins.names[value] = name }
      }
    }
    return result
  }

  /// The finished graph in canonical order, without dead nodes.
  ///
  /// Precondition: every forward value is bound, none to itself, and every type is known.
  package func finished() -> Graph {
    precondition(types.indices.allSatisfy { types[$0] != nil || meanings[ValueID($0)] != nil })
    return connected().canonical()
  }

  private func resolved(_ value: ValueID) -> ValueID { meaning(of: value) ?? value }
}
