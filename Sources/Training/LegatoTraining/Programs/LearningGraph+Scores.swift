// SPDX-License-Identifier: Apache-2.0

internal import GraphGradients
internal import GraphIR

/// The loss and the metrics of a training step.
extension LearningGraph {
  /// The model of a batch with its loss and metrics as outputs, and the names of the targets, which are inputs more.
  static func scored(
    _ model: Graph, _ task: TrainingTask, learned: Set<String>, classifies: Bool
  ) throws(TypingError) -> (graph: Graph, targets: [String], classes: (target: String?, count: Int)?) {
    let source = model.canonical()
    let isState = source.outputs.map { $0.name.hasPrefix(nextPrefix) }
    let outputs = zip(source.outputs, isState).filter { !$0.1 }.map(\.0)
    let (judge, classes) = try judge(
      outputs.map { ($0.name, Array(source.shape(of: $0.value).fixed.dropFirst())) }, task,
      classifies: classifies)
    let batch = try judge.batched(by: task.batch)
    let targets = batch.inputs.dropFirst(outputs.count)
    // Weights that learn come last, behind all that an example is made of.
    var assembler = GraphAssembler(name: source.name, clock: .step, sampleRate: source.sampleRate)
    var values: [String: ValueID] = [:]
    func isLast(_ port: InputPort) -> Bool { learned.contains(port.name) || port.name.hasPrefix(statePrefix) }
    for port in source.inputs.filter({ !isLast($0) }) + targets + source.inputs.filter(isLast) {
      guard values[port.name] == nil else {
        throw TypingError("\(quoted(port.name)) is the name of an input and of a target")
      }
      values[port.name] = assembler.input(port.name, port.type)
    }
    let results = try assembler.splice(
      source, inputs: source.inputs.map { values[$0.name]! }, prefix: "", weights: [:])
    let made = zip(results, isState).filter { !$0.1 }.map(\.0)
    let scores = try assembler.splice(
      batch.canonical(), inputs: made + targets.map { values[$0.name]! }, prefix: "score ", weights: [:])
    for (output, value) in zip(batch.outputs, scores) { assembler.output(output.name, value) }
    for (row, output) in source.outputs.enumerated() where isState[row] {
      assembler.output(output.name, results[row])
    }
    return (assembler.finished().withLogarithmsOfQuotients(), targets.map(\.name), classes)
  }

  /// The loss and the metrics of one example, by its outputs and targets.
  private static func judge(
    _ outputs: [(name: String, shape: [Int])], _ task: TrainingTask, classifies: Bool
  ) throws(TypingError) -> (graph: Graph, classes: (target: String?, count: Int)?) {
    var targets = task.targets.sorted { $0.key < $1.key }
    if targets.isEmpty {
      guard outputs.count == 1 else {
        throw TypingError("there are \(outputs.count) outputs: the shapes of targets have to be said")
      }
      targets = [("target", outputs[0].shape)]
    }
    for (name, shape) in targets {
      if let flaw = Shape(shape).flaw { throw TypingError("the target \(quoted(name)) \(flaw)") }
    }
    let inputs = (outputs.map { ($0.name, $0.shape) } + targets.map { ($0.key, $0.value) })
      .map { "input \($0.0) \(Shape($0.1))" }
    var assembler = GraphAssembler(name: "judge", clock: .step, sampleRate: 48_000)
    let values = (outputs.map(\.shape) + targets.map(\.value)).enumerated().map { row, shape in
      assembler.input((outputs.map(\.name) + targets.map(\.key))[row], TensorType(Shape(shape)))
    }
    for (name, expression) in [("loss", task.loss)] + task.metrics.sorted(by: { $0.key < $1.key }) {
      let place = task.places[name].map { $0 + ": " } ?? ""
      let value = try score(name, expression, inputs, values, place: place, in: &assembler)
      let shape = assembler.shape(of: value)!
      guard shape.count == 1 else {
        throw TypingError(
          "\(place)\(quoted(name)) is \(shape), and not one number: mean, or mse of a target, makes one")
      }
      assembler.output(name, try assembler.apply(.reshape([]), value))
    }
    guard classifies, let (classified, target) = task.classified else { return (assembler.finished(), nil) }
    func classes(_ expression: String) throws(TypingError) -> ValueID {
      try score("class \(expression)", expression, inputs, values, place: "", in: &assembler)
    }
    let (numbers, wanted) = (try classes(classified), try classes(target))
    let shape = assembler.shape(of: numbers)!.fixed
    let areLabels = assembler.shape(of: wanted)!.fixed == shape.dropLast()
    assembler.output(predicted, try classes("argmax(\(classified))"))
    assembler.output(actual, try classes(areLabels ? "floor(\(target))" : "argmax(\(target))"))
    let isTarget = areLabels && targets.contains { $0.key == target }
    return (assembler.finished(), (isTarget ? target : nil, shape.last!))
  }

  /// An expression of outputs and targets, in a graph of its own, so that what is wrong with it is said of it alone.
  private static func score(
    _ name: String, _ expression: String, _ inputs: [String], _ values: [ValueID],
    place: String, in assembler: inout GraphAssembler
  ) throws(TypingError) -> ValueID {
    let text =
      (["graph \"score\" step 48000"] + inputs + ["score = \(expression)", "output score = score"])
      .joined(separator: "\n")
    let part: Graph
    do throws(Diagnostics) {
      part = try Graph(parsing: text)
    } catch {
      throw TypingError("\(place)\(quoted(name)), \(quoted(expression)): \(error.all[0].message)")
    }
    return try assembler.splice(part.canonical(), inputs: values, prefix: "\(name) ", weights: [:])[0]
  }

  /// Whether the loss changes with what learns: else nothing would.
  ///
  /// - Parameter graph: the model.
  func checkSlope(of task: TrainingTask, in graph: Graph) throws(TrainingError) {
    let own = Set(learned.map(\.name))
    // Of pieces the model's outputs are what goes in.
    let names = recomputed == nil ? own : Set(graph.outputs(dependingOn: own))
    guard !evaluation.hasGradient(of: "loss", withRespectTo: names) else { return }
    throw .task(
      (task.places["loss"] ?? graph.name)
        + ": 'loss', \(quoted(task.loss)): nothing that learns changes it smoothly, so that nothing would learn; a loss compares "
        + "an output with a target, such as mse(\(graph.outputs.first?.name ?? "dst"), target)")
  }

  /// Whether each score has a name of its own, and stands in one line.
  static func checkScores(
    of task: TrainingTask, in graph: Graph, learned: Set<String>
  ) throws(TrainingError) {
    let targets = task.targets.isEmpty ? ["target"] : Set(task.targets.keys)
    for (name, expression) in [("loss", task.loss)] + task.metrics.sorted(by: { $0.key < $1.key }) {
      let what = task.places[name].map { $0 + ": " } ?? "\(graph.name): "
      guard name.isName else {
        throw .task("\(what)\(quoted(name)) is no name; a name is a letter, then letters, digits or '_'")
      }
      let holder =
        graph.inputs.contains { $0.name == name }
        ? "an input"
        : graph.outputs.contains { $0.name == name }
          ? "an output" : targets.contains(name) ? "a target" : learned.contains(name) ? "what learns" : nil
      if let holder {
        throw .task(
          "\(what)\(quoted(name)) is the name of \(holder); "
            + (name == "loss" ? "the loss has it" : "a metric has another one"))
      }
      guard !expression.contains(where: \.isNewline) else {
        throw .task("\(what)\(quoted(name)), \(quoted(expression)): an expression stands in one line")
      }
    }
    if task.metrics["loss"] != nil {
      throw .task("\(graph.name): 'loss' is no name of a metric; the loss has it")
    }
  }
}

extension Graph {
  /// The graph of a batch with the means of some outputs over so many examples, and with what is remembered.
  func averaged(_ scores: [String], over examples: Int) throws(TypingError) -> Graph {
    let source = canonical()
    var assembler = GraphAssembler(continuing: source.keepingOutputs { _ in false })
    let shares = assembler.input(LearningGraph.shares, TensorType(Shape([examples])))
    for output in source.outputs {
      if output.name.hasPrefix(LearningGraph.nextPrefix) { assembler.output(output.name, output.value) }
      guard scores.contains(output.name) else { continue }
      let flat = try assembler.apply(.reshape([examples]), output.value)
      let shared = try assembler.apply(.binary(.multiply), flat, shares)
      assembler.output(output.name, try assembler.apply(.sum(axis: 0), shared))
    }
    return assembler.finished()
  }

  /// The graph with nothing coming out but what is remembered.
  func keepingStates() -> Graph {
    keepingOutputs { $0.hasPrefix(LearningGraph.nextPrefix) }.canonical()
  }

  private func keepingOutputs(_ isKept: (String) -> Bool) -> Graph {
    var result = self
    result.outputs = outputs.filter { isKept($0.name) }
    return result
  }
}
