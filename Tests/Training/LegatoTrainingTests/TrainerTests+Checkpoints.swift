// SPDX-License-Identifier: Apache-2.0

import Foundation
import Legato
import TestEquipment
import Testing

@testable import LegatoTraining

/// Checkpoints: those of others, damaged ones, and weights that are taken out of them.
extension TrainerTests {
  @Test func aCheckpointTakesThePlaceOfAnother() throws {
    let folder = try TemporaryFolder()
    let (path, trainer) = (folder("run.safetensors"), try trainer())
    try Data("another".utf8).write(to: URL(filePath: path))
    try trainer.fit(Plane(), epochs: 1)
    try trainer.checkpoint(properties: ["seed": "1"]).write(to: path)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder(".")) == ["run.safetensors"])
    let next = try self.trainer()
    #expect(try next.resume(from: path).properties == ["seed": "1"])
    #expect(next.weights(named: "w") == trainer.weights(named: "w"))
    #expect {
      try trainer.checkpoint().write(to: folder("none/run.safetensors"))
    } throws: { error in
      guard case TrainingError.data(let text) = error else { return false }
      return text.contains("none")
    }
  }

  @Test func checkpointsOfOthersAreRefusedInWords() throws {
    let folder = try TemporaryFolder()
    let trainer = try trainer()
    func refusal(_ path: String) -> String {
      do throws(TrainingError) {
        try trainer.resume(from: path)
        return ""
      } catch { return error.description }
    }
    #expect(refusal(folder("none")) == "'\(folder("none"))' does not exist")
    let bytes = try Trainer(Model(Self.line), Self.task, optimizer: .sgd(rate: 1)).checkpoint().bytes
    try Data(bytes).write(to: URL(filePath: folder("sgd")))
    #expect(
      refusal(folder("sgd")).hasSuffix(
        "is of another model or optimizer, or other names learned: 'optimizer.0.w', 'optimizer.1.w', 'optimizer.0.b', "
          + "'optimizer.1.b' are missing"))
    for length in stride(from: 0, to: bytes.count, by: 3) {
      try Data(bytes[..<length]).write(to: URL(filePath: folder("cut")))
      #expect(!refusal(folder("cut")).isEmpty)
    }
    #expect(trainer.weights(named: "w")!.values == [0, 0])
  }

  /// Ten thousand checkpoints with some bytes changed: refused, or as good as any, and nothing half taken.
  @Test func damagedCheckpointsAreTakenOrLeft() throws {
    let folder = try TemporaryFolder()
    let trainer = try trainer()
    var batch = Batch()
    for index in 0..<4 { batch.add(Plane().item(index)) }
    _ = try trainer.train(batch)
    let bytes = try trainer.checkpoint(properties: ["epoch": "2"]).bytes
    let path = folder("damaged")
    var random = SplitMix(seed: 11)
    var refused = 0
    for _ in 0..<10_000 {
      var damaged = bytes
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let place = Int.random(in: 0..<damaged.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: damaged[place] = UInt8.random(in: 0...255, using: &random)
        case 1: damaged[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 2: damaged.remove(at: place)
        default: damaged.insert(UInt8.random(in: 32..<127, using: &random), at: place)
        }
      }
      unsafe damaged.withUnsafeBytes { buffer in
        let file = unsafe fopen(path, "wb")!
        unsafe fwrite(buffer.baseAddress, 1, buffer.count, file)
        unsafe fclose(file)
      }
      let (weights, updates) = (trainer.weights(named: "w")!, trainer.updates)
      do throws(TrainingError) {
        try trainer.resume(from: path)
      } catch {
        refused += 1
        #expect(trainer.weights(named: "w")! == weights && trainer.updates == updates)
      }
    }
    #expect(refused > 5000 && refused < 10_000)
  }

  /// It shows what the trainer has, and AdamW's moments are those of its formula.
  @Test func aCheckpointShowsWhatItHas() throws {
    let folder = try TemporaryFolder()
    let (trainer, best) = (try trainer(), try trainer().learnedTensors)
    var batch = Batch()
    for index in 0..<4 { batch.add(Plane().item(index)) }
    _ = try trainer.step(batch)
    let gradient = try #require(trainer.gradient(named: "w"))
    trainer.update()
    try trainer.checkpoint(properties: ["seed": "7", "note": "here"], best: best).write(to: folder("c"))
    let read = try Checkpoint(contentsOf: folder("c"))
    #expect(read.learned == ["w", "b"] && read.updates == 1 && read.seed == 7)
    #expect(read.properties == ["seed": "7", "note": "here"] && read.best == best)
    for name in read.learned { #expect(read[name] == trainer.weights(named: name)) }
    let moments = read.moments(of: "w")
    #expect(moments.count == 2 && moments.allSatisfy { $0.shape == [1, 2] })
    for (place, slope) in gradient.values.enumerated() {
      #expect(abs(moments[0].values[place] - 0.1 * slope) <= 1e-6 * abs(slope))
      #expect(abs(moments[1].values[place] - 0.001 * slope * slope) <= 1e-6 * slope * slope)
    }
    #expect(read["best.w"] == nil && read["v"] == nil && read.moments(of: "v").isEmpty)
    // Read and written again, it is the same file.
    #expect(try Data(read.bytes) == Data(contentsOf: URL(filePath: folder("c"))))
    #expect(try trainer.checkpoint().seed == nil && trainer.checkpoint().best == nil)
    // A file that is no checkpoint is told from one, also where its weights are the model's.
    try Data(Self.line.utf8).write(to: URL(filePath: folder("line.json")))
    try Trainer(Model(contentsOf: folder("line.json")), Self.task, optimizer: .sgd(rate: 1))
      .export(to: folder("plain.json"))
    #expect {
      try Checkpoint(contentsOf: folder("plain.safetensors"))
    } throws: {
      "\($0)".hasSuffix("does not say after how many updates it was written: it is no checkpoint")
    }
  }

  /// Weights may be called as a checkpoint calls what belongs to others.
  @Test func namesOfWeightsAndOfACheckpointAreApart() throws {
    let folder = try TemporaryFolder()
    let text = """
      { "legato": 1, "name": "Line", "clock": "step", "inputs": { "x": { "shape": [2] } },
        "weights": { "w": [[0, 0]], "best.w": [0], "optimizer.0.w": [0] },
        "graph": { "y": "dense(x, 'w') + ('best.w' + 'optimizer.0.w')" }, "outputs": ["y"] }
      """
    let make = { try Trainer(Model(text), Self.task, optimizer: .adamW(rate: 0.05)) }
    let trainer = try make()
    try trainer.fit(Plane(), epochs: 1)
    for best in [nil, trainer.learnedTensors] {
      let own = try trainer.checkpoint(best: best)
      try own.write(to: folder("c"))
      let (other, another) = (try make(), try make())
      let read = try other.resume(from: folder("c"))
      try another.resume(from: own)
      for other in [other, another] { #expect(other.learnedTensors == trainer.learnedTensors) }
      for known in [read, own] {
        #expect(known.best == best && known.learned == trainer.learned)
        #expect(known.moments(of: "w").count == 2 && known.moments(of: "best.w") != known.moments(of: "w"))
      }
    }
  }

  @Test func aSurplusNameIsSaid() throws {
    let folder = try TemporaryFolder()
    try trainer().checkpoint().write(to: folder("both"))
    var task = Self.task
    task.trainable = ["w"]
    let one = try Trainer(Model(Self.line), task, optimizer: .adamW(rate: 1))
    do throws(TrainingError) {
      try one.resume(from: folder("both"))
      Issue.record("it is taken")
    } catch {
      #expect(error.description.hasSuffix("'b', 'optimizer.0.b', 'optimizer.1.b' are not of this run"))
    }
  }

  /// Of another model the weights are taken that have their names and shapes, and what is left over is said.
  @Test func aRunBeginsWithWeightsOfAnotherModel() throws {
    let folder = try TemporaryFolder()
    let base = try trainer()
    try base.fit(Plane(), epochs: 2)
    try base.checkpoint(best: base.learnedTensors).write(to: folder("base"))
    // "b" has another shape, "c" is not there.
    let other = try Trainer(
      Model(
        """
        { "legato": 1, "name": "Two", "clock": "step", "inputs": { "x": { "shape": [2] } },
          "weights": { "w": [[3, 4]], "b": [5, 6], "c": [7] },
          "graph": { "y": "dense(x, 'w') + sum('b') * 'c'" }, "outputs": ["y"] }
        """), Self.task, optimizer: .adamW(rate: 0.05))
    try other.fit(Plane(), epochs: 1)
    let (b, c) = (other.weights(named: "b"), other.weights(named: "c"))
    let rest = try other.begin(withWeightsOf: folder("base"))
    #expect(rest.missing == ["b", "c"] && rest.surplus == ["b"])
    #expect(other.weights(named: "w") == base.weights(named: "w") && other.updates == 0)
    #expect(other.weights(named: "b") == b && other.weights(named: "c") == c)
    // The optimizer remembers nothing of other weights.
    let fresh = try trainer()
    #expect(try fresh.begin(withWeightsOf: folder("base")) == ([], []))
    try fresh.fit(Plane(), epochs: 1)
    let again = try trainer()
    try again.replaceWeights(base.learnedTensors)
    try again.fit(Plane(), epochs: 1)
    #expect(fresh.learnedTensors == again.learnedTensors)
    var damaged = try [UInt8](Data(contentsOf: URL(filePath: folder("base"))))
    damaged[damaged.count - 1] ^= 1
    try Data(damaged).write(to: URL(filePath: folder("damaged")))
    let before = other.learnedTensors
    #expect(throws: TrainingError.self) { try other.begin(withWeightsOf: folder("damaged")) }
    #expect(other.learnedTensors == before)
  }
}
