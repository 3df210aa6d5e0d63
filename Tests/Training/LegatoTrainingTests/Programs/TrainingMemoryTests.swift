// SPDX-License-Identifier: Apache-2.0

import GraphIR
import Legato
import Testing

@testable import LegatoTraining

/// The memory of a step, beside what its tensors take.
@Suite struct TrainingMemoryTests {
  private static func numbers(_ count: Int) -> [Float] {
    (0..<count).map { Float($0 * 7919 % 101) / 200 - 0.25 }
  }
  /// Layers behind each other, with their weights.
  private static let stack = (
    weights: "abcdef".map { "\"\($0)\": \(numbers(144 * 144))" }.joined(separator: ", "),
    graph: zip("xabcde", "abcdef").map { x, y in
      "\"layer\(y)\": \"tanh(dense(\(x == "x" ? "" : "layer")\(x), reshape('\(y)', [144, 144])))\""
    }.joined(separator: ", ")
  )
  private static let classifiers = [
    "convolutions": """
    { "legato": 1, "clock": "step", "inputs": { "image": { "shape": [1, 24, 24] } },
      "weights": { "a": \(numbers(8 * 9)), "b": \(numbers(16 * 8 * 9)), "c": \(numbers(5 * 16)) },
      "graph": {
        "one": "relu(conv2d(image, reshape('a', [8, 1, 3, 3]), padding: 'same'))",
        "two": "relu(conv2d(one, reshape('b', [16, 8, 3, 3]), stride: 2, padding: 'same'))",
        "y": "dense(mean(mean(two, axis: 2), axis: 1), reshape('c', [5, 16]))" }, "outputs": ["y"] }
    """,
    // Nearly all numbers are the weights of one layer.
    "dense": """
    { "legato": 1, "clock": "step", "inputs": { "x": { "shape": [784] } },
      "weights": { "a": \(numbers(784 * 64)), "b": \(numbers(640)) },
      "graph": { "y": "dense(relu(dense(x, reshape('a', [64, 784]))), reshape('b', [10, 64]))" }, "outputs": ["y"] }
    """,
    // Fewer terms than vectors have numbers for.
    "small": """
    { "legato": 1, "clock": "step", "inputs": { "x": { "shape": [24] } },
      "weights": { "a": \(numbers(24 * 160)), "b": \(numbers(1600)) },
      "graph": { "y": "dense(relu(dense(x, reshape('a', [160, 24]))), reshape('b', [10, 160]))" }, "outputs": ["y"] }
    """,
    // Copies of the weights of several layers are not there at a time.
    "layers": """
    { "legato": 1, "clock": "step", "inputs": { "x": { "shape": [144] } },
      "weights": { \(stack.weights) }, "graph": { \(stack.graph) }, "outputs": ["layerf"] }
    """,
  ]

  private static func trainer(
    _ name: String, _ optimizer: Optimizer, batch: Int, threads: Int = 1
  ) throws -> Trainer {
    if let classifier = classifiers[name] {
      let output = name == "layers" ? "layerf" : "y"
      var task = TrainingTask(loss: "crossEntropy(\(output), target)", batch: batch)
      task.targets = ["target": []]
      return try Trainer(Model(classifier), task, optimizer: optimizer, threads: threads)
    }
    let network = try CaptureNetwork(name)
    let task = TrainingTask(window: 2400, warmup: 600, batch: batch)
    return try Trainer(
      network.model(network.blank, sampleRate: 48_000), task, optimizer: optimizer, threads: threads)
  }

  /// One thread has the tensors of one part of a batch, however many parts there are; another thread has them, too.
  @Test(
    arguments: [
      // Parts of 34 have two examples, and those of 1 one, which do not fill vectors.
      ("lstm:16", 32), ("wavenet:nano", 32), ("convolutions", 32), ("dense", 32), ("dense", 34), ("dense", 1),
      ("layers", 34), ("layers", 1), ("small", 1), ("small", 3), ("small", 10),
    ], [Optimizer.adamW(rate: 0.001), .sgd(rate: 0.001)])
  func aStepTakesLittleMoreThanItsTensors(network: (name: String, batch: Int), optimizer: Optimizer) throws {
    let (name, batch) = network
    let trainer = try Self.trainer(name, optimizer, batch: batch)
    let part = LiveTensors.most(of: trainer.graphs.gradient)
    let learned = trainer.arrays.reduce(0) { $0 + $1.values.count }
    let example = trainer.shapes.values.reduce(0) { $0 + $1.reduce(1, *) }
    // Beside the tensors of the graph, the weights and the gradients of a part among them, the sum of gradients, the moments and
    // the batch.
    let numbers = part + (1 + trainer.optimizer.moments) * learned + batch * example
    let ratio = Double(trainer.memory) / Double(4 * numbers)
    #expect(ratio <= 1.25, "\(trainer.memory) bytes, \(ratio) times the tensors of \(name)")
    let two = try Self.trainer(name, optimizer, batch: batch, threads: 2).memory - trainer.memory
    #expect(Double(two) <= 1.25 * Double(4 * (part - learned)), "\(two) bytes for another thread of \(name)")
    guard batch == 32 else { return }
    #expect(try Self.trainer(name, optimizer, batch: 64).memory == trainer.memory + 4 * 32 * example)
  }

  /// Gradients that are there stay where a later part of those that are added is not finite: they are kept, where there is room.
  @Test func gradientsAreKeptWhileOthersAreAdded() throws {
    var task = TrainerTests.task
    task.batch = 36
    func trainer(_ most: Int? = nil) throws -> Trainer {
      try Trainer(Model(TrainerTests.line), task, optimizer: .adamW(rate: 0.05), mostMemory: most)
    }
    var (good, bad) = (Batch(), Batch())
    for index in 0..<36 {
      let item = TrainerTests.Plane().item(index)
      good.add(item)
      bad.add(index < 35 ? item : ["x": [1, .infinity], "target": [0]])
    }
    let one = try trainer()
    let before = one.memory
    _ = try one.step(good)
    let gradient = one.gradient(named: "w")
    #expect(one.memory == before)
    #expect(throws: TrainingError.notFinite(step: 1)) { try one.step(bad) }
    #expect(one.gradient(named: "w") == gradient && one.memory == before + 4 * one.layout.count)
    let tight = try trainer(before)
    _ = try tight.step(good)
    #expect(throws: TrainingError.memory(needed: one.memory, allowed: before)) { try tight.step(good) }
    #expect(tight.gradient(named: "w") == gradient)
  }
}

/// The numbers of a graph's tensors where node after node is computed, each into a tensor of its own that is there until
/// it has been read for the last time.
///
/// Inputs are there all the time, and outputs until the end. A view of another tensor takes nothing, nor do
/// constants. What only a cycle itself reads is there for one of its positions.
private enum LiveTensors {
  /// The most numbers at a time.
  static func most(of graph: Graph) -> Int {
    let turns = graph.components()
    var turn: [ValueID: Int] = [:]
    for (number, nodes) in turns.enumerated() {
      for node in nodes { turn[graph[node].result] = number }
    }
    func tensor(_ value: ValueID) -> ValueID {
      let node = graph.definition(of: value)
      return isView(node.op) ? tensor(node.operands[0]) : value
    }
    var last: [ValueID: Int] = [:]
    for node in graph.nodes {
      for operand in node.operands {
        last[tensor(operand)] = max(last[tensor(operand)] ?? 0, turn[node.result]!)
      }
    }
    for output in graph.outputs { last[tensor(output.value)] = turns.count - 1 }
    // The difference of each turn to the one before.
    var more = [Int](repeating: 0, count: turns.count + 1)
    for node in graph.nodes where !isView(node.op) {
      let (first, shape) = (turn[node.result]!, graph.shape(of: node.result).fixed)
      guard let last = last[node.result] else { continue }
      var (count, range) = (shape.reduce(1, *), first...last)
      switch node.op.kind {
      case .given(.literal), .given(.weights), .given(.parameter): continue
      case .given(.input): range = 0...turns.count - 1
      case .elementwise, .movement, .reduction, .layer, .contraction, .time, .source:
        if turns[first].count > 1, last == first { count /= shape[0] }
      }
      more[range.lowerBound] += count
      more[range.upperBound + 1] -= count
    }
    var (now, most) = (0, 0)
    for change in more {
      now += change
      most = max(most, now)
    }
    return most
  }

  private static func isView(_ op: Op) -> Bool {
    switch op.kind {
    case .movement(.slice), .movement(.reshape), .movement(.transpose), .movement(.broadcast),
      .movement(.window):
      true
    case .movement(.concatenate), .movement(.pad), .movement(.gather), .movement(.shift), .given,
      .elementwise, .reduction, .layer, .contraction, .time, .source:
      false
    }
  }
}
