// SPDX-License-Identifier: Apache-2.0

import Foundation
import Legato
import TestEquipment
import Testing

@testable import LegatoTraining

/// Batches whose loss is no finite number: they end a run, or are passed over.
@Suite struct SkippedBatchTests {
  private static let model = """
    { "legato": 1, "name": "Line", "inputs": { "x": { "shape": [1] } }, "weights": { "w": [[0.5]] },
      "graph": { "y": "dense(x, 'w')" }, "outputs": ["y"] }
    """

  /// Pairs of a line of slope 2, of which some are beyond all squares.
  private static func data(_ targets: [Float]) throws -> TensorExamples {
    try TensorExamples([
      "x": Tensor(shape: [targets.count, 1], values: targets.map { _ in 1 }),
      "target": Tensor(shape: [targets.count, 1], values: targets),
    ])
  }

  private static func trainer(
    _ optimizer: Optimizer = .sgd(rate: 0.25), accumulate: Int = 1
  ) throws -> Trainer {
    let task = TrainingTask(loss: "mse(y, target)", batch: 1, accumulate: accumulate)
    return try Trainer(Model(model), task, optimizer: optimizer)
  }

  @Test func aBatchThatIsNotFiniteChangesNothing() throws {
    let (with, without) = (try Self.trainer(), try Self.trainer())
    var skipped: [Int] = []
    try with.fit(Self.data([2, 2e30, 2, 2]), epochs: 3, skipsNotFinite: true) { progress in
      if progress.validation != nil || progress.position.batch == progress.batches {
        skipped.append(progress.skipped)
      }
      return .goOn
    }
    // All others are the same example, so that their order is no matter.
    try without.fit(Self.data([2, 2, 2]), epochs: 3)
    #expect(with.updates == 9 && with.weights(named: "w") == without.weights(named: "w"))
    #expect(skipped.allSatisfy { $0 == 1 } && !skipped.isEmpty)
  }

  /// Nothing is learned of an update with such a batch, wherever that stands among those of the update.
  @Test(arguments: 1...6 as ClosedRange<UInt64>) func anUpdateThatIsNotFiniteChangesNothing(seed: UInt64)
    throws
  {
    let (with, without) = (try Self.trainer(accumulate: 2), try Self.trainer(accumulate: 2))
    try with.fit(Self.data([3, 2e30, 3, 3, 3, 3]), epochs: 1, seed: seed, skipsNotFinite: true) {
      #expect($0.position.batch < $0.batches || $0.skipped == 1)
      return .goOn
    }
    try without.fit(Self.data([3, 3, 3, 3]), epochs: 1)
    #expect(with.updates == 2 && with.weights(named: "w") == without.weights(named: "w"))
  }

  @Test func otherwiseItEndsTheRun() throws {
    let trainer = try Self.trainer()
    #expect(throws: TrainingError.self) { try trainer.fit(Self.data([2e30, 2e30]), epochs: 1) }
    // An epoch without any other batch learns nothing, and says so.
    #expect(throws: TrainingError.notFinite(step: 1)) {
      try trainer.fit(Self.data([2e30, 2e30]), epochs: 1, skipsNotFinite: true)
    }
    #expect(trainer.weights(named: "w")!.values == [0.5])
  }

  /// (0.5 - 1.5e19)² is a number, the square of 2 (0.5 - 1.5e19) is none.
  @Test(arguments: [
    .adamW(rate: 0.1), Optimizer(.sgd(), rate: 0.1, largestNorm: 1), .sgd(rate: 0.1, momentum: 0.9),
  ])
  func aGradientWhoseSquareIsNoNumberIsUndone(optimizer: Optimizer) throws {
    let folder = try TemporaryFolder()
    let trainer = try Self.trainer(optimizer)
    var batch = Batch()
    batch.add(["x": [1], "target": [1.5e19]])
    #expect(try trainer.evaluate(batch)["loss"]!.isFinite)
    #expect(throws: TrainingError.notFinite(step: 1)) { try trainer.train(batch) }
    #expect(trainer.weights(named: "w")!.values == [0.5] && trainer.updates == 0)
    try trainer.checkpoint().write(to: folder("c.safetensors"))
    #expect(try Self.trainer(optimizer).resume(from: folder("c.safetensors")).properties.isEmpty)
  }

  /// Of what is limited before it is squared any finite number will do; of what a norm limits, one with a square.
  @Test(arguments: [
    (Optimizer(.sgd(), rate: 0.5, largestValue: 1), Float(1.5e19)),
    (Optimizer(.sgd(), rate: 0.5, largestNorm: 1), Float(1e17)),
  ])
  func aLargeGradientIsClipped(optimizer: Optimizer, target: Float) throws {
    let trainer = try Self.trainer(optimizer)
    var batch = Batch()
    batch.add(["x": [1], "target": [target]])
    _ = try trainer.train(batch)
    #expect(abs(trainer.weights(named: "w")!.values[0] - 1) < 1e-6)
  }

  /// A run could not go on there.
  @Test func weightsThatAreNoNumbersAreNotWrittenDown() throws {
    let trainer = try Self.trainer(.sgd(rate: 1e30))
    var batch = Batch()
    batch.add(["x": [1], "target": [1e12]])
    _ = try trainer.train(batch)
    #expect(trainer.weights(named: "w")!.values == [.infinity])
    #expect {
      try trainer.checkpoint()
    } throws: {
      "\($0)".hasPrefix("no checkpoint is written: 'w' has become infinite, or no number")
    }
  }

  /// Ended behind any batch and gone on, an epoch has the means, to the bit, and the skipped batches of one that was not.
  @Test(arguments: 1..<6) func aTallyGoesOn(batches: Int) throws {
    let data = try Self.data([2, 2e30, 3, 2e30, 5, 7])
    var whole = Trainer.Tally()
    try Self.trainer().fit(data, epochs: 1, skipsNotFinite: true) {
      whole = $0.tally
      return .goOn
    }
    #expect(whole.skipped == 2 && whole.sums["loss"]?.count == 4 && whole.isOf(batches: 6))
    let trainer = try Self.trainer()
    var tally = Trainer.Tally()
    try trainer.fit(data, epochs: 1, skipsNotFinite: true) {
      tally = $0.tally
      return $0.position.batch == batches ? .stop : .goOn
    }
    #expect(tally.isOf(batches: batches) && !tally.isOf(batches: batches - 1))
    // As a checkpoint has it.
    tally = try JSONDecoder().decode(Trainer.Tally.self, from: JSONEncoder().encode(tally))
    try trainer.fit(
      data, epochs: 1, from: .init(epoch: 1, batch: batches), tally: tally, skipsNotFinite: true
    ) {
      tally = $0.tally
      return .goOn
    }
    #expect(tally == whole)
  }
}
