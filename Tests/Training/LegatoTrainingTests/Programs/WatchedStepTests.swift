// SPDX-License-Identifier: Apache-2.0

import GraphIR
import Legato
import RealtimeWatch
import Testing

@testable import LegatoTraining

/// The programs of a trainer at work: they take nothing from the heap, no lock, and never enter the kernel.
@Suite(.enabled(if: Sanitizer.isAbsent)) struct WatchedStepTests {
  private static let models = [
    "feedback": """
    { "legato": 1, "inputs": { "src": { "shape": [1, "frames"] } }, "weights": { "gain": [0.5], "pole": [0.25] },
      "graph": { "y": "tanh('gain' * src) + 'pole' * delay(y, 3)" }, "outputs": ["y"] }
    """,
    "LSTM": """
    { "legato": 1, "inputs": { "src": { "shape": [1, "frames"] } },
      "weights": { "wi": [[0.3], [-0.2], [0.5], [0.1]], "wh": [[0.1], [0.4], [-0.3], [0.5]], "head": [[0.75]] },
      "graph": { "y": "dense(lstm(src, 'wi', 'wh'), 'head')" }, "outputs": ["y"] }
    """,
    "classifier": """
    { "legato": 1, "clock": "step", "inputs": { "image": { "shape": [1, 4, 4] } },
      "weights": { "w": [[[[0.5, -1], [0.25, 1]]], [[[-0.5, 1], [0.75, 0.25]]]], "head": [[0.5, 1], [1, -0.5], [0.25, 0]] },
      "graph": { "h": "relu(conv2d(image, 'w'))", "y": "dense(mean(mean(h, axis: 2), axis: 1), 'head')" },
      "outputs": ["y"] }
    """,
  ]

  /// The gradient of each, the scores, and the update of weights.
  @Test(arguments: models.keys.sorted()) func nothingIsTakenMeanwhile(name: String) throws {
    var task = TrainingTask(loss: "mse(y, target)", window: 48, warmup: 12, batch: 2)
    if name == "classifier" {
      task.loss = "crossEntropy(y, target)"
      task.targets = ["target": []]
    }
    let trainer = try Trainer(
      Model(Self.models[name]!), task,
      optimizer: Optimizer(.adamW(), rate: 0.01, decay: 0.01, largestNorm: 1))
    for graph in [trainer.graphs.gradient, trainer.graphs.evaluation, trainer.step] {
      var program = try LearningProgram(graph, LearningProgram.compile(graph), shared: [:])
      // The first time, functions are looked up in libraries.
      program.execute()
      let counts = RealtimeWatch.counts { for _ in 0..<64 { program.execute() } }
      #expect(counts.offences == [], "\(name): \(graph.name)")
    }
  }
}
