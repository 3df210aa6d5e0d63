// SPDX-License-Identifier: Apache-2.0

import Foundation
import Legato
import TestEquipment
import Testing

@testable import LegatoTraining

/// The digest of a checkpoint.
@Suite struct CheckpointDigestTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func trainer(_ optimizer: Optimizer) throws -> Trainer {
    let model = try Model(
      TrainerTests.line.replacing("[[0, 0]]", with: "[[0.5, -2]]").replacing("[0] }", with: "[0.25] }"))
    return try Trainer(model, TrainerTests.task, optimizer: optimizer)
  }

  /// The length of the header, which stands in the first bytes.
  private func header(_ bytes: [UInt8]) -> Range<Int> {
    8..<8 + bytes[..<8].reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  private func refusal(_ bytes: [UInt8], by trainer: Trainer) throws -> String? {
    try Data(bytes).write(to: URL(filePath: folder("c")))
    do throws(TrainingError) {
      try trainer.resume(from: folder("c"))
      return nil
    } catch { return error.description.replacing(folder("c"), with: "c") }
  }

  @Test func eachBitOfTheNumbersCounts() throws {
    let trainer = try trainer(.adamW(rate: 0.05))
    var batch = Batch()
    for index in 0..<4 { batch.add(TrainerTests.Plane().item(index)) }
    _ = try trainer.train(batch)
    let best = try ["w": #require(trainer.weights(named: "w")), "b": #require(trainer.weights(named: "b"))]
    let bytes = try trainer.checkpoint(properties: ["epoch": "2"], best: best).bytes
    #expect(try refusal(bytes, by: trainer) == nil)
    let begin = header(bytes).upperBound
    #expect(bytes.count - begin == 4 * 3 * 4)
    for place in begin..<bytes.count {
      for bit in 0..<8 {
        var damaged = bytes
        damaged[place] ^= 1 << UInt8(bit)
        let flaw = try #require(try refusal(damaged, by: trainer), "bit \(bit) of byte \(place)")
        #expect(flaw.contains("'c'") && !flaw.contains("\n"), "\(flaw)")
      }
    }
    var damaged = bytes
    damaged[begin] ^= 1
    #expect(
      try refusal(damaged, by: trainer)
        == "the tensor 'w' of 'c' is not as it was written: the checkpoint is damaged; take a copy of it, or begin anew"
    )
  }

  /// Those of a separate program that follows the same two formulas.
  @Test func itStaysWhatItIs() throws {
    let bytes = try trainer(.sgd(rate: 1)).checkpoint(properties: ["note": "here"]).bytes
    let text = String(decoding: bytes[header(bytes)], as: UTF8.self)
    #expect(text.contains(#""digest":"d1df56ae69aa9952 997b892cb011f84 fde9fcdbf80e9860""#), "\(text)")
  }

  @Test func textsCountAndAFileWithoutOneIsRead() throws {
    let trainer = try trainer(.sgd(rate: 1))
    let bytes = try trainer.checkpoint(properties: ["note": "here"]).bytes
    let text = String(decoding: bytes[header(bytes)], as: UTF8.self)
    func file(_ text: String) -> [UInt8] {
      precondition(text.utf8.count == header(bytes).count)
      return bytes[..<8] + Array(text.utf8) + bytes[header(bytes).upperBound...]
    }
    let flaw = try refusal(file(text.replacing("here", with: "hare")), by: trainer)
    #expect(
      flaw
        == "'c' has texts that are not as it was written: the checkpoint is damaged; take a copy of it, or begin anew"
    )
    let stated = try #require(text.firstMatch(of: /"digest":"[^"]*",/)).0
    let without = text.replacing(stated, with: "") + String(repeating: " ", count: stated.utf8.count)
    let old = without.replacing("\"format\":\"2\"", with: "\"former\":\"1\"")
    #expect(try refusal(file(old), by: trainer) == nil)
    // Damage of the digest's name lets nothing else pass.
    for damaged in [without, text.replacing("digest", with: "digesu")] {
      #expect(
        try refusal(file(damaged), by: trainer)?.hasPrefix("'c' has texts that are not as it was") == true)
    }
    #expect(try refusal(file(text.replacing("format", with: "formau")), by: trainer) != nil)
    let short = try #require(text.firstMatch(of: /"digest":"[0-9a-f]+/)).0
    let other =
      text.replacing(short, with: #""digest":""#) + String(repeating: " ", count: short.utf8.count - 10)
    #expect(
      try refusal(file(other), by: trainer)?.hasPrefix("the tensor 'w' of 'c' is not as it was") == true)
  }
}
