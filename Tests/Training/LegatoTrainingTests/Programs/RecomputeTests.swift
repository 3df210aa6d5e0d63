// SPDX-License-Identifier: Apache-2.0

import Legato
import TestEquipment
import Testing

@testable import LegatoTraining

/// Windows of which a step keeps one piece, and computes the others again on the way back.
@Suite struct RecomputeTests {
  /// Models with states longer than a piece, recurrent layers, causal convolutions and parameters.
  private static let models = [
    """
    { "legato": 1, "name": "Comb", "inputs": { "src": { "shape": [1, "frames"] } },
      "weights": { "pole": [0.5], "far": [0.25], "taps": [[[0.25, -0.5, 1]]] },
      "graph": { "y": "conv1d(src, 'taps') + 'pole' * delay(y, 1) + 'far' * delay(y, 29)" }, "outputs": ["y"] }
    """,
    """
    { "legato": 1, "name": "Recurrent", "inputs": { "src": { "shape": [1, "frames"] } },
      "weights": { "wi": [[0.3], [-0.2], [0.5], [0.1], [-0.4], [0.6], [0.2], [0.3], [-0.1], [0.7], [-0.5], [0.4]],
        "wh": [[0.1, 0.2, -0.3], [0.4, -0.1, 0.2], [0.3, -0.2, 0.1], [0.5, 0.1, -0.4], [0.2, 0.1, 0.3],
          [-0.2, 0.4, 0.1], [0.2, -0.5, 0.1], [0.3, 0.2, 0.1], [-0.1, 0.2, 0.4], [-0.3, 0.1, 0.2], [0.5, 0.1, -0.2], [0.3, 0.1, 0.4]],
        "head": [[0.5, -1, 0.75]] },
      "graph": { "h": "lstm(src, 'wi', 'wh')", "y": "dense(h, 'head')" }, "outputs": ["y"] }
    """,
    """
    { "legato": 1, "name": "Knobs", "inputs": { "src": { "shape": [1, "frames"] } },
      "parameters": { "drive": { "minimum": 1, "maximum": 8, "default": 3 }, "mix": { "minimum": 0, "maximum": 1, "default": 0.25 } },
      "graph": { "z": "tanh(drive * src)", "low": "0.9 * delay(low, 1) + 0.1 * z", "y": "mix * low + (1 - mix) * src" },
      "outputs": ["y"] }
    """,
  ]

  private static let straight = """
    { "legato": 1, "name": "Straight", "inputs": { "src": { "shape": [1, "frames"] } },
      "weights": { "taps": [[[0.25, -0.5, 1]]], "gain": [0.75] },
      "graph": { "y": "'gain' * tanh(conv1d(src, 'taps'))" }, "outputs": ["y"] }
    """

  private static func pairs(_ task: TrainingTask, _ count: Int) throws -> AudioPairs {
    var random = SplitMix(seed: 9)
    func noise() -> [Float] { (0..<count).map { _ in random.float(-1, 1) } }
    return try AudioPairs([AudioPairs.Pair(input: [noise()], target: [noise()])], task)
  }

  /// The scores and the gradients of three windows, by names.
  private static func step(
    _ model: String, _ task: TrainingTask, threads: Int = 1
  ) throws -> (scores: [String: Float], gradients: [String: [Float]], evaluated: Double) {
    let trainer = try Trainer(Model(model), task, optimizer: .sgd(rate: 0), threads: threads)
    let pairs = try pairs(task, 3 * task.window)
    var batch = Batch()
    for index in 0..<3 { batch.add(pairs.item(index)) }
    let scores = try trainer.step(batch)
    let gradients = Dictionary(
      uniqueKeysWithValues: trainer.learned.map { ($0, trainer.gradient(named: $0)!.values) })
    return (scores, gradients, try trainer.evaluate(pairs)["loss"]!)
  }

  /// The loss is no sum over frames, so that each piece has to know of all others.
  @Test(arguments: models, [(0, 12), (0, 20), (36, 12), (36, 20)])
  func gradientsAreThoseOfTheWindow(model: String, cut: (warmup: Int, piece: Int)) throws {
    let (warmup, piece) = cut
    var task = TrainingTask(
      loss: "esr(y, target)", metrics: ["mae": "mae(y, target)"], window: 120 - warmup, warmup: warmup,
      batch: 3)
    let kept = try Self.step(model, task)
    task.recompute = piece
    let again = try Self.step(model, task)
    for (name, score) in kept.scores { #expect(abs(again.scores[name]! - score) < 1e-6 * max(1, score)) }
    #expect(abs(again.evaluated - kept.evaluated) < 1e-6 * kept.evaluated)
    for (name, gradient) in kept.gradients {
      let size = gradient.map { abs($0) }.max()!
      #expect(size > 0, "\(name) learns")
      for (one, other) in zip(gradient, again.gradients[name]!) {
        #expect(abs(one - other) < 2e-5 * size, "\(name)")
      }
    }
  }

  /// Law 11, with feedback and without it.
  @Test(arguments: [2, 3], [models[1], models[2], straight]) func threadsChangeNoBit(
    threads: Int, model: String
  ) throws {
    let task = TrainingTask(loss: "esr(y, target)", window: 84, warmup: 36, recompute: 12, batch: 3)
    let (one, many) = (try Self.step(model, task), try Self.step(model, task, threads: threads))
    #expect(one.scores == many.scores && one.evaluated == many.evaluated && one.gradients == many.gradients)
  }

  /// An input that comes out as it went in is judged as the others are.
  @Test func anOutputMayBeAnInput() throws {
    let model = Self.models[0].replacing("\"outputs\": [\"y\"]", with: "\"outputs\": [\"y\", \"src\"]")
    var task = TrainingTask(
      loss: "mse(y, target) + mse(src, target)", targets: ["target": [1, 96]], window: 96, warmup: 24,
      batch: 3)
    let kept = try Self.step(model, task)
    task.recompute = 20
    let again = try Self.step(model, task)
    #expect(abs(again.scores["loss"]! - kept.scores["loss"]!) < 1e-6 * kept.scores["loss"]!)
    #expect(abs(again.evaluated - kept.evaluated) < 1e-6 * kept.evaluated)
    for (name, gradient) in kept.gradients {
      for (one, other) in zip(gradient, again.gradients[name]!) {
        #expect(one != 0 && abs(one - other) < 2e-5 * abs(one), "\(name)")
      }
    }
  }

  /// A delay by a signal in a feedback has pieces no longer than the delay: the slope is that between two weights.
  @Test func aDelayByASignalLearnsInPieces() throws {
    func model(_ weight: Double) -> String {
      """
      { "legato": 1, "name": "Flanger", "inputs": { "src": { "shape": [1, "frames"] } },
        "weights": { "back": [\(weight)] },
        "graph": { "time": "12 + 4 * sin(sum(src))", "y": "src + 'back' * delay(y, by: time, minimum: 8, maximum: 20)" },
        "outputs": ["y"] }
      """
    }
    let task = TrainingTask(loss: "mse(y, target)", window: 64, warmup: 16, recompute: 8, batch: 3)
    let middle = try Self.step(model(0.5), task)
    let (low, high) = (try Self.step(model(0.49), task), try Self.step(model(0.51), task))
    let slope = (high.scores["loss"]! - low.scores["loss"]!) / 0.02
    #expect(abs(middle.gradients["back"]![0] - slope) < 1e-2 * abs(slope))
  }

  @Test func aLongWindowTakesTheMemoryOfAPiece() throws {
    func memory(_ recompute: Int?) throws -> Int {
      let task = TrainingTask(
        loss: "esr(y, target)", window: 31_000, warmup: 1000, recompute: recompute, batch: 1)
      return try Trainer(Model(Self.models[1]), task, optimizer: .sgd(rate: 0)).memory
    }
    let (all, piece) = (try memory(nil), try memory(800))
    #expect(piece < all / 3, "\(all) and \(piece) bytes")
  }

  @Test func piecesAreRefusedInWords() throws {
    func refusal(_ graph: String, _ task: TrainingTask, weights: String = "w") -> String {
      do {
        let model = try Model(
          """
          { "legato": 1, "name": "m", "inputs": { "src": { "shape": [1, "frames"] } }, "weights": { "\(weights)": [1] },
            "graph": { "y": "\(graph)" }, "outputs": ["y"] }
          """)
        _ = try Trainer(model, task, optimizer: .sgd(rate: 1))
        return ""
      } catch { return "\(error)" }
    }
    func task(_ piece: Int, chunk: Int? = nil) -> TrainingTask {
      TrainingTask(loss: "mse(y, target)", window: 100, warmup: 20, chunk: chunk, recompute: piece)
    }
    #expect(
      refusal("src * 'w'", task(35))
        == "a warm-up of 20 frames and a window of 100 are not cut into pieces of 35: a whole number of them fills both, such as of 30"
    )
    #expect(
      refusal("src * 'w'", task(30, chunk: 50))
        == "weights follow every 50 frames, and no more of a window is kept: it is not computed again")
    #expect(refusal("src * 'w' + noise(1)", task(60)).contains("noise begins anew with each piece"))
    for name in ["y", "src", "state.w", "gradient.y"] {
      #expect(refusal("src * '\(name)'", task(60), weights: name).contains("cannot be called '\(name)'"))
    }
    #expect(
      refusal("src * control(sum(src * 'w'))", task(60)).contains("control is sampled every 64 frames"))
  }
}
