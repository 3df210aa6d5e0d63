// SPDX-License-Identifier: Apache-2.0

import Legato
import LegatoTraining
import TestEquipment

@testable import LegatoFederated

/// A line that learns: y = 2 a - b + 1/2.
enum Line {
  static let text = """
    { "legato": 1, "name": "Line", "clock": "step", "inputs": { "x": { "shape": [2] } },
      "weights": { "w": [[0, 0]], "b": [0] }, "graph": { "y": "dense(x, 'w', 'b')" }, "outputs": ["y"] }
    """

  static func trainer(batch: Int, rate: Double = 0.1, threads: Int = 1) throws -> Trainer {
    try Trainer(
      Model(text), TrainingTask(loss: "mse(y, target)", targets: ["target": [1]], batch: batch),
      optimizer: .sgd(rate: rate), threads: threads)
  }

  static func data(_ count: Int) throws -> TensorExamples {
    var random = SplitMix(seed: UInt64(count))
    let x = (0..<2 * count).map { _ in random.float(-1, 1) }
    let y: [Float] = (0..<count).map { row in 2 * x[2 * row] - x[2 * row + 1] + 0.5 }
    return try TensorExamples([
      "x": Tensor(shape: [count, 2], values: x), "target": Tensor(shape: [count, 1], values: y),
    ])
  }
}

/// A client that gives back twice what it gets.
struct Doubler: FederatedClient {
  var noise: Double?
  var parameters: [FederatedParameter] {
    [
      FederatedParameter(name: "a", values: Tensor([1, 2, 3])),
      FederatedParameter(name: "b", values: Tensor(4)),
    ]
  }
  var properties: [String: FederatedValue] { ["colour": .text("blue"), "cores": .integer(2)] }

  func fit(_ arrays: [Tensor], _ configuration: RoundConfiguration) throws -> FederatedResult {
    if try configuration.number("fail") != nil { throw TrainingError.data("no data today") }
    return FederatedResult(
      arrays: try arrays.map { try Tensor(shape: $0.shape, values: $0.values.map { 2 * $0 }) }, examples: 7,
      metrics: ["loss": 0.5], noise: noise)
  }

  func evaluate(_ arrays: [Tensor], _ configuration: RoundConfiguration) -> FederatedResult {
    FederatedResult(examples: 7, metrics: ["loss": Double(arrays[0].values[0]), "accuracy": 0.25])
  }
}
