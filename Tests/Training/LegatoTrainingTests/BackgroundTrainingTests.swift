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

  /// Points of a line through 0: x is 1 to 8.
  private struct Slope: Dataset {
    let slope: Float
    let count = 8
    func item(_ index: Int) throws -> [String: [Float]] {
      ["x": [Float(1 + index)], "target": [slope * Float(1 + index)]]
    }
  }

  /// Steps of 4 go from one side of the answer to the other, and back: only those that are halved come nearer.
  @Test func whatIsNoBetterIsNotHandedOver() throws {
    var optimizer = Optimizer.sgd(rate: 4)
    optimizer.largestValue = 1
    let trainer = try Trainer(
      Model(Self.line.replacing("[0]", with: "[1.7]")), TrainingTask(loss: "mse(y, target)", batch: 8),
      optimizer: optimizer)
    let losses = Mutex<[Double]>([])
    let data = Slope(slope: 2)
    let training = try BackgroundTraining(
      trainer, on: data, validation: data, epochs: 1_000_000, every: 0
    ) { trainer, progress in
      let scores = try #require(progress.validation)
      #expect(try trainer.evaluate(data)["loss"] == scores["loss"])
      losses.withLock { $0.append(scores["loss"]!) }
    }
    try training.begin()
    while training.isLearning, losses.withLock({ ($0.last ?? 1) > 1e-3 }) { usleep(1000) }
    try training.end()
    let all = losses.withLock(\.self)
    // (1.7 - 2)² times the mean of 1, 4, …, 64 to begin with.
    #expect(zip([0.09 * 25.5] + all, all).allSatisfy { $0 > $1 }, "\(all)")
    #expect(try trainer.evaluate(data)["loss"] == all.last, "it ends as the best")
    #expect(try #require(all.last) < 1e-3 && trainer.rate == 4)
  }

  /// Where nothing better is found, the weights are those of before, and nothing is handed over.
  @Test func aModelThatIsRightStaysAsItIs() throws {
    let trainer = try Trainer(
      Model(Self.line.replacing("[0]", with: "[2]")), TrainingTask(loss: "mse(y, target)", batch: 1),
      optimizer: .adamW(rate: 0.1))
    let training = try BackgroundTraining(
      trainer, on: Slope(slope: 3), validation: Slope(slope: 2), epochs: 3, every: 1000
    ) { _, _ in Issue.record("it is no better") }
    try training.begin()
    while training.isLearning { usleep(1000) }
    try training.end()
    #expect(trainer.weights(named: "w")?.values == [2])
  }

  /// A rate from which everything overflows is given up as well, with what an optimizer remembers of it.
  @Test(arguments: [Optimizer.sgd(rate: 1e15, momentum: 0.9), .sgd(rate: 20)])
  func overflowIsGivenUp(optimizer: Optimizer) throws {
    let trainer = try Trainer(
      Model(Self.line.replacing("[0]", with: "[1.7]")), TrainingTask(loss: "mse(y, target)", batch: 8),
      optimizer: optimizer)
    let data = Slope(slope: 2)
    let training = try BackgroundTraining(
      trainer, on: data, validation: data, epochs: 1_000_000, every: 0
    ) { _, _ in }
    try training.begin()
    while training.isLearning { usleep(1000) }
    if optimizer.rate == 20 {
      // Halved ten times it is below what diverges, 2 / 51.
      try training.end()
      let loss = try trainer.evaluate(data)["loss"]!
      #expect(loss < 0.01, "\(loss)")
    } else {
      // A thousandth of the first is yet too much: it ends as it began, with an error where that was seen before it was judged.
      try? training.end()
      #expect(trainer.weights(named: "w")?.values == [1.7])
    }
  }
}
