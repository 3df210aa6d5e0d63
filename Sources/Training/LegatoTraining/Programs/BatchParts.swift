// SPDX-License-Identifier: Apache-2.0

internal import GraphGradients
internal import GraphIR

/// The parts of a batch, the threads that compute them, and what they come to.
///
///     batch 16     part 0: examples 0, 1      part 1: 2, 3      …     any thread takes the next one
///     gradients            0  ──────────────▶  + 1  ──────────▶ …     added in their order, whoever is ready first
///
/// How a batch is cut does not depend on the threads: any number of them gives the same bits.
final class BatchParts: @unchecked Sendable {
  /// Examples of a part.
  let examples: Int
  /// The sum of gradients.
  let gradients: LearnedMemory
  private let count: Int
  private let workers: [LearningWorker]
  /// The states of the model for each part, between chunks.
  private let states: LearnedMemory
  /// Numbers of a part of these.
  private let stateCount: Int
  /// The sum before parts are added of which a later one may not be finite; of a single part there is none.
  private var before: LearnedMemory?

  /// - Parameters:
  ///   - count: how many parts a batch has.
  ///   - examples: those of a part.
  ///   - carriesState: whether it is learned in chunks.
  ///   - workers: one for each thread.
  init(
    _ graph: LearningGraph, count: Int, examples: Int, carriesState: Bool, _ workers: [LearningWorker]
  ) throws(TrainingError) {
    let numbers = Self.numbers(graph, count: count, carriesState: carriesState)
    gradients = try LearnedMemory(count: numbers.gradients)
    states = try LearnedMemory(count: numbers.states)
    before = nil
    stateCount = numbers.states / count
    (self.count, self.examples, self.workers) = (count, examples, workers)
  }

  /// The bytes that it takes beside the workers.
  static func bytes(_ graph: LearningGraph, count: Int, carriesState: Bool) -> Int {
    let numbers = numbers(graph, count: count, carriesState: carriesState)
    return (numbers.gradients + numbers.states) * MemoryLayout<Float>.stride
  }

  private static func numbers(
    _ graph: LearningGraph, count: Int, carriesState: Bool
  ) -> (gradients: Int, states: Int) {
    (graph.layout.count, carriesState ? count * graph.carried.layout.count : 0)
  }

  /// The bytes that it takes more before gradients can be added to others, by `makeRoom`.
  var bytesToAddUp: Int { count > 1 && before == nil ? gradients.count * MemoryLayout<Float>.stride : 0 }

  /// Takes them, once.
  func makeRoom() throws(TrainingError) { before = try LearnedMemory(count: gradients.count) }

  /// Numbers of an array that stays in a cache.
  private static let mostNumbers = 1 << 18

  /// How many examples of a model a part of a batch has: of sound one, whose numbers stay in the caches, or two, side by
  /// side in vectors, where feedback goes frame by frame; of steps a quarter of a large batch, or fewer large ones.
  static func examples(of batch: Int, of graph: Graph) -> Int {
    let most: Int
    switch graph.clock {
    case .stream:
      let hasFeedback = graph.components().contains { $0.count > 1 }
      most = hasFeedback ? 2 : 1
    case .step:
      most = min(max(16, (batch + 3) / 4), max(1, mostNumbers / max(1, graph.largestArray())))
    }
    return (1...min(most, batch)).last { batch.isMultiple(of: $0) }!
  }

  /// How many parts a batch reaches, which may have fewer examples than a whole one.
  private func reached(by batch: Batch) -> Int { (batch.count + examples - 1) / examples }

  /// Begins a batch that is learned in chunks.
  func begin(_ batch: Batch) {
    _ = concurrently(reached(by: batch), threads: workers.count) { [self] part, thread in
      workers[thread].begin(batch, at: part * examples, states, from: part * stateCount)
    }
  }

  /// Adds the gradients of a batch, or of a chunk of it, to those that are there.
  ///
  /// - Parameters:
  ///   - isFirst: whether what is there counts for nothing; else there has to be room.
  ///   - bound: the largest size of a number of a gradient.
  ///   - share: what gradients are multiplied by.
  /// - Returns: the mean scores; nil where the loss, or a gradient, is not finite or beyond the bound, and nothing is
  ///   added.
  func learn(
    from batch: Batch, chunk: Int, isFirst: Bool, within bound: Float, share: Float
  ) -> [Float]? {
    if isFirst { gradients.clear() } else if before != nil { before!.copy(gradients) }
    for worker in workers { worker.renew() }
    let all = concurrently(reached(by: batch), threads: workers.count) { [self] row, thread in
      workers[thread].learn(
        from: batch, at: row * examples, chunk: chunk, states, from: row * stateCount, within: bound)
    } inOrder: { [self] result, thread in
      if result.isFinite { gradients.add(workers[thread].gradients, times: share) }
    }
    let means = all[0].scores.indices.map { row in all.reduce(0) { $0 + $1.scores[row] } }
    guard means[0].isFinite, all.allSatisfy(\.isFinite) else {
      if !isFirst, before != nil { gradients.copy(before!) }
      return nil
    }
    return means
  }

  /// The results of evaluating a batch, part by part, for each of these outputs: all numbers, example by example.
  func judge(_ batch: Batch, _ names: [String]) -> [[[Float]]] {
    for worker in workers { worker.renew() }
    return concurrently(reached(by: batch), threads: workers.count) { [self] part, thread in
      workers[thread].judge(batch, at: part * examples, names)
    }
  }
}
