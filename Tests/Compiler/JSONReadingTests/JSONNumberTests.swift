// SPDX-License-Identifier: Apache-2.0

import JSONReading
import TestEquipment
import Testing

@Suite struct JSONNumberTests {
  private func number(_ text: String) throws -> Double? {
    guard case .number(let value) = try JSONDocument(Array(text.utf8)).root.content else { return nil }
    return value
  }

  @Test(arguments: [
    ("0", 0), ("-0", -0.0), ("7", 7), ("-12", -12), ("0.5", 0.5), ("-0.125", -0.125), ("1e3", 1000),
    ("1E+3", 1000), ("25e-1", 2.5), ("0e999999999999999999999", 0), ("1e-999999999999999999999", 0),
    ("1.7976931348623157e308", Double.greatestFiniteMagnitude), ("5e-324", Double.leastNonzeroMagnitude),
    ("9007199254740993", 9_007_199_254_740_992), ("123456789012345678901234567890", 1.2345678901234568e29),
    ("0.1", 0.1), ("1e22", 1e22), ("1e23", 1e23), ("3.141592653589793238462643", Double.pi),
  ])
  func numbersAreRoundedCorrectly(text: String, expected: Double) throws {
    let value = try #require(try number(text))
    #expect(value.bitPattern == expected.bitPattern)
  }

  @Test func everyDoubleComesBack() throws {
    var random = SplitMix(seed: 1)
    for _ in 0..<3000 {
      let bits = random.next()
      let value = Double(bitPattern: bits)
      guard value.isFinite else { continue }
      #expect(try number("\(value)")?.bitPattern == bits, "bits \(bits)")
      let short = Double(Int64(truncatingIfNeeded: bits >> 30)) / 1e9
      #expect(try number("\(short)") == short, "bits \(bits)")
    }
  }

  @Test(arguments: [
    ("1e999", "1:1: the number 1e999 is too large"),
    ("[1, -1e999]", "1:5: the number -1e999 is too large"),
    ("01", "1:1: the number 01 has a leading zero"),
    ("-00.5", "1:1: the number -00 has a leading zero"),
    ("+1", "1:1: a number has no '+' in front; leave it out"),
    (".5", "1:1: a number begins with a digit; write a 0 before the '.'"),
    ("1.", "1:3: expected a digit after the '.'"),
    ("1.e5", "1:3: expected a digit after the '.'"),
    ("1e", "1:3: expected a digit in the exponent"),
    ("1e+", "1:4: expected a digit in the exponent"),
    ("-", "1:2: expected a digit after '-'"),
    ("[-]", "1:3: expected a digit after '-'"),
    ("0x10", "1:2: unexpected 'x' after the number 0"),
    ("20ms", "1:3: unexpected 'm' after the number 20"),
    ("1.2.3", "1:4: unexpected '.' after the number 1.2"),
    ("1_000", "1:2: unexpected '_' after the number 1"),
    ("NaN", "1:1: 'NaN' is not a number of JSON; write a finite number"),
    ("[0, Infinity]", "1:5: 'Infinity' is not a number of JSON; write a finite number"),
    ("[0, -Infinity]", "1:5: '-Infinity' is not a number of JSON; write a finite number"),
    ("-nan", "1:1: '-nan' is not a number of JSON; write a finite number"),
  ])
  func whatIsNoNumberIsRefused(text: String, message: String) {
    #expect(syntaxError(text) == message)
  }

  @Test func aNumberHasAtMost1024Characters() throws {
    #expect(try number("1." + String(repeating: "0", count: 1022)) == 1)
    #expect(
      syntaxError("1." + String(repeating: "0", count: 1023))
        == "1:1: a number may have at most 1024 characters, this one has 1025")
  }
}
