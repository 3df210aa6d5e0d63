// SPDX-License-Identifier: Apache-2.0

import Foundation
import GraphIR
import Legato
import LegatoTraining
import TestEquipment
import Testing

/// A run from the request to the best weights, as a program has it that embeds the library.
@Suite struct TrainingSessionTests {
  /// Points of a plane, a few of them far from it.
  private struct Plane: Dataset {
    var count = 40
    var noise: Float = 0

    func item(_ index: Int) -> [String: [Float]] {
      let x = [Float(index % 5) / 4, Float(index % 7) / 6]
      return ["x": x, "target": [2 * x[0] - 3 * x[1] + (index % 3 == 0 ? noise : 0)]]
    }
  }

  private static func model() throws -> Model {
    try Model(
      """
      { "legato": 1, "name": "Line", "clock": "step", "inputs": { "x": { "shape": [2] } },
        "weights": { "w": [[0.5, 0.5]] }, "graph": { "y": "dense(x, 'w')" }, "outputs": ["y"] }
      """)
  }

  private static func setup(
    _ data: Plane = Plane(), _ change: (inout TrainingRequest) -> Void = { _ in }
  ) throws -> TrainingSetup {
    var request = TrainingRequest(examples: data)
    (request.batch, request.epochs, request.rate, request.loss) = (8, 5, 0.05, "mse(y, target)")
    change(&request)
    return try TrainingSetup(of: model(), request)
  }

  @Test func theBestEpochIsKept() throws {
    let session = try TrainingSession(Self.setup { $0.epochs = 60 })
    var events: [String] = []
    let end = try session.run { event in
      switch event {
      case .judged: events.append("judged")
      case .batch(let now, let left):
        #expect(left >= 0 && now.batches == 5)
      case .epoch(let now): events.append("epoch \(now.position.epoch)")
      }
      return .goOn
    }
    #expect(end == .complete && session.epochs.count == 60 && session.position.epoch == 61)
    #expect(events == ["judged"] + (1...60).map { "epoch \($0)" })
    let losses = session.epochs.map { $0.validation["loss"]!! }
    #expect(session.best.loss == losses.min() && losses[session.best.epoch - 1] == session.best.loss)
    #expect(try session.restoreBest())
    #expect(try session.trainer.judged(session.setup.held).scores["loss"] == session.best.loss)
    let found = try #require(session.trainer.weights(named: "w")).values
    #expect(abs(found[0] - 2) < 0.1 && abs(found[1] + 3) < 0.1, "\(found)")
  }

  /// Wherever a run is ended, it comes to the bits of one that was not.
  @Test(arguments: [1, 3, 7, 12, 20]) func aRunGoesOn(batch: Int) throws {
    let folder = try TemporaryFolder()
    let whole = try TrainingSession(Self.setup())
    try whole.run()
    var options = TrainingSession.Options()
    options.checkpoint = folder.path + "/run.safetensors"
    let first = try TrainingSession(Self.setup(), options)
    var batches = 0
    let end = try first.run { event in
      guard case .batch = event else { return .goOn }
      batches += 1
      return batches == batch ? .stop : .goOn
    }
    #expect(end == .stopped)
    options.resumes = true
    let second = try TrainingSession(Self.setup(), options)
    #expect(second.position == first.position && second.epochs.count == first.epochs.count)
    #expect(try second.run() == .complete)
    #expect(second.epochs.map(\.validation) == whole.epochs.map(\.validation))
    #expect(second.epochs.map(\.scores) == whole.epochs.map(\.scores))
    #expect(second.best.epoch == whole.best.epoch)
    #expect(try whole.restoreBest() && second.restoreBest())
    #expect(second.trainer.weights(named: "w")?.values == whole.trainer.weights(named: "w")?.values)
    // The same session goes on, too.
    #expect(try first.run() == .complete)
    #expect(try first.restoreBest())
    #expect(first.trainer.weights(named: "w")?.values == whole.trainer.weights(named: "w")?.values)
  }

  /// Who writes the best in between goes on from where the run was, not from the best.
  @Test func aRunGoesOnBehindTheBest() throws {
    let noisy = Plane(noise: 3)
    let whole = try TrainingSession(Self.setup(noisy) { $0.epochs = 30 })
    try whole.run()
    let session = try TrainingSession(Self.setup(noisy) { $0.epochs = 30 })
    var (bests, batches) = ([Double](), 0)
    while true {
      let end = try session.run { event in
        switch event {
        case .judged: return .goOn
        case .batch:
          batches += 1
          return batches % 13 == 0 ? .stop : .goOn
        case .epoch:
          if try session.restoreBest() {
            bests.append(try session.trainer.judged(session.setup.held).scores["loss"]!)
            #expect(bests.last == session.best.loss)
          }
          return .goOn
        }
      }
      if end == .complete { break }
      _ = try session.restoreBest()
    }
    #expect(bests.count == 30 && bests == bests.sorted(by: >))
    #expect(session.epochs.map(\.scores) == whole.epochs.map(\.scores))
    #expect(session.epochs.map(\.validation) == whole.epochs.map(\.validation))
  }

  @Test func whoStopsBeforehandLearnsNothing() throws {
    let session = try TrainingSession(Self.setup())
    let before = session.trainer.weights(named: "w")?.values
    #expect(try session.run { _ in .stop } == .stopped)
    #expect(session.trainer.weights(named: "w")?.values == before && session.position == .start)
    #expect(try !session.restoreBest())
  }

  @Test func aCheckpointTakesNoOtherPlace() throws {
    let folder = try TemporaryFolder()
    try folder.make(
      "line.json",
      """
      { "legato": 1, "name": "Line", "clock": "step", "inputs": { "x": { "shape": [2] } },
        "weights": { "w": [[0.5, 0.5]] }, "graph": { "y": "dense(x, 'w')" }, "outputs": ["y"] }
      """)
    let setup = try TrainingSetup(
      of: Model(contentsOf: folder("line.json")), TrainingRequest(examples: Plane()))
    var options = TrainingSession.Options()
    options.checkpoint = folder("line.json")
    #expect(throws: RequestError.self) { try TrainingSession(setup, options) }
    options.checkpoint = folder("none/run.safetensors")
    #expect(throws: TrainingError.self) { try TrainingSession(setup, options) }
    options.checkpoint = nil
    options.resumes = true
    #expect(throws: RequestError.self) { try TrainingSession(setup, options) }
    #expect(try folder.names == ["line.json"])
  }

  @Test func aSessionIsNotRunByWhoeverItTells() throws {
    let session = try TrainingSession(Self.setup())
    try session.run { _ in
      #expect(throws: TrainingError.self) { try session.run() }
      return .goOn
    }
    #expect(session.epochs.count == 5)
  }

  /// The text that was learned from is written, whatever has become of the file, and where there was none.
  @Test func theTextThatWasReadIsWritten() throws {
    let folder = try TemporaryFolder()
    let text = """
      { "legato": 1, "name": "Line", // by hand
        "clock": "step", "inputs": { "x": { "shape": [2] } }, "weights": { "w": [[0.5, 0.5]] },
        "graph": { "y": "dense(x, 'w')" }, "outputs": ["y"] }
      """
    try folder.make("line.json", text)
    var request = TrainingRequest(examples: Plane())
    request.epochs = 2
    for model in [try Model(contentsOf: folder("line.json")), try Model(text)] {
      let session = try TrainingSession(TrainingSetup(of: model, request))
      try folder.make("line.json", text.replacing("dense(x, 'w')", with: "3 * dense(x, 'w')"))
      try session.run()
      _ = try session.restoreBest()
      try session.trainer.export(to: folder("learned.json"))
      let learned = try folder.text("learned.json")
      #expect(learned.contains("// by hand") && learned.contains(#""y": "dense(x, 'w')""#), "\(learned)")
      _ = try Model(contentsOf: folder("learned.json")).compilation()
    }
  }

  @Test func modelsOfTextChangeExamples() throws {
    var options = TrainingSession.Options()
    options.augmentation = try Model(
      #"{ "legato": 1, "name": "Half", "clock": "step", "inputs": { "x": { "shape": [2] } }, "graph": { "y": "x / 2" }, "outputs": ["y"] }"#
    )
    let folder = try TemporaryFolder()
    options.checkpoint = folder("run.safetensors")
    #expect(try TrainingSession(Self.setup(), options).run() == .complete)
    options.resumes = true
    _ = try TrainingSession(Self.setup(), options)
    options.augmentation = try Model(
      #"{ "legato": 1, "name": "Half", "clock": "step", "inputs": { "x": { "shape": [2] } }, "graph": { "y": "x / 3" }, "outputs": ["y"] }"#
    )
    #expect(throws: RequestError.self) { try TrainingSession(Self.setup(), options) }
  }

  /// Points of three classes.
  private struct Clouds: Dataset {
    let count = 60

    func item(_ index: Int) -> [String: [Float]] {
      let label = index % 3
      return ["x": [Float(label), Float(index % 5) / 10], "target": [Float(label)]]
    }
  }

  @Test func ownClassesTakeANewLayer() throws {
    let model = try Model(
      """
      { "legato": 1, "name": "Clouds", "clock": "step", "inputs": { "x": { "shape": [2] } },
        "weights": { "head.weight": [[0, 0], [0, 0]], "head.bias": [0, 0] },
        "graph": { "scores": "dense(x, 'head.weight', 'head.bias')" },
        "outputs": [{ "name": "scores", "labels": ["a", "b"] }] }
      """)
    var request = TrainingRequest(examples: Clouds())
    (request.replacedLayer, request.labels) = (.init("head", count: 3), ["low", "middle", "high"])
    (request.rate, request.epochs) = (0.3, 60)
    let session = try TrainingSession(TrainingSetup(of: model, request))
    #expect(session.setup.task.loss == "crossEntropy(scores, target)")
    try session.run()
    #expect(try session.restoreBest())
    #expect(session.best.confusion?.accuracy == 1)
    #expect(session.setup.model.labels(of: "scores") == ["low", "middle", "high"])
    request.labels = ["low", "high"]
    #expect(throws: TrainingError.self) { try TrainingSession(TrainingSetup(of: model, request)) }
  }

  @Test func patienceEndsARun() throws {
    // What lies beside the plane keeps the loss from falling for ever.
    let session = try TrainingSession(Self.setup(Plane(noise: 3)) { ($0.epochs, $0.patience) = (1000, 3) })
    #expect(try session.run() == .noBetter)
    #expect(session.epochs.count == session.best.epoch + 3)
    #expect(try session.run() == .noBetter && session.epochs.count == session.best.epoch + 3)
  }

  @Test func otherTermsAreRefused() throws {
    let folder = try TemporaryFolder()
    var options = TrainingSession.Options()
    options.checkpoint = folder.path + "/run.safetensors"
    try TrainingSession(Self.setup(), options).run { _ in .stop }
    options.resumes = true
    func refusal(_ data: Plane = Plane(), _ change: @escaping (inout TrainingRequest) -> Void) -> String {
      do {
        _ = try TrainingSession(Self.setup(data, change), options)
        return ""
      } catch { return "\(error)" }
    }
    #expect(refusal { $0.batch = 4 }.hasSuffix("run.safetensors has batch 8, and not 4"))
    #expect(refusal { $0.seed = 2 }.hasSuffix("has seed 1, and not 2"))
    #expect(refusal { $0.validate = 0.3 }.contains("has validate 0.1"))
    #expect(refusal(Plane(count: 41)) { _ in }.contains("other data, 40 examples"))
    #expect(refusal { $0.epochs = 9 } == "")
    options.checkpoint = folder.path + "/none.safetensors"
    #expect(refusal { _ in }.contains("does not exist"))
  }

  @Test func requestsThatDoNotGoWithTheModelAreRefused() throws {
    func refusal(_ change: @escaping (inout TrainingRequest) -> Void) -> String {
      do {
        _ = try Self.setup(Plane(), change)
        return ""
      } catch { return "\(error)" }
    }
    #expect(refusal { $0.window = 100 } == "window counts frames of a stream; 'Line' is a model of steps")
    #expect(refusal { $0.areAligned = true } == "align goes with a sound and its target, in.wav:out.wav")
    #expect(refusal { $0.validate = 1 }.contains("from 0 to less than 1, and not 1.0"))
    #expect(refusal { $0.validate = .nan }.contains("validate is a share"))
    #expect(refusal { $0.extents = ["time": 3] }.contains("time"))
    #expect(refusal { $0.epochs = .max } == "epochs is a whole number from 1 to 1000000, and not \(Int.max)")
    #expect(refusal { $0.patience = 0 }.hasPrefix("patience is a whole number from 1"))
    #expect(refusal { $0.threads = -1 }.hasPrefix("threads is a whole number from 1"))
    #expect(refusal { $0.data = ["none.npz"] }.hasPrefix("data and examples both say"))
    #expect(refusal { $0.images = ["q": .imageNet] }.hasPrefix("no input is called 'q'"))
    #expect(refusal { $0.examples = Plane(count: -5) }.hasPrefix("examples: there is one at least"))
    #expect(refusal { $0.batch = 0 }.contains("a batch has an example or more"))
    #expect(refusal { ($0.examples, $0.data) = (nil, ["a.wav:b.wav"]) }.contains("is a model of steps"))
  }

  @Test(arguments: [
    Optimizer(.adamW(), rate: .nan), Optimizer(.adamW(), rate: -1),
    Optimizer(.sgd(), rate: 0.1, largestNorm: 0),
    Optimizer(.sgd(), rate: 0.1, schedule: .linear(steps: 0)),
    Optimizer(.sgd(), rate: 0.1, schedule: .warmup(steps: 0)),
  ])
  func oddOptimizersAreRefused(optimizer: Optimizer) throws {
    let setup = try Self.setup()
    #expect(throws: TrainingError.self) { try setup.trainer(optimizer: optimizer) }
  }

  /// A last layer of another size is random: nothing of before is the best.
  @Test func aLayerThatIsReplacedIsNotJudgedBeforehand() throws {
    var request = TrainingRequest(examples: Plane())
    (request.replacedLayer, request.loss) = (.init("w", count: 1), "mse(y, target)")
    request.epochs = 1
    let session = try TrainingSession(TrainingSetup(of: Self.model(), request))
    try session.run { event in
      if case .judged = event { Issue.record("random weights were judged") }
      return .goOn
    }
    #expect(session.best.epoch == 1)
  }
}
