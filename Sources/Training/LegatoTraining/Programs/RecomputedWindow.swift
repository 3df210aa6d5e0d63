// SPDX-License-Identifier: Apache-2.0

internal import GraphGradients
internal import GraphIR
internal import RealtimeCore

/// The programs that take a window forwards and back in pieces, with what is kept between them.
final class RecomputedWindow {
  private(set) var forward, backward: LearningProgram
  /// Frames of a piece, and how many pieces there are.
  private let frames, count: Int
  private let warmup, window: Int
  /// The model's outputs, and the rows of frames of each.
  private let outputs: [(name: String, rows: Int)]
  /// The states of the model before and behind a piece, and before each of them.
  private let states, nexts, kept: LearnedMemory
  /// The cotangents of what it remembers behind a piece, and before.
  private let incoming, outgoing: LearnedMemory
  /// The gradients of a piece, which are added up.
  let gradients: LearnedMemory

  /// The code of the two ways.
  struct Code {
    let forward, backward: Program

    init(_ graphs: RecomputedGraphs) throws(TrainingError) {
      forward = try LearningProgram.compile(graphs.forward)
      backward = try LearningProgram.compile(graphs.backward)
    }
  }

  /// - Parameters:
  ///   - weights: all that learns, in the order of the graph's arrays.
  ///   - memory: where the programs lie, with ports from a place on.
  init(
    _ graph: LearningGraph, _ graphs: RecomputedGraphs, _ code: Code, _ weights: borrowing LearnedMemory,
    in memory: ProgramMemory, from first: Int
  ) throws(TrainingError) {
    let (layout, carried) = (graph.layout, graph.carried)
    let gradients = try LearnedMemory(count: layout.count)
    let states = try LearnedMemory(count: carried.layout.count)
    let nexts = try LearnedMemory(count: carried.layout.count)
    let kept = try LearnedMemory(count: carried.layout.count * graphs.count)
    let incoming = try LearnedMemory(count: carried.layout.count)
    let outgoing = try LearnedMemory(count: carried.layout.count)
    var places: [String: LearningProgram.Place] = [:]
    for (array, start) in zip(graph.learned, layout.starts) {
      places[array.name] = weights.place(start, count: array.values.count)
      places[Graph.gradientName(of: array.name)] = gradients.place(start, count: array.values.count)
    }
    for ((name, count), start) in zip(carried.states, carried.layout.starts) {
      let (state, next) = (LearningGraph.statePrefix + name, LearningGraph.nextPrefix + name)
      places[state] = states.place(start, count: count)
      places[next] = nexts.place(start, count: count)
      places[RecomputedGraphs.cotangentName(of: next)] = incoming.place(start, count: count)
      places[Graph.gradientName(of: state)] = outgoing.place(start, count: count)
    }
    let forward = try LearningProgram(
      graphs.forward, code.forward, shared: places, in: memory, from: first)
    let backward = try LearningProgram(
      graphs.backward, code.backward, shared: places, in: memory, from: first)
    outputs = graphs.forward.outputs.filter { !$0.name.hasPrefix(LearningGraph.nextPrefix) }.map {
      ($0.name, graphs.forward.shape(of: $0.value).count / graphs.frames)
    }
    (frames, count, warmup) = (graphs.frames, graphs.count, graph.warmup)
    window = frames * count - warmup
    self.forward = forward
    self.backward = backward
    self.gradients = gradients
    self.states = states
    self.nexts = nexts
    self.kept = kept
    self.incoming = incoming
    self.outgoing = outgoing
  }

  /// The size of the thread's memory that its programs need.
  static func size(_ graph: LearningGraph, _ graphs: RecomputedGraphs, _ code: Code) -> ProgramMemory.Size {
    let carried = graph.carried
    let states = carried.states.map { LearningGraph.statePrefix + $0.name }
    let nexts = carried.states.map { LearningGraph.nextPrefix + $0.name }
    let shared = Set(
      graph.learned.flatMap { [$0.name, Graph.gradientName(of: $0.name)] }
        + states + states.map { Graph.gradientName(of: $0) }
        + nexts + nexts.map { RecomputedGraphs.cotangentName(of: $0) })
    return LearningProgram.size(graphs.forward, code.forward, shared: shared)
      .joined(with: LearningProgram.size(graphs.backward, code.backward, shared: shared))
  }

  /// The numbers that it takes beside that.
  static func numbers(_ graph: LearningGraph, _ graphs: RecomputedGraphs) -> Int {
    graph.layout.count + (4 + graphs.count) * graph.carried.layout.count
  }

  /// The pieces, the first one first.
  var pieces: Range<Int> { 0..<count }

  /// The frames of a piece, counted from the beginning of the window, before which the warm-up lies.
  func frames(of piece: Int) -> Range<Int> {
    let start = piece * frames - warmup
    return start..<start + frames
  }

  /// The names of the model's outputs.
  var outputNames: [String] { outputs.map(\.name) }

  /// Before the first piece nothing has been.
  func begin() { states.clear() }

  /// Takes a piece forwards, and writes what of its outputs lies in the window where a program reads them.
  func goForwards(_ piece: Int, to program: borrowing LearningProgram) {
    kept.copy(states, to: piece * states.count)
    forward.execute()
    states.copy(nexts)
    let range = frames(of: piece)
    let judged = range.clamped(to: 0..<window)
    let made = judged.lowerBound - range.lowerBound..<judged.upperBound - range.lowerBound
    for (name, rows) in outputs where !judged.isEmpty {
      forward.hand(name, rows: rows, frames: made, to: program, name, at: judged.lowerBound, of: window)
    }
  }

  /// Behind the last piece nothing depends on what is remembered.
  func beginBackwards() { outgoing.clear() }

  /// Takes a piece once more, and back: `gradients` is what it adds to them.
  ///
  /// - Parameter program: it has the cotangents of the outputs over the window.
  func goBack(_ piece: Int, from program: borrowing LearningProgram) {
    states.copy(kept, from: piece * states.count)
    incoming.copy(outgoing)
    let range = frames(of: piece)
    let judged = range.clamped(to: 0..<window)
    for (name, rows) in outputs {
      let cotangent = RecomputedGraphs.cotangentName(of: name)
      backward.clear(cotangent)
      guard !judged.isEmpty else { continue }
      program.hand(
        Graph.gradientName(of: name), rows: rows, frames: judged, to: backward, cotangent,
        at: judged.lowerBound - range.lowerBound, of: range.count)
    }
    backward.execute()
  }
}
