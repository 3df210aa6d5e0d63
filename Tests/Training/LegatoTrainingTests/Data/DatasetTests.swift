// SPDX-License-Identifier: Apache-2.0

import Legato
import Testing

@testable import LegatoTraining

/// Where examples come from in a program, and whether they go with a model.
@Suite struct DatasetTests {
  /// A model that knows [2, 3] and gives one number.
  private func trainer() throws -> Trainer {
    let model = try Model(
      """
      { "legato": 1, "name": "M", "clock": "step", "inputs": { "x": { "shape": [2, 3] } }, "weights": { "w": [0] },
        "graph": { "y": "'w' * mean(x, axis: 1)" }, "outputs": ["y"] }
      """)
    var task = TrainingTask(loss: "mse(mean(y, axis: 0), target)", batch: 2)
    task.targets = ["target": []]
    return try Trainer(model, task, optimizer: .sgd(rate: 0.5))
  }

  @Test func aFunctionMakesThem() throws {
    let trainer = try trainer()
    let data = ComputedExamples(count: 6) { index in
      let number = Float(index % 3 + 1)
      return ["x": Array(repeating: number, count: 6), "target": [2 * number]]
    }
    try trainer.fit(data.split(validating: 0.3).training, epochs: 40)
    #expect(abs(trainer.weights(named: "w")!.values[0] - 2) < 1e-5)
    #expect(throws: CancellationError.self) {
      try trainer.fit(ComputedExamples(count: 2) { _ in throw CancellationError() }, epochs: 1)
    }
  }

  /// Arrays with as many numbers in another order would be taken for what they are not.
  @Test(arguments: [
    ([4, 2, 3], nil), ([4, 6], nil), ([4, 2, 1, 3], nil), ([4, 3, 2], [3, 2]), ([4, 6, 1, 1], nil),
    ([4, 1, 3, 2], [1, 3, 2]),
  ])
  func shapes(_ shape: [Int], refused: [Int]?) throws {
    let trainer = try trainer()
    let data = try TensorExamples([
      "x": Tensor(shape: shape, values: Array(repeating: 1, count: 24)),
      "target": Tensor(shape: [4], values: [1, 1, 1, 1]),
    ])
    for use in [
      { try trainer.fit(data, epochs: 1) },
      { _ = try trainer.evaluate(data.split(validating: 0.5).validation) },
    ] {
      guard let refused else {
        try use()
        continue
      }
      #expect { try use() } throws: { error in
        guard case TrainingError.data(let text) = error else { return false }
        return text == "'x' is [2, 3]; an example has \(refused)"
      }
    }
  }
}
