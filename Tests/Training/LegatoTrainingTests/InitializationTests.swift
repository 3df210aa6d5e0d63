// SPDX-License-Identifier: Apache-2.0

import Foundation
import Legato
import TestEquipment
import Testing

@testable import LegatoTraining

/// Weights that layers begin with.
@Suite struct InitializationTests {
  private func trainer() throws -> Trainer {
    let model = try Model(
      """
      { "legato": 1, "name": "Layers", "inputs": { "src": { "shape": [1, "frames"] } },
        "weights": { "conv.weight": \(zeros([20, 1, 16])), "conv.bias": \(zeros([20])),
          "cell.weight": \(zeros([100, 20])), "cell.recurrent": \(zeros([100, 25])), "cell.bias": \(zeros([100])),
          "head.weight": \(zeros([1, 25])), "gain": [0.75] },
        "graph": { "c": "conv1d(src, weight: 'conv.weight', bias: 'conv.bias')",
          "h": "lstm(c, 'cell.weight', 'cell.recurrent', 'cell.bias', axis: 0)",
          "dst": "dense(h, weight: 'head.weight', axis: 0) * 'gain'" },
        "outputs": ["dst"] }
      """)
    return try Trainer(model, TrainingTask(window: 32, warmup: 0, batch: 1), optimizer: .sgd(rate: 0))
  }

  private func zeros(_ shape: [Int]) -> String {
    guard let first = shape.first else { return "0" }
    return "[" + (0..<first).map { _ in zeros(Array(shape.dropFirst())) }.joined(separator: ",") + "]"
  }

  /// The bounds of PyTorch's `reset_parameters`: 1 / √(fan in), and of recurrent layers 1 / √(units).
  @Test(arguments: [
    ("conv.weight", 0.25, 1), ("conv.bias", 0.25, 1), ("cell.weight", 0.2, 1), ("cell.recurrent", 0.2, 1),
    ("cell.bias", 0.2, 2), ("head.weight", 0.2, 1),
  ])
  func isWithinTheBounds(_ name: String, _ bound: Float, _ terms: Int) throws {
    let trainer = try trainer()
    #expect(trainer.initializeLayers(seed: 1) == ["gain"])
    let values = trainer.weights(named: name)!.values
    #expect(values.allSatisfy { abs($0) < bound * Float(terms) } && values.max()! > 0.6 * bound)
    // The variance of even numbers is a third of the bound's square.
    let variance = values.reduce(0) { $0 + $1 * $1 } / Float(values.count)
    let wanted = Float(terms) * bound * bound / 3
    #expect(values.count < 100 || abs(variance / wanted - 1) < 0.3)
    #expect(trainer.weights(named: "gain")!.values == [0.75])
  }

  @Test func followsFromTheSeed() throws {
    let (one, two, other) = (try trainer(), try trainer(), try trainer())
    for (trainer, seed) in [(one, 1), (two, 1), (other, 2)] { trainer.initializeLayers(seed: UInt64(seed)) }
    for name in one.learned where name != "gain" {
      #expect(one.weights(named: name)!.values == two.weights(named: name)!.values)
      #expect(one.weights(named: name)!.values != other.weights(named: name)!.values)
    }
  }
}
