// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GraphGradients
internal import GraphIR
internal import RealtimeCore

/// A part of a batch, with memory and gradients of its own: a thread computes it without the others.
///
/// How a batch is cut does not depend on the threads, and what parts come to is added in their order: any number of threads
/// gives the same bits.
final class LearningShard: @unchecked Sendable {
  /// Examples that it has at a time.
  let examples: Int
  let gradients: LearnedMemory
  private var learning, evaluation: LearningProgram
  private let scores: [String]

  /// The code that all shards run.
  struct Code {
    let learning, evaluation: Program

    init(_ graph: LearningGraph) throws(TrainingError) {
      learning = try LearningProgram.compile(graph.gradient)
      evaluation = try LearningProgram.compile(graph.evaluation)
    }
  }

  /// - Parameter weights: all that learns, in the order of the graph's arrays.
  init(
    _ graph: LearningGraph, _ code: Code, examples: Int, _ weights: borrowing LearnedMemory,
    _ layout: LearningProgram.Layout
  ) throws(TrainingError) {
    let gradients = try LearnedMemory(count: layout.count)
    var places: [String: UnsafeMutablePointer<Float>] = unsafe [:]
    for (array, start) in zip(graph.learned, layout.starts) {
      unsafe places[array.name] = weights.start(start)
      unsafe places[Graph.gradientName(of: array.name)] = gradients.start(start)
    }
    let learning = try unsafe LearningProgram(graph.gradient, code.learning, shared: places)
    let evaluation = try unsafe LearningProgram(graph.evaluation, code.evaluation, shared: places)
    (self.examples, scores) = (examples, graph.scores)
    self.gradients = gradients
    self.learning = learning
    self.evaluation = evaluation
  }

  /// How many examples a shard of a batch has: of sound few, whose numbers stay in the caches; of steps a quarter of a
  /// large batch.
  static func examples(of batch: Int, isSound: Bool) -> Int {
    let most = isSound ? 2 : max(16, (batch + 3) / 4)
    return (1...min(most, batch)).last { batch.isMultiple(of: $0) }!
  }

  /// Takes its examples out of a batch; where there are fewer, what stood behind them is computed, and counts for nothing.
  private func take(_ batch: Batch, from first: Int, for program: borrowing LearningProgram) {
    for (name, numbers) in batch.values {
      let size = numbers.count / batch.count
      let count = min(examples, batch.count - first)
      program.write(numbers[first * size..<(first + count) * size], to: name)
    }
  }

  /// Computes the gradients of its examples, and returns the mean scores.
  func learn(from batch: Batch, at first: Int) -> [Float] {
    take(batch, from: first, for: learning)
    learning.execute()
    return scores.map { learning.read($0)[0] }
  }

  /// The scores of its examples, as sums over them.
  func judge(_ batch: Batch, at first: Int) -> [Double] {
    take(batch, from: first, for: evaluation)
    evaluation.execute()
    let count = min(examples, batch.count - first)
    return scores.map { evaluation.read($0).prefix(count).reduce(0) { $0 + Double($1) } }
  }
}

extension [LearningShard] {
  /// The results of those shards that a batch reaches, computed by so many threads.
  func map<Result: Sendable>(
    _ batch: Batch, threads: Int, _ body: @Sendable (LearningShard, _ first: Int) -> Result
  ) -> [Result] {
    let used = (batch.count + self[0].examples - 1) / self[0].examples
    @Sendable func result(_ row: Int) -> Result { body(self[row], row * self[0].examples) }
    let threads = Swift.min(threads, used)
    guard threads > 1 else { return (0..<used).map(result) }
    let results = Results<Result>(used)
    DispatchQueue.concurrentPerform(iterations: threads) { thread in
      for row in stride(from: thread, to: used, by: threads) { results.set(row, result(row)) }
    }
    return results.all
  }
}

/// Results that threads put in their places.
private final class Results<Result: Sendable>: @unchecked Sendable {
  private let lock = NSLock()
  private var found: [Result?]

  init(_ count: Int) { found = Array(repeating: nil, count: count) }

  func set(_ row: Int, _ result: Result) { lock.withLock { found[row] = result } }

  var all: [Result] { found.map { $0! } }
}
