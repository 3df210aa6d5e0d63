// SPDX-License-Identifier: Apache-2.0

import Foundation
import GraphIR
import ModelFiles
import TestEquipment
import Testing

/// Captures, cut off and mutated: each is read, or refused with a place in one line, and nothing else happens.
///
/// `LEGATO_MUTATIONS=10000 swift test --filter DamagedCaptureTests` tries so many of each.
@Suite(.timeLimit(.minutes(30))) struct DamagedCaptureTests {
  private static let mutations =
    ProcessInfo.processInfo.environment["LEGATO_MUTATIONS"].flatMap { Int($0) } ?? 40

  @Test(arguments: ["linear", "sequential", "keras-gru", "guitarml-rnn", "aida"])
  func truncatedAtEveryByte(name: String) throws {
    let whole = try Captures.bytes(name)
    for length in 0..<whole.count - 1 {
      let message = try #require(Captures.message(Array(whole[..<length])), "cut to \(length) bytes")
      #expect(hasPlace(message), "cut to \(length) bytes: \(message)")
    }
  }

  @Test(arguments: Captures.files)
  func mutated(name: String) throws {
    let whole = try Captures.bytes(name)
    var random = SplitMix(seed: 11)
    var refused = 0
    for round in 0..<Self.mutations {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...3, using: &random) { random.damage(&bytes) }
      guard let message = Captures.message(bytes) else { continue }
      refused += 1
      #expect(
        message.split(separator: "\n").allSatisfy { hasPlace(String($0)) },
        "\(name), round \(round): \(message)")
    }
    #expect(refused > Self.mutations / 3, "\(name): mutations are hardly noticed")
  }

  /// Numbers in the places of other numbers, and words in those of words: such files are JSON still.
  @Test(arguments: Captures.files)
  func lying(name: String) throws {
    let text = String(decoding: try Captures.bytes(name), as: UTF8.self)
    let weights = Captures.isNetwork(name) ? nil : text.range(of: "\"weights\"")
    let config = weights.map { text[..<$0.lowerBound] } ?? text[...]
    let matches = config.matches(of: /(: |\[|, )(-?[0-9.]+|true|false|null|"[A-Za-z_]+")/).map { $0.output.2 }
    // Weights stand among the settings of a network, and are many.
    let values = matches.filter { !Captures.isNetwork(name) || !$0.contains(".") }
    let lies = ["0", "-1", "1e9", "1e300", "0.5", "2147483648", "true", "null", "\"x\"", "[]", "{}", "[[1]]"]
    var random = SplitMix(seed: 12)
    for round in 0..<Self.mutations {
      var lying = text
      let value = try #require(values.randomElement(using: &random))
      lying.replaceSubrange(
        value.startIndex..<value.endIndex, with: lies.randomElement(using: &random) ?? "0")
      guard let message = Captures.message(Array(lying.utf8)) else { continue }
      #expect(
        message.split(separator: "\n").allSatisfy { hasPlace(String($0)) },
        "\(name), round \(round): \(message)")
    }
  }

  /// "a.nam:line:column: message", on one line.
  private func hasPlace(_ line: String) -> Bool {
    line.wholeMatch(of: /a\.nam:[1-9][0-9]*:[1-9][0-9]*: .+/) != nil
  }
}
