// SPDX-License-Identifier: Apache-2.0

import Foundation
import Legato
import LegatoTraining
import TestEquipment
import Testing

/// The files of ONNX Runtime's training, as `Tests/ONNX/make-training.py` made them: the network and its weights are read,
/// and learning comes to its losses.
@Suite struct ONNXRuntimeTests {
  private static let folder =
    PackageFiles.folder.appending(
      path: "Tests/Training/LegatoTrainingTests/reference/onnxruntime"
    ).path() + "/"

  private func copy(_ names: String...) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    for name in names {
      try FileManager.default.copyItem(atPath: Self.folder + name, toPath: folder.path + "/" + name)
    }
    return folder
  }

  /// A loss of ONNX Runtime is a mean over the batch, as ours.
  @Test(
    "steps of AdamW come to ONNX Runtime's losses", arguments: ["", "eval_model.onnx", "training_model.onnx"])
  func losses(file: String) throws {
    let model = try Model(contentsOf: Self.folder + file, extents: ["batch": 1])
    #expect(model.inputs.map(\.name) == ["x"] && model.outputs == ["scores"])
    var task = try TrainingTask(of: model)
    #expect(task.loss == "crossEntropy(scores, labels)" && task.targets == ["labels": [1]])
    #expect(task.trainable == ["classifier.weight", "classifier.bias"])
    task.batch = 4
    #expect(Optimizer(of: model) == .init(.adamWOfONNXRuntime(), rate: 0.001))
    let trainer = try Trainer(model, task, optimizer: Optimizer(of: model))
    let steps = try TensorArchive(contentsOf: Self.folder + "steps.npz")
    let (x, labels, losses) = (try steps.tensor("x"), try steps.tensor("labels"), try steps.tensor("losses"))
    var batch = Batch()
    for row in 0..<4 {
      batch.add(["x": Array(x.values[row * 64..<row * 64 + 64]), "labels": [labels.values[row]]])
    }
    for wanted in losses.values.dropLast() {
      let loss = try #require(try trainer.train(batch)["loss"])
      #expect(abs(loss - wanted) < 1e-6 * wanted, "\(loss), not \(wanted)")
    }
    let last = try #require(try trainer.evaluate(batch)["loss"])
    #expect(abs(last - losses.values.last!) < 1e-6 * last)
    // A checkpoint that was saved there behind the last step has the weights that are here.
    let after = try copy("eval_model.onnx", "after")
    try FileManager.default.moveItem(atPath: after.path + "/after", toPath: after.path + "/checkpoint")
    let other = try Model(contentsOf: after.path, extents: ["batch": 1])
    let fresh = try Trainer(other, TrainingTask(of: other), optimizer: .sgd(rate: 0))
    for name in trainer.learned {
      let (own, theirs) = (trainer.weights(named: name)!.values, fresh.weights(named: name)!.values)
      #expect(zip(own, theirs).allSatisfy { abs($0 - $1) < 1e-6 }, "\(name)")
    }
  }

  @Test("numbers of the optimizer are in the ranges of model files") func optimizer() throws {
    let folder = try copy("eval_model.onnx", "checkpoint", "optimizer_model.onnx")
    let place = URL(filePath: folder.path + "/optimizer_model.onnx")
    let whole = try Data(contentsOf: place)
    func bytes(_ number: Float) -> [UInt8] {
      (0..<4).map { UInt8(truncatingIfNeeded: number.bitPattern >> (8 * $0)) }
    }
    for (number, text) in [(Float.nan, "nan"), (1, "1.0"), (-0.5, "-0.5")] {
      var changed = whole
      changed.replaceSubrange(try #require(whole.firstRange(of: bytes(0.9))), with: bytes(number))
      try changed.write(to: place)
      let error = #expect(throws: ModelError.self) {
        try Model(contentsOf: folder.path, extents: ["batch": 1])
      }
      #expect(
        "\(error!)".hasSuffix(
          "the file 'optimizer_model.onnx' has a 'beta1' of \(text); it is 0 to 0.999999"))
    }
  }

  @Test("files that are missing are named") func missing() throws {
    for file in ["eval_model.onnx", "training_model.onnx"] {
      let folder = try copy(file, "optimizer_model.onnx")
      let error = #expect(throws: ModelError.self) { try Model(contentsOf: "\(folder.path)/\(file)") }
      let reason =
        "is a network of ONNX Runtime's training, whose weights are in the file 'checkpoint' beside it"
      #expect("\(error!)".contains("\(file): \(reason)"), "\(error!)")
    }
    let folder = try copy("eval_model.onnx", "checkpoint")
    let model = try Model(contentsOf: folder.path, extents: ["batch": 1])
    let note = "the optimizer, as optimizer_model.onnx is not there: AdamW at a rate of 0.003 is taken"
    #expect(model.noteOnImport?.contains(note) == true, "\(model.noteOnImport ?? "")")
    #expect(Optimizer(of: model) == .adamW(rate: 0.003))
    #expect(try Model(contentsOf: Self.folder).noteOnImport?.contains("AdamW at") == false)
  }

  @Test("a checkpoint that is damaged, or of another network, is refused in a line") func damage() throws {
    let folder = try copy("eval_model.onnx", "checkpoint")
    let place = folder.path + "/checkpoint"
    let whole = [UInt8](try #require(FileManager.default.contents(atPath: place)))
    func refusal(_ bytes: [UInt8]) throws -> String {
      try Data(bytes).write(to: URL(filePath: place))
      do {
        _ = try Model(contentsOf: folder.path, extents: ["batch": 1])
        return ""
      } catch {
        return "\(error)"
      }
    }
    #expect(try refusal(whole) == "")
    for count in stride(from: 8, to: whole.count, by: 7) {
      let said = try refusal(Array(whole.prefix(count)))
      #expect(!said.isEmpty && !said.contains("\n"), "\(count) bytes: \(said)")
    }
    var random = SplitMix(seed: 5)
    for _ in 0..<2000 {
      var bytes = whole
      for _ in 0..<3 { bytes[8 + Int(random.next() % UInt64(whole.count - 8))] = UInt8(random.next() & 0xFF) }
      _ = try refusal(bytes)
    }
    let nominal = [UInt8](try #require(FileManager.default.contents(atPath: Self.folder + "nominal")))
    #expect(
      try refusal(nominal).hasSuffix(
        "'checkpoint' is a nominal one, with names and no numbers: the full one has them"))
    // The extents of the first tensor of the list, features.0.bias [12].
    var lying = whole
    let twelve = lying.indices.dropLast(16).first {
      Array(lying[$0..<$0 + 12]) == [1, 0, 0, 0, 12, 0, 0, 0, 0, 0, 0, 0]
    }!
    lying[twelve + 4] = 13
    #expect(try refusal(lying).contains("says that 'features.0.bias' is [13], and has other numbers of it"))
  }
}
