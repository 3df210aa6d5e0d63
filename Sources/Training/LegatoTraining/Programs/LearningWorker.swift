// SPDX-License-Identifier: Apache-2.0

internal import GraphGradients
internal import GraphIR
internal import RealtimeCore

/// A thread's memory for learning, in which one part of a batch is computed after the other.
///
///     workspace │ learning, evaluation, warm-up: in and out │ a piece: in and out      gradients, states
///
/// Its programs run one at a time, so that one workspace is enough for all of them. What a model remembers from part to part is
/// not here.
final class LearningWorker: @unchecked Sendable {
  /// Those of the part that was computed last.
  let gradients: LearnedMemory
  private var learning, evaluation: LearningProgram
  private var warming: LearningProgram?
  private let recomputed: RecomputedWindow?
  /// The states of the model: before a chunk, and behind it.
  private let states, nexts: LearnedMemory
  private let graph: LearningGraph
  private let examples: Int
  private let chunk: Int?
  /// Whether its program for the parts at hand has run since `renew`, and no other one behind it.
  private var isAgain = false

  /// The result of a part.
  struct Result {
    let scores: [Float]
    /// Whether loss and gradients are numbers that an optimizer counts with.
    let isFinite: Bool
  }

  /// The code that all threads run.
  struct Code {
    let learning, evaluation: Program
    let warming: Program?
    let recomputed: RecomputedWindow.Code?

    /// The names of the weights of which what depends on them alone is kept from part to part: all of them where a thread
    /// computes several parts of a batch, and where that is little memory beside what examples take.
    static func lasting(in graph: LearningGraph, isRepeated: Bool) -> [String] {
      let learned = graph.learned.map(\.name)
      let isLittle = graph.evaluation.largestArray(besides: learned) >= graph.layout.count
      return isRepeated && isLittle ? learned : []
    }

    /// - Parameters:
    ///   - isRepeated: whether a thread computes several parts of a batch.
    ///   - isKept: whether the user's cache keeps it.
    init(_ graph: LearningGraph, isRepeated: Bool, isKept: Bool) throws(TrainingError) {
      let lasting = Self.lasting(in: graph, isRepeated: isRepeated)
      learning = try LearningProgram.compile(graph.gradient, lasting: lasting, isKept: isKept)
      evaluation = try LearningProgram.compile(graph.evaluation, lasting: lasting, isKept: isKept)
      warming = try graph.warming.map { graph throws(TrainingError) in
        try LearningProgram.compile(graph, isKept: isKept)
      }
      recomputed = try graph.recomputed.map { graphs throws(TrainingError) in
        try RecomputedWindow.Code(graphs)
      }
    }
  }

  /// - Parameters:
  ///   - examples: those of a part.
  ///   - memory: where its programs lie, which others of the thread may share.
  ///   - weights: all that learns, in the order of the graph's arrays.
  ///   - chunk: the frames after which weights follow; nil for whole windows.
  init(
    _ graph: LearningGraph, _ code: Code, examples: Int, in memory: ProgramMemory,
    _ weights: borrowing LearnedMemory, chunk: Int?
  ) throws(TrainingError) {
    let (layout, carried) = (graph.layout, graph.carried)
    let gradients = try LearnedMemory(count: layout.count)
    var places: [String: LearningProgram.Place] = [:]
    for (array, start) in zip(graph.learned, layout.starts) {
      places[array.name] = weights.place(start, count: array.values.count)
      places[Graph.gradientName(of: array.name)] = gradients.place(start, count: array.values.count)
    }
    // Those of a window in pieces are its own.
    let count = graph.recomputed == nil ? carried.layout.count : 0
    let states = try LearnedMemory(count: count)
    let nexts = try LearnedMemory(count: count)
    if graph.recomputed == nil {
      for ((name, count), start) in zip(carried.states, carried.layout.starts) {
        places[LearningGraph.statePrefix + name] = states.place(start, count: count)
        places[LearningGraph.nextPrefix + name] = nexts.place(start, count: count)
      }
    }
    let learning = try LearningProgram(graph.gradient, code.learning, shared: places, in: memory)
    let evaluation = try LearningProgram(graph.evaluation, code.evaluation, shared: places, in: memory)
    if let warm = graph.warming, let program = code.warming {
      warming = try LearningProgram(warm, program, shared: places, in: memory)
    } else {
      warming = nil
    }
    if let graphs = graph.recomputed, let code = code.recomputed {
      // Outputs that are judged stand where they are until all pieces have gone back.
      let first = max(learning.size.ports, evaluation.size.ports)
      recomputed = try RecomputedWindow(graph, graphs, code, weights, in: memory, from: first)
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

  /// The names of ports whose numbers are not among those of a program.
  private static func shared(by graph: LearningGraph) -> Set<String> {
    let states = graph.recomputed == nil ? graph.carried.states.map(\.name) : []
    return Set(
      graph.learned.flatMap { [$0.name, Graph.gradientName(of: $0.name)] }
        + states.flatMap { [LearningGraph.statePrefix + $0, LearningGraph.nextPrefix + $0] })
  }

  /// The size of the thread's memory that its programs need.
  static func size(_ graph: LearningGraph, _ code: Code) -> ProgramMemory.Size {
    let shared = shared(by: graph)
    var size = LearningProgram.size(graph.gradient, code.learning, shared: shared)
      .joined(with: LearningProgram.size(graph.evaluation, code.evaluation, shared: shared))
    if let warm = graph.warming, let program = code.warming {
      size = size.joined(with: LearningProgram.size(warm, program, shared: shared))
    }
    if let graphs = graph.recomputed, let code = code.recomputed {
      let pieces = RecomputedWindow.size(graph, graphs, code)
      size.workspace = max(size.workspace, pieces.workspace)
      size.ports += pieces.ports
    }
    return size
  }

  /// The bytes that it takes beside that.
  static func bytes(_ graph: LearningGraph) -> Int {
    let (all, carried) = (graph.layout.count, graph.carried.layout.count)
    let numbers = graph.recomputed.map { RecomputedWindow.numbers(graph, $0) } ?? 2 * carried
    return (all + numbers) * MemoryLayout<Float>.stride
  }

  /// Takes its examples out of a batch; where there are fewer, the last one is computed again, and counts for nothing.
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
      func own(_ example: Int) -> ArraySlice<Float> {
        let row = first + min(example, count - 1)
        return numbers[row * size..<(row + 1) * size]
      }
      guard let frames, let begin = graph.windows[port.name] else {
        program.write(numbers[first * size..<(first + count) * size], to: port.name)
        for example in count..<examples { program.write(own(example), to: port.name, at: example * size) }
        continue
      }
      let rows = size / port.type.shape.fixed.last!
      for example in 0..<examples {
        program.write(
          own(example), rows: rows, frames: frames.lowerBound + begin..<frames.upperBound + begin,
          to: port.name, at: example * rows * frames.count)
      }
    }
  }

  /// Takes weights for changed, and the memory for used by others: before the first part of a step, or of an evaluation.
  func renew() { isAgain = false }

  /// Begins a part that is learned in chunks: silence, then the warm-up.
  ///
  /// - Parameter kept: what each part remembers, this one from a place on.
  func begin(_ batch: Batch, at first: Int, _ kept: borrowing LearnedMemory, from place: Int) {
    states.clear()
    if warming != nil {
      take(batch, from: first, frames: -graph.warmup..<0, for: warming!)
      warming!.execute()
      kept.copy(nexts, to: place)
    } else {
      kept.copy(states, to: place)
    }
  }

  /// Computes what a part, or a chunk of it, adds to the gradients and the mean scores of its batch.
  ///
  /// - Parameters:
  ///   - kept: what each part remembers, this one from a place on.
  ///   - bound: the largest size of a number of a gradient.
  func learn(
    from batch: Batch, at first: Int, chunk row: Int, _ kept: borrowing LearnedMemory, from place: Int,
    within bound: Float
  ) -> Result {
    take(batch, from: first, frames: chunk.map { row * $0..<(row + 1) * $0 }, for: learning)
    let shares = (first..<first + examples).map { $0 < batch.count ? 1 / Float(batch.count) : 0 }
    learning.write(shares[...], to: LearningGraph.shares)
    if chunk != nil { states.copy(kept, from: place) }
    if let recomputed { goForwards(batch, at: first, in: recomputed, for: learning) }
    learning.execute(isAgain: isAgain)
    isAgain = recomputed == nil
    if let recomputed { goBack(batch, at: first, in: recomputed) }
    if chunk != nil { kept.copy(nexts, to: place) }
    let scores = graph.scores.map { learning.read($0)[0] }
    return Result(scores: scores, isFinite: scores[0].isFinite && gradients.isWithin(bound))
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
    gradients.clear()
    window.beginBackwards()
    for piece in window.pieces.reversed() {
      take(batch, from: first, frames: window.frames(of: piece), for: window.backward)
      window.goBack(piece, from: learning)
      gradients.add(window.gradients, times: 1)
    }
  }

  /// The results of evaluating its examples, for each of these outputs: all numbers, example by example.
  func judge(_ batch: Batch, at first: Int, _ names: [String]) -> [[Float]] {
    take(batch, from: first, frames: nil, for: evaluation)
    if let recomputed { goForwards(batch, at: first, in: recomputed, for: evaluation) }
    evaluation.execute(isAgain: isAgain)
    isAgain = recomputed == nil
    let count = min(examples, batch.count - first)
    return names.map { name in
      let all = evaluation.read(name)
      return Array(all.prefix(all.count / examples * count))
    }
  }
}
