// SPDX-License-Identifier: Apache-2.0

import ModelFiles
import TestEquipment
import Testing

/// A shipped model, cut off and mutated: it is read or refused with a place, and nothing else happens.
@Suite(.timeLimit(.minutes(30))) struct DamagedModelTests {
  @Test func shippedModelsAreFound() { #expect(PackageFiles.shippedModels.contains("bitcrusher.json")) }

  /// Without those that are made of others: a document alone has none.
  private static let models = PackageFiles.shippedModels.filter { name in
    (try? String(decoding: bytes(ofModel: name), as: UTF8.self))?.contains("model('") != true
  }

  /// The first at every byte; of the others each at another third of its bytes.
  @Test(arguments: models.enumerated().map { ($0, $1) })
  func truncatedAtEveryByte(place: Int, name: String) throws {
    let whole = try bytes(ofModel: name)
    let end = try #require(whole.lastIndex(of: UInt8(ascii: "}")))
    let step = place == 0 ? 1 : 3
    for length in Array(stride(from: place % step, to: whole.count, by: step)) + [end, end + 1, whole.count] {
      let lines = messages(about: Array(whole[..<length]), file: "m")
      // All but the last bracket and the white space after it is needed.
      #expect(lines.count == (length <= end ? 1 : 0), "cut to \(length) bytes: \(lines)")
      #expect(lines.allSatisfy(hasPlace), "cut to \(length) bytes: \(lines)")
    }
  }

  @Test(arguments: models, UInt64(0)..<3)
  func mutated(name: String, seed: UInt64) throws {
    let whole = try bytes(ofModel: name)
    var random = SplitMix(seed: seed)
    var refused = 0
    for round in 0..<100 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...3, using: &random) { random.damage(&bytes) }
      let lines = messages(about: bytes, file: "m")
      #expect(lines.allSatisfy(hasPlace), "\(name), seed \(seed), round \(round): \(lines)")
      refused += lines.isEmpty ? 0 : 1
    }
    #expect(refused > 40, "\(name), seed \(seed): mutations are hardly noticed")
  }

  /// "m:line:column: message", on one line.
  private func hasPlace(_ line: String) -> Bool {
    line.wholeMatch(of: /m:[1-9][0-9]*:[1-9][0-9]*: .+/) != nil
  }
}
