// SPDX-License-Identifier: Apache-2.0

import Foundation
import Legato
import LegatoTraining
import TestEquipment
import Testing

/// Artifacts: a trainer without the model's file comes to the same bits as one with it.
@Suite struct ArtifactsTests {
  private let folder: TemporaryFolder
  private var place: String { folder.path + "/artifacts" }

  init() throws { folder = try TemporaryFolder() }

  private static let models = [
    "classifier": """
    { "legato": 1, "name": "Classifier", "inputs": { "image": { "shape": [1, 4, 4] } }, "clock": "step",
      "weights": { "edges.weight": [[[[1, -1], [0.5, 2]]], [[[-1, 0], [1, 0.25]]]], "edges.bias": [0.1, 0],
        "classifier.weight": [[0.1, -0.2], [0.3, 0]], "classifier.bias": [0, 0] },
      "graph": { "edges": "relu(conv2d(image, 'edges.weight', 'edges.bias'))",
        "scores": "dense(mean(edges, axis: [1, 2]), 'classifier.weight', 'classifier.bias')",
        "right": "softmax(scores)" },
      "outputs": ["scores", "right"],
      "train": { "targets": { "labels": { "shape": [] } }, "loss": "crossEntropy(scores, labels)",
        "metrics": { "right_ones": "topAccuracy(scores, labels)" }, "trainable": ["classifier.*"], "batch": 6,
        "optimizer": { "adamW": { "rate": 0.05, "decay": 0.01, "clip": 1 } } } }
    """,
    "recurrent": """
    { "legato": 1, "name": "Recurrent", "inputs": { "image": { "shape": [4, 4] } }, "clock": "step",
      "parameters": { "gain": { "default": 1, "minimum": 0.5, "maximum": 2, "scale": "logarithmic" } },
      "weights": { "gru.weight": [[0.1, 0.2, 0, 1], [0, 1, 0.5, 0], [1, 0, 0.2, 0]],
        "gru.recurrent": [[0.1], [0.5], [-0.3]], "gru.bias": [0, 0.1, 0] },
      "graph": {
        "y": "gain * gru(image, 'gru.weight', 'gru.recurrent', 'gru.bias', along: \\"positions\\")" },
      "outputs": ["y"],
      "train": { "targets": { "labels": { "shape": [4, 1] } }, "loss": "mse(y, labels)", "batch": 6, "accumulate": 2,
        "trainable": ["gru.*", "gain"], "optimizer": { "sgd": { "rate": 0.1, "momentum": 0.9 } } } }
    """,
  ]

  private func batch(_ trainer: Trainer, seed: UInt64) -> Batch {
    var (random, batch) = (SplitMix(seed: seed), Batch())
    for number in 0..<trainer.task.batch {
      batch.add(
        trainer.shapes.mapValues { shape in
          shape.isEmpty ? [Float(number % 2)] : (0..<shape.reduce(1, *)).map { _ in random.float(-1, 1) }
        })
    }
    return batch
  }

  @Test func anOlderFormIsRead() throws {
    let model = try Model(Self.models["classifier"]!)
    let own = try Trainer(model, TrainingTask(of: model), optimizer: Optimizer(of: model))
    try own.writeArtifacts(to: place)
    for (name, new, old) in [
      ("artifacts.json", "\"artifacts\" : 3", "\"artifacts\" : 2"), ("training.graph", " apart = ", " = "),
    ] {
      let path = "\(place)/\(name)"
      let text = try String(contentsOfFile: path, encoding: .utf8)
      let changed = text.replacing(new, with: old)
      #expect(changed != text)
      try changed.write(toFile: path, atomically: true, encoding: .utf8)
    }
    let read = try Trainer(artifacts: place)
    #expect(try own.train(batch(own, seed: 1)) == read.train(batch(own, seed: 1)))
    #expect(own.weights(named: "classifier.weight") == read.weights(named: "classifier.weight"))
  }

  @Test(
    "steps, updates, evaluations and exports have the same bits as those of the model", arguments: models.keys
  )
  func sameBits(name: String) throws {
    let model = try Model(Self.models[name]!)
    let own = try Trainer(model, TrainingTask(of: model), optimizer: Optimizer(of: model))
    _ = try own.train(batch(own, seed: 1))
    try own.writeArtifacts(to: place)
    let other = try Trainer(artifacts: place)
    #expect(other.updates == 1 && other.learned == own.learned && other.shapes == own.shapes)
    #expect(other.optimizer == own.optimizer && other.parameters == own.parameters)
    #expect(other.task.accumulate == (name == "recurrent" ? 2 : 1))
    for seed in 2..<6 as Range<UInt64> {
      #expect(try own.step(batch(own, seed: seed)) == other.step(batch(own, seed: seed)))
      if seed == 3 {
        own.resetGradients()
        other.resetGradients()
      }
      own.update()
      other.update()
    }
    #expect(own.updates == 4 && other.updates == 4)
    let held = batch(own, seed: 9)
    #expect(try own.evaluate(held) == other.evaluate(held))
    for name in own.learned { #expect(own.weights(named: name) == other.weights(named: name)) }
    #expect(try own.checkpoint().bytes == other.checkpoint().bytes)
    // What is written there again, and by whom, is the same.
    try other.writeArtifacts(to: place, replacesExisting: true)
    #expect(try Trainer(artifacts: place).checkpoint().bytes == own.checkpoint().bytes)
    // Both exported networks compute the same.
    try other.export(to: folder.path + "/other.onnx", outputs: name == "classifier" ? ["right"] : nil)
    try own.export(to: folder.path + "/own.onnx", outputs: name == "classifier" ? ["right"] : nil)
    let image = try Tensor(
      shape: own.shapes["image"]!, values: Array(batch(own, seed: 3).values["image"]!.prefix(16)))
    func run(_ file: String) throws -> [String: Tensor] {
      var runner = try StepRunner(Model(contentsOf: folder.path + "/" + file).compilation())
      return try runner.step(["image": image])
    }
    #expect(try run("own.onnx") == run("other.onnx"))
    #expect(throws: TrainingError.self) { try other.export(to: folder.path + "/other.json") }
  }

  @Test("artifacts in the place of others leave none of their files behind") func replaced() throws {
    let model = try Model(Self.models["classifier"]!)
    var task = try TrainingTask(of: model)
    func names() throws -> Set<String> { Set(try FileManager.default.contentsOfDirectory(atPath: place)) }
    let some = try Trainer(model, task, optimizer: Optimizer(of: model))
    try some.writeArtifacts(to: place)
    let before = try names()
    #expect(before.isSuperset(of: ["features.graph", "frozen.safetensors"]))
    task.trainable = []
    try Trainer(model, task, optimizer: Optimizer(of: model)).writeArtifacts(
      to: place, replacesExisting: true)
    #expect(try names() == before.subtracting(["features.graph"]))
    #expect(try Trainer(artifacts: place).learned.count == 4)
    let other = try Model(Self.models["recurrent"]!)
    try Trainer(other, TrainingTask(of: other), optimizer: Optimizer(of: other)).writeArtifacts(
      to: place, replacesExisting: true)
    #expect(try names() == before.subtracting(["features.graph", "frozen.safetensors"]))
  }

  /// The score behind the loss, as the file has it.
  private static func score(_ name: String) -> String { "\"loss\",\n    \"\(name)\"" }
  private static let score = score("right_ones")

  @Test("what is missing, damaged or lies is named, and nothing is shared that has another size")
  func damage() throws {
    let model = try Model(Self.models["classifier"]!)
    try Trainer(model, TrainingTask(of: model), optimizer: Optimizer(of: model)).writeArtifacts(to: place)
    func text(_ name: String) throws -> String {
      try String(contentsOfFile: "\(place)/\(name)", encoding: .utf8)
    }
    func refusal(_ name: String, _ change: (String) -> String) throws -> String {
      let whole = try text(name)
      let changed = change(whole)
      #expect(changed != whole, "\(name): nothing is changed")
      try changed.write(toFile: "\(place)/\(name)", atomically: true, encoding: .utf8)
      defer { try? whole.write(toFile: "\(place)/\(name)", atomically: true, encoding: .utf8) }
      do {
        _ = try Trainer(artifacts: place)
        return "none"
      } catch {
        return "\(error)"
      }
    }
    for (name, old, new, message) in [
      ("artifacts.json", "\"artifacts\" : 3", "\"artifacts\" : 7", "is of form 7"),
      ("artifacts.json", "\"batch\" : 6", "\"batch\" : 7", "a batch of 7 is not cut into parts of 6"),
      ("artifacts.json", "\"together\" : 6", "\"together\" : 3", "is [6, 2], and is [3, 2]"),
      ("artifacts.json", "\"scores\" : [", "\"stores\" : [", "is damaged"),
      ("artifacts.json", "\"name\" : \"labels\"", "\"name\" : \"image\"", "names stand twice"),
      ("artifacts.json", Self.score, Self.score("classifier.bias"), "names stand twice"),
      ("artifacts.json", Self.score, Self.score("gradient.classifier.bias"), "names stand twice"),
      ("artifacts.json", Self.score, Self.score("class.actual"), "names stand twice"),
      ("artifacts.json", Self.score, Self.score("features.0"), "names stand twice"),
      (
        "artifacts.json", "\"name\" : \"labels\"", "\"name\" : \"gradient.classifier.weight\"",
        "names stand twice"
      ),
      (
        "artifacts.json", "\"name\" : \"classifier.bias\"", "\"name\" : \"class.predicted\"",
        "names stand twice"
      ),
      (
        "artifacts.json", "\"name\" : \"labels\"", "\"name\" : \"next.0\"",
        "'next.0' is a name of what a stream"
      ),
      ("artifacts.json", "\"name\" : \"labels\"", "\"name\" : \"state.0\"", "'state.0' is a name of what"),
      (
        "artifacts.json", "\"learned\" : [",
        "\"learned\" : ["
          + (0..<9).map { "{ \"name\": \"n\($0)\", \"shape\": [4096, 4096] }," }.joined(),
        "what learns has 150994950 numbers; 134217728 are the most"
      ),
      ("artifacts.json", "\"beta1\" : 0.9", "\"beta1\" : 1.5", "the betas of the optimizer"),
      ("artifacts.json", "\"epsilon\" : ", "\"epsilon\" : -", "the betas of the optimizer"),
      ("artifacts.json", "\"largestNorm\" : 1", "\"largestNorm\" : 0", "what the optimizer clips at"),
      ("training.graph", "[6, 2]", "[6, 200]", "training.graph:"),
      ("features.graph", "[1, 1, 4, 4]", "[1, 1, 4, 400]", "features.graph:"),
      ("artifacts.json", "features.0", "features.1", "is not in artifacts.json"),
      ("optimizer.graph", "[32]", "[48]", "the input 'p' is [48], and is [32]"),
      ("training.graph", "output loss = ", "output loss = scores # ", "training.graph:"),
      ("evaluation.graph", "graph \"Classifier\" step", "graph \"Classifier\" stream", "evaluation.graph"),
      ("training.graph", "output loss", "output lost", "none"),
    ] {
      let said = try refusal(name) { $0.replacing(old, with: new, maxReplacements: new == "[48]" ? 100 : 1) }
      #expect(said.contains(message) && !said.contains("\n"), "\(name) \(old) \(new): \(said)")
    }
    for name in try FileManager.default.contentsOfDirectory(atPath: place) {
      let whole = try Data(contentsOf: URL(filePath: "\(place)/\(name)"))
      for count in [0, 1, whole.count / 3, whole.count * 2 / 3] {
        try whole.prefix(count).write(to: URL(filePath: "\(place)/\(name)"))
        #expect(throws: TrainingError.self, "\(name), \(count) bytes") { try Trainer(artifacts: place) }
      }
      try FileManager.default.removeItem(atPath: "\(place)/\(name)")
      #expect(throws: TrainingError.self, "without \(name)") { try Trainer(artifacts: place) }
      try whole.write(to: URL(filePath: "\(place)/\(name)"))
    }
    // A pipe to which nobody writes is not waited for.
    for name in ["artifacts.json", "frozen.safetensors"] {
      try FileManager.default.moveItem(atPath: "\(place)/\(name)", toPath: "\(place)/kept")
      try #require(unsafe mkfifo("\(place)/\(name)", 0o600) == 0)
      let error = #expect(throws: TrainingError.self) { try Trainer(artifacts: place) }
      #expect("\(error!)" == "\(place)/\(name): is no ordinary file")
      try FileManager.default.removeItem(atPath: "\(place)/\(name)")
      try FileManager.default.moveItem(atPath: "\(place)/kept", toPath: "\(place)/\(name)")
    }
    _ = try Trainer(artifacts: place)
    // Nothing is replaced unasked, and a stream has none.
    #expect(throws: TrainingError.self) { try Trainer(artifacts: place).writeArtifacts(to: place) }
    let stream = try Model(
      """
      { "legato": 1, "name": "Gain", "inputs": { "src": { "shape": [1, "frames"] } }, "weights": { "g": [0.5] },
        "graph": { "y": "'g' * src" }, "outputs": ["y"] }
      """)
    let trainer = try Trainer(stream, TrainingTask(loss: "mse(y, target)"), optimizer: .sgd(rate: 1))
    #expect(throws: TrainingError.self) { try trainer.writeArtifacts(to: folder.path + "/no") }
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/no"))
  }
}
