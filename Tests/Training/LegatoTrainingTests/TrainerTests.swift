// SPDX-License-Identifier: Apache-2.0

import Foundation
import GraphIR
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

  func trainer() throws -> Trainer {
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
    let folder = try TemporaryFolder()
    try Self.line.replacing("[[0, 0]]", with: "[[0.5, -0.25]]")
      .write(toFile: folder("line.json"), atomically: true, encoding: .utf8)
    var task = Self.task
    task.trainable = ["b*"]
    let trainer = try Trainer(Model(contentsOf: folder("line.json")), task, optimizer: .sgd(rate: 0.1))
    #expect(trainer.learned == ["b"])
    try trainer.fit(Plane(), epochs: 3)
    try trainer.export(to: folder("out.json"))
    let graph = try Model(contentsOf: folder("out.json")).graph(extents: [:], sampleRate: nil)
    let arrays = Dictionary(uniqueKeysWithValues: graph.weights.map { ($0.name, Array($0.values)) })
    #expect(arrays["w"] == [0.5, -0.25] && arrays["b"] != [0])
    #expect(arrays["b"] == trainer.weights(named: "b")!.values)
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
    try first.checkpoint(properties: ["note": "here"]).write(to: folder("c.safetensors"))
    let second = try trainer()
    #expect(try second.resume(from: folder("c.safetensors")).properties == ["note": "here"])
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
    let graph = try Model(Self.line).graph(extents: [:], sampleRate: nil)
    #expect(BatchParts.examples(of: 36, of: graph) == 12)
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
        == "Line: no weights or parameters are called 'v', 'u.*'; there are 'w', 'b'")
    #expect(refusal("mse(z, target)").hasPrefix("Line: 'loss', 'mse(z, target)': "))
    #expect(refusal("y - target").isEmpty)
    for loss in ["1", "mean(target)", "topAccuracy(y, target, top: 1)", "floor(y)"] {
      let text = refusal(loss, targets: ["target": [1]])
      #expect(text.hasPrefix("Line: 'loss', '\(loss)': nothing that learns changes it smoothly, "), "\(text)")
    }
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
    #expect(refusal(5, ["x": [1, 2], "target": [0]]) == "a batch has 1 to 4 examples; this one has 5")
    #expect(refusal(4, ["x": [1, 2]]) == "an example has no 'target', which is [1]")
    #expect(refusal(4, ["x": [1], "target": [0]]) == "'x' is [2], 2 numbers; an example has 1")
    #expect(
      refusal(4, ["x": [1, 2], "target": [0], "z": [0]])
        == "there is no input or target 'z'; there are 'target', 'x'")
    // In all there are as many numbers as there should be.
    for (sizes, odd) in [([2, 1, 3, 2], 1), ([2, 2, 3, 1], 2), ([3, 1, 2, 2], 1)] {
      var batch = Batch()
      for size in sizes { batch.add(["x": [Float](repeating: 1, count: size), "target": [0]]) }
      #expect {
        try trainer.check(batch)
      } throws: {
        "\($0)"
          == "example \(odd) of the batch has another number of 'x' than those before it, which is [2] in each"
      }
    }
  }

  @Test func runsThatBeginNowhereAreRefused() throws {
    let trainer = try trainer()
    for start in [Trainer.Position(epoch: 1, batch: -1), .init(epoch: 0, batch: 0)] {
      #expect(
        refusal { try trainer.fit(Plane(), epochs: 2, from: start) }
          == "a run has epochs from 1 on, and batches that are done from 0 on")
    }
  }

  @Test func sizesBeyondAllMemoryAreRefused() throws {
    let sound = try AudioPairs.Pair(input: [[1, 2]], target: [[1, 2]])
    for task in [
      TrainingTask(window: .max), TrainingTask(warmup: .max), TrainingTask(batch: .max),
      TrainingTask(window: 0),
    ] {
      for text in [
        refusal { _ = try Trainer(Model(Self.late), task, optimizer: .sgd(rate: 1)) },
        refusal { _ = try AudioPairs([sound], task) },
      ] {
        #expect(text.hasPrefix("a batch has an example or more, a window a frame or more"), "\(text)")
      }
    }
  }

  /// A stream that is late by 30 frames.
  private static let late = """
    { "legato": 1, "name": "Late", "inputs": { "src": { "shape": [1, "frames"] } }, "weights": { "gain": [0.5] },
      "graph": { "dst": "'gain' * src + 0 * lookahead(src, 30)" }, "outputs": ["dst"] }
    """

  /// Else its first frames would be compared with targets while it is silent.
  @Test func aWarmUpIsAsLongAsAModelIsLate() throws {
    let sound = (0..<200).map { Float($0 % 7) - 3 }
    func loss(warmup: Int) throws -> Double {
      let task = TrainingTask(loss: "mse(dst, target)", window: 50, warmup: warmup, batch: 2)
      let pairs = try AudioPairs(
        [.init(input: [sound], target: [sound.map { 0.5 * $0 }])], task, latency: 30)
      return try Trainer(Model(Self.late), task, optimizer: .sgd(rate: 1)).evaluate(pairs)["loss"]!
    }
    #expect(try loss(warmup: 30) == 0)
    #expect(
      refusal { _ = try loss(warmup: 29) }
        == "Late: what comes out is late by 30 frames, and after a warm-up of 29 the first ones of a window would be judged "
        + "while it is silent: it wants a warm-up of 30 or more, by --warmup or in the file's \"train\"")
  }

  /// At a rate of 0 a model is only judged, and need not be able to learn.
  @Test func aModelWithoutWeightsIsJudged() throws {
    let steps = """
      { "legato": 1, "name": "Double", "clock": "step", "inputs": { "x": { "shape": [2] } },
        "graph": { "y": "2 * x" }, "outputs": ["y"] }
      """
    let stream = """
      { "legato": 1, "name": "Double", "inputs": { "x": { "shape": [1, "frames"] } },
        "graph": { "y": "2 * x" }, "outputs": ["y"] }
      """
    for text in [steps, stream] {
      let task = TrainingTask(loss: "mse(y, target)", window: 2, warmup: 0, batch: 2)
      let trainer = try Trainer(Model(text), task, optimizer: .sgd(rate: 0))
      var batch = Batch()
      batch.add(["x": [1, 2], "target": [2, 3]])
      batch.add(["x": [0, 3], "target": [0, 6]])
      #expect(try trainer.evaluate(batch) == ["loss": 0.25] && trainer.learned.isEmpty)
      #expect(
        refusal { _ = try Trainer(Model(text), task, optimizer: .sgd(rate: 1)) }
          == "Double: the model has none of its own that learn")
    }
  }

  /// A metric that is new in the middle of an epoch is the mean of the batches that are left; one that was before is gone.
  @Test func scoresOfAPartCountByTheirNames() throws {
    var (losses, offs): ([Double], [Double]) = ([], [])
    let whole = try trainer()
    try whole.fit(Plane(), epochs: 1) { progress in
      if progress.validation == nil {
        losses.append(progress.scores["loss"]!)
        offs.append(progress.scores["off"]!)
      }
      return .goOn
    }
    let first = try trainer()
    var tally = Trainer.Tally()
    try first.fit(Plane(), epochs: 1) {
      tally = $0.tally
      return $0.position.batch == 2 ? .stop : .goOn
    }
    (tally.sums["off"], tally.sums["gone"]) = (nil, .init(total: 10, count: 2))
    var last: [String: Double] = [:]
    try first.fit(
      Plane(), epochs: 1, from: .init(epoch: 1, batch: 2), tally: tally
    ) { progress in
      last = progress.scores
      return .goOn
    }
    #expect(last.keys.sorted() == ["loss", "off"] && abs(last["loss"]! - losses[5]) < 1e-9)
    // The means until a batch, so often as there are batches, are sums; the last one of six is half full.
    #expect(abs(last["off"]! - (5.5 * offs[5] - 2 * offs[1]) / 3.5) < 1e-9)
  }

  @Test func memoryIsKnownAndLimited() throws {
    let trainer = try trainer()
    #expect(trainer.memory > 0)
    let one = { try Trainer(Model(Self.line), Self.task, optimizer: .adamW(rate: 1), mostMemory: $0) }
    #expect(try one(trainer.memory).memory == trainer.memory)
    #expect(throws: TrainingError.memory(needed: trainer.memory, allowed: trainer.memory - 1)) {
      _ = try one(trainer.memory - 1)
    }
  }

  @Test func whatWasLearnedIsWritten() throws {
    let folder = try TemporaryFolder()
    try Self.line.write(toFile: folder("line.json"), atomically: true, encoding: .utf8)
    let trainer = try Trainer(
      Model(contentsOf: folder("line.json")), Self.task, optimizer: .adamW(rate: 0.05))
    try trainer.fit(Plane(), epochs: 200)
    try trainer.export(to: folder("out.json"))
    try trainer.export(to: folder("out.onnx"), outputs: ["y"])
    for name in ["out.json", "out.onnx"] {
      var runner = try StepRunner(Model(contentsOf: folder(name)).compilation())
      let y = try runner.step(["x": Tensor([0.5, 0.25])])["y"]!
      #expect(abs(y.values[0] - 0.75) < 0.01)
    }
    #expect(refusal { try trainer.export(to: folder("out.onnx"), outputs: ["z"]) }.contains("no output 'z'"))
    #expect(refusal { try trainer.export(to: folder("out.wav")) }.contains("is written to a .json file"))
    #expect(refusal { try trainer.export(to: folder("none/out.json")) }.contains("none"))
  }

  /// The section of a model file that says how it learns.
  @Test func aTaskIsStatedInTheFile() throws {
    let model = try Model(
      """
      { "legato": 1, "name": "F", "inputs": { "src": { "shape": ["channels", "frames"] } }, "weights": { "a": [1] },
        "graph": { "dst": "src * 'a'" }, "outputs": ["dst"],
        "train": { "targets": { "wet": { "shape": ["channels", "frames"] } }, "loss": "mse(dst, wet)",
          "metrics": { "off": "mae(dst, wet)", "odd": "sum(dst * wet, axis: 9)" }, "trainable": ["a*"],
          "optimizer": { "sgd": { "rate": 0.5, "momentum": 0.25, "nesterov": true, "decay": 0.125, "clip": 2,
            "schedule": { "steps": { "every": 10, "factor": 0.5 } } } },
          "window": 480, "warmup": 0, "chunk": 48, "batch": 4, "epochs": 7, "patience": 3, "validate": 0.2 } }
      """)
    var task = try TrainingTask(of: model, extents: ["channels": 2])
    #expect(task.loss == "mse(dst, wet)" && task.metrics["off"] == "mae(dst, wet)")
    #expect(task.targets == ["wet": [2, 480]] && task.trainable == ["a*"])
    #expect((task.window, task.warmup, task.chunk, task.batch) == (480, 0, 48, 4))
    #expect(try TrainingTask(of: model, extents: ["channels": 1], window: 96).targets == ["wet": [1, 96]])
    let optimizer = Optimizer(of: model)
    #expect(
      optimizer
        == Optimizer(
          .sgd(momentum: 0.25, nesterov: true), rate: 0.5, decay: 0.125, largestNorm: 2,
          schedule: .steps(every: 10, factor: 0.5)))
    let plan = TrainingPlan(of: model)
    #expect((plan.epochs, plan.patience, plan.validate) == (7, 3, 0.2))
    #expect(
      refusal { _ = try TrainingTask(of: model) }.hasPrefix("model:3:46: 'channels' in the shape of 'wet'"))
    // What only ops know is said with its place, too.
    let wrong = refusal { _ = try Trainer(model, task, optimizer: optimizer, extents: ["channels": 2]) }
    #expect(wrong.hasPrefix("model:4:49: 'odd', 'sum(dst * wet, axis: 9)': "), "\(wrong)")
    task.metrics["odd"] = nil
    #expect(try Trainer(model, task, optimizer: optimizer, extents: ["channels": 2]).learned == ["a"])
    #expect(Optimizer(of: try Model(Self.line)) == .adamW(rate: 0.003))
    #expect(try TrainingTask(of: Model(Self.line)).loss == "mse(y, target)")
  }

  @Test func soundsAreRefusedInWords() throws {
    #expect(
      refusal { _ = try AudioPairs.Pair(input: [[1, 2]], target: [[1]]) }
        == "a sound and its target have the same length; these have 2 and 1 frames")
    let short = try AudioPairs.Pair(input: [[1, 2]], target: [[1, 2]])
    #expect(
      refusal { _ = try AudioPairs([short], TrainingTask(window: 3)) }
        == "a window has 3 frames, and no sound is so long; the longest has 2")
  }
}
