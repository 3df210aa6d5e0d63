// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// A graph of steps on its way to one of ONNX.
///
///     h = tanh(dense(delay(h, 1), w) + x)      inputs x, h_in [1, …]; initializer w, transposed
///     output y = h                             Gather, MatMul, Add, Tanh, Unsqueeze; outputs y, h_out [1, …]
///
/// What is given stands where it is used, and once: weights and numbers as initializers, parameters as inputs with one.
/// Nodes come behind what they read, which is always possible: a delay reads an input of the file.
struct ONNXTranslation {
  let graph: Graph
  /// The names that are taken; a graph within a node shares the names of the one around it.
  var names: ONNXNames
  private(set) var nodes: [ONNXNode] = []
  private(set) var initializers: [ONNXInitializer] = []
  /// The tensors that the inputs are.
  private(set) var inputNames: [String] = []
  private(set) var outputs: [ONNXPort] = []
  /// The kinds of outputs that nodes make by themselves, by the values: truths, and integers without a fraction.
  private(set) var own: [ValueID: ONNXElement] = [:]
  private(set) var states: [ONNXState] = []
  private var stateRows: [ValueID: Int] = [:]

  /// The tensors that hold values, by the values.
  private var tensors: [ValueID: String]
  /// The tensors that hold comparisons as ONNX has them, true or false.
  var truths: [ValueID: String] = [:]
  private var transposes: [ValueID: String] = [:]
  private var weights: [WeightsID: String] = [:]
  private var numbers: [UInt32: String] = [:]
  private var integers: [ONNXIntegers: String] = [:]
  /// The word for values that have no name, by what they go into.
  private let reached: [ValueID: String]
  /// The word for what belongs to the node at hand.
  private var stem = ""

  private let isInBody: Bool
  let uses: ONNXUses
  let elements: ONNXElements

  init(_ source: Graph, elements: ONNXElements) {
    precondition(source.clock == .step, "ONNX has no frames; only graphs of steps can be written")
    self.init(source.canonical(), names: ONNXNames(), tensors: [:], elements: elements, isInBody: false)
  }

  /// - Parameters:
  ///   - graph: in canonical order.
  ///   - names: those that are taken around it.
  ///   - tensors: what of its inputs stands around it.
  ///   - elements: what inputs and outputs hold in the file.
  ///   - isInBody: whether it is one position of a cycle along these.
  init(
    _ graph: Graph, names: ONNXNames, tensors: [ValueID: String], elements: ONNXElements = ONNXElements(),
    isInBody: Bool = true
  ) {
    (self.graph, self.names, self.tensors, self.elements) = (graph, names, tensors, elements)
    self.isInBody = isInBody
    reached = graph.namesReached
    uses = ONNXUses(graph, elements)
    takeNames()
    for component in graph.components(cuttingDelays: true) {
      if graph.isCycle(component) { translate(cycle: component) } else { translate(graph[component[0]]) }
    }
    finishStates()
    finishOutputs()
  }

  /// The names of ports and parameters come first, which are the model's interface, then its other ones.
  private mutating func takeNames() {
    var around: [Int: String] = [:]
    for node in graph.nodes {
      if case .input(let port) = node.op { around[port] = tensors[node.result] }
    }
    for (port, input) in graph.inputs.enumerated() {
      inputNames.append(around[port] ?? names.take(input.name))
    }
    for parameter in graph.parameters { _ = names.take(parameter.name) }
    for port in graph.outputs {
      let given = graph.given(port)
      let element = given.map { elements.inputs[$0] ?? .float32 } ?? elements.outputs[port.name] ?? .float32
      outputs.append(
        ONNXPort(
          name: given ?? names.take(port.name), element: element,
          extents: graph.shape(of: port.value).fixed))
    }
    // Of the outputs that show one value, the first one is that value; what is given has a tensor of its own.
    for (port, output) in zip(graph.outputs, outputs)
    where tensors[port.value] == nil && makes(port.value, output.element) {
      tensors[port.value] = output.name
      if output.element != .float32 { own[port.value] = output.element }
    }
    // Weights have names of their own, and stand in the file only where something reads them: in bodies of loops as well.
    // So have inputs.
    for node in graph.nodes where graph.name(of: node.result) != nil {
      switch node.op.given {
      case .weights, .input: continue
      case .parameter, .literal, nil: _ = tensor(node.result)
      }
    }
    for (value, length) in uses.remembered {
      let name = names.take(word(for: value), endings: ["_in", "_out"])
      stateRows[value] = states.count
      states.append(
        ONNXState(
          name: name, value: value, length: length, extents: graph.shape(of: value).fixed,
          isInBody: isInBody))
    }
  }

  /// Whether the node of a value makes an output of a kind: in floats each, other kinds where nobody reads it as a number.
  private func makes(_ value: ValueID, _ element: ONNXElement) -> Bool {
    let op = graph.definition(of: value).op
    guard element != .float32 else { return !op.isLeaf }
    guard !uses.asNumbers.contains(value) else { return false }
    return switch op.kind {
    case .elementwise(.binary(let op)): element == .bool && op.row.isComparison
    case .elementwise(.unary(let op)): element.isInteger && op == .truncate
    case .elementwise, .given, .layer, .contraction, .movement, .reduction, .time, .source: false
    }
  }

  private func word(for value: ValueID) -> String { graph.name(of: value) ?? reached[value] ?? "value" }

  /// The past of a value that a node delays.
  func state(of value: ValueID) -> ONNXState {
    guard let row = stateRows[value] else { preconditionFailure("what is delayed is remembered") }
    return states[row]
  }

  // MARK: Tensors

  /// The tensor that holds a value; what is given gets one where it is first used.
  mutating func tensor(_ value: ValueID) -> String {
    if let known = tensors[value] { return known }
    let name: String
    switch graph.definition(of: value).op.given {
    case .input(let port): name = floats(ofInput: port)
    case .parameter(let index): name = graph.parameters[index].name
    case .literal(let number): name = self.number(number)
    case .weights(let id): name = self.weights(id)
    case nil: name = names.take(word(for: value))
    }
    tensors[value] = name
    return name
  }

  /// The tensor with the numbers of an input as floats.
  private mutating func floats(ofInput port: Int) -> String {
    let input = graph.inputs[port].name
    guard elements.inputs[input] ?? .float32 != .float32 else { return inputNames[port] }
    return emit(
      "Cast", [inputNames[port]], [ONNXAttribute("to", ONNXElement.float32.rawValue)], as: names.take(input))
  }

  /// The operand of a node.
  mutating func operand(_ node: Node, _ index: Int) -> String { tensor(node.operands[index]) }

  /// The matrices of a value, rows and columns exchanged. Weights that nobody reads otherwise stand in the file so.
  mutating func transposed(_ value: ValueID) -> String {
    if let known = transposes[value] { return known }
    let name: String
    if case .weights(let id) = graph.definition(of: value).op, uses.transposed.contains(id) {
      name = weights(id)
    } else {
      let axes = Array(graph.shape(of: value).fixed.indices)
      let order = axes.dropLast(2) + [axes[axes.count - 1], axes[axes.count - 2]]
      name = emit("Transpose", [tensor(value)], [ONNXAttribute("perm", Array(order))])
    }
    transposes[value] = name
    return name
  }

  /// Weights as an initializer that all share, transposed where nobody reads them otherwise.
  private mutating func weights(_ id: WeightsID) -> String {
    if let known = weights[id] { return known }
    let array = graph[id]
    // A matrix that was transposed on its way in is called as before.
    let transposed = array.name.hasSuffix(".T") ? array.name.transposedName : array.name
    let name =
      uses.transposed.contains(id)
      ? initializer(transposed, array.shape.reversed(), .transposed(array.values, columns: array.shape[1]))
      : initializer(array.name, array.shape, .numbers(array.values))
    weights[id] = name
    return name
  }

  /// One number, as an initializer that all share.
  mutating func number(_ number: Float) -> String {
    if let known = numbers[number.bitPattern] { return known }
    let name = initializer("number", [], .number(number))
    numbers[number.bitPattern] = name
    return name
  }

  /// Integers that say places and extents, as an initializer that all share.
  mutating func integers(_ numbers: [Int], extents: [Int]? = nil) -> String {
    let key = ONNXIntegers(numbers: numbers, extents: extents ?? [numbers.count])
    if let known = integers[key] { return known }
    let name = initializer("integers", key.extents, .integers(numbers))
    integers[key] = name
    return name
  }

  private mutating func initializer(
    _ wish: String, _ extents: [Int], _ content: ONNXInitializer.Content
  ) -> String {
    let name = names.take(wish)
    initializers.append(ONNXInitializer(name: name, extents: extents, content: content))
    return name
  }

  // MARK: Nodes

  private mutating func translate(_ node: Node) {
    guard !node.op.isLeaf else { return }
    stem = word(for: node.result)
    translate(node, as: tensor(node.result))
  }

  /// Adds a node.
  ///
  /// - Parameter output: The tensor that it makes; nil for one that belongs to the node of ours at hand.
  @discardableResult mutating func emit(
    _ type: String, _ inputs: [String], _ attributes: [ONNXAttribute] = [], as output: String? = nil
  ) -> String {
    let output = output ?? names.take(stem)
    nodes.append(ONNXNode(type: type, inputs: inputs, outputs: [output], attributes: attributes))
    return output
  }

  /// Adds a node that makes several tensors.
  mutating func emit(
    _ type: String, _ inputs: [String], _ attributes: [ONNXAttribute], as outputs: [String]
  ) {
    nodes.append(ONNXNode(type: type, inputs: inputs, outputs: outputs, attributes: attributes))
  }

  /// Zeros, as an initializer.
  mutating func zeros(_ extents: [Int]) -> String {
    let zeros = Numbers(count: extents.reduce(1, *)) { _ in }
    return initializer("zeros", extents, .numbers(zeros))
  }

  // MARK: What goes out

  /// Moves all that is remembered up by one step.
  private mutating func finishStates() {
    for state in states {
      stem = state.name
      let present = tensor(state.value)
      guard !state.isAlone else {
        emit("Reshape", [present, integers(state.shape)], as: state.output)
        continue
      }
      let first = integers([0])
      guard state.length > 1 else {
        emit("Unsqueeze", [present, first], as: state.output)
        continue
      }
      let row = emit("Unsqueeze", [present, first])
      let past = emit("Slice", [state.input, integers([1]), integers([state.length]), first])
      emit("Concat", [past, row], [ONNXAttribute("axis", 0)], as: state.output)
    }
  }

  private mutating func finishOutputs() {
    for (port, output) in zip(graph.outputs, outputs) where graph.given(port) == nil {
      if case .input(let row) = graph.definition(of: port.value).op,
        elements.inputs[graph.inputs[row].name] ?? .float32 == output.element
      {
        emit("Identity", [inputNames[row]], as: output.name)
        continue
      }
      if output.element != .float32, output.element != own[port.value] {
        let cast = ONNXAttribute("to", output.element.rawValue)
        emit("Cast", [truths[port.value] ?? tensor(port.value)], [cast], as: output.name)
        continue
      }
      let source = tensor(port.value)
      if source != output.name { emit("Identity", [source], as: output.name) }
    }
  }
}

extension Graph {
  /// The input or parameter that an output is under its own name; nil for all others.
  fileprivate func given(_ output: OutputPort) -> String? {
    let name: String? =
      switch definition(of: output.value).op.given {
      case .input(let row): inputs[row].name
      case .parameter(let row): parameters[row].name
      case .literal, .weights, nil: nil
      }
    return name == output.name ? name : nil
  }
}

/// The kinds of numbers that inputs and outputs hold in the file, by their names; floats of 32 bits where nothing is said.
struct ONNXElements {
  var inputs: [String: ONNXElement] = [:]
  var outputs: [String: ONNXElement] = [:]
}

/// Integers with extents, to find equal ones.
private struct ONNXIntegers: Hashable {
  let numbers: [Int]
  let extents: [Int]
}
