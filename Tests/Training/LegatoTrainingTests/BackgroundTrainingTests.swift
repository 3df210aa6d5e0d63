// SPDX-License-Identifier: Apache-2.0

import Foundation
import Legato
import Synchronization
import TestEquipment
import Testing

@testable import LegatoTraining

/// A thread that learns beside something else.
@Suite struct BackgroundTrainingTests {
  /// Points of a line; one that is no number comes after so many others.
  private struct Points: Dataset {
    let count = 64
    func item(_ index: Int) throws -> [String: [Float]] {
      guard index < 63 else { throw TrainingError.data("no more") }
      return ["x": [Float(index)], "target": [2 * Float(index)]]
    }
  }

  @Test(arguments: [Double.infinity, .nan, -1, 1e30]) func secondsThatNoClockCountsAreRefused(seconds: Double)
    throws
  {
    let trainer = try Trainer(
      Model(Self.line), TrainingTask(loss: "mse(y, target)", batch: 1), optimizer: .sgd(rate: 1))
    #expect {
      _ = try BackgroundTraining(trainer, on: Points(), every: seconds) { _, _ in }
    } throws: {
      "\($0)" == "what was learned is handed over every 0 to 1e9 seconds, and not every \(seconds)"
    }
  }

  private static let line = """
    { "legato": 1, "name": "Line", "clock": "step", "inputs": { "x": { "shape": [1] } },
      "weights": { "w": [0] }, "graph": { "y": "'w' * x" }, "outputs": ["y"] }
    """

  /// Weights that were learned before an error are worth no less.
  @Test func whatWasLearnedBeforeAnErrorIsHandedOver() throws {
    let trainer = try Trainer(
      Model(Self.line), TrainingTask(loss: "mse(y, target)", batch: 1), optimizer: .sgd(rate: 1e-6))
    let handed = Mutex<[Float]>([])
    let training = try BackgroundTraining(trainer, on: Points(), every: 1000) { trainer, _ in
      handed.withLock { $0.append(trainer.weights(named: "w")!.values[0]) }
    }
    try training.begin()
    while training.isLearning { usleep(1000) }
    #expect { try training.end() } throws: { "\($0)" == "no more" }
    #expect(handed.withLock { $0.count == 1 && $0[0] > 0 })
  }
}
