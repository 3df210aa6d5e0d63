// SPDX-License-Identifier: Apache-2.0

import Legato
import Synchronization
import TestEquipment
import Testing

@testable import LegatoTraining

/// Models of which a part does not learn: it is computed once for each example.
@Suite struct FrozenFeaturesTests {
  private static let network = """
    { "legato": 1, "name": "Network", "inputs": { "x": { "shape": [4] } },
      "weights": { "body": [[0.5, -1, 0.25, 0.75], [1, 0.5, -0.5, 0.25], [-0.25, 0.5, 1, -0.75]],
        "head": [[0.5, -0.25, 1], [0.25, 1, -0.5]] },
      "graph": { "h": "tanh(dense(x, 'body'))", "scores": "dense(h, 'head')" }, "outputs": ["scores"] }
    """
  private static let filter = """
    { "legato": 1, "name": "Filter", "inputs": { "src": { "shape": [1, "frames"] } },
      "weights": { "taps": [[[0.25, -0.5, 1]]], "gain": [0.5] },
      "graph": { "h": "lookahead(conv1d(src, 'taps'), 2)", "y": "'gain' * h + delay(y, 1) * 0.5 * 'gain'" },
      "outputs": ["y"] }
    """

  /// Examples that count how often they are asked for.
  private final class Counting: Dataset {
    let values: [[String: [Float]]]
    private let asked = Mutex(0)
    init(_ values: [[String: [Float]]]) { self.values = values }
    var count: Int { values.count }
    var reads: Int { asked.withLock { $0 } }
    func item(_ index: Int) -> [String: [Float]] {
      asked.withLock { $0 += 1 }
      return values[index]
    }
  }

  private static func examples(_ count: Int, _ sizes: [String: Int]) -> Counting {
    var random = SplitMix(seed: 4)
    return Counting(
      (0..<count).map { _ in
        Dictionary(
          uniqueKeysWithValues: sizes.sorted { $0.key < $1.key }.map { name, size in
            (name, (0..<size).map { _ in random.float(-1, 1) })
          })
      })
  }

  /// The weights that learn have the gradients that they have where all learn.
  @Test(arguments: [
    (network, "head", "mse(scores, target)", ["x": 4, "target": 2]),
    (filter, "gain", "esr(y, target)", ["src": 60, "target": 48]),
  ])
  func gradientsAreThoseOfTheWhole(
    model: String, name: String, loss: String, sizes: [String: Int]
  ) throws {
    var task = TrainingTask(loss: loss, window: 48, warmup: 12, batch: 4)
    let data = Self.examples(4, sizes)
    var batch = Batch()
    for item in data.values { batch.add(item) }
    func learned() throws -> (gradient: [Float], loss: Float, held: Double) {
      let trainer = try Trainer(Model(model), task, optimizer: .sgd(rate: 0), threads: 2)
      let scores = try trainer.step(batch)
      return (
        trainer.gradient(named: name)!.values, scores["loss"]!, try trainer.evaluate(data)["loss"]!
      )
    }
    let whole = try learned()
    task.trainable = [name]
    let part = try learned()
    #expect(whole.gradient.contains { $0 != 0 })
    for (one, other) in zip(whole.gradient, part.gradient) {
      #expect(abs(one - other) <= 1e-5 * max(1, abs(one)))
    }
    #expect(abs(whole.loss - part.loss) <= 1e-6 * max(1, whole.loss))
    #expect(abs(whole.held - part.held) <= 1e-6 * max(1, whole.held))
  }

  @Test func anExampleIsReadOnceInARun() throws {
    var task = TrainingTask(loss: "mse(scores, target)", batch: 4)
    task.trainable = ["head"]
    /// The weights after five epochs, and how often examples were asked for.
    func run(threads: Int, memory: Int? = nil) throws -> (weights: [UInt32], reads: [Int]) {
      let (data, held) = (
        Self.examples(10, ["x": 4, "target": 2]), Self.examples(3, ["x": 4, "target": 2])
      )
      let trainer = try Trainer(
        Model(Self.network), task, optimizer: .adamW(rate: 0.01), threads: threads, mostMemory: memory)
      try trainer.fit(data, epochs: 5, validation: held)
      return (trainer.weights(named: "head")!.values.map(\.bitPattern), [data.reads, held.reads])
    }
    let (one, two) = (try run(threads: 1), try run(threads: 2))
    #expect(one.weights == two.weights)
    #expect(one.reads == [10, 3] && two.reads == [10, 3])
    // Where there is no room they are computed again in each of five epochs, to the same bits.
    let least = try Trainer(Model(Self.network), task, optimizer: .adamW(rate: 0.01)).memory
    let tight = try run(threads: 1, memory: least)
    #expect(tight.weights == one.weights && tight.reads == [50, 15])
  }

  /// A cache is full of features, and not of the pictures that they were made of.
  @Test func onlyWhatTheRestReadsIsKept() throws {
    var task = TrainingTask(loss: "mse(scores, target)", batch: 4)
    task.trainable = ["head"]
    let trainer = try Trainer(Model(Self.network), task, optimizer: .adamW(rate: 0.01))
    var batch = Batch()
    for item in Self.examples(4, ["x": 4, "target": 2]).values { batch.add(item) }
    let frozen = try #require(trainer.frozen)
    #expect(frozen.batch(batch).values.mapValues(\.count) == ["features.0": 4 * 3, "target": 4 * 2])
  }

  /// A thread has memory of its own, and those without an example have nothing to do.
  @Test func threadsBeyondABatchTakeNoMemory() throws {
    var task = TrainingTask(loss: "mse(scores, target)", batch: 4)
    task.trainable = ["head"]
    func memory(_ threads: Int) throws -> Int {
      try Trainer(Model(Self.network), task, optimizer: .adamW(rate: 0.01), threads: threads).memory
    }
    #expect(try memory(1) < memory(4) && memory(4) == memory(64))
  }

  @Test func allThatLearnsIsNotSplit() throws {
    let task = TrainingTask(loss: "mse(scores, target)", batch: 4)
    let data = Self.examples(4, ["x": 4, "target": 2])
    let trainer = try Trainer(Model(Self.network), task, optimizer: .sgd(rate: 0.1))
    try trainer.fit(data, epochs: 3)
    #expect(data.reads == 12)
  }
}
