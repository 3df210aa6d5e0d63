// SPDX-License-Identifier: Apache-2.0

internal import GraphGradients
package import GraphIR

/// The graph of a training step: a batch through the model, the loss, and the gradient of what learns.
///
///     src [16, 1, 5824] ──▶ model, in the frames of a step ──▶ loss ─▶ mean over the batch ──▶ loss []
///     target [16, 1, 4800] ─────────────────────────────────▶ ─┘          │
///     lstm.weight [64, 1] ──▶ ─┘                                            └─▶ gradient.lstm.weight [64, 1]
///
/// A stream's frames are the last axis of what goes in, as in files.
package struct LearningGraph {
  /// Loss and metrics, for each example of a batch.
  package let evaluation: Graph
  /// The means of these, and the gradients of the loss.
  package let gradient: Graph
  /// The arrays that learn, in the order of their inputs, with what they begin with.
  package let learned: [Weights]
  /// The inputs of the model, then the targets, in the shapes of one example.
  package let examples: [InputPort]
  /// The names of the loss and the metrics, in the order of the outputs.
  package let scores: [String]

  /// - Parameters:
  ///   - graph: the model, a stream or steps.
  ///   - examples: how many are computed together.
  ///   - own: the names of the weights that may learn.
  /// - Throws: `TrainingError.task`.
  package init(
    _ graph: Graph, _ task: TrainingTask, examples count: Int, among own: [String]
  ) throws(TrainingError) {
    var task = task
    task.batch = count
    // What a function has turned into something else, such as the taps of a filter, does not stand in the graph.
    let used = graph.nodes.reduce(into: Set<String>()) { names, node in
      if case .weights(let id) = node.op.given { names.insert(graph[id].name) }
    }
    let able = own.filter(used.contains)
    let names = able.filter { name in
      task.trainable.contains { TrainingTask.matches(name[...], $0[...]) }
    }
    guard !names.isEmpty else {
      let patterns = task.trainable.map { "'\($0)'" }.joined(separator: ", ")
      let all = able.map { "'\($0)'" }.joined(separator: ", ")
      throw .task(
        "\(graph.name): no weights are called \(patterns); "
          + (all.isEmpty ? "the model has none of its own that learn" : "there are \(all)"))
    }
    learned = graph.weights.filter { names.contains($0.name) }
    do throws(TypingError) {
      let learned = Set(names)
      let model = try Self.batch(of: graph, task, releasing: names)
      let (scored, targets) = try Self.scored(model, task, learned: learned)
      examples = scored.inputs.filter { !learned.contains($0.name) }.map { port in
        InputPort(name: port.name, type: TensorType(Shape(Array(port.type.shape.fixed.dropFirst()))))
      }
      precondition(examples.map(\.name) == graph.inputs.map(\.name) + targets, "what an example is made of")
      scores = scored.outputs.map(\.name)
      evaluation = scored
      gradient = try scored.averaged().withGradient(of: "loss", withRespectTo: names)
    } catch {
      throw .task("\(graph.name): \(error.description)")
    }
  }

  /// The model of a batch: examples are the first axis of what goes in and comes out; of a stream frames are the last one,
  /// without those that only warm up.
  ///
  /// Inside, frames come first and examples second, so that each position of a cycle has all examples side by side.
  private static func batch(
    of graph: Graph, _ task: TrainingTask, releasing names: [String]
  ) throws(TypingError) -> Graph {
    guard graph.clock == .stream else {
      return try graph.releasing(names).batched(by: task.batch, sharing: Set(names))
    }
    let step = try graph.batched(by: task.batch).bound(frames: task.warmup + task.window).releasing(names)
    var assembler = GraphAssembler(name: step.name, clock: .step, sampleRate: step.sampleRate)
    var inputs: [ValueID] = []
    for port in step.inputs {
      guard !names.contains(port.name) else {
        inputs.append(assembler.input(port.name, port.type))
        continue
      }
      // [frames, batch, …]   →   [batch, …, frames]
      let fixed = port.type.shape.fixed
      let value = assembler.input(port.name, TensorType(Shape(fixed.dropFirst() + [fixed[0]])))
      inputs.append(try assembler.apply(.transpose([fixed.count - 1] + (0..<fixed.count - 1)), value))
    }
    let results = try assembler.splice(step.canonical(), inputs: inputs, prefix: "", weights: [:])
    for (output, result) in zip(step.outputs, results) {
      var value = result
      if task.warmup > 0 {
        value = try assembler.apply(.slice(axis: 0, start: task.warmup, count: task.window), value)
      }
      let rank = assembler.shape(of: value)!.fixed.count
      assembler.output(output.name, try assembler.apply(.transpose(Array(1..<rank) + [0]), value))
    }
    return assembler.finished()
  }

  /// The model of a batch with its loss and metrics as outputs, and the names of the targets, which are inputs more.
  private static func scored(
    _ model: Graph, _ task: TrainingTask, learned: Set<String>
  ) throws(TypingError) -> (graph: Graph, targets: [String]) {
    let source = model.canonical()
    let judge = try judge(
      source.outputs.map { ($0.name, Array(source.shape(of: $0.value).fixed.dropFirst())) }, task)
    let batch = try judge.batched(by: task.batch)
    let targets = batch.inputs.dropFirst(source.outputs.count)
    // Weights that learn come last, behind all that an example is made of.
    var assembler = GraphAssembler(name: source.name, clock: .step, sampleRate: source.sampleRate)
    var values: [String: ValueID] = [:]
    for port in source.inputs.filter({ !learned.contains($0.name) }) + targets
      + source.inputs.filter({ learned.contains($0.name) })
    {
      guard values[port.name] == nil else {
        throw TypingError("\(quoted(port.name)) is the name of an input and of a target")
      }
      values[port.name] = assembler.input(port.name, port.type)
    }
    let results = try assembler.splice(
      source, inputs: source.inputs.map { values[$0.name]! }, prefix: "", weights: [:])
    let scores = try assembler.splice(
      batch.canonical(), inputs: results + targets.map { values[$0.name]! }, prefix: "score ", weights: [:])
    for (output, value) in zip(batch.outputs, scores) { assembler.output(output.name, value) }
    return (assembler.finished(), targets.map(\.name))
  }

  /// The loss and the metrics of one example, by its outputs and targets.
  private static func judge(
    _ outputs: [(name: String, shape: [Int])], _ task: TrainingTask
  ) throws(TypingError) -> Graph {
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
      let value = try score(name, expression, inputs, values, in: &assembler)
      let shape = assembler.shape(of: value)!
      guard shape.count == 1 else {
        throw TypingError(
          "\(quoted(name)) is \(shape), and not one number: mean, or mse of a target, makes one")
      }
      assembler.output(name, try assembler.apply(.reshape([]), value))
    }
    return assembler.finished()
  }

  /// An expression of outputs and targets, in a graph of its own, so that what is wrong with it is said of it alone.
  private static func score(
    _ name: String, _ expression: String, _ inputs: [String], _ values: [ValueID],
    in assembler: inout GraphAssembler
  ) throws(TypingError) -> ValueID {
    let text =
      (["graph \"\(name)\" step 48000"] + inputs + ["score = \(expression)", "output score = score"])
      .joined(separator: "\n")
    let part: Graph
    do throws(Diagnostics) {
      part = try Graph(parsing: text)
    } catch {
      throw TypingError("\(quoted(name)), \(quoted(expression)): \(error.all[0].message)")
    }
    return try assembler.splice(part.canonical(), inputs: values, prefix: "\(name) ", weights: [:])[0]
  }
}

extension Graph {
  /// The graph of a batch with the mean of each output over the examples.
  fileprivate func averaged() throws(TypingError) -> Graph {
    let source = canonical()
    var assembler = GraphAssembler(continuing: source.withoutOutputs())
    for output in source.outputs {
      let count = source.shape(of: output.value).count
      let flat = try assembler.apply(.reshape([count]), output.value)
      let sum = try assembler.apply(.sum(axis: 0), flat)
      assembler.output(
        output.name, try assembler.apply(.binary(.multiply), sum, assembler.literal(1 / Float(count))))
    }
    return assembler.finished()
  }

  private func withoutOutputs() -> Graph {
    var result = self
    result.outputs = []
    return result
  }
}
