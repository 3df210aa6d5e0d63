// SPDX-License-Identifier: Apache-2.0

import Legato
import Testing

@testable import LegatoTraining

/// Losses, optimizers and networks against PyTorch's numbers.
@Suite struct ReferenceTests {
  /// A model whose weights are the x of a loss: what learns is what is judged.
  private func model(_ shape: [Int], _ numbers: [Float]) throws -> Model {
    let width = shape.last!
    let rows = stride(from: 0, to: numbers.count, by: width).map { "\(numbers[$0..<$0 + width].map(\.self))" }
    let values = shape.count == 1 ? rows[0] : "[\(rows.joined(separator: ", "))]"
    return try Model(
      """
      { "legato": 1, "name": "x", "clock": "step", "inputs": { "zero": { "shape": [1] } },
        "weights": { "x": \(values) },
        "graph": { "y": "'x' + sum(zero)" }, "outputs": ["y"] }
      """)
  }

  @Test(arguments: TrainingReference.all.losses)
  func losses(loss: TrainingReference.Loss) throws {
    var task = TrainingTask(loss: loss.expression.replacing("(x", with: "(y"), batch: 1)
    task.targets = ["target": loss.targetShape]
    let trainer = try Trainer(model(loss.shape, loss.x), task, optimizer: .sgd(rate: 0))
    var batch = Batch()
    batch.add(["zero": [0], "target": loss.target])
    let scores = try trainer.step(batch)
    #expect(abs(Double(scores["loss"]!) - loss.value) <= 2e-6 * max(1, abs(loss.value)))
    let gradient = try #require(trainer.gradient(named: "x"))
    #expect(gradient.shape == loss.shape)
    // The logarithm of a bin near zero is steep: there floats are as far off as the bin is small.
    let largest = loss.gradient.map(abs).max()!
    let tolerance = loss.expression.hasPrefix("multiSTFT") ? 1e-4 * largest : 1e-6 * max(1, largest)
    for (made, wanted) in zip(gradient.values, loss.gradient) {
      #expect(abs(Double(made) - wanted) <= tolerance)
    }
  }

  private static let rules: [String: Optimizer] = [
    "sgd": .sgd(rate: 0.1),
    "momentum": Optimizer(.sgd(momentum: 0.75), rate: 0.1, decay: 0.125),
    "nesterov": .sgd(rate: 0.1, momentum: 0.75, nesterov: true),
    "adamW": .adamW(rate: 0.01, decay: 0.25),
    "clippedNorm": Optimizer(.sgd(), rate: 0.1, largestNorm: 1.5),
    "clippedValue": Optimizer(.sgd(), rate: 0.1, largestValue: 0.5),
    "linear": Optimizer(.sgd(), rate: 0.1, schedule: .linear(steps: 5, to: 0.25)),
    "steps": Optimizer(.sgd(momentum: 0.75), rate: 0.1, schedule: .steps(every: 3, factor: 0.5)),
    "warmedCosine": Optimizer(
      .adamW(), rate: 0.01, decay: 0.25, schedule: .warmup(steps: 3, then: .cosine(steps: 5, to: 0.1))),
    "accumulated": .sgd(rate: 0.1, momentum: 0.75),
  ]

  @Test(arguments: TrainingReference.all.optimizers.map(\.name))
  func optimizers(name: String) throws {
    let steps = try #require(TrainingReference.all.optimizers.first { $0.name == name })
    // The gradient of a product with what is given is what is given.
    let task = TrainingTask(loss: "sum(y * target)", batch: 1)
    let rule = try #require(Self.rules[name])
    let trainer = try Trainer(model([6], steps.start), task, optimizer: rule)
    let batches = steps.gradients.count / steps.results.count
    for (update, result) in steps.results.enumerated() {
      for gradient in steps.gradients[update * batches..<(update + 1) * batches] {
        var batch = Batch()
        batch.add(["zero": [0], "target": gradient])
        _ = try trainer.step(batch)
      }
      trainer.update()
      let made = try #require(trainer.weights(named: "x")).values
      for (made, wanted) in zip(made, result) { #expect(abs(Double(made) - wanted) <= 2e-6) }
    }
  }

  /// Gradients of batches that `fit` adds up: their mean, where PyTorch's were added as they are.
  @Test func accumulatedInRuns() throws {
    let steps = try #require(TrainingReference.all.optimizers.first { $0.name == "accumulated" })
    let batches = steps.gradients.count / steps.results.count
    let task = TrainingTask(loss: "sum(y * target)", batch: 1, accumulate: batches)
    let trainer = try Trainer(
      model([6], steps.start), task, optimizer: try #require(Self.rules["accumulated"]))
    for (update, result) in steps.results.enumerated() {
      let gradients = steps.gradients[update * batches..<(update + 1) * batches]
        .map { $0.map { $0 * Float(batches) } }
      try trainer.fit(
        ComputedExamples(count: batches) { ["zero": [0], "target": gradients[$0]] }, epochs: 1)
      let made = try #require(trainer.weights(named: "x")).values
      for (made, wanted) in zip(made, result) { #expect(abs(Double(made) - wanted) <= 2e-6) }
    }
    #expect(batches == 2 && trainer.updates == steps.results.count)
  }

  /// Recurrence, dilated convolutions and gates: each array of a network has PyTorch's gradient.
  @Test(arguments: TrainingReference.all.networks)
  func networks(network: TrainingReference.Network) throws {
    let task = TrainingTask(
      loss: "mse(y, target)", window: network.window, warmup: network.warmup, batch: network.sounds.count)
    let trainer = try Trainer(Model(network.model), task, optimizer: .sgd(rate: 0))
    #expect(Set(trainer.learned) == Set(network.gradients.keys))
    var batch = Batch()
    for (sound, target) in zip(network.sounds, network.targets) {
      batch.add(["src": sound, "target": target])
    }
    let loss = try #require(trainer.step(batch)["loss"])
    #expect(abs(Double(loss) - network.value) <= 1e-6)
    for (name, wanted) in network.gradients {
      let made = try #require(trainer.gradient(named: name)).values
      #expect(made.count == wanted.count && wanted.contains { abs($0) > 1e-3 }, "\(name)")
      for (made, wanted) in zip(made, wanted) { #expect(abs(Double(made) - wanted) <= 1e-6, "\(name)") }
    }
  }

  /// ε stands beside √v before the correction, and decay is taken away before.
  @Test func adamWOfONNXRuntime() throws {
    let task = TrainingTask(loss: "sum(y * target)", batch: 1)
    let rule = Optimizer(.adamWOfONNXRuntime(epsilon: 0.125), rate: 0.01, decay: 0.25)
    let trainer = try Trainer(model([2], [1, -0.5]), task, optimizer: rule)
    var (p, m, v) = ([1.0, -0.5], [0.0, 0], [0.0, 0])
    for step in 1...5 {
      let gradient: [Float] = [0.5 * Float(step), -0.25]
      var batch = Batch()
      batch.add(["zero": [0], "target": gradient])
      _ = try trainer.train(batch)
      for row in 0..<2 {
        let g = Double(gradient[row])
        m[row] = 0.9 * m[row] + 0.1 * g
        v[row] = 0.999 * v[row] + 0.001 * g * g
        var (first, second) = (1.0, 1.0)
        for _ in 0..<step { (first, second) = (first * 0.9, second * 0.999) }
        let rate = 0.01 * (1 - second).squareRoot() / (1 - first)
        p[row] = p[row] * (1 - 0.01 * 0.25) - rate * m[row] / (v[row].squareRoot() + 0.125)
        #expect(abs(Double(trainer.weights(named: "x")!.values[row]) - p[row]) <= 1e-6)
      }
    }
  }

  @Test func schedules() {
    func factors(_ schedule: Schedule) -> [Double] { [1, 2, 3, 5, 9].map { schedule.factor(step: $0) } }
    #expect(factors(.constant) == [1, 1, 1, 1, 1])
    #expect(factors(.warmup(steps: 4)) == [0.25, 0.5, 0.75, 1, 1])
    #expect(factors(.linear(steps: 4, to: 0.5)) == [1, 0.875, 0.75, 0.5, 0.5])
    #expect(factors(.steps(every: 2, factor: 0.5)) == [1, 1, 0.5, 0.25, 0.0625])
    // No loop over all steps.
    #expect(Schedule.steps(every: 1, factor: 0.5).factor(step: .max) == 0)
    for (made, wanted) in zip(factors(.cosine(steps: 4)), [1, 0.853_553, 0.5, 0, 0]) {
      #expect(abs(made - wanted) < 1e-6)
    }
  }
}
