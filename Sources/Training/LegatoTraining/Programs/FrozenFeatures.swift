// SPDX-License-Identifier: Apache-2.0

internal import GraphGradients
internal import GraphIR
internal import RealtimeCore

/// The part of a model that depends on nothing that learns, computed once for each example.
///
///     src, target ─▶ backbone ─▶ features.0, target
///
/// A batch is computed by several threads, each with memory of its own; the bits do not depend on how many there are.
final class FrozenFeatures: @unchecked Sendable {
  let graph: Graph
  private let inputs, outputs: [String]
  /// The names of what the rest of the model reads.
  private let read: Set<String>
  private let workers: [Worker]
  /// A thread's program.
  private final class Worker {
    var program: LearningProgram
    init(_ program: consuming LearningProgram) { self.program = program }
  }

  /// - Parameters:
  ///   - graph: the part of the model, over one example.
  ///   - program: its code.
  ///   - memories: those of the threads, in which the rest of the model is computed afterwards.
  ///   - read: the names of what the rest of the model reads.
  init(
    _ graph: Graph, _ program: Program, in memories: [ProgramMemory], for read: Set<String>
  ) throws(TrainingError) {
    self.read = read
    (inputs, outputs) = (graph.inputs.map(\.name), graph.outputs.map(\.name))
    workers = try memories.map { memory throws(TrainingError) in
      try Worker(LearningProgram(graph, program, shared: [:], in: memory))
    }
    self.graph = graph
  }

  /// The graph of one example: a part of a model, bound to the frames of a window where it is a stream.
  static func graph(_ part: Graph, _ task: TrainingTask) throws(TrainingError) -> Graph {
    var task = task
    task.batch = 1
    do throws(TypingError) {
      return try LearningGraph.example(of: part, task, releasing: [], [])
    } catch {
      throw .task("\(part.name): \(error.description)")
    }
  }

  /// An example for the rest of the model.
  private func item(_ values: [String: ArraySlice<Float>], by worker: Worker) -> [String: [Float]] {
    for name in inputs { worker.program.write(values[name]!, to: name) }
    worker.program.execute()
    return Dictionary(uniqueKeysWithValues: outputs.map { ($0, worker.program.read($0)) })
  }

  /// Examples for the rest of the model: the features, and what else it reads.
  func batch(_ examples: Batch) -> Batch {
    let made = concurrently(examples.count, threads: workers.count) { row, thread in
      self.item(examples.item(row), by: workers[thread])
    }
    var batch = Batch(expecting: examples.count)
    for (row, features) in made.enumerated() {
      let beside = examples.item(row).filter { read.contains($0.key) }
      batch.add(beside.mapValues { Array($0) }.merging(features) { $1 })
    }
    return batch
  }
}

/// The features of the examples of a data set that frozen parts have made, as many as there is room for.
final class FeatureCache {
  private var items: [Int: [String: [Float]]] = [:]
  private var room: Int

  /// - Parameter bytes: the most that it may take.
  init(bytes: Int) { room = bytes }

  subscript(index: Int) -> [String: [Float]]? {
    get { items[index] }
    set {
      guard items[index] == nil, let newValue else { return }
      let bytes = newValue.values.reduce(0) { $0 + $1.count } * MemoryLayout<Float>.stride
      guard bytes <= room else { return }
      room -= bytes
      items[index] = newValue
    }
  }
}
