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
///
/// Where a window is learned in chunks, the gradient is that of a chunk, and what the model remembers goes in and out:
///
///     state.0 ─▶ chunk 0 ─▶ next.0 = state.0 ─▶ chunk 1 ─▶ …
///
/// Where it is computed again on the way back, the model's outputs are what goes in, and what the gradient is taken of;
/// `RecomputedGraphs` makes them of pieces.
package struct LearningGraph {
  /// Loss and metrics, for each example of a batch; of a classifier the classes, too.
  package let evaluation: Graph
  /// The means of these, each example counted as `shares` says, and the gradients of the loss.
  package let gradient: Graph
  /// The model in pieces of a window; nil where all of it is in the graphs above.
  let recomputed: RecomputedGraphs?
  /// The warm-up alone, which makes the state that the first chunk begins with; nil where nothing is carried.
  let warming: Graph?
  /// The arrays that learn, in the order of their inputs, with what they begin with; parameters are the last ones.
  package let learned: [Weights]
  /// The parameters that learn.
  let parameters: [LearnedParameter]
  /// The inputs of the model, then the targets, in the shapes of one example.
  package let examples: [InputPort]
  /// Of those that have frames, where the window begins in each row.
  let windows: [String: Int]
  /// Frames of an example that only warm up.
  let warmup: Int
  /// The names of the loss and the metrics, in the order of the outputs.
  package let scores: [String]
  /// How many classes are told apart, and the target that is one, where it is; nil where nothing is classified.
  let classes: (target: String?, count: Int)?

  /// The outputs of a classifier's evaluation: the class that is likeliest, and the one that is right.
  static let (predicted, actual) = ("class.predicted", "class.actual")

  /// The frames of a step, of which the first only warm up.
  private struct Frames {
    var warmup, count: Int
    var carriesState = false
  }

  /// - Parameters:
  ///   - graph: the model, a stream or steps.
  ///   - examples: how many are computed together.
  ///   - own: the names of the weights that may learn.
  ///   - knobs: the names of the parameters that may learn.
  ///   - mayBeNone: whether a model is taken in which nothing can learn.
  /// - Throws: `TrainingError.task`.
  package init(
    _ graph: Graph, _ task: TrainingTask, examples count: Int, among own: [String], knobs: [String] = [],
    mayBeNone: Bool = false
  ) throws(TrainingError) {
    var task = task
    task.batch = count
    let names = try Self.names(in: graph, task, own, knobs, mayBeNone: mayBeNone)
    try Self.checkScores(of: task, in: graph, learned: names.weights.union(names.parameters))
    parameters = graph.parameters.filter { names.parameters.contains($0.name) }.map { LearnedParameter($0) }
    learned =
      graph.weights.filter { names.weights.contains($0.name) }
      + parameters.map { Weights(name: $0.name, shape: [], values: Numbers([$0.start])) }
    try Self.checkNames(of: learned, in: graph, task)
    let isStream = graph.clock == .stream
    let (chunk, piece) = isStream ? (task.chunk, task.recompute) : (nil, nil)
    warmup = task.warmup
    if let chunk { try Self.check(chunk, task, graph) }
    if let piece { try Self.check(piece: piece, task, graph) }
    do throws(TypingError) {
      let released = Set(learned.map(\.name))
      let (order, parameters) = (learned.map(\.name), parameters)
      func carried(_ frames: Int) throws(TypingError) -> Graph {
        try Self.batch(
          of: graph, task, Frames(warmup: 0, count: frames, carriesState: true), releasing: order, parameters)
      }
      let model: Graph
      if let piece {
        let pieces = try RecomputedGraphs(
          piece: carried(piece), frames: piece, count: (task.warmup + task.window) / piece, learned: order)
        model = try pieces.outputs(frames: task.window)
        recomputed = pieces
      } else {
        let whole = Frames(warmup: task.warmup, count: task.window)
        model = try Self.batch(of: graph, task, whole, releasing: order, parameters)
        recomputed = nil
      }
      let scored = try Self.scored(model, task, learned: released, classifies: true)
      let made = Set(model.inputs.map(\.name))
      examples =
        graph.inputs.map { port in
          let frames = port.type.shape.frames == nil ? [] : [task.warmup + task.window]
          return InputPort(name: port.name, type: TensorType(Shape(port.type.shape.fixed + frames)))
        }
        + scored.graph.inputs.filter { !made.contains($0.name) }.map { port in
          InputPort(name: port.name, type: TensorType(Shape(Array(port.type.shape.fixed.dropFirst()))))
        }
      precondition(
        examples.map(\.name) == graph.inputs.map(\.name) + scored.targets, "what an example is made of")
      var windows: [String: Int] = [:]
      for port in graph.inputs where port.type.shape.frames != nil { windows[port.name] = task.warmup }
      for port in examples
      where scored.targets.contains(port.name) && port.type.shape.fixed.last == task.window {
        windows[port.name] = 0
      }
      self.windows = graph.clock == .stream ? windows : [:]
      scores = scored.graph.outputs.map(\.name).filter { ![Self.predicted, Self.actual].contains($0) }
      classes = scored.classes
      evaluation = scored.graph
      var step = scored.graph
      var warming: Graph?
      if let chunk {
        var cut = task
        cut.window = chunk
        cut.targets = task.targets.mapValues { $0.last == task.window ? $0.dropLast() + [chunk] : $0 }
        step = try Self.scored(carried(chunk), cut, learned: released, classifies: false).graph
        if task.warmup > 0 {
          let states = try carried(task.warmup).keepingStates()
          warming = states.outputs.isEmpty ? nil : states
        }
      }
      self.warming = warming
      gradient = try step.averaged(scores, over: count).withGradient(
        of: "loss", withRespectTo: recomputed == nil ? order : model.inputs.map(\.name))
    } catch {
      let text = error.description
      let hasPlace = task.places.values.contains { text.hasPrefix($0) }
      throw .task(hasPlace ? text : "\(graph.name): \(text)")
    }
  }

  /// Graphs that were made before, of a model of steps.
  init(
    evaluation: Graph, gradient: Graph, learned: [Weights], parameters: [LearnedParameter],
    examples: [InputPort], scores: [String], classes: (target: String?, count: Int)?
  ) {
    (self.evaluation, self.gradient, recomputed, warming) = (evaluation, gradient, nil, nil)
    (self.learned, self.parameters, self.examples) = (learned, parameters, examples)
    (windows, warmup, self.scores, self.classes) = ([:], 0, scores, classes)
  }

  /// The names of what learns, by the patterns of a task: all weights where it has none, or, where there are no
  /// weights, all parameters.
  static func names(
    in graph: Graph, _ task: TrainingTask, _ own: [String], _ knobs: [String], mayBeNone: Bool = false
  ) throws(TrainingError) -> (weights: Set<String>, parameters: Set<String>) {
    // Weights that a function has turned into others do not stand in the graph.
    let (weights, parameters) = present(in: graph)
    let (able, turned) = (own.filter(weights.contains), knobs.filter(parameters.contains))
    func chosen(_ names: [String]) -> [String] {
      names.filter { name in task.trainable.contains { TrainingTask.matches(name[...], $0[...]) } }
    }
    let all = task.trainable.isEmpty
    let result = (
      weights: all ? able : chosen(able), parameters: all ? (able.isEmpty ? turned : []) : chosen(turned)
    )
    // A pattern that fits nothing is a name that is spelled otherwise.
    let idle = task.trainable.filter { pattern in
      !(able + turned).contains { TrainingTask.matches($0[...], pattern[...]) }
    }
    let isNone = (result.weights + result.parameters).isEmpty
    guard mayBeNone || (idle.isEmpty && !isNone) else {
      func list(_ names: [String]) -> String { names.map { "'\($0)'" }.joined(separator: ", ") }
      var known =
        (able + turned).isEmpty
        ? "the model has none of its own that learn" : "there are \(list(able + turned))"
      let unable = own.filter { !weights.contains($0) }
      if !unable.isEmpty {
        known +=
          "; \(list(unable)) cannot: no output depends on it, or what computes is made of it beforehand"
      }
      throw .task(
        (task.places[TrainingTask.trainableKey] ?? graph.name) + ": "
          + (all ? known : "no weights or parameters are called \(list(idle)); \(known)"))
    }
    if let both = result.parameters.first(where: result.weights.contains) {
      throw .task(
        "\(graph.name): \(quoted(both)) is the name of weights and of a parameter; only one of them can learn"
      )
    }
    return (Set(result.weights), Set(result.parameters))
  }

  /// The names of the weights and parameters that stand in a graph.
  private static func present(in graph: Graph) -> (weights: Set<String>, parameters: Set<String>) {
    var (weights, parameters) = (Set<String>(), Set<String>())
    for node in graph.nodes {
      if case .weights(let id) = node.op.given { weights.insert(graph[id].name) }
      if case .parameter(let row) = node.op.given { parameters.insert(graph.parameters[row].name) }
    }
    return (weights, parameters)
  }

  /// The weights that a task means, and that do not stand in the graph.
  static func unlearnable(in graph: Graph, _ task: TrainingTask, _ own: [String]) -> [String] {
    let weights = present(in: graph).weights
    return own.filter { name in
      !weights.contains(name)
        && (task.trainable.isEmpty || task.trainable.contains { TrainingTask.matches(name[...], $0[...]) })
    }
  }

  /// Whether what learns has names of its own, also where windows are cut: programs share memory by the names of ports.
  private static func checkNames(
    of learned: [Weights], in graph: Graph, _ task: TrainingTask
  ) throws(TrainingError) {
    guard !learned.contains(where: { $0.name == shares }) else {
      throw .task(
        "\(graph.name): \(quoted(shares)) is what learning calls an input of its own; call the weights otherwise"
      )
    }
    guard graph.clock == .stream, task.chunk != nil || task.recompute != nil else { return }
    let ports = Set(graph.inputs.map(\.name) + graph.outputs.map(\.name))
    let prefixes = [
      statePrefix, nextPrefix, RecomputedGraphs.cotangentName(of: ""), Graph.gradientName(of: ""),
    ]
    for array in learned where ports.contains(array.name) || prefixes.contains(where: array.name.hasPrefix) {
      throw .task(
        "\(graph.name): what learns in chunks or pieces cannot be called \(quoted(array.name)): it is the name of a port; "
          + "call it otherwise")
    }
  }

  /// Whether a window can be cut into chunks.
  private static func check(_ chunk: Int, _ task: TrainingTask, _ graph: Graph) throws(TrainingError) {
    guard chunk >= 1, task.window.isMultiple(of: chunk) else {
      throw .task(
        task.written(at: "chunk")
          + "a window of \(task.window) frames is not cut into chunks of \(chunk): a whole number of them fills it"
      )
    }
    try checkTime(of: graph, "chunk", isAligned: chunk.isMultiple(of: 64) && task.warmup.isMultiple(of: 64))
  }

  /// Whether warm-up and window can be cut into pieces.
  private static func check(piece: Int, _ task: TrainingTask, _ graph: Graph) throws(TrainingError) {
    guard task.chunk == nil else {
      throw .task(
        task.written(at: "recompute")
          + "weights follow every \(task.chunk!) frames, and no more of a window is kept: it is not computed again"
      )
    }
    let (warmup, window) = (task.warmup, task.window)
    guard piece >= 1, (warmup + window).isMultiple(of: piece) else {
      let nearest = (1...max(1, min(piece, warmup + window))).last { (warmup + window).isMultiple(of: $0) }!
      throw .task(
        task.written(at: "recompute")
          + "a warm-up of \(warmup) frames and a window of \(window) are not cut into pieces of \(piece): a whole number "
          + "of them fills both, such as of \(nearest)")
    }
    try checkTime(of: graph, "piece", isAligned: piece.isMultiple(of: 64))
  }

  /// Whether what goes by the time of a stream goes on behind a cut.
  private static func checkTime(of graph: Graph, _ part: String, isAligned: Bool) throws(TrainingError) {
    for node in graph.nodes {
      switch node.op.kind {
      case .source(.noise):
        throw .task("\(graph.name): noise begins anew with each \(part); learn whole windows")
      case .time(.control) where !isAligned:
        throw .task(
          "\(graph.name): control is sampled every 64 frames; \(part)s and the warm-up are multiples of it")
      case .given, .elementwise, .movement, .reduction, .layer, .contraction, .time, .source: continue
      }
    }
  }

  /// The model of a batch: examples are the first axis of what goes in and comes out; of a stream frames are the last one,
  /// without those that only warm up.
  ///
  /// Inside, frames come first and examples second, so that each position of a cycle has all examples side by side.
  private static func batch(
    of graph: Graph, _ task: TrainingTask, _ frames: Frames, releasing names: [String],
    _ parameters: [LearnedParameter]
  ) throws(TypingError) -> Graph {
    let isStream = graph.clock == .stream
    let step =
      isStream
      ? try graph.batched(by: task.batch)
        .bound(frames: frames.warmup + frames.count, carryingState: frames.carriesState).releasing(names)
      : try graph.releasing(names).batched(by: task.batch, sharing: Set(names))
    guard isStream || !parameters.isEmpty else { return step }
    var assembler = GraphAssembler(name: step.name, clock: .step, sampleRate: step.sampleRate)
    var inputs: [ValueID] = []
    for port in step.inputs {
      if let parameter = parameters.first(where: { $0.name == port.name }) {
        let place = Formula(assembler.input(port.name, port.type))
        inputs.append(try parameter.value(at: place).value(in: &assembler))
      } else if isStream && !names.contains(port.name) && !port.name.hasPrefix(statePrefix) {
        // [frames, batch, …]   →   [batch, …, frames]
        let fixed = port.type.shape.fixed
        let value = assembler.input(port.name, TensorType(Shape(fixed.dropFirst() + [fixed[0]])))
        inputs.append(try assembler.apply(.transpose([fixed.count - 1] + (0..<fixed.count - 1)), value))
      } else {
        inputs.append(assembler.input(port.name, port.type))
      }
    }
    let results = try assembler.splice(step.canonical(), inputs: inputs, prefix: "", weights: [:])
    for (output, result) in zip(step.outputs, results) {
      guard !output.name.hasPrefix(statePrefix) else {
        assembler.output(nextPrefix + output.name.dropFirst(statePrefix.count), result)
        continue
      }
      var value = result
      if isStream {
        if frames.warmup > 0 {
          value = try assembler.apply(.slice(axis: 0, start: frames.warmup, count: frames.count), value)
        }
        let rank = assembler.shape(of: value)!.fixed.count
        value = try assembler.apply(.transpose(Array(1..<rank) + [0]), value)
      }
      assembler.output(output.name, value)
    }
    return frames.warmup > 0 ? assembler.finished().trimmed() : assembler.finished()
  }

  /// A model over one example, whose parameters, as places on their scales, and arrays are inputs.
  static func example(
    of graph: Graph, _ task: TrainingTask, releasing parameters: [LearnedParameter], _ arrays: [String]
  ) throws(TypingError) -> Graph {
    let frames = Frames(warmup: 0, count: task.warmup + task.window)
    return try batch(
      of: graph, task, frames, releasing: parameters.map(\.name) + arrays, parameters)
  }

  /// Where what learns stands in a row of numbers, which has some also where nothing learns.
  var layout: LearningProgram.Layout { .init(learned.map(\.values.count), atLeast: 16) }

  /// The names of all that the programs read.
  var portNames: Set<String> {
    let graphs = [evaluation, gradient] + [recomputed?.forward, warming].compactMap(\.self)
    return Set(graphs.flatMap { $0.inputs.map(\.name) })
  }

  /// The states that go from chunk to chunk: names behind the prefixes, numbers of each, and where these stand.
  var carried: (states: [(name: String, count: Int)], layout: LearningProgram.Layout) {
    let own = Set(learned.map(\.name))
    let ports = (recomputed?.forward ?? gradient).inputs.filter {
      $0.name.hasPrefix(Self.statePrefix) && !own.contains($0.name)
    }
    let counts = ports.map(\.type.shape.count)
    let names = ports.map { String($0.name.dropFirst(Self.statePrefix.count)) }
    return (Array(zip(names, counts)), LearningProgram.Layout(counts))
  }

  /// The input of the gradient that says how much each example counts: one that only fills a part counts for nothing.
  static let shares = "example.shares"

  /// The prefixes of states: they go in by the one, and come out by the other.
  static let (statePrefix, nextPrefix) = ("state.", "next.")
}
