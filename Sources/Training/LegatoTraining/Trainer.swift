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
  public let task: TrainingTask
  public private(set) var optimizer: Optimizer
  /// The shapes of the inputs and targets of one example, by their names.
  public let shapes: [String: [Int]]
  /// How many updates have been made.
  public internal(set) var updates = 0
  /// The names of the weights that learn.
  public var learned: [String] { arrays.map(\.name) }

  /// The rate of learning, before the schedule.
  public var rate: Double {
    get { optimizer.rate }
    set { optimizer.rate = newValue }
  }
  /// The strength μ with which weights are held near those of the last `restart`; nil where they are free.
  public var tether: Double?
  /// The weights of the last `restart`.
  var anchor: [Float] = []

  let model: Model
  let arrays: [GraphIR.Weights]
  let layout: LearningProgram.Layout
  let weights, gradients, moments: LearnedMemory
  private let shards: [LearningShard]
  private let threads: Int
  private var rule: LearningProgram
  private let scores: [String]
  /// Steps whose gradients are added up.
  private var steps = 0

  /// - Parameters:
  ///   - model: a stream, which learns from windows of it, or a model of steps.
  ///   - task: what is made small.
  ///   - optimizer: how weights follow.
  ///   - extents: a number for each of the model's symbols.
  ///   - sampleRate: of a stream; nil is the model's own, or 48000.
  ///   - threads: how many compute at a time; the bits do not depend on it.
  /// - Throws: `ModelError` for a model that is none, `TrainingError` for what cannot learn.
  public init(
    _ model: Model, _ task: TrainingTask, optimizer: Optimizer, extents: [String: Int] = [:],
    sampleRate: Double? = nil, threads: Int = 1
  ) throws {
    guard task.batch >= 1, task.window >= 1, task.warmup >= 0 else {
      throw TrainingError.task(
        "a batch has an example or more, a window a frame or more, a warm-up none or more")
    }
    let graph = try model.graph(extents: extents, sampleRate: sampleRate)
    let examples = LearningShard.examples(of: task.batch, isSound: graph.clock == .stream)
    let learning = try LearningGraph(graph, task, examples: examples, among: model.ownWeights(in: graph))
    let layout = LearningProgram.Layout(learning.learned.map(\.values.count))
    let weights = try LearnedMemory(count: layout.count)
    let gradients = try LearnedMemory(count: layout.count)
    let moments = try LearnedMemory(count: layout.count * optimizer.moments)
    let code = try LearningShard.Code(learning)
    shards = try (0..<task.batch / examples).map { _ in
      try LearningShard(learning, code, examples: examples, weights, layout)
    }
    var shared = unsafe ["p": weights.start(), "g": gradients.start()]
    for row in 0..<optimizer.moments { unsafe shared["m\(row)"] = moments.start(row * layout.count) }
    let step = try optimizer.graph(count: layout.count)
    let rule = try unsafe LearningProgram(step, LearningProgram.compile(step), shared: shared)
    for (array, start) in zip(learning.learned, layout.starts) { weights.write(array.values, at: start) }
    (self.model, self.task, self.optimizer, self.layout) = (model, task, optimizer, layout)
    (arrays, scores, self.threads) = (learning.learned, learning.scores, max(1, threads))
    shapes = Dictionary(
      uniqueKeysWithValues: learning.examples.map { ($0.name, $0.type.shape.fixed) })
    self.weights = weights
    self.gradients = gradients
    self.moments = moments
    self.rule = rule
  }

  // MARK: Steps

  /// Computes the scores of a batch, and adds its gradients to those that are there.
  ///
  /// - Returns: the loss, under `loss`, and the metrics, each as the mean over the batch.
  /// - Throws: `TrainingError.data` where the batch does not go with the model, `.notFinite` where the loss, or a
  ///   gradient, is no finite number; gradients are not changed then.
  public func step(_ batch: Batch) throws(TrainingError) -> [String: Float] {
    guard batch.count == task.batch else {
      throw .data("a step takes \(task.batch) examples; the batch has \(batch.count)")
    }
    try check(batch)
    let parts = shards.map(batch, threads: threads) { $0.learn(from: batch, at: $1) }
    let share = 1 / Float(shards.count)
    let means = scores.indices.map { row in parts.reduce(0) { $0 + $1[row] } * share }
    guard means[0].isFinite, shards.allSatisfy({ $0.gradients.isFinite }) else {
      throw .notFinite(step: updates + 1)
    }
    if steps == 0 { gradients.clear() }
    for shard in shards { gradients.add(shard.gradients, times: share) }
    steps += 1
    return Dictionary(uniqueKeysWithValues: zip(scores, means))
  }

  /// Lets the weights follow the gradients that were added up, and begins anew with these.
  public func update() {
    guard steps > 0 else { return }
    updates += 1
    pullBack()
    rule.write(optimizer.factors(step: updates)[...], to: "factors")
    rule.execute()
    steps = 0
  }

  /// Forgets the gradients that were added up.
  public func resetGradients() { steps = 0 }

  /// One round: a step and an update.
  public func train(_ batch: Batch) throws(TrainingError) -> [String: Float] {
    let scores = try step(batch)
    update()
    return scores
  }

  /// The scores of up to a batch of examples, as sums over them; nothing learns.
  func total(_ batch: Batch) throws(TrainingError) -> [String: Double] {
    try check(batch)
    let parts = shards.map(batch, threads: threads) { $0.judge(batch, at: $1) }
    let sums = scores.indices.map { row in parts.reduce(0) { $0 + $1[row] } }
    return Dictionary(uniqueKeysWithValues: zip(scores, sums))
  }

  /// The mean scores of all examples of a data set; nothing learns.
  public func evaluate(_ dataset: some Dataset) throws -> [String: Double] {
    var sums: [String: Double] = [:]
    for start in stride(from: 0, to: dataset.count, by: task.batch) {
      var batch = Batch()
      for index in start..<min(dataset.count, start + task.batch) { batch.add(try dataset.item(index)) }
      for (score, sum) in try total(batch) { sums[score, default: 0] += sum }
    }
    return sums.mapValues { $0 / Double(max(1, dataset.count)) }
  }

  /// Whether names and sizes of examples go with the model.
  ///
  /// - Throws: `TrainingError.data` where they do not.
  public func check(_ batch: Batch) throws(TrainingError) {
    guard (1...task.batch).contains(batch.count) else {
      throw .data("a batch has 1 to \(task.batch) examples; this one has \(batch.count)")
    }
    for (name, shape) in shapes.sorted(by: { $0.key < $1.key }) {
      guard let numbers = batch.values[name] else {
        throw .data("an example has no \(quoted(name)), which is \(shape)")
      }
      let count = shape.reduce(1, *)
      guard numbers.count == count * batch.count else {
        throw .data(
          "\(quoted(name)) is \(shape), \(count) numbers; an example has \(numbers.count / batch.count)")
      }
    }
    for name in batch.values.keys.sorted() where shapes[name] == nil {
      let names = shapes.keys.sorted().map { quoted($0) }.joined(separator: ", ")
      throw .data("there is no input or target \(quoted(name)); there are \(names)")
    }
  }

  // MARK: What is learned

  /// The weights of a name as they are now; nil where none of that name learns.
  public func weights(named name: String) -> Tensor? {
    guard let row = arrays.firstIndex(where: { $0.name == name }) else { return nil }
    let (start, count) = (layout.starts[row], arrays[row].values.count)
    return try? Tensor(shape: arrays[row].shape, values: weights.numbers(start..<start + count))
  }

  /// The gradient of the weights of a name, added up since the last update.
  public func gradient(named name: String) -> Tensor? {
    guard steps > 0, let row = arrays.firstIndex(where: { $0.name == name }) else { return nil }
    let (start, count) = (layout.starts[row], arrays[row].values.count)
    return try? Tensor(shape: arrays[row].shape, values: gradients.numbers(start..<start + count))
  }
}
