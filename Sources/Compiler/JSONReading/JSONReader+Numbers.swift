// SPDX-License-Identifier: Apache-2.0

import GraphIR

extension JSONReader {
  /// Nobody needs more, and the exact conversion of a longer one would cost more than linear time.
  static let maximumNumberLength = 1024

  /// Reads a number by the grammar of JSON, correctly rounded.
  ///
  /// A number whose digits fit 53 bits and whose power of ten is exact takes one multiplication or division, which
  /// rounds once (Clinger's fast path); the standard library converts the rest.
  mutating func readNumber() throws(JSONError) -> Double {
    let start = offset
    var digits: UInt64 = 0
    var isExact = true
    var exponent = 0

    let isNegative = next == UInt8(ascii: "-")
    if isNegative { offset += 1 }
    guard let first = next, isDigit(first) else { throw noDigits(afterMinus: start) }
    while let byte = next, isDigit(byte) { accumulate(byte, into: &digits, &isExact) }
    if first == UInt8(ascii: "0"), offset - start > (isNegative ? 2 : 1) {
      throw JSONError(
        place: place(of: start), message: "the number \(literal(from: start)) has a leading zero")
    }
    if next == UInt8(ascii: ".") {
      offset += 1
      let point = offset
      while let byte = next, isDigit(byte) { accumulate(byte, into: &digits, &isExact) }
      guard offset > point else { throw error("expected a digit after the '.'") }
      exponent = point - offset
    }
    if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
      exponent += try readExponent()
    }
    if let byte = next, isLetter(byte) || byte == UInt8(ascii: ".") {
      throw error("unexpected \(quoted(Unicode.Scalar(byte))) after the number \(literal(from: start))")
    }
    guard offset - start <= Self.maximumNumberLength else {
      throw JSONError(
        place: place(of: start),
        message:
          "a number may have at most \(Self.maximumNumberLength) characters, this one has \(offset - start)")
    }
    if isExact, abs(exponent) < exactPowersOfTen.count {
      let power = exactPowersOfTen[abs(exponent)]
      let magnitude = exponent < 0 ? Double(digits) / power : Double(digits) * power
      return isNegative ? -magnitude : magnitude
    }
    return try convert(from: start)
  }

  private mutating func accumulate(_ byte: UInt8, into digits: inout UInt64, _ isExact: inout Bool) {
    if isExact {
      digits = digits * 10 + UInt64(byte - UInt8(ascii: "0"))
      isExact = digits <= 1 << 53
    }
    offset += 1
  }

  /// Reads "e-12"; an exponent that no number needs saturates, and the conversion decides what it means.
  private mutating func readExponent() throws(JSONError) -> Int {
    offset += 1
    let isNegative = next == UInt8(ascii: "-")
    if isNegative || next == UInt8(ascii: "+") { offset += 1 }
    guard let first = next, isDigit(first) else { throw error("expected a digit in the exponent") }
    var exponent = 0
    while let byte = next, isDigit(byte) {
      exponent = min(exponent * 10 + Int(byte - UInt8(ascii: "0")), 1_000_000)
      offset += 1
    }
    return isNegative ? -exponent : exponent
  }

  private func convert(from start: Int) throws(JSONError) -> Double {
    guard let value = Double(String(decoding: bytes[start..<offset], as: UTF8.self)) else {
      preconditionFailure("the grammar of JSON's numbers is part of the standard library's")
    }
    guard value.isFinite else {
      throw JSONError(place: place(of: start), message: "the number \(literal(from: start)) is too large")
    }
    return value
  }

  private func noDigits(afterMinus start: Int) -> JSONError {
    let word = peekWord()
    guard !word.isEmpty else { return error("expected a digit after '-'") }
    return JSONError(
      place: place(of: start), message: "'-\(printable(word))' is not a number of JSON; write a finite number"
    )
  }

  private func literal(from start: Int) -> String {
    printable(String(decoding: bytes[start..<offset], as: UTF8.self), limit: 40)
  }

  /// The place of an earlier byte of the number that is being read.
  private func place(of earlier: Int) -> Place { Place(line: line, column: earlier - columnOrigin) }
}

/// 10^0 to 10^22: the powers of ten that a Double holds exactly.
private let exactPowersOfTen: [Double] = [
  1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
  1e19,
  1e20, 1e21, 1e22,
]
