// SPDX-License-Identifier: Apache-2.0

import Legato
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

  private static func trainer() throws -> Trainer {
    try Trainer(Model(model), TrainingTask(loss: "mse(y, target)", batch: 1), optimizer: .sgd(rate: 0.25))
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

  @Test func otherwiseItEndsTheRun() throws {
    let trainer = try Self.trainer()
    #expect(throws: TrainingError.self) { try trainer.fit(Self.data([2e30, 2e30]), epochs: 1) }
    // An epoch without any other batch learns nothing, and says so.
    #expect(throws: TrainingError.notFinite(step: 1)) {
      try trainer.fit(Self.data([2e30, 2e30]), epochs: 1, skipsNotFinite: true)
    }
    #expect(trainer.weights(named: "w")!.values == [0.5])
  }
}
