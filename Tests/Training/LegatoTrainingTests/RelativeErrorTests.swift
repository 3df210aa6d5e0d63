// SPDX-License-Identifier: Apache-2.0

import Foundation
import Legato
import TestEquipment
import Testing

@testable import LegatoTraining

/// The error in relation to the power of all data, and the memory that a step may take.
@Suite struct RelativeErrorTests {
  private static let gain = """
    { "legato": 1, "name": "Gain", "inputs": { "src": { "shape": [1, "frames"] } }, "weights": { "g": [0.5] },
      "graph": { "dst": "'g' * src + 0.001" }, "outputs": ["dst"] }
    """

  /// Sound with rests, in which the model is not quite silent.
  private static func pairs(_ task: TrainingTask) throws -> AudioPairs {
    var random = SplitMix(seed: 5)
    let dry = (0..<4000).map { frame in frame / 500 % 2 == 0 ? random.float(-0.9, 0.9) : 0 }
    let wet = dry.map { 0.8 * $0 + random.float(-1e-7, 1e-7) }
    return try AudioPairs([.init(input: [dry], target: [wet])], task)
  }

  @Test func restsAreWorthWhatTheyAre() throws {
    var task = TrainingTask(window: 250, warmup: 0, batch: 4)
    let data = try Self.pairs(task)
    task.loss = TrainingTask.relativeError(power: try data.power(of: "target"))
    task.metrics = ["window": "esr(dst, target)"]
    let trainer = try Trainer(Model(Self.gain), task, optimizer: .adamW(rate: 0.02))
    let scores = try trainer.evaluate(data)
    // 0.3² / 0.8², for the whole; of windows in which the target is next to nothing ratios mean nothing.
    #expect(abs(try #require(scores["loss"]) - 0.140625) < 1e-4)
    #expect(try #require(scores["window"]) > 100)
    try trainer.fit(data, epochs: 60)
    #expect(abs(try #require(trainer.weights(named: "g")).values[0] - 0.8) < 5e-3)
    #expect(TrainingTask.relativeError(of: "y", target: "z", power: 0) == "mse(y, z) * 1.0")
  }

  @Test func moreThanThereIsIsRefusedBeforeItIsTaken() throws {
    #expect(FreeMemory.bytes > 1 << 20 && FreeMemory.bytes < 1 << 48)
    let task = TrainingTask(targets: ["target": [1, 1 << 20]], window: 1 << 20, warmup: 0, batch: 1 << 20)
    for most in [nil, 5 << 20] {
      #expect {
        _ = try Trainer(Model(Self.gain), task, optimizer: .sgd(rate: 1), mostMemory: most)
      } throws: { error in
        guard case TrainingError.memory(let needed, let allowed) = error else { return false }
        return needed > 1 << 42 && (most == nil ? allowed > 1 << 20 : allowed == most)
          && "\(error)".contains("MiB of memory, and \(allowed >> 20) MiB are to be had")
      }
    }
  }

  /// A group leaves what the tightest of those around it leaves; caches that nobody uses make room.
  @Test func groupsLeaveWhatIsNotTaken() throws {
    let folder = try TemporaryFolder()
    try folder.makeFolder("user")
    try folder.makeFolder("user/run")
    func left() -> Int? { FreeMemory.left(of: "user/run", below: folder("")) }
    #expect(left() == nil)
    for (file, text) in [
      ("user/memory.max", "5000\n"), ("user/memory.current", "1200\n"), ("user/run/memory.max", "max\n"),
      ("user/run/memory.current", "1000\n"),
    ] { try Data(text.utf8).write(to: URL(filePath: folder(file))) }
    #expect(left() == 3800)
    try Data("3000\n".utf8).write(to: URL(filePath: folder("user/run/memory.max")))
    #expect(left() == 2000)
    try Data("anon 600\ninactive_file 300\n".utf8).write(to: URL(filePath: folder("user/run/memory.stat")))
    #expect(left() == 2300)
    try Data("900\n".utf8).write(to: URL(filePath: folder("user/memory.max")))
    #expect(left() == 0)
  }

  /// The loudness that a file states follows what was learned.
  @Test func loudnessIsMeasuredAnew() throws {
    let folder = try TemporaryFolder()
    let text = Self.gain.replacingOccurrences(
      of: #""name": "Gain","#, with: #""name": "Gain", "levels": { "loudness": -3, "input": 9.5 },"#)
    try Data(text.utf8).write(to: URL(filePath: folder("gain.json")))
    let task = TrainingTask(window: 100, warmup: 0, batch: 1)
    let trainer = try Trainer(Model(contentsOf: folder("gain.json")), task, optimizer: .sgd(rate: 1))
    try trainer.export(to: folder("out.json"))
    let levels = try Model(contentsOf: folder("out.json")).levels
    // -15 dB at half the size.
    #expect(abs(try #require(levels.loudness) + 15 + 20 * log10(2)) < 0.01 && levels.input == 9.5)
    // A file that says nothing of it goes on saying nothing.
    try Data(Self.gain.utf8).write(to: URL(filePath: folder("gain.json")))
    let other = try Trainer(Model(contentsOf: folder("gain.json")), task, optimizer: .sgd(rate: 1))
    #expect(try !other.export(weightsIn: "w.safetensors").model.contains("loudness"))
  }
}
