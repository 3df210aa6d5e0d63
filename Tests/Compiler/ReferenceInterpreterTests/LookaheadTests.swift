// SPDX-License-Identifier: Apache-2.0

import GraphIR
import ReferenceInterpreter
import Testing

/// Values of later frames: everything else waits for them, and nothing else changes.
@Suite struct LookaheadTests {
  /// 1, 2, 3, …
  private static let counting = (1...200).map { Float($0) }
  private static let head = "graph \"ahead\" stream 48000\ninput x [frames]\n"

  private func outputs(_ lines: String, events: [ParameterEvent] = []) throws -> [[Float]] {
    try interpret(Self.head + lines, inputs: [Self.counting], frames: 200, events: events).outputs.map(
      certain)
  }

  /// So many zeros, then what a rule says of 1, 2, 3, …
  private func late(_ count: Int, _ rule: (Int) -> Float) -> [Float] {
    Array(repeating: 0, count: count) + (1...200 - count).map(rule)
  }

  @Test func theOutputIsLateByWhatIsLookedAhead() throws {
    let rows = try outputs("y = x + 1000 * lookahead(x, 5)\nz = x\noutput y = y\noutput z = z")
    #expect(rows[0] == late(5) { Float($0 + 1000 * ($0 + 5)) })
    #expect(rows[1] == late(5) { Float($0) })
  }

  @Test func waysAheadAddUp() throws {
    let rows = try outputs(
      "a = lookahead(x, 5)\nb = lookahead(a + x, 7) + lookahead(x, 0)\ny = b + lookahead(x, 3)\noutput y = y")
    #expect(rows[0] == late(12) { Float(($0 + 12) + ($0 + 7) + $0 + ($0 + 3)) })
  }

  @Test func whatRemembersBeginsWithZeros() throws {
    let rows = try outputs("y = delay(lookahead(x, 5), 2)\noutput y = y")
    #expect(rows[0] == late(5) { $0 <= 2 ? 0 : Float($0 + 3) })
  }

  @Test func cyclesRunOnWhatIsAhead() throws {
    let rows = try outputs("y = lookahead(x, 5) + delay(y, 1)\noutput y = y")
    #expect(rows[0] == late(5) { n in Float((6...n + 5).reduce(0, +)) })
  }

  @Test func samplesStandAtTheSameFrames() throws {
    let rows = try outputs("y = control(lookahead(x, 5))\nz = x\noutput y = y\noutput z = z")
    #expect(rows[0] == late(64) { Float(($0 - 1) / 64 * 64 + 6) })
    #expect(rows[1] == late(64) { Float($0) })
  }

  @Test(arguments: [0, 20]) func parametersActOnTheSoundOfTheirFrame(ramp: Int) throws {
    let lines = """
      parameter p [\(ramp > 0 ? "frames" : "")] = 1 minimum 0 maximum 64 ramp \(ramp) scale linear
      y = x + 0 * lookahead(x, 5) + 1000 * p
      output y = y
      """
    let result = try interpret(
      Self.head + lines, inputs: [Self.counting], frames: 200,
      events: [ParameterEvent(frame: 30, parameter: 0, value: 21)])
    let turned = late(5) { frame in
      let done = max(0, frame - 30)
      let p = ramp == 0 ? (done > 0 ? 21 : 1) : 1 + min(20, done)
      return Float(frame + 1000 * p)
    }
    #expect(
      zip(result.outputs[0], turned).allSatisfy { abs($0.value - Double($1)) < 1e-3 && $0.contains($1) })
  }

  @Test func aParameterCanBeLookedAheadAt() throws {
    let lines = """
      parameter p [frames] = 1 minimum 0 maximum 64 ramp 1 scale linear
      y = x + 1000 * lookahead(p, 5)
      output y = y
      """
    let rows = try outputs(lines, events: [ParameterEvent(frame: 30, parameter: 0, value: 2)])
    #expect(rows[0] == late(5) { Float($0 + ($0 + 5 > 30 ? 2000 : 1000)) })
  }
}
