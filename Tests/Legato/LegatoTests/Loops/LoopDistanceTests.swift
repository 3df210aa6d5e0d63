// SPDX-License-Identifier: Apache-2.0

import Legato
import Testing

/// The finding where a loop is further from double precision than promised.
@Suite struct LoopDistanceTests {
  private func law2(_ text: String, code: String? = nil) throws -> Verification.Finding? {
    var verification = try Verification(Model(text).compilation())
    if let code { verification.program = try Model(code).compile() }
    verification.variants = []
    return try verification.findings().first { $0.name == "law 2: meaning" }
  }

  /// Floats tell a delay of many frames not so exactly as a loop repeats what it reads there.
  @Test func aCoarseDelayIsSaid() throws {
    let text = """
      { "legato": 1, "name": "Flanger", "sampleRate": 192000, "inputs": { "src": { "shape": [1, "frames"] } },
        "graph": {
          "echo": "src + 0.9 * delay(echo, by: (2.5 + 2 * sine(0.3)) * sampleRate / 1000, minimum: 1, maximum: 1000)"
        },
        "outputs": ["echo"] }
      """
    let law = try law2(text)
    #expect(law?.outcome == .broken)
    #expect(
      law?.sentence.hasSuffix(
        "; floats tell a delay of 500 frames to within 0.0001 of one only: compute whole frames and the rest "
          + "apart, as models/flanger.json does") == true)
  }
  /// What grows at an end of a range, its roundings grow with.
  @Test func whatGrowsIsComparedWhereItDoesNot() throws {
    let text = """
      { "legato": 1, "name": "Growing", "inputs": { "src": { "shape": [1, "frames"] } },
        "parameters": {
          "g": { "default": 0.2, "minimum": 0, "maximum": 2 }, "a1": { "default": -1, "minimum": -2, "maximum": 2 }
        },
        "graph": { "a": "src + g * delay(biquad(a, 1, 0, 0, a1, 0.5), 48)" }, "outputs": ["a"] }
      """
    let law = try law2(text)
    #expect(law?.outcome == .stated)
    #expect(
      law?.sentence.hasPrefix(
        "'a' grows without end with parameters at their minima, and roundings with it; where parameters stand "
          + "still: recurrent, within ") == true)
    // As far away as another loop would hide.
    let other = text.replacing("src + g", with: "src + 0.001 * delay(src, 600) + g")
    #expect(try law2(text, code: other)?.outcome == .broken)
  }

  private static func text(_ definitions: String) -> String {
    """
    { "legato": 1, "name": "Steep", "inputs": { "src": { "shape": [1, "frames"] } },
      "graph": { \(definitions) }, "outputs": ["y"] }
    """
  }

  /// What a slope makes of a loop's roundings, and what is left of them where large numbers cancel, is right; a little
  /// of something else is not.
  @Test(arguments: [
    (#""y": "sin(onePole(src * 5000, 10000))""#, "10000", "9999"),
    (#""y": "onePole(src, 10000) % 0.001""#, "0.001", "0.001001"),
    (#""v": "slew(src + 16, 2000, 2000)", "y": "onePole(v - delay(v, 1), 2000)""#, "2000)\"", "2050)\""),
    (
      #""v": "slew(src + 16, 2000, 2000)", "y": "v - delay(v, 1) + 0.9 * delay(y, 1)""#, "0.9", "0.899"
    ),
    (#""y": "src * 1000 - (src + 0.0001) * 1000 + 0.99 * delay(y, 1)""#, "0.99", "0.989"),
  ])
  func whatCancelsAndWhatIsSteepIsFollowed(definitions: String, part: String, other: String) throws {
    let text = Self.text(definitions)
    let law = try law2(text)
    #expect(law?.outcome == .holds, "\(law?.sentence ?? "")")
    #expect(law?.sentence.contains(#/^recurrent, within .*, where .* is allowed/#) == true)
    #expect(try law2(text, code: text.replacing(part, with: other))?.outcome == .broken)
  }

  /// Where nothing cancels, 90 dB below the peak is as far as code may be.
  @Test(arguments: ["onePole(src, 2000)", "lowpass(lowpass(src, 300, 0.7), 300, 4)"])
  func aPlainFilterIsNotForgiven(filter: String) throws {
    let text = Self.text(#""y": "\#(filter)""#)
    #expect(try law2(text)?.sentence.contains("allowed") == false)
    let other = text.replacing(filter, with: "\(filter) + 0.0001 * src")
    let law = try law2(text, code: other)
    #expect(law?.outcome == .broken && law?.sentence.hasSuffix("90 dB below the peak") == true)
  }

  /// Roundings decide all of it: neither right nor wrong.
  @Test func ofChaosNothingIsPromised() throws {
    let law = try law2(
      Self.text(#""y": "clamp(3.99 * delay(y, 1) * (1 - delay(y, 1)) + 0.001 * abs(src), 0, 1)""#))
    #expect(law?.outcome == .idle)
    #expect(law?.sentence.hasPrefix("little to compare: roundings alone may lead ") == true)
  }
}
