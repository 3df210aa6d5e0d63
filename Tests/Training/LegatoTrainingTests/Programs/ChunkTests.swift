// SPDX-License-Identifier: Apache-2.0

import Legato
import TestEquipment
import Testing

@testable import LegatoTraining

/// Windows that are learned in chunks, with what the model remembers going on.
@Suite struct ChunkTests {
  private static let model = """
    { "legato": 1, "name": "Pole", "inputs": { "src": { "shape": [1, "frames"] } },
      "weights": { "pole": [0.5], "taps": [[[0.25, -0.5, 1]]] },
      "graph": { "y": "conv1d(src, 'taps') + 'pole' * delay(y, 1)" }, "outputs": ["y"] }
    """

  private static func pair(_ count: Int) throws -> AudioPairs.Pair {
    var random = SplitMix(seed: 5)
    func noise() -> [Float] { (0..<count).map { _ in random.float(-1, 1) } }
    return try AudioPairs.Pair(input: [noise()], target: [noise()])
  }

  /// Nothing moves, so that the mean over chunks is that over the window.
  @Test(arguments: [0, 37], [12, 20, 60]) func stateGoesOn(warmup: Int, chunk: Int) throws {
    let task = TrainingTask(loss: "mse(y, target)", window: 60, warmup: warmup, chunk: chunk, batch: 3)
    let trainer = try Trainer(Model(Self.model), task, optimizer: .sgd(rate: 0))
    let pairs = try AudioPairs([Self.pair(180)], task)
    var batch = Batch()
    for index in 0..<3 { batch.add(pairs.item(index)) }
    let (made, wanted) = (try trainer.train(batch)["loss"]!, try trainer.evaluate(pairs)["loss"]!)
    #expect(abs(Double(made) - wanted) < 1e-6 * wanted)
    #expect(trainer.updates == 60 / chunk)
  }

  /// Of chunks of one frame the slope is that of the present frame, with what went before taken as given.
  @Test func gradientsEndAtChunks() throws {
    let model = try Model(
      """
      { "legato": 1, "inputs": { "src": { "shape": [1, "frames"] } }, "weights": { "p": [0.5] },
        "graph": { "y": "src + 'p' * delay(y, 1)" }, "outputs": ["y"] }
      """)
    let task = TrainingTask(loss: "mse(y, target)", window: 3, warmup: 0, chunk: 1, batch: 1)
    let trainer = try Trainer(model, task, optimizer: .sgd(rate: 0))
    var batch = Batch()
    batch.add(["src": [1, 2, 4], "target": [0, 1, 1]])
    _ = try trainer.step(batch)
    // y = 1, 2.5, 5.25; the mean of 2 (y - t) y[-1] = 0, 3, 21.25.
    #expect(abs(trainer.gradient(named: "p")!.values[0] - 24.25 / 3) < 1e-5)
  }

  /// Law 11: on any number of threads, of which each carries the states of other parts of the batch in turn.
  @Test(arguments: [2, 3]) func aFilterIsFoundInChunks(threads: Int) throws {
    var random = SplitMix(seed: 2)
    let input = (0..<4000).map { _ in random.float(-1, 1) }
    var target: [Float] = []
    for sample in input { target.append(0.5 * sample + 0.75 * (target.last ?? 0)) }
    var task = TrainingTask(loss: "esr(y, target)", window: 400, warmup: 100, chunk: 50, batch: 5)
    task.trainable = ["*"]
    func weights(_ threads: Int) throws -> [UInt32] {
      let trainer = try Trainer(
        Model(Self.model), task, optimizer: .adamW(rate: 0.02), threads: threads)
      try trainer.fit(AudioPairs([.init(input: [input], target: [target])], task), epochs: 60)
      #expect(abs(trainer.weights(named: "pole")!.values[0] - 0.75) < 0.01)
      return trainer.weights(named: "taps")!.values.map(\.bitPattern)
    }
    #expect(try weights(1) == weights(threads))
  }

  /// The last chunk of a window is beyond all squares: weights, moments and updates are those before it.
  @Test func aWindowOfWhichAChunkIsNotFiniteChangesNothing() throws {
    let task = TrainingTask(loss: "mse(y, target)", window: 60, warmup: 4, chunk: 20, batch: 1)
    let good = try AudioPairs([Self.pair(120)], task)
    var bad = good.item(1)
    bad["target"]![59] = 2e30
    func learned(isDisturbed: Bool) throws -> [UInt32] {
      let trainer = try Trainer(Model(Self.model), task, optimizer: .adamW(rate: 0.02))
      for index in 0..<2 {
        var batch = Batch()
        batch.add(good.item(index))
        _ = try trainer.train(batch)
        guard isDisturbed else { continue }
        batch = Batch()
        batch.add(bad)
        #expect(throws: TrainingError.notFinite(step: trainer.updates + 1)) { try trainer.train(batch) }
      }
      #expect(trainer.updates == 6)
      return ["pole", "taps"].flatMap { trainer.weights(named: $0)!.values.map(\.bitPattern) }
    }
    #expect(try learned(isDisturbed: true) == learned(isDisturbed: false))
  }

  @Test func chunksAreRefusedInWords() throws {
    func refusal(_ graph: String, _ task: TrainingTask) -> String {
      do {
        let model = try Model(
          """
          { "legato": 1, "name": "m", "inputs": { "src": { "shape": [1, "frames"] } }, "weights": { "w": [1] },
            "graph": { "y": "\(graph)" }, "outputs": ["y"] }
          """)
        _ = try Trainer(model, task, optimizer: .sgd(rate: 1))
        return ""
      } catch { return "\(error)" }
    }
    func task(_ chunk: Int) -> TrainingTask {
      TrainingTask(loss: "mse(y, target)", window: 100, chunk: chunk)
    }
    #expect(
      refusal("src * 'w'", task(30))
        == "a window of 100 frames is not cut into chunks of 30: a whole number of them fills it")
    #expect(refusal("src * 'w' + noise(1)", task(50)).contains("noise begins anew with each chunk"))
    #expect(refusal("src * control(sum(src * 'w'))", task(50)).contains("control is sampled every 64 frames"))
    #expect(refusal("src * 'w'", task(50)).isEmpty)
  }
}
