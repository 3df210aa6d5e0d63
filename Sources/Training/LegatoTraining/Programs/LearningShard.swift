// SPDX-License-Identifier: Apache-2.0

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
  private var warming: LearningProgram?
  private let recomputed: RecomputedWindow?
  /// The states of the model: before a chunk, and behind it.
  private let states, nexts: LearnedMemory
  private let graph: LearningGraph
  private let chunk: Int?

  /// The code that all shards run.
  struct Code {
    let learning, evaluation: Program
    let warming: Program?
    let recomputed: RecomputedWindow.Code?

    /// - Parameter isKept: whether the user's cache keeps it.
    init(_ graph: LearningGraph, isKept: Bool) throws(TrainingError) {
      learning = try LearningProgram.compile(graph.gradient, isKept: isKept)
      evaluation = try LearningProgram.compile(graph.evaluation, isKept: isKept)
      warming = try graph.warming.map { graph throws(TrainingError) in
        try LearningProgram.compile(graph, isKept: isKept)
      }
      recomputed = try graph.recomputed.map { graphs throws(TrainingError) in
        try RecomputedWindow.Code(graphs)
      }
    }
  }

  /// - Parameters:
  ///   - weights: all that learns, in the order of the graph's arrays.
  ///   - chunk: the frames after which weights follow; nil for whole windows.
  init(
    _ graph: LearningGraph, _ code: Code, examples: Int, _ weights: borrowing LearnedMemory,
    _ layout: LearningProgram.Layout, chunk: Int?
  ) throws(TrainingError) {
    let gradients = try LearnedMemory(count: layout.count)
    var places: [String: LearningProgram.Place] = [:]
    for (array, start) in zip(graph.learned, layout.starts) {
      places[array.name] = weights.place(start, count: array.values.count)
      places[Graph.gradientName(of: array.name)] = gradients.place(start, count: array.values.count)
    }
    let carried = graph.carried
    let states = try LearnedMemory(count: carried.layout.count)
    let nexts = try LearnedMemory(count: carried.layout.count)
    for ((name, count), start) in zip(carried.states, carried.layout.starts) {
      places[LearningGraph.statePrefix + name] = states.place(start, count: count)
      places[LearningGraph.nextPrefix + name] = nexts.place(start, count: count)
    }
    let learning = try LearningProgram(graph.gradient, code.learning, shared: places)
    let evaluation = try LearningProgram(graph.evaluation, code.evaluation, shared: places)
    if let warm = graph.warming, let program = code.warming {
      warming = try LearningProgram(warm, program, shared: places)
    } else {
      warming = nil
    }
    if let graphs = graph.recomputed, let code = code.recomputed {
      recomputed = try RecomputedWindow(graph, graphs, code, weights, layout)
    } else {
      recomputed = nil
    }
    (self.examples, self.graph, self.chunk) = (examples, graph, chunk)
    self.gradients = gradients
    self.learning = learning
    self.evaluation = evaluation
    self.states = states
    self.nexts = nexts
  }

  /// The bytes that a shard takes.
  static func bytes(_ graph: LearningGraph, _ code: Code, _ layout: LearningProgram.Layout) -> Int {
    let carried = graph.carried
    let shared = Set(
      graph.learned.flatMap { [$0.name, Graph.gradientName(of: $0.name)] }
        + carried.states.map(\.name).flatMap {
          [LearningGraph.statePrefix + $0, LearningGraph.nextPrefix + $0]
        })
    var bytes =
      LearningProgram.bytes(graph.gradient, code.learning, shared: shared)
      + LearningProgram.bytes(graph.evaluation, code.evaluation, shared: shared)
    if let warm = graph.warming, let program = code.warming {
      bytes += LearningProgram.bytes(warm, program, shared: shared)
    }
    if let graphs = graph.recomputed, let code = code.recomputed {
      bytes += RecomputedWindow.bytes(graph, graphs, code, layout)
    }
    return bytes + (layout.count + 2 * carried.layout.count) * MemoryLayout<Float>.stride
  }

  /// Numbers of an array that stays in a cache.
  private static let mostNumbers = 1 << 18

  /// How many examples of a model a shard of a batch has: of sound one, whose numbers stay in the caches, or two, side by
  /// side in vectors, where feedback goes frame by frame; of steps a quarter of a large batch, or fewer large ones.
  static func examples(of batch: Int, of graph: Graph) -> Int {
    let most: Int
    switch graph.clock {
    case .stream:
      let hasFeedback = graph.components().contains { $0.count > 1 }
      most = hasFeedback ? 2 : 1
    case .step:
      let largest = graph.nodes.map { graph.shape(of: $0.result).count }.max() ?? 1
      most = min(max(16, (batch + 3) / 4), max(1, mostNumbers / largest))
    }
    return (1...min(most, batch)).last { batch.isMultiple(of: $0) }!
  }

  /// Takes its examples out of a batch; where there are fewer, what stood behind them is computed, and counts for nothing.
  ///
  /// - Parameter frames: those of a window that are taken, counted from its beginning; nil for whole examples.
  private func take(
    _ batch: Batch, from first: Int, frames: Range<Int>?, for program: borrowing LearningProgram
  ) {
    let count = min(examples, batch.count - first)
    for port in graph.examples {
      // A window in pieces is judged by the model's outputs, which may be called as its inputs are.
      if frames == nil, let recomputed, recomputed.outputNames.contains(port.name) { continue }
      guard program.has(port.name), let numbers = batch.values[port.name] else { continue }
      let size = numbers.count / batch.count
      guard let frames, let begin = graph.windows[port.name] else {
        program.write(numbers[first * size..<(first + count) * size], to: port.name)
        continue
      }
      let rows = size / port.type.shape.fixed.last!
      for example in 0..<count {
        program.write(
          numbers[(first + example) * size..<(first + example + 1) * size], rows: rows,
          frames: frames.lowerBound + begin..<frames.upperBound + begin, to: port.name,
          at: example * rows * frames.count)
      }
    }
  }

  /// Begins a batch that is learned in chunks: silence, then the warm-up.
  func begin(_ batch: Batch, at first: Int) {
    states.clear()
    guard warming != nil else { return }
    take(batch, from: first, frames: -graph.warmup..<0, for: warming!)
    warming!.execute()
    states.copy(nexts)
  }

  /// Computes the gradients of its examples, or of a chunk of them, and returns the mean scores.
  func learn(from batch: Batch, at first: Int, chunk row: Int) -> [Float] {
    take(batch, from: first, frames: chunk.map { row * $0..<(row + 1) * $0 }, for: learning)
    if let recomputed { goForwards(batch, at: first, in: recomputed, for: learning) }
    learning.execute()
    if let recomputed { goBack(batch, at: first, in: recomputed) }
    if chunk != nil { states.copy(nexts) }
    return graph.scores.map { learning.read($0)[0] }
  }

  /// Computes the outputs of a window piece by piece, for a program that judges them.
  private func goForwards(
    _ batch: Batch, at first: Int, in window: RecomputedWindow, for program: borrowing LearningProgram
  ) {
    window.begin()
    for piece in window.pieces {
      take(batch, from: first, frames: window.frames(of: piece), for: window.forward)
      window.goForwards(piece, to: program)
    }
  }

  /// Adds up the gradients of the pieces of a window, the last one first.
  private func goBack(_ batch: Batch, at first: Int, in window: RecomputedWindow) {
    let names = window.outputNames
    let cotangents = Dictionary(
      uniqueKeysWithValues: names.map { ($0, learning.read(Graph.gradientName(of: $0))) })
    gradients.clear()
    window.beginBackwards()
    for piece in window.pieces.reversed() {
      take(batch, from: first, frames: window.frames(of: piece), for: window.backward)
      window.goBack(piece, cotangents)
      gradients.add(window.gradients, times: 1)
    }
  }

  /// The results of evaluating its examples, for each of these outputs: all numbers, example by example.
  func judge(_ batch: Batch, at first: Int, _ names: [String]) -> [[Float]] {
    take(batch, from: first, frames: nil, for: evaluation)
    if let recomputed { goForwards(batch, at: first, in: recomputed, for: evaluation) }
    evaluation.execute()
    let count = min(examples, batch.count - first)
    return names.map { name in
      let all = evaluation.read(name)
      return Array(all.prefix(all.count / examples * count))
    }
  }
}

extension [LearningShard] {
  /// The results of those shards that a batch reaches, computed by so many threads.
  @discardableResult
  func map<Result: Sendable>(
    _ batch: Batch, threads: Int, _ body: @Sendable (LearningShard, _ first: Int) -> Result
  ) -> [Result] {
    let used = (batch.count + self[0].examples - 1) / self[0].examples
    return concurrently(used, threads: threads) { row, _ in body(self[row], row * self[0].examples) }
  }
}
