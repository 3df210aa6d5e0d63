// SPDX-License-Identifier: Apache-2.0

import Foundation
import Legato
import TestEquipment
import Testing

@testable import LegatoTraining

/// The numbers that functions bring, such as windows, cosines and bands, are no weights of a model.
@Suite struct FunctionNumbersTests {
  private static func text(_ graph: String) -> String {
    """
    { "legato": 1, "name": "Spectra", "clock": "step", "inputs": { "x": { "shape": [512] } },
      "weights": { "w": [[0.1, 0, 0, 0, 0, 0, 0, 0], [0, 0.1, 0, 0, 0, 0, 0, 0]], "b": [0, 0] },
      "graph": { "bands": "\(graph)", "scores": "dense(bands, 'w', 'b')" }, "outputs": ["scores"] }
    """
  }

  /// Tones of two kinds.
  private struct Tones: Dataset {
    let count = 8
    func item(_ index: Int) -> [String: [Float]] {
      let hertz = index % 2 == 0 ? Float(300) : 3000
      let level = 0.1 * Float(1 + index)
      return [
        "x": (0..<512).map { level * sin(2 * .pi * hertz * Float($0) / 16_000) },
        "target": [Float(index % 2)],
      ]
    }
  }

  @Test(arguments: [
    "mean(logMel(x, 128, mels: 8, rate: 16000), axis: 1)",
    "mean(mfcc(x, 128, count: 8, mels: 16, rate: 16000), axis: 1)",
    "mean(slice(spectrogram(x, 128), axis: 0, start: 0, count: 8), axis: 1)",
  ])
  func onlyItsOwnLearn(_ graph: String) throws {
    let folder = try TemporaryFolder()
    try Data(Self.text(graph).utf8).write(to: URL(filePath: folder("spectra.json")))
    let model = try Model(contentsOf: folder("spectra.json"))
    let task = TrainingTask(loss: "crossEntropy(scores, target)", targets: ["target": []], batch: 4)
    let trainer = try Trainer(model, task, optimizer: .adamW(rate: 0.01))
    #expect(trainer.learned == ["w", "b"])
    try trainer.fit(Tones(), epochs: 5)
    let learned = try trainer.evaluate(Tones())
    try trainer.export(to: folder("out.json"))
    #expect(Set(try TensorArchive(contentsOf: folder("out.safetensors")).names) == ["w", "b"])
    let again = try Trainer(Model(contentsOf: folder("out.json")), task, optimizer: .adamW(rate: 0.01))
    #expect(try again.evaluate(Tones()) == learned)
    var wrong = task
    wrong.trainable = ["*hann*", "nosuch"]
    #expect { try Trainer(model, wrong, optimizer: .sgd(rate: 1)) } throws: {
      "\($0)".hasSuffix("there are 'w', 'b'")
    }
  }

  /// The weights of a model that is used are not the file's own; all of its own are written, taps that a function turns
  /// around among them.
  @Test func partsStay() throws {
    let folder = try TemporaryFolder()
    let stream = #""legato": 1, "inputs": { "src": { "shape": [1, "frames"] } }, "outputs": ["dst"]"#
    try Data(
      #"{ \#(stream), "weights": { "size": [0.5] }, "graph": { "dst": "'size' * src" } }"#.utf8
    ).write(to: URL(filePath: folder("part.json")))
    try Data(
      """
      { \(stream), "weights": { "gain": [0.1], "taps": [0.5, 0.25, 0.125] },
        "graph": { "dst": "'gain' * fir(model('part.json', src), 'taps')" } }
      """.utf8
    ).write(to: URL(filePath: folder("outer.json")))
    let task = TrainingTask(window: 64, warmup: 0, batch: 1)
    let trainer = try Trainer(Model(contentsOf: folder("outer.json")), task, optimizer: .sgd(rate: 0.1))
    #expect(Set(trainer.learned) == ["gain", "taps"])
    try trainer.export(to: folder("out.json"))
    #expect(Set(try TensorArchive(contentsOf: folder("out.safetensors")).names) == ["gain", "taps"])
    _ = try Model(contentsOf: folder("out.json")).compile()
  }
}
