// SPDX-License-Identifier: Apache-2.0

import Foundation
import GraphIR
import ModelFiles
import TensorFiles
import TestEquipment
import Testing

/// Models whose weights are cut off and mutated, in their own text and in a file: read or refused with a place.
///
/// `LEGATO_MUTATIONS=10000` tries as many of each kind.
@Suite(.timeLimit(.minutes(30))) struct DamagedWeightsTests {
  private static let mutations =
    ProcessInfo.processInfo.environment["LEGATO_MUTATIONS"].flatMap { Int($0) } ?? 300

  private static let text = """
    { "legato": 1, "name": "Test", "inputs": { "src": { "shape": [1, "frames"] } },
      "weights": {
        "conv": [[[1, -2.5e-3, 3]], [[4, 5, 6]]], "bias": [0.5, -0.5], "one": 7,
        "file": "amp.safetensors", "level": "amp.safetensors:out.gain" },
      "graph": { "dst": "'level' * 'one' * sum(dense(conv1d(src, 'conv', 'bias'), 'head'), axis: 0)" },
      "outputs": ["dst"] }
    """

  private static let file: [UInt8] = {
    let tensors = [
      Weights(name: "head", shape: [2, 2], values: [1, 2, 3, 4]),
      Weights(name: "out.gain", shape: [1], values: [0.5]),
    ]
    return (try? TensorFileText(tensors, metadata: ["format": "pt"]).bytes) ?? []
  }()

  /// The messages, each on one line and with a place; [] for a model that is read.
  private func messages(text: [UInt8] = Array(text.utf8), file: [UInt8] = file) -> [String] {
    let files = UsedFiles([:], tensors: ["amp.safetensors": file])
    do throws(Diagnostics) {
      let document = try ModelDocument.decode(text, file: "m")
      let model = ComposedModel(ModelFamily(document, identity: [], reader: files.reader))
      try model.checkUses()
      _ = try Graph(importing: model, sampleRate: 48_000)
      return []
    } catch {
      return error.all.map(\.description)
    }
  }

  private func hasPlace(_ line: String) -> Bool {
    line.wholeMatch(of: /m:[1-9][0-9]*:[1-9][0-9]*: .+/) != nil
  }

  @Test func whatIsWholeIsRead() { #expect(messages() == []) }

  @Test func theTextIsCutAtEveryByte() {
    let whole = Array(Self.text.utf8)
    for length in whole.indices {
      let lines = messages(text: Array(whole[..<length]))
      #expect(lines.count == 1 && lines.allSatisfy(hasPlace), "cut to \(length) bytes: \(lines)")
    }
  }

  @Test func theFileIsCutAtEveryByte() {
    for length in Self.file.indices {
      let lines = messages(file: Array(Self.file[..<length]))
      #expect(!lines.isEmpty && lines.allSatisfy(hasPlace), "cut to \(length) bytes: \(lines)")
      #expect(lines.allSatisfy { $0.contains("'amp.safetensors'") }, "cut to \(length) bytes: \(lines)")
    }
  }

  @Test(arguments: ["text", "file"]) func mutated(part: String) {
    let whole = part == "text" ? Array(Self.text.utf8) : Self.file
    var random = SplitMix(seed: 7)
    var refused = 0
    for round in 0..<Self.mutations {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...3, using: &random) { random.damage(&bytes) }
      let lines = part == "text" ? messages(text: bytes) : messages(file: bytes)
      #expect(lines.allSatisfy(hasPlace), "round \(round): \(lines)")
      refused += lines.isEmpty ? 0 : 1
    }
    #expect(refused > Self.mutations / 3, "mutations are hardly noticed")
  }
}
