// SPDX-License-Identifier: Apache-2.0

import ReferenceInterpreter
import Testing

@Suite struct JumpTests {
  /// a / 3 * 3 is a, or a neighbour of it.
  @Test(arguments: [
    ("floor(a / 3 * 3)", Float(1), Float(0), Float(1)),
    ("ceil(a / 3 * 3)", 1, 1, 2),
    ("truncate(a / 3 * 3)", 1, 0, 1),
    ("round(a / 3 * 3 + 0.5)", 1, 1, 2),
    ("sign(a / 3 * 3 - a)", 1, -1, 1),
    ("a / 3 * 3 < a", 1, 0, 1),
    ("a / 3 * 3 >= a", 1, 0, 1),
    ("a / 3 * 3 == a", 1, 0, 1),
    ("a / 3 * 3 != a", 1, 0, 1),
    ("select(a / 3 * 3 - a, 5, 7)", 1, 5, 7),
    ("(a / 3 * 3) % 1", 1, 0, 1),
    ("atan2(a / 3 * 3 - a, -1)", 1, -3.1415926, 3.1415926),
  ])
  func bothSidesOfAJumpAreRight(expression: String, a: Float, low: Float, high: Float) throws {
    let found = try estimate(expression, a: a)
    #expect(found.sitsOnJump)
    #expect(found.contains(low) && found.contains(high), "\(found)")
    #expect(!found.contains(low - 0.1) && !found.contains(high + 0.1), "\(found)")
  }

  @Test(arguments: [
    "floor(a / 3 * 3)", "round(a / 3 * 3)", "a / 3 * 3 < 3", "select(a / 3, 5, 7)", "(a / 3 * 3) % 2",
  ])
  func farFromAJumpIsNone(expression: String) throws {
    let found = try estimate(expression, a: 1.25)
    #expect(!found.sitsOnJump && found.radius < 1e-6, "\(found)")
  }

  /// However uncertain it is, a value is itself, if it is a number.
  @Test(arguments: ["==", "<=", ">=", "!=", "<", ">"], ["a / 3", "log(-a)"])
  func whatIsComparedWithItselfIsCertain(comparison: String, operand: String) throws {
    let text = """
      graph "one" stream 48000
      input a [frames]
      t = \(operand)
      y = t \(comparison) t
      output y = y
      """
    let found = try interpret(text, inputs: [[1]], frames: 1).outputs[0][0]
    let holds = operand == "a / 3" ? comparison.contains("=") && comparison != "!=" : comparison == "!="
    #expect(found.isCertain && found.contains(holds ? 1 : 0), "\(found)")
  }

  /// Around a loop nothing is known of a number in the end but what it is in double precision; what keeps it within
  /// bounds is no jump.
  @Test func whatIsLimitedInALoopIsCompared() throws {
    let text = """
      graph "loop" stream 48000
      input a [frames]
      y = limit(a + 1.6 * delay(y, 1) - 0.8 * delay(y, 2), 100)
      output y = y
      """
    let result = try interpret(text, inputs: [(0..<2000).map { $0 == 0 ? 1 : 0.1 }], frames: 2000)
    #expect(result.shareOnJumps == 0)
    #expect(result.outputs[0][1999].radius > 100)
  }

  @Test func aJumpGoesOnAndEndsWhereItIsLost() throws {
    #expect(try estimate("round(a / 3 * 3 + 0.5) * 0.1", a: 1).sitsOnJump)
    #expect(try !estimate("min(round(a / 3 * 3 + 0.5), 0.5)", a: 1).sitsOnJump)
    #expect(try !estimate("select(a, 2, round(a / 3 * 3 + 0.5))", a: 1).sitsOnJump)
    #expect(try !estimate("round(a / 3 * 3 + 0.5) * 0", a: 1).sitsOnJump)
  }

  @Test func theShareIsCounted() throws {
    let result = try interpret(
      """
      graph "share" stream 48000
      input a [frames]
      y = round(a / 3 * 3)
      output y = y
      """, inputs: [[0.25, 0.5, 1, 2.5]], frames: 4)
    #expect(result.shareOnJumps == 0.5)
    #expect(result.shareUnbounded == 0)
  }

  @Test func polesLeaveNothingKnown() throws {
    #expect(try estimate("1 / (a / 3 * 3 - a)", a: 1).isUnbounded == false)
    #expect(try estimate("1 / (a / 3 * 3 - a)", a: 1).contains(.infinity))
    #expect(try estimate("log(a / 3 * 3 - a)", a: 1).contains(.nan))
    #expect(try estimate("log(a / 3 * 3 - a)", a: 1).contains(-.infinity))
    #expect(try estimate("sqrt(a / 3 * 3 - a)", a: 1).contains(.nan))
    #expect(try estimate("tan(a / 3 * 3 * 1.5707964)", a: 1).contains(1e9))
    #expect(try estimate("tanh(clamp(1 / (a / 3 * 3 - a), -1, 2))", a: 1).contains(-0.7615942))
    #expect(try estimate("clamp(1 / (a / 3 * 3 - a), -1, 2)", a: 1).isFinite)
  }
}
