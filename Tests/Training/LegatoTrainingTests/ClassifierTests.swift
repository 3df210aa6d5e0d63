// SPDX-License-Identifier: Apache-2.0

import Foundation
import Legato
import TestEquipment
import Testing

@testable import LegatoTraining

/// Classes: how often they are right, and what they are taken for.
@Suite struct ClassifierTests {
  private static let model = """
    { "legato": 1, "name": "Same", "clock": "step", "inputs": { "x": { "shape": [3] } },
      "weights": { "w": [[1, 0, 0], [0, 1, 0], [0, 0, 1]] },
      "graph": { "y": "dense(x, 'w')" }, "outputs": ["y"] }
    """
  private static let scores: [[Float]] = [[3, 2, 1], [1, 3, 2], [2, 1, 3], [1, 1, 0], [0, 2, 1]]
  private static let labels: [Float] = [0, 2, 0, 1, 1]

  private static func examples(_ labels: [Float]) throws -> TensorExamples {
    try TensorExamples([
      "x": Tensor(shape: [labels.count, 3], values: Array(scores.prefix(labels.count).joined())),
      "target": Tensor(shape: [labels.count], values: labels),
    ])
  }

  private static func trainer(_ targets: [Int] = []) throws -> Trainer {
    var task = TrainingTask(
      loss: "crossEntropy(y, target)",
      metrics: ["first": "topAccuracy(y, target)", "two": "topAccuracy(y, target, top: 2)"], batch: 2)
    task.targets = ["target": targets]
    return try Trainer(Model(model), task, optimizer: .sgd(rate: 0.1))
  }

  @Test(
    "a layer has 1 number or more, and no more than an axis has",
    arguments: [.min, -1, 0, (1 << 24) + 1, .max]
  )
  func impossibleLayer(count: Int) throws {
    let model = try Model(Self.model)
    let error = #expect(throws: TrainingError.self) { try model.replacing(layer: "w", count: count) }
    let limit =
      count < 1 ? "every extent must be at least 1" : "16777216 positions along one axis are the most"
    #expect("\(error!)" == "Same: 'w' would have the shape [\(count), 3]; \(limit)")
  }

  @Test(
    "of a layer whose weight and bias are called otherwise, either one names both",
    arguments: [
      "onnx::MatMul_12", "onnx::MatMul_12.T", "head", "head.bias",
    ])
  func layerOfTwoNames(layer: String) throws {
    let model = try Model(
      """
      { "legato": 1, "name": "Two", "clock": "step", "inputs": { "x": { "shape": [1, 3] } },
        "weights": { "body": [[1, 0, 0], [0, 1, 0]], "onnx::MatMul_12.T": [[1, 0], [0, 1], [1, 1]], "head.bias": [1, 2, 3],
                     "more": [1, 2, 3] },
        "graph": { "c": "dense(x + 'more', 'body')", "d": "dense(c, 'onnx::MatMul_12.T')", "y": "'head.bias' + d" },
        "outputs": ["y"] }
      """)
    let (replaced, arrays) = try model.replacing(layer: layer, count: 5)
    #expect(Set(arrays) == ["onnx::MatMul_12.T", "head.bias"])
    var runner = try StepRunner(replaced.compilation())
    #expect(try runner.step(["x": Tensor(shape: [1, 3], values: [1, 2, 3])])["y"]?.shape == [1, 5])
    // What is added to an input is nobody's bias.
    #expect(throws: TrainingError.self) { try model.replacing(layer: "more", count: 5) }
  }

  /// Of equal numbers the first counts: example 3 is taken for 0, and 1 is second.
  @Test func classesAreCounted() throws {
    let trainer = try Self.trainer()
    let (scores, confusion) = try trainer.judged(Self.examples(Self.labels))
    #expect(confusion?.counts == [[1, 0, 1], [1, 1, 0], [0, 1, 0]])
    #expect(confusion?.accuracy == 0.4 && confusion?.total == 5)
    #expect(abs(scores["first"]! - 0.4) < 1e-6 && abs(scores["two"]! - 1) < 1e-6)
    #expect(trainer.classes?.target == "target" && trainer.classes?.count == 3)
  }

  @Test func probabilitiesAreClassesToo() throws {
    let trainer = try Self.trainer([3])
    let rows = Self.labels.map { label in (0..<3).map { Float($0) == label ? Float(1) : 0 } }
    let data = try TensorExamples([
      "x": Tensor(shape: [5, 3], values: Array(Self.scores.joined())),
      "target": Tensor(shape: [5, 3], values: Array(rows.joined())),
    ])
    let (scores, confusion) = try trainer.judged(data)
    #expect(confusion?.counts == [[1, 0, 1], [1, 1, 0], [0, 1, 0]])
    #expect(abs(scores["first"]! - 0.4) < 1e-6 && trainer.classes == nil)
  }

  @Test(arguments: [3, -1, 0.5] as [Float]) func labelsOfNoClassAreRefused(label: Float) throws {
    let trainer = try Self.trainer()
    do {
      try trainer.fit(Self.examples([0, label]), epochs: 1)
      Issue.record("\(label) is a class")
    } catch let error as TrainingError {
      #expect(error.description.hasSuffix("'target' is \(label), and no class: they are 0 to 2"))
    }
    #expect(
      throws: TrainingError.data("y.npy: the label of example 1 is \(label), and no class: they are 0 to 2")
    ) {
      try trainer.check(labels: [0, label], in: "y.npy")
    }
  }

  @Test func aRunEndsThatDoesNotBecomeBetter() throws {
    var stopping = EarlyStopping(epochs: 2)
    let losses = [3.0, 2, 2.5, 1.5, 1.5, 1.6, 0]
    let decisions = losses.enumerated().map { stopping.decision(loss: $1, epoch: $0 + 1) }
    #expect(decisions.firstIndex(of: .stop) == 5)
    var endless = EarlyStopping(epochs: nil, best: 1, at: 4)
    #expect(endless.decision(loss: 2, epoch: 100) == .goOn && endless.bestEpoch == 4)
  }
}
