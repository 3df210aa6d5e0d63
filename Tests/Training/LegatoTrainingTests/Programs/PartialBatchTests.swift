// SPDX-License-Identifier: Apache-2.0

import Legato
import Synchronization
import TestEquipment
import Testing

@testable import LegatoTraining

/// Batches with fewer examples than the task's, and updates of several batches: their means are those of the examples that
/// are there.
@Suite struct PartialBatchTests {
  private static let steps = """
    { "legato": 1, "name": "Dense", "clock": "step", "inputs": { "x": { "shape": [3] } },
      "weights": { "w": [[0.5, -1, 2], [1, 0, -0.5]], "b": [0, 0.25] },
      "graph": { "y": "tanh(dense(x, 'w', 'b'))" }, "outputs": ["y"] }
    """
  private static let filter = """
    { "legato": 1, "name": "Filter", "inputs": { "x": { "shape": [1, "frames"] } },
      "weights": { "gain": [0.5], "pole": [0.25] },
      "graph": { "y": "'gain' * x + 'pole' * delay(y, 1)" }, "outputs": ["y"] }
    """

  private static func task(_ batch: Int, chunk: Int? = nil, recompute: Int? = nil) -> TrainingTask {
    var task = TrainingTask(
      loss: "mse(y, target)", metrics: ["off": "mae(y, target)"], window: 32, warmup: 16, batch: batch)
    (task.chunk, task.recompute) = (chunk, recompute)
    return task
  }

  /// So many examples of what goes into a trainer.
  private static func batch(_ count: Int, _ trainer: Trainer) -> Batch {
    var (random, batch) = (SplitMix(seed: 3), Batch())
    for _ in 0..<count {
      let item = trainer.shapes.sorted { $0.key < $1.key }.map { name, shape in
        (name, (0..<shape.reduce(1, *)).map { _ in random.float(-1, 1) })
      }
      batch.add(Dictionary(uniqueKeysWithValues: item))
    }
    return batch
  }

  /// Beside a trainer whose batch is just so large; 20 of 32 are one whole part, and a quarter of another one.
  @Test(
    arguments: [
      (steps, 4, 3, nil), (steps, 32, 20, nil), (steps, 32, 1, nil), (filter, 8, 5, nil), (filter, 8, 1, nil),
      (filter, 8, 5, 16),
    ] as [(String, Int, Int, Int?)])
  func means(model: String, size: Int, count: Int, recompute: Int?) throws {
    let trainers = try [size, count].map { size in
      try Trainer(
        Model(model), Self.task(size, recompute: recompute), optimizer: .sgd(rate: 0.1), threads: 2)
    }
    // A larger batch leaves its numbers in memory; they do not come in.
    _ = try trainers[0].step(Self.batch(size, trainers[0]))
    trainers[0].resetGradients()
    let scores = try trainers.map { try $0.step(Self.batch(count, $0)) }
    for (name, score) in scores[0] { #expect(abs(score - scores[1][name]!) <= 1e-6) }
    for name in trainers[0].learned {
      let (made, wanted) = (trainers[0].gradient(named: name)!, trainers[1].gradient(named: name)!)
      for (made, wanted) in zip(made.values, wanted.values) {
        #expect(abs(made - wanted) <= 1e-6 * max(1, abs(wanted)))
      }
    }
  }

  /// Points of a line that note the order in which they are asked for.
  private final class Points: Dataset {
    let count: Int
    private let asked = Mutex<[Int]>([])
    init(_ count: Int) { self.count = count }
    var order: [Int] { asked.withLock { $0 } }
    func item(_ index: Int) -> [String: [Float]] {
      asked.withLock { $0.append(index) }
      let x = Self.x(index)
      return ["x": [Float(x)], "target": [Float(Self.target(x))]]
    }
    static func x(_ index: Int) -> Double { Double(index) / 8 - 1 }
    static func target(_ x: Double) -> Double { x * x + 0.25 * x }
  }

  /// Each example counts once in an epoch, in what is learned and in what is told: beside SGD and the means of (w x - t)²
  /// written out, over the examples as they were asked for.
  @Test(
    arguments: [
      (10, 4, 1), (3, 16, 1), (17, 16, 1), (8, 4, 1), (10, 2, 2), (10, 3, 2), (3, 2, 4), (16, 2, 4),
      (5, 1, 3),
    ])
  func epochs(count: Int, batch: Int, accumulate: Int) throws {
    let size = batch * accumulate
    let text = """
      { "legato": 1, "name": "Slope", "clock": "step", "inputs": { "x": { "shape": [1] } },
        "weights": { "w": [[0]] }, "graph": { "y": "dense(x, 'w')" }, "outputs": ["y"] }
      """
    let (trainer, points) = (
      try Trainer(
        Model(text), TrainingTask(loss: "mse(y, target)", batch: batch, accumulate: accumulate),
        optimizer: .sgd(rate: 0.25)), Points(count)
    )
    var told: [Double] = []
    try trainer.fit(points, epochs: 3) { now in
      if now.validation != nil { told.append(now.scores["loss"]!) }
      return .goOn
    }
    #expect(points.order.count == 3 * count && trainer.updates == 3 * ((count + size - 1) / size))
    var (w, wanted) = (0.0, [Double]())
    for epoch in 0..<3 {
      let order = points.order[epoch * count..<(epoch + 1) * count].map(Points.x)
      #expect(Set(order).count == count)
      var sum = 0.0
      for start in stride(from: 0, to: count, by: size) {
        let batch = order[start..<min(start + size, count)]
        let errors = batch.map { w * $0 - Points.target($0) }
        sum += errors.reduce(0) { $0 + $1 * $1 }
        w -= 0.25 * zip(batch, errors).reduce(0) { $0 + 2 * $1.0 * $1.1 } / Double(batch.count)
      }
      wanted.append(sum / Double(count))
    }
    for (told, wanted) in zip(told, wanted) { #expect(abs(told - wanted) <= 1e-6) }
    #expect(told.count == 3 && abs(Double(trainer.weights(named: "w")!.values[0]) - w) <= 1e-6)
  }

  /// Law 11: behind any update a run that accumulates goes on to the same bits, on any number of threads.
  @Test(arguments: [(1, 2), (2, 1), (4, 3)]) func goesOn(updates: Int, threads: Int) throws {
    let folder = try TemporaryFolder()
    let make = { threads in
      var task = Self.task(32)
      task.accumulate = 2
      return try Trainer(Model(Self.steps), task, optimizer: .adamW(rate: 0.01), threads: threads)
    }
    let whole = try make(1)
    let items = Self.batch(150, whole).items
    let data = ComputedExamples(count: items.count) { items[$0] }
    try whole.fit(data, epochs: 2)
    let first = try make(threads)
    var end = Trainer.Position.start
    try first.fit(data, epochs: 2) { now in
      end = now.position
      return first.updates == updates && now.validation == nil ? .stop : .goOn
    }
    #expect(first.updates == updates && end == .init(epoch: (updates + 2) / 3, batch: (updates + 2) % 3 + 1))
    try first.checkpoint().write(to: folder("c"))
    let second = try make(threads)
    try second.resume(from: folder("c"))
    try second.fit(data, epochs: 2, from: end)
    #expect(second.updates == 6 && whole.updates == 6)
    for name in whole.learned {
      #expect(
        second.weights(named: name)!.values.map(\.bitPattern)
          == whole.weights(named: name)!.values.map(\.bitPattern))
    }
  }

  /// Where weights follow in each window, after each round.
  @Test func rounds() throws {
    let trainers = try [8, 5].map { size in
      try Trainer(Model(Self.filter), Self.task(size, chunk: 16), optimizer: .sgd(rate: 0.1))
    }
    for _ in 0..<3 { for trainer in trainers { _ = try trainer.train(Self.batch(5, trainer)) } }
    for name in trainers[0].learned {
      let (made, wanted) = (trainers[0].weights(named: name)!, trainers[1].weights(named: name)!)
      for (made, wanted) in zip(made.values, wanted.values) { #expect(abs(made - wanted) <= 1e-5) }
    }
  }
}
