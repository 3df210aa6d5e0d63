// SPDX-License-Identifier: Apache-2.0

import ReferenceInterpreter
import Testing

/// The intervals that a run with roundings measures behind a loop, of which nothing is proven.
@Suite struct DriftTests {
  private func run(_ definition: String, rounding: Bool = true) throws -> ReferenceInterpreter.Result {
    let text = """
      graph "loop" stream 48000
      input a [frames]
      v = a + 1.6 * delay(v, 1) - 0.8 * delay(v, 2)
      y = \(definition)
      output y = y
      """
    // A saw that never repeats.
    let saw = (0..<2000).map { Float(($0 * 377) % 1009) / 1009 - 0.5 }
    return try interpret(text, inputs: [saw], frames: 2000, rounding: rounding)
  }

  @Test func aLoopIsAsWideAsItsRoundings() throws {
    let (proven, measured) = (try run("v", rounding: false), try run("v"))
    #expect(proven.outputs[0][1999].isUnbounded)
    for (exact, rounded) in zip(proven.outputs[0], measured.outputs[0]) {
      #expect(rounded.radius < 1e-4 && rounded.low <= exact.value && exact.value <= rounded.high)
      #expect(!rounded.sitsOnJump && rounded.value == Double(Float(rounded.value)))
    }
    #expect(measured.outputs[0][1999].radius > 1e-7)
  }

  @Test("Only what is near a jump sits on it", arguments: ["floor(100 * v)", "v < 0.1"])
  func jumps(definition: String) throws {
    #expect(try run(definition, rounding: false).shareOnJumps > 0.5)
    #expect(try run(definition).shareOnJumps < 0.05)
  }

  @Test(
    "Where roundings decide the sign of a divisor, or whether there is a number, either is right",
    arguments: ["1 / (v * 1.3 - v - 0.3 * v)", "log(v * 1.3 - v - 0.3 * v)", "sqrt(v * 1.3 - v - 0.3 * v)"])
  func poles(definition: String) throws {
    #expect(try run(definition).shareOnJumps > 0.9)
    let plain = definition.replacing("v * 1.3 - v - 0.3 * v", with: "v * 1.3 - v + 100")
    #expect(try run(plain).shareOnJumps == 0)
  }
}
