// SPDX-License-Identifier: Apache-2.0

internal import GraphGradients
internal import GraphIR
public import Legato

/// A model that learns: gradients of batches, and steps of an optimizer along them.
///
///     let trainer = try Trainer(model, task, optimizer: .adamW(rate: 0.003))
///     let scores = try trainer.step(batch)       ["loss": 0.43, …]; gradients are added up
///     trainer.update()                           weights follow them
///     try trainer.export(…)
///
/// All numbers are computed by compiled programs of steps: one for loss and gradient, one for scores alone, one for the
/// optimizer. The same seed gives the same bits, whatever the number of threads.
public final class Trainer {
  /// The task that is learned.
  public let task: TrainingTask
  /// How weights follow; its rate may change.
  public private(set) var optimizer: Optimizer
  /// The shapes of the inputs and targets of one example, by their names.
  public let shapes: [String: [Int]]
  /// How many updates have been made.
  public internal(set) var updates = 0
  /// The names of the weights that learn, and behind them those of the parameters.
  public var learned: [String] { arrays.map(\.name) }
  /// The parameters that learn, with their values as they are now.
  public var parameters: [String: Float] {
    Dictionary(
      uniqueKeysWithValues: turned.map { ($0.name, $0.value(at: weights.numbers($1..<$1 + 1)[0])) })
  }
  /// The names of the model's own weights that the patterns of the task mean, and that cannot learn: what computes is made
  /// of them beforehand, as of the more than 1024 taps of a `fir`.
  public let unlearnable: [String]
  /// The target that is a class, and how many classes there are; nil where the loss has no `crossEntropy` of one.
  public let classes: (target: String, count: Int)?
  /// The bytes that a step takes: all that is written to and its examples, not the code. From the first step on whose
  /// gradients are added to those of another one, these are kept once more meanwhile.
  public private(set) var memory: Int

  /// The rate of learning before the schedule, which may change from step to step.
  public var rate: Double {
    get { optimizer.rate }
    set { optimizer.rate = newValue }
  }
  /// The positions, in the data set of `fit`, of the examples of the last batch that it learned from.
  public internal(set) var examplesOfBatch: [Int] = []
  /// The strength μ with which weights are held near those of the last `restart`; nil where they are free.
  public var tether: Double?
  /// The weights of the last `restart`.
  var anchor: [Float] = []

  /// Where the programs come from, and so how what was learned is written.
  enum Origin {
    case model(Model, extents: [String: Int])
    /// The model's graph, whose weights are those of before.
    case artifacts(Graph)
  }

  let origin: Origin
  /// The weights of the model's own file, in its order: also those that do not learn.
  let ownWeights: [GraphIR.Weights]
  /// The graphs of a step.
  let graphs: LearningGraph
  /// That of an update.
  let step: Graph
  let arrays: [GraphIR.Weights]
  let layout: LearningProgram.Layout
  let weights, moments: LearnedMemory
  /// Weights and moments from before the chunks of a window; empty where weights follow whole windows.
  private let kept: LearnedMemory
  /// The parameters that learn, each with its place in memory.
  let turned: [(parameter: LearnedParameter, place: Int)]
  /// The inputs of the model, then the targets, in the shapes of one example.
  let given: [InputPort]
  /// The arrays of an example, in the order of their names, with how many numbers each has.
  let wanted: [(name: String, shape: [Int], count: Int)]
  /// The part that depends on nothing that learns; nil where there is none.
  let frozen: FrozenFeatures?
  /// The bytes that a step may take.
  private let mostMemory: Int
  /// The bytes that the results of the frozen part may take in a run.
  let roomForFeatures: Int
  let parts: BatchParts
  /// The classes that are told apart; nil of no classifier, and of more than a table shows.
  let classCount: Int?
  /// Pieces of a batch after which weights follow.
  private let chunks: Int
  private var rule: LearningProgram
  let scores: [String]
  /// Steps whose gradients are added up.
  private var steps = 0

  /// - Parameters:
  ///   - model: a stream, which learns from windows of it, or a model of steps.
  ///   - task: what is made small.
  ///   - optimizer: how weights follow.
  ///   - extents: a number for each of the model's symbols.
  ///   - sampleRate: of a stream; nil is the model's own, or 48000.
  ///   - threads: how many compute at a time; the bits do not depend on it.
  ///   - mostMemory: the most bytes that a step may take; nil for as many as the system has free.
  /// - Throws: `ModelError` for a model that is none, `TrainingError` for what cannot learn.
  public convenience init(
    _ model: Model, _ task: TrainingTask, optimizer: Optimizer, extents: [String: Int] = [:],
    sampleRate: Double? = nil, threads: Int = 1, mostMemory: Int? = nil
  ) throws {
    try task.checkSizes()
    if let flaw = optimizer.flaw { throw TrainingError.task(flaw) }
    // At a rate of 0 nothing learns anyway, and any number may be looked at, also of a model that cannot learn.
    let learns = optimizer.rate != 0
    let mayBeNone = !learns && task.recompute == nil
    let (graph, ownWeights) = try model.learningGraph(extents: extents, sampleRate: sampleRate)
    let own = ownWeights.map(\.name)
    try task.checkWarmup(of: graph)
    let names = try LearningGraph.names(in: graph, task, own, model.ownParameters, mayBeNone: mayBeNone)
    let moving = names.weights.union(names.parameters)
    let parts = moving.isEmpty ? nil : graph.split(dependingOn: moving)
    let rest = parts?.rest ?? graph
    let examples = BatchParts.examples(of: task.batch, of: rest)
    let learning = try LearningGraph(
      rest, task, examples: examples, among: own, knobs: model.ownParameters, mayBeNone: mayBeNone)
    if learns { try learning.checkSlope(of: task, in: graph) }
    let features = try parts.map { try FrozenFeatures.graph($0.features, task) }
    let given = graph.inputs.map { port in
      let frames = port.type.shape.frames == nil ? [] : [task.warmup + task.window]
      return InputPort(name: port.name, type: TensorType(Shape(port.type.shape.fixed + frames)))
    }
    let step: Graph
    do throws(TypingError) { step = try optimizer.graph(count: learning.layout.count) } catch {
      throw TrainingError.task("\(graph.name): \(error.description)")
    }
    try self.init(
      learning, features: features, update: step, task, optimizer,
      given: given + learning.examples.dropFirst(rest.inputs.count), examples: examples,
      chunk: graph.clock == .stream ? task.chunk : nil, .model(model, extents: extents), ownWeights,
      unlearnable: LearningGraph.unlearnable(in: graph, task, own), threads: threads, mostMemory: mostMemory)
  }

  /// - Parameters:
  ///   - learning: the graphs of a step.
  ///   - features: the graph of what does not learn, of one example; nil where there is no such part.
  ///   - step: that of an update.
  ///   - given: the inputs of the model, then the targets, in the shapes of one example.
  ///   - examples: how many the graphs compute together.
  ///   - chunk: the frames after which weights follow; nil for whole windows.
  ///   - ownWeights: those of the model's own file, in its order.
  ///   - unlearnable: the names of weights that were meant, and cannot learn.
  init(
    _ learning: LearningGraph, features: Graph?, update step: Graph, _ task: TrainingTask,
    _ optimizer: Optimizer, given: [InputPort], examples: Int, chunk: Int? = nil, _ origin: Origin,
    _ ownWeights: [GraphIR.Weights], unlearnable: [String] = [], threads: Int, mostMemory: Int?
  ) throws(TrainingError) {
    // No more of them have anything to do.
    let threads = min(max(1, threads), task.batch)
    let layout = learning.layout
    let chunks = chunk.map { task.window / $0 } ?? 1
    // A copy of weights and moments for while the chunks of a window change them.
    let room = chunks > 1 ? (1 + optimizer.moments) * layout.count : 0
    let partCount = task.batch / examples
    let workers = min(threads, partCount)
    // The programs of artifacts are the same each time; those of a model that is being worked on are not.
    let isKept = if case .artifacts = origin { true } else { false }
    let code = try LearningWorker.Code(learning, isRepeated: partCount > workers, isKept: isKept)
    let update = try LearningProgram.compile(step, isKept: isKept)
    let fixed = try features.map { graph throws(TrainingError) in
      (graph: graph, program: try LearningProgram.compile(graph, isKept: isKept))
    }
    let state = ["p", "g"] + (0..<optimizer.moments).map { "m\($0)" }
    // All programs of a thread run one at a time, and lie in the same memory; the first one lets weights follow, too.
    let own = LearningWorker.size(learning, code)
    let others = fixed.map { LearningProgram.size($0.graph, $0.program, shared: []) } ?? .init()
    var sizes = (0..<(fixed == nil ? workers : threads)).map {
      $0 < workers ? own.joined(with: others) : others
    }
    sizes[0] = sizes[0].joined(with: LearningProgram.size(step, update, shared: Set(state)))
    // The examples, and the results of the part that does not learn.
    let examplePorts = given + (fixed == nil ? [] : learning.examples)
    let exampleCount = examplePorts.reduce(0) { $0 + $1.type.shape.count }
    memory =
      sizes.reduce(0) { $0 + $1.bytes } + workers * LearningWorker.bytes(learning)
      + BatchParts.bytes(learning, count: partCount, carriesState: chunk != nil)
      + (task.batch * exampleCount + (1 + optimizer.moments) * layout.count + room)
      * MemoryLayout<Float>.stride
    let mostMemory = mostMemory ?? FreeMemory.bytes
    guard memory <= mostMemory else { throw TrainingError.memory(needed: memory, allowed: mostMemory) }
    let memories = try sizes.map { size throws(TrainingError) in try ProgramMemory(size) }
    let frozen = try fixed.map { part throws(TrainingError) in
      try FrozenFeatures(part.graph, part.program, in: memories, for: learning.portNames)
    }
    let weights = try LearnedMemory(count: layout.count)
    let moments = try LearnedMemory(count: layout.count * optimizer.moments)
    let kept = try LearnedMemory(count: room)
    let parts = try BatchParts(
      learning, count: partCount, examples: examples, carriesState: chunk != nil,
      memories.prefix(workers).map { memory throws(TrainingError) in
        try LearningWorker(learning, code, examples: examples, in: memory, weights, chunk: chunk)
      })
    let all = layout.count
    var shared = ["p": weights.place(0, count: all), "g": parts.gradients.place(0, count: all)]
    for row in 0..<optimizer.moments { shared["m\(row)"] = moments.place(row * all, count: all) }
    let rule = try LearningProgram(step, update, shared: shared, in: memories[0])
    for (array, start) in zip(learning.learned, layout.starts) { weights.write(array.values, at: start) }
    (self.origin, self.task, self.optimizer, self.layout) = (origin, task, optimizer, layout)
    (graphs, self.step, self.given, self.unlearnable) = (learning, step, given, unlearnable)
    (arrays, self.ownWeights) = (learning.learned, ownWeights)
    (scores, self.chunks) = (learning.scores, chunks)
    (self.frozen, self.mostMemory, roomForFeatures) = (frozen, mostMemory, (mostMemory - memory) / 2)
    turned = Array(zip(learning.parameters, layout.starts.suffix(learning.parameters.count)))
    let count = learning.classes?.count
    classes = learning.classes?.target.map { ($0, count!) }
    classCount = count.flatMap { $0 <= Confusion.mostClasses ? $0 : nil }
    let names = given.map(\.name)
    guard Set(names).count == names.count else {
      throw .task("\(learning.evaluation.name): an input and a target have the same name")
    }
    shapes = Dictionary(uniqueKeysWithValues: given.map { ($0.name, $0.type.shape.fixed) })
    wanted = shapes.sorted { $0.key < $1.key }.map { ($0.key, $0.value, $0.value.reduce(1, *)) }
    self.parts = parts
    self.weights = weights
    self.moments = moments
    self.kept = kept
    self.rule = rule
  }

  // MARK: Steps

  /// Computes the scores of a batch, and adds its gradients to those that are there.
  ///
  /// - Parameter batch: 1 to as many examples as the task's.
  /// - Returns: the loss, under `loss`, and the metrics, each as the mean over the batch.
  /// - Throws: `TrainingError.data` where the batch does not go with the model, `.notFinite` where the loss, or a
  ///   gradient, is no finite number, or a gradient so large that no optimizer counts with it; gradients are not changed
  ///   then, but for those of chunks before. `.memory` where there is no room for keeping gradients while others are added.
  public func step(_ batch: Batch) throws(TrainingError) -> [String: Float] {
    let batch = try prepared(batch)
    if steps > 0 || chunks > 1 { try makeRoom() }
    begin(batch)
    var means: [[Float]] = []
    for chunk in 0..<chunks { means.append(try learn(batch, chunk: chunk, share: 1 / Float(chunks))) }
    return mean(means)
  }

  /// Lets the weights follow the gradients that were added up, and begins anew with these.
  public func update() {
    guard steps > 0 else { return }
    updates += 1
    pullBack()
    rule.write(optimizer.factors(step: updates)[...], to: "factors")
    rule.execute()
    keepWithinRanges()
    steps = 0
  }

  /// Forgets the gradients that were added up.
  public func resetGradients() { steps = 0 }

  /// How often weights follow in an epoch of so many examples.
  package func updates(of examples: Int) -> Int {
    (examples + task.examplesOfUpdate - 1) / task.examplesOfUpdate * chunks
  }

  /// One round: a step and an update; where windows are learned in chunks, those of each chunk.
  ///
  /// - Throws: `TrainingError`, as `step` does; nothing of the batch is learned then, nor of its first chunks.
  public func train(_ batch: Batch) throws(TrainingError) -> [String: Float] {
    try train(prepared: prepared(batch))
  }

  /// One round over examples of the part that learns.
  func train(prepared batch: Batch) throws(TrainingError) -> [String: Float] {
    if steps > 0 { try makeRoom() }
    begin(batch)
    let first = updates
    if chunks > 1 {
      kept.copy(weights)
      kept.copy(moments, to: weights.count)
    }
    var means: [[Float]] = []
    do throws(TrainingError) {
      for chunk in 0..<chunks {
        means.append(try learn(batch, chunk: chunk, share: 1))
        update()
      }
    } catch {
      if chunks > 1 {
        weights.copy(kept)
        moments.copy(kept, from: weights.count)
        updates = first
      }
      if case .notFinite = error { throw .notFinite(step: first + 1) }
      throw error
    }
    return mean(means)
  }

  /// The largest size of a number of a gradient: the sum of all squares is a number yet, so that what the optimizer makes of
  /// them is one. Where it limits each number before, that is any.
  private var largestGradient: Float {
    optimizer.largestValue != nil
      ? .greatestFiniteMagnitude : (.greatestFiniteMagnitude / Float(layout.count)).squareRoot() / 2
  }

  func begin(_ batch: Batch) {
    if task.chunk != nil { parts.begin(batch) }
  }

  /// The mean scores of a chunk, of whose gradients a share is added up. Where it throws, those that are there are as they were
  /// if room was made, and else no numbers that mean anything.
  func learn(_ batch: Batch, chunk: Int, share: Float) throws(TrainingError) -> [Float] {
    let means = parts.learn(
      from: batch, chunk: chunk, isFirst: steps == 0, within: largestGradient, share: share)
    guard let means else { throw .notFinite(step: updates + 1) }
    steps += 1
    return means
  }

  /// Makes room for the gradients that are there, while others are added to them.
  private func makeRoom() throws(TrainingError) {
    let more = parts.bytesToAddUp
    guard more > 0 else { return }
    guard memory + more <= mostMemory else {
      throw .memory(needed: memory + more, allowed: mostMemory)
    }
    try parts.makeRoom()
    memory += more
  }

  private func mean(_ all: [[Float]]) -> [String: Float] {
    let means = scores.indices.map { row in all.reduce(0) { $0 + $1[row] } / Float(all.count) }
    return Dictionary(uniqueKeysWithValues: zip(scores, means))
  }

  // MARK: Weights and gradients

  /// The weights of a name as they are now, or, of a parameter, its place on its scale from 0 to 1; nil where none of that
  /// name learns.
  public func weights(named name: String) -> Tensor? {
    guard let row = arrays.firstIndex(where: { $0.name == name }) else { return nil }
    let (start, count) = (layout.starts[row], arrays[row].values.count)
    return try? Tensor(shape: arrays[row].shape, values: weights.numbers(start..<start + count))
  }

  /// The gradient of the weights of a name, added up since the last update.
  public func gradient(named name: String) -> Tensor? {
    guard steps > 0, let row = arrays.firstIndex(where: { $0.name == name }) else { return nil }
    let (start, count) = (layout.starts[row], arrays[row].values.count)
    return try? Tensor(shape: arrays[row].shape, values: parts.gradients.numbers(start..<start + count))
  }
}
