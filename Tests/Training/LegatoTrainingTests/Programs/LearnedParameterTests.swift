// SPDX-License-Identifier: Apache-2.0

import Foundation
import Legato
import TestEquipment
import Testing

@testable import LegatoTraining

/// Parameters that learn, within their ranges.
@Suite struct LearnedParameterTests {
  /// One pole and a gain: y = a x + (1 - a) y[-1], a = 2π cutoff / rate.
  private static let filter = """
    { "legato": 1, "name": "Filter",
      "inputs": { "src": { "shape": [1, "frames"] } },
      "parameters": {  // turned by hand
        "cutoff": { "default": 200, "minimum": 20, "maximum": 4000, "unit": "Hz", "scale": "logarithmic" },
        "gain": { "default": 0, "minimum": -12, "maximum": 12, "unit": "dB", "ramp": 0 } },
      "graph": { "a": "cutoff * (2 * pi / sampleRate)", "low": "a * src + (1 - a) * delay(low, 1)",
        "dst": "low * exp(gain * 0.11512925)" },
      "outputs": ["dst"] }
    """

  private static func pairs(cutoff: Double, gain: Double, _ task: TrainingTask) throws -> AudioPairs {
    var random = SplitMix(seed: 3)
    let input = (0..<4000).map { _ in random.float(-1, 1) }
    let a = 2 * Double.pi * cutoff / 48_000
    var (low, target) = (0.0, [Float]())
    for sample in input {
      low = a * Double(sample) + (1 - a) * low
      target.append(Float(low * pow(10, gain / 20)))
    }
    return try AudioPairs([AudioPairs.Pair(input: [input], target: [target])], task)
  }

  @Test func anEqualizerIsFound() throws {
    let folder = try TemporaryFolder()
    try Self.filter.write(toFile: folder("filter.json"), atomically: true, encoding: .utf8)
    let task = TrainingTask(loss: "esr(dst, target)", window: 200, warmup: 100, batch: 4)
    let trainer = try Trainer(
      Model(contentsOf: folder("filter.json")), task, optimizer: .adamW(rate: 0.01))
    #expect(trainer.learned == ["cutoff", "gain"])
    #expect(abs(trainer.parameters["cutoff"]! - 200) < 0.01 && trainer.parameters["gain"] == 0)
    try trainer.fit(Self.pairs(cutoff: 1000, gain: 6, task), epochs: 100)
    #expect(abs(trainer.parameters["cutoff"]! - 1000) < 10)
    #expect(abs(trainer.parameters["gain"]! - 6) < 0.1)
    try trainer.export(to: folder("learned.json"))
    let text = try String(contentsOfFile: folder("learned.json"), encoding: .utf8)
    #expect(text.contains("// turned by hand") && !text.contains("weights"))
    #expect(!FileManager.default.fileExists(atPath: folder("learned.safetensors")))
    let learned = try Model(contentsOf: folder("learned.json"))
    #expect(learned.parameters.map(\.initial) == ["cutoff", "gain"].map { trainer.parameters[$0]! })
  }

  /// The value that would make the loss smaller lies beyond the end of the range.
  @Test func aParameterStaysInItsRange() throws {
    var task = TrainingTask(loss: "esr(dst, target)", window: 200, warmup: 100, batch: 4)
    task.trainable = ["ga*"]
    let trainer = try Trainer(Model(Self.filter), task, optimizer: .adamW(rate: 0.05))
    #expect(trainer.learned == ["gain"])
    try trainer.fit(Self.pairs(cutoff: 200, gain: 20, task), epochs: 20)
    #expect(trainer.parameters == ["gain": 12])
  }

  /// The place on a scale is rounded; the default that stands in the file is not.
  @Test(arguments: [
    ("440", "20", "20000", "logarithmic"), ("0.3", "-20", "20", "linear"), ("0.1", "-3", "7", "linear"),
  ])
  func whatHasNotLearnedIsAsItWas(value: String, minimum: String, maximum: String, scale: String) throws {
    let model = try Model(
      """
      { "legato": 1, "clock": "step", "inputs": { "x": { "shape": [1] } },
        "parameters": { "k": { "default": \(value), "minimum": \(minimum), "maximum": \(maximum), "scale": "\(scale)" } },
        "graph": { "y": "x * k" }, "outputs": ["y"] }
      """)
    let trainer = try Trainer(model, TrainingTask(loss: "mse(y, target)"), optimizer: .sgd(rate: 0.1))
    #expect(trainer.parameters == ["k": Float(value)!])
  }

  /// Where there are weights, parameters learn if they are named.
  @Test func weightsComeBeforeParameters() throws {
    let model = try Model(
      """
      { "legato": 1, "clock": "step", "inputs": { "x": { "shape": [1] } }, "weights": { "w": [1] },
        "parameters": { "k": { "default": 0, "minimum": -1, "maximum": 1 } },
        "graph": { "y": "x * 'w' + k" }, "outputs": ["y"] }
      """)
    func learned(_ names: [String]) throws -> [String] {
      try Trainer(model, TrainingTask(loss: "mse(y, target)", trainable: names), optimizer: .sgd(rate: 1))
        .learned
    }
    #expect(try learned([]) == ["w"])
    #expect(try learned(["*"]) == ["w", "k"])
    #expect(try learned(["k"]) == ["k"])
    // The slope by the place is that by the value, times the range: d/dk mean (w x + k - t)² = 2 (0.5 + 0 - 0) = 1.
    let task = TrainingTask(loss: "mse(y, target)", trainable: ["k"], batch: 1)
    let trainer = try Trainer(model, task, optimizer: .sgd(rate: 0))
    var batch = Batch()
    batch.add(["x": [0.5], "target": [0]])
    _ = try trainer.step(batch)
    #expect(abs(trainer.gradient(named: "k")!.values[0] - 2) < 1e-6)
  }
}
