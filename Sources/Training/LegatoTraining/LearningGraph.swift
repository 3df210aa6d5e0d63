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

  /// - Parameter graph: the model, a stream or steps.
  /// - Throws: `TrainingError.task`.
  package init(_ graph: Graph, _ task: TrainingTask) throws(TrainingError) {
    do throws(TypingError) {
      let names = graph.weights.map(\.name).filter { name in
        task.trainable.contains { TrainingTask.matches(name[...], $0[...]) }
      }
      learned = graph.weights.filter { names.contains($0.name) }
      let isStream = graph.clock == .stream
      let step = isStream ? try graph.bound(frames: task.warmup + task.window) : graph
      let scored = try Self.scored(
        try step.releasing(names), task, framesAreFirst: isStream, learned: Set(names))
      examples = scored.inputs.filter { !names.contains($0.name) }
      scores = scored.outputs.map(\.name)
      evaluation = try scored.batched(by: task.batch, sharing: Set(names))
      gradient = try evaluation.averaged().withGradient(of: "loss", withRespectTo: names)
    } catch {
      throw .task("\(graph.name): \(error.description)")
    }
    guard !learned.isEmpty else {
      let patterns = task.trainable.map { "'\($0)'" }.joined(separator: ", ")
      let all = graph.weights.map { "'\($0.name)'" }
      throw .task(
        "\(graph.name): no weights are called \(patterns); "
          + (all.isEmpty ? "the model has none" : "there are \(all.joined(separator: ", "))"))
    }
  }

  /// The model with its loss and metrics as outputs, of one example.
  private static func scored(
    _ step: Graph, _ task: TrainingTask, framesAreFirst: Bool, learned: Set<String>
  ) throws(TypingError) -> Graph {
    var assembler = GraphAssembler(name: step.name, clock: .step, sampleRate: step.sampleRate)
    // Frames are the last axis of what people see, and the first one in the graph.
    func outside(_ shape: Shape) -> Shape {
      framesAreFirst ? Shape(shape.fixed.dropFirst() + [shape.fixed[0]]) : shape
    }
    var inputs: [ValueID] = []
    for port in step.inputs {
      guard framesAreFirst, !learned.contains(port.name) else {
        inputs.append(assembler.input(port.name, port.type))
        continue
      }
      let value = assembler.input(port.name, TensorType(outside(port.type.shape)))
      let rank = port.type.shape.fixed.count
      inputs.append(try assembler.apply(.transpose([rank - 1] + (0..<rank - 1)), value))
    }
    let results = try assembler.splice(step.canonical(), inputs: inputs, prefix: "", weights: [:])
    var (known, lines): ([ValueID], [String]) = ([], [])
    for (output, result) in zip(step.outputs, results) {
      var value = result
      if framesAreFirst {
        let rank = assembler.shape(of: value)!.fixed.count
        if task.warmup > 0 {
          value = try assembler.apply(.slice(axis: 0, start: task.warmup, count: task.window), value)
        }
        value = try assembler.apply(.transpose(Array(1..<rank) + [0]), value)
      }
      known.append(value)
      lines.append("input \(output.name) \(assembler.shape(of: value)!)")
    }
    var targets = task.targets.sorted { $0.key < $1.key }
    if targets.isEmpty {
      guard known.count == 1 else {
        throw TypingError("there are \(known.count) outputs: the shapes of targets have to be said")
      }
      targets = [("target", assembler.shape(of: known[0])!.fixed)]
    }
    for (name, shape) in targets {
      if let flaw = Shape(shape).flaw { throw TypingError("the target \(quoted(name)) \(flaw)") }
      known.append(assembler.input(name, TensorType(Shape(shape))))
      lines.append("input \(name) \(Shape(shape))")
    }
    let scores = [("loss", task.loss)] + task.metrics.sorted { $0.key < $1.key }
    for (name, expression) in scores {
      let value = try score(name, expression, lines, known, in: &assembler)
      guard assembler.shape(of: value)!.count == 1 else {
        throw TypingError(
          "\(quoted(name)) is \(assembler.shape(of: value)!), and not one number: mean, or mse of a target, makes one")
      }
      assembler.output(name, value)
    }
    return assembler.finished()
  }

  /// An expression of outputs and targets, in a graph of its own so that what is wrong with it has a place.
  private static func score(
    _ name: String, _ expression: String, _ inputs: [String], _ values: [ValueID],
    in assembler: inout GraphAssembler
  ) throws(TypingError) -> ValueID {
    let text =
      (["graph \"\(name)\" step \(assembler.graph.sampleRate)"] + inputs
      + ["score = \(expression)", "output score = score"]).joined(separator: "\n")
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
