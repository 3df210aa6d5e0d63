// SPDX-License-Identifier: Apache-2.0

import Legato
import TestEquipment
import Testing

@testable import LegatoTraining

/// Taps of `fir` learn as the file has them: their gradient is that of the same taps in a `conv1d`, the other way round.
@Suite struct StatedTapsTests {
  private static func model(_ weights: String, _ graph: String, channels: Int = 2) throws -> Model {
    try Model(
      """
      { "legato": 1, "name": "Room", "inputs": { "src": { "shape": [\(channels), "frames"] } }, "weights": { \(weights) },
        "graph": { "y": "\(graph)" }, "outputs": ["y"] }
      """)
  }

  private static func gradient(_ model: Model, _ name: String, channels: Int = 2) throws -> [Float] {
    let task = TrainingTask(loss: "mse(y, target)", window: 40, warmup: 5, batch: 2)
    let trainer = try Trainer(model, task, optimizer: .sgd(rate: 0))
    #expect(trainer.learned == [name] && trainer.unlearnable.isEmpty)
    var (random, batch) = (SplitMix(seed: 3), Batch())
    for _ in 0..<2 {
      batch.add([
        "src": (0..<45 * channels).map { _ in random.float(-1, 1) },
        "target": (0..<40 * channels).map { _ in random.float(-1, 1) },
      ])
    }
    _ = try trainer.step(batch)
    return trainer.gradient(named: name)!.values
  }

  @Test func theyFollowAsThoseOfAConvolution() throws {
    let taps = try Self.gradient(
      Self.model(#""w": [0.5, 0.1, 0.2]"#, "fir(src, 'w')", channels: 1), "w", channels: 1)
    let same = try Self.gradient(
      Self.model(#""w": [[[0.2, 0.1, 0.5]]]"#, "conv1d(src, 'w')", channels: 1), "w", channels: 1)
    #expect(taps.count == 3 && taps.contains { abs($0) > 0.001 })
    for (a, b) in zip(taps, same.reversed()) { #expect(abs(a - b) < 1e-6) }
  }

  @Test func eachChannelHasItsOwn() throws {
    let taps = try Self.gradient(Self.model(#""w": [[0.5, 0.1, 0.2], [0.3, 0, 0.7]]"#, "fir(src, 'w')"), "w")
    let same = try Self.gradient(
      Self.model(
        #""w": [[[0.2, 0.1, 0.5]], [[0.7, 0, 0.3]]]"#, "conv1d(src, 'w', groups: 2)"), "w")
    #expect(taps.count == 6)
    for row in 0..<2 {
      for tap in 0..<3 { #expect(abs(taps[3 * row + tap] - same[3 * row + 2 - tap]) < 1e-6) }
    }
  }

  /// A response that is known is found, in the order of the file.
  @Test func aResponseIsFound() throws {
    var random = SplitMix(seed: 4)
    let dry = (0..<2000).map { _ in random.float(-1, 1) }
    let wet = dry.indices.map { 0.5 * dry[$0] - 0.25 * ($0 > 1 ? dry[$0 - 2] : 0) }
    let model = try Model(
      """
      { "legato": 1, "name": "Room", "inputs": { "src": { "shape": [1, "frames"] } }, "weights": { "w": [0, 0, 0] },
        "graph": { "y": "fir(src, 'w')" }, "outputs": ["y"] }
      """)
    let task = TrainingTask(loss: "mse(y, target)", window: 100, warmup: 10, batch: 4)
    let trainer = try Trainer(model, task, optimizer: .adamW(rate: 0.02))
    try trainer.fit(AudioPairs([.init(input: [dry], target: [wet])], task), epochs: 80)
    for (found, wanted) in zip(trainer.weights(named: "w")!.values, [0.5, 0, -0.25]) {
      #expect(abs(Double(found) - wanted) < 0.01)
    }
  }

  /// Those of long responses stay, and are named.
  @Test func longOnesAreNamed() throws {
    let long = String(repeating: "0.1, ", count: 4999) + "0.1"
    let model = try Self.model("\"w\": [\(long)], \"g\": [1]", "'g' * fir(src, 'w')")
    let task = TrainingTask(loss: "mse(y, target)", window: 8, warmup: 0, batch: 1)
    let trainer = try Trainer(model, task, optimizer: .sgd(rate: 0))
    #expect(trainer.learned == ["g"] && trainer.unlearnable == ["w"])
    var named = task
    named.trainable = ["w"]
    #expect {
      _ = try Trainer(model, named, optimizer: .sgd(rate: 0.1))
    } throws: { "\($0)".contains("there are 'g'; 'w' cannot: no output depends on it, or what computes") }
  }
}
