// SPDX-License-Identifier: Apache-2.0

import Foundation
import Legato
import TestEquipment
import Testing
import Voices

/// The files that `fetch-encoder` writes, with few units, beside what resemblyzer and PyTorch make of the same sound.
///
/// `reference/make-reference.py` made them.
@Suite struct EncoderTests {
  private let reference: String

  init() throws {
    reference = try #require(Bundle.module.path(forResource: "reference", ofType: nil))
  }

  /// Two seconds of a tone that rises, quieter than the encoder wants it.
  private let tone = Speech(
    (0..<32000).map { index in
      let time = Double(index) / 16000
      return Float(0.004 * sin(2 * Double.pi * (200 + 300 * time) * time))
    })

  @Test func embeddingsAreThoseOfThePackage() throws {
    let expected = try JSONDecoder().decode(
      [[Float]].self, from: Data(contentsOf: URL(filePath: reference + "/voices.json")))
    let encoder = try Encoder(reference + "/encoder")
    var runner = try encoder.runner()
    var voices: [[Float]] = []
    for window in encoder.cutting.windows(of: tone) { voices.append(try runner.voice(window)) }
    #expect(voices.count == expected.count)
    for (voice, wanted) in zip(voices, expected) {
      #expect(zip(voice, wanted).allSatisfy { abs($0 - $1) < 1e-5 }, "\(voice) \(wanted)")
    }
  }
}
