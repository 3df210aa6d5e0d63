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

  /// Roundings grow with a loop that grows at an end of a range.
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

  /// Roundings that a slope enlarges, or that are left where large numbers cancel, are right; a little of something
  /// else is not.
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

  /// A ramp is on one side of double precision all its way, and a phase adds that up.
  @Test(arguments: ["saw(p)", "phasor(p)"])
  func aFrequencyThatMovesIsFollowed(source: String) throws {
    let text = """
      { "legato": 1, "name": "Moving", "inputs": { "src": { "shape": ["frames"] } },
        "parameters": { "p": { "default": 100, "minimum": -200, "maximum": 6000 } },
        "graph": { "y": "\(source) + 0.3 * delay(y, 128)" }, "outputs": ["y"] }
      """
    let law = try law2(text)
    #expect(law?.outcome == .holds, "\(law?.sentence ?? "")")
    for other in [text.replacing("(p)", with: "(1.00001 * p)"), text.replacing("0.3", with: "0.3001")] {
      #expect(try law2(text, code: other)?.outcome == .broken)
    }
  }

  /// An approximation may be off to one side all the time, and a phase adds that up as well.
  @Test func aFunctionThatIsOffToOneSideIsFollowed() throws {
    let text = Self.text(#""y": "saw(5000 * tanh(2 + sum(src))) - 0.3 * delay(y, 128)""#)
    let law = try law2(text)
    #expect(law?.outcome == .holds, "\(law?.sentence ?? "")")
    #expect(try law2(text, code: text.replacing("5000", with: "5000.2"))?.outcome == .broken)
  }

  /// Roundings decide of which sign an infinity is, in one number of twenty; the others tell of any fault.
  @Test func aPoleBehindALoopIsOfEitherSign() throws {
    let text = Self.text(
      #""f": "lowpass(src, 500)", "y": "src / (f * 1.3 - f - 0.3 * f + (abs(src) < 0.9))""#)
    let law = try law2(text)
    #expect(law?.outcome == .holds, "\(law?.sentence ?? "")")
    #expect(law?.sentence.contains(#/where (\S+e-0[5-9]) is allowed; [1-9]\.?\d* % on a jump/#) == true)
    #expect(try law2(text, code: text.replacing("src /", with: "1.0001 * src /"))?.outcome == .broken)
    let everywhere = Self.text(#""f": "lowpass(src, 500)", "y": "1 / (f * 1.3 - f - 0.3 * f)""#)
    #expect(try law2(everywhere)?.outcome == .idle)
  }

  /// Each kind of output by its own measure.
  @Test func loopsAndOthersAreSaidApart() throws {
    let text = Self.text(#""v": "onePole(src, 2000)", "y": "tanh(src)""#)
      .replacing("[\"y\"]", with: "[\"v\", \"y\"]")
    let pattern =
      #/recurrent, within \S+ of double precision; the others within \S+, where \S+ is allowed; 0 % on .*/#
    let sentence = try law2(text)?.sentence ?? ""
    #expect(sentence.wholeMatch(of: pattern) != nil, "\(sentence)")
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
