// SPDX-License-Identifier: Apache-2.0

import Legato
import TestEquipment
import Testing

@testable import LegatoTraining

/// Batches with fewer examples than the task's: their means are those of the examples that are there.
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
