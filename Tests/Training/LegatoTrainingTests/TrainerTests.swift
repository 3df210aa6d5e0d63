// SPDX-License-Identifier: Apache-2.0

import Foundation
import Legato
import TestEquipment
import Testing

@testable import LegatoTraining

/// Models that learn, and runs that go on.
@Suite struct TrainerTests {
  /// A model of steps: y = 'w' x + 'b'.
  static let line = """
    { "legato": 1, "name": "Line", "clock": "step", "inputs": { "x": { "shape": [2] } },
      "weights": { "w": [[0, 0]], "b": [0] },
      "graph": { "y": "dense(x, 'w', 'b')" }, "outputs": ["y"] }
    """
  static let task = TrainingTask(loss: "mse(y, target)", metrics: ["off": "mae(y, target)"], batch: 4)

  /// Points of a plane.
  struct Plane: Dataset {
    let count = 22
    func item(_ index: Int) -> [String: [Float]] {
      let x = [Float(index % 5) / 4, Float(index % 7) / 6]
      return ["x": x, "target": [2 * x[0] - 3 * x[1] + 0.5]]
    }
  }

  private func trainer() throws -> Trainer {
    try Trainer(Model(Self.line), Self.task, optimizer: .adamW(rate: 0.05))
  }

  @Test func findsWhatWasMade() throws {
    let trainer = try trainer()
    #expect(trainer.learned == ["w", "b"] && trainer.shapes == ["x": [2], "target": [1]])
    try trainer.fit(Plane(), epochs: 200)
    let weights = trainer.weights(named: "w")!.values + trainer.weights(named: "b")!.values
    for (made, wanted) in zip(weights, [2, -3, 0.5] as [Float]) { #expect(abs(made - wanted) < 1e-3) }
    let scores = try trainer.evaluate(Plane())
    #expect(scores["loss"]! < 1e-6 && scores["off"]! < 1e-3)
    #expect(trainer.weights(named: "c") == nil)
  }

  @Test func whatDoesNotLearnStays() throws {
    var task = Self.task
    task.trainable = ["b*"]
    let trainer = try Trainer(Model(Self.line), task, optimizer: .sgd(rate: 0.1))
    #expect(trainer.learned == ["b"])
    try trainer.fit(Plane(), epochs: 3)
    #expect(trainer.weights(named: "b")!.values != [0])
  }

  @Test func gradientsAddUp() throws {
    let (one, two) = (try trainer(), try trainer())
    var batch = Batch()
    for index in 0..<4 { batch.add(Plane().item(index)) }
    _ = try one.step(batch)
    _ = try two.step(batch)
    _ = try two.step(batch)
    #expect(two.gradient(named: "w")!.values == one.gradient(named: "w")!.values.map { 2 * $0 })
    two.resetGradients()
    #expect(two.gradient(named: "w") == nil)
    two.update()
    #expect(two.updates == 0)
  }

  /// Law 11: the same seed gives the same bits, ended and resumed anywhere or not.
  @Test(arguments: [1, 5, 6, 9, 17]) func resumesToTheSameBits(batches: Int) throws {
    let folder = try TemporaryFolder()
    let whole = try trainer()
    try whole.fit(Plane(), epochs: 4, seed: 7)
    let first = try trainer()
    var (done, end) = (0, Trainer.Position.start)
    try first.fit(Plane(), epochs: 4, seed: 7) { progress in
      guard progress.validation == nil else {
        end = Trainer.Position(epoch: progress.position.epoch + 1, batch: 0)
        return .goOn
      }
      (done, end) = (done + 1, progress.position)
      return done == batches ? .stop : .goOn
    }
    try Data(first.checkpoint(properties: ["note": "here"])).write(to: URL(filePath: folder("c.safetensors")))
    let second = try trainer()
    #expect(try second.resume(from: folder("c.safetensors")) == ["note": "here"])
    #expect(second.updates == batches)
    try second.fit(Plane(), epochs: 4, from: end, seed: 7)
    #expect(second.updates == whole.updates)
    for name in ["w", "b"] {
      #expect(
        second.weights(named: name)!.values.map(\.bitPattern)
          == whole.weights(named: name)!.values.map(\.bitPattern))
    }
    let other = try trainer()
    try other.fit(Plane(), epochs: 4, seed: 8)
    #expect(other.weights(named: "w")! != whole.weights(named: "w")!)
  }

  /// Law 11: any number of threads gives the same bits.
  @Test(arguments: [2, 3]) func threadsChangeNoBit(threads: Int) throws {
    var task = Self.task
    task.batch = 36
    func weights(_ threads: Int) throws -> [UInt32] {
      let trainer = try Trainer(Model(Self.line), task, optimizer: .adamW(rate: 0.05), threads: threads)
      try trainer.fit(Plane(), epochs: 5)
      let scores = try trainer.evaluate(Plane())
      return trainer.weights(named: "w")!.values.map(\.bitPattern) + [Float(scores["loss"]!).bitPattern]
    }
    #expect(LearningShard.examples(of: 36, isSound: false) == 12)
    #expect(LearningShard.examples(of: 36, isSound: true) == 2)
    #expect(LearningShard.examples(of: 7, isSound: true) == 1)
    #expect(try weights(threads) == weights(1))
  }

  /// A stream: a filter's two numbers are found from what it does, behind frames that only warm up.
  @Test func aFilterIsFound() throws {
    let model = try Model(
      """
      { "legato": 1, "name": "Filter", "inputs": { "src": { "shape": [1, "frames"] } },
        "weights": { "gain": [0.1], "pole": [0.1] },
        "graph": { "y": "'gain' * src + 'pole' * delay(y, 1)" }, "outputs": ["y"] }
      """)
    var random = SplitMix(seed: 2)
    let input = (0..<2000).map { _ in random.float(-1, 1) }
    var target: [Float] = []
    for sample in input { target.append(0.5 * sample + 0.75 * (target.last ?? 0)) }
    let task = TrainingTask(loss: "esr(y, target)", window: 100, warmup: 60, batch: 4)
    let pairs = try AudioPairs([AudioPairs.Pair(input: [input], target: [target])], task)
    #expect(pairs.count == 20)
    let trainer = try Trainer(model, task, optimizer: .adamW(rate: 0.03))
    try trainer.fit(pairs, epochs: 80)
    #expect(abs(trainer.weights(named: "gain")!.values[0] - 0.5) < 0.01)
    #expect(abs(trainer.weights(named: "pole")!.values[0] - 0.75) < 0.01)
    #expect(try trainer.evaluate(pairs)["loss"]! < 1e-3)
  }

  @Test func aLossThatIsNoNumberIsNamedAndUndone() throws {
    let trainer = try trainer()
    var batch = Batch()
    for _ in 0..<4 { batch.add(["x": [1, .infinity], "target": [0]]) }
    #expect(throws: TrainingError.notFinite(step: 1)) { _ = try trainer.train(batch) }
    #expect(trainer.weights(named: "w")!.values == [0, 0] && trainer.updates == 0)
  }

  /// The root of 0 is 0, and has no slope.
  @Test func aGradientThatIsNoNumberIsUndoneToo() throws {
    let model = try Model(Self.line)
    let task = TrainingTask(loss: "sum(sqrt(abs(y))) + 0 * sum(target)", batch: 1)
    let trainer = try Trainer(model, task, optimizer: .sgd(rate: 0.1))
    var batch = Batch()
    batch.add(["x": [1, 1], "target": [0]])
    #expect(throws: TrainingError.notFinite(step: 1)) { _ = try trainer.train(batch) }
    #expect(trainer.weights(named: "w")!.values == [0, 0])
  }

  // MARK: What is wrong

  private func refusal(_ body: () throws -> Void) -> String {
    do {
      try body()
      return ""
    } catch { return "\(error)" }
  }

  @Test func tasksAreRefusedInWords() throws {
    func refusal(_ loss: String, trainable: [String] = ["*"], targets: [String: [Int]] = [:]) -> String {
      var task = TrainingTask(loss: loss, batch: 2)
      (task.trainable, task.targets) = (trainable, targets)
      return self.refusal { _ = try Trainer(Model(Self.line), task, optimizer: .sgd(rate: 1)) }
    }
    #expect(
      refusal("mse(y, target)", trainable: ["v", "u.*"])
        == "Line: no weights are called 'v', 'u.*'; there are 'w', 'b'")
    #expect(refusal("mse(z, target)").hasPrefix("Line: 'loss', 'mse(z, target)': "))
    #expect(refusal("y - target").isEmpty)
    #expect(
      refusal("y - target", targets: ["target": [3]])
        == "Line: 'loss' is [3], and not one number: mean, or mse of a target, makes one")
    #expect(refusal("mse(y, x)", targets: ["x": [1]]) == "Line: 'x' is the name of an input and of a target")
    #expect(
      refusal("mse(y, target)", targets: ["target": [0]]).hasPrefix(
        "Line: the target 'target' would have the shape"))
  }

  @Test func batchesAreRefusedInWords() throws {
    let trainer = try trainer()
    func refusal(_ count: Int, _ item: [String: [Float]]) -> String {
      var batch = Batch()
      for _ in 0..<count { batch.add(item) }
      do throws(TrainingError) {
        _ = try trainer.step(batch)
        return ""
      } catch { return error.description }
    }
    #expect(refusal(3, ["x": [1, 2], "target": [0]]) == "a step takes 4 examples; the batch has 3")
    #expect(refusal(4, ["x": [1, 2]]) == "an example has no 'target', which is [1]")
    #expect(refusal(4, ["x": [1], "target": [0]]) == "'x' is [2], 2 numbers; an example has 1")
    #expect(
      refusal(4, ["x": [1, 2], "target": [0], "z": [0]])
        == "there is no input or target 'z'; there are 'target', 'x'")
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
    #expect(refusal(folder("none")) == "'\(folder("none"))' cannot be read")
    let bytes = try Trainer(Model(Self.line), Self.task, optimizer: .sgd(rate: 1)).checkpoint()
    try Data(bytes).write(to: URL(filePath: folder("sgd")))
    #expect(refusal(folder("sgd")).hasSuffix("is not there: the checkpoint is of another model or optimizer"))
    for length in stride(from: 0, to: bytes.count, by: 3) {
      try Data(bytes[..<length]).write(to: URL(filePath: folder("cut")))
      #expect(!refusal(folder("cut")).isEmpty)
    }
    #expect(trainer.weights(named: "w")!.values == [0, 0])
  }

  @Test func soundsAreRefusedInWords() throws {
    #expect(
      refusal { _ = try AudioPairs.Pair(input: [[1, 2]], target: [[1]]) }
        == "a sound and its target have the same length; these have 2 and 1 frames")
    let short = try AudioPairs.Pair(input: [[1, 2]], target: [[1, 2]])
    #expect(
      refusal { _ = try AudioPairs([short], TrainingTask(window: 3)) }
        == "a window has 3 frames, and no sound is so long")
  }
}
