// SPDX-License-Identifier: Apache-2.0

import GraphIR

extension JSONReader {
  mutating func readString() throws(JSONError) -> JSONString {
    let quote = place
    offset += 1
    let inside = (offset, columnOrigin)
    while true {
      switch next {
      case UInt8(ascii: "\""):
        let text = String(decoding: bytes[inside.0..<offset], as: UTF8.self)
        let end = place.column
        offset += 1
        return JSONString(text: text, place: quote, end: end, columns: [])
      case UInt8(ascii: "\\"):
        (offset, columnOrigin) = inside
        return try readEscapedString(from: quote)
      case .some(0x20...): try skipCharacter()
      default: throw brokenString(from: quote)
      }
    }
  }

  /// Reads a string once more from its first character, noting the column of each.
  private mutating func readEscapedString(from quote: Place) throws(JSONError) -> JSONString {
    var text: [UInt8] = []
    var columns: [UInt32] = []
    while true {
      let column = place.column
      switch next {
      case UInt8(ascii: "\""):
        offset += 1
        let text = String(decoding: text, as: UTF8.self)
        return JSONString(text: text, place: quote, end: column, columns: columns)
      case UInt8(ascii: "\\"): text.append(contentsOf: String(try readEscape(stringAt: quote)).utf8)
      case .some(0x20...):
        let start = offset
        try skipCharacter()
        text.append(contentsOf: bytes[start..<offset])
      default: throw brokenString(from: quote)
      }
      columns.append(UInt32(column))
    }
  }

  private func brokenString(from quote: Place) -> JSONError {
    guard let byte = next else { return unclosedString(from: quote) }
    if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") {
      let remedy = "close it with '\"', or write a line break as '\\n'"
      return JSONError(place: quote, message: "the string does not end on its line; \(remedy)")
    }
    let digits = String(byte, radix: 16, uppercase: true)
    let code = String(repeating: "0", count: 4 - digits.count) + digits
    return error("the control character U+\(code) stands in a string; write it as '\\u\(code)'")
  }

  private func unclosedString(from quote: Place) -> JSONError {
    JSONError(place: quote, message: "the string is not closed; expected '\"' before the file ends")
  }

  private mutating func readEscape(stringAt quote: Place) throws(JSONError) -> Unicode.Scalar {
    let start = place
    offset += 1
    let result: Unicode.Scalar
    switch next {
    case UInt8(ascii: "\""): result = "\""
    case UInt8(ascii: "\\"): result = "\\"
    case UInt8(ascii: "/"): result = "/"
    case UInt8(ascii: "b"): result = "\u{8}"
    case UInt8(ascii: "f"): result = "\u{C}"
    case UInt8(ascii: "n"): result = "\n"
    case UInt8(ascii: "r"): result = "\r"
    case UInt8(ascii: "t"): result = "\t"
    case UInt8(ascii: "u"): return try readUnicodeEscape(from: start)
    case nil: throw unclosedString(from: quote)
    case .some:
      throw JSONError(place: start, message: "unknown escape; a backslash itself is written '\\\\'")
    }
    offset += 1
    return result
  }

  /// Reads "u00E9", or the two halves of a surrogate pair: "uD834\uDD1E".
  private mutating func readUnicodeEscape(from start: Place) throws(JSONError) -> Unicode.Scalar {
    let unit = try readHexadecimal(from: start)
    if let scalar = Unicode.Scalar(unit) { return scalar }
    if unit < 0xDC00, next == UInt8(ascii: "\\"), offset + 1 < bytes.count,
      bytes[offset + 1] == UInt8(ascii: "u")
    {
      let second = place
      offset += 1
      let low = try readHexadecimal(from: second)
      if (0xDC00...0xDFFF).contains(low),
        let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
      {
        return scalar
      }
    }
    let code = String(unit, radix: 16, uppercase: true)
    throw JSONError(
      place: start,
      message: "'\\u\(code)' is half of a surrogate pair; write both halves, or the character itself")
  }

  private mutating func readHexadecimal(from start: Place) throws(JSONError) -> UInt32 {
    offset += 1
    var unit: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
        throw JSONError(place: start, message: "'\\u' needs four hexadecimal digits")
      }
      unit = unit << 4 | UInt32(digit)
      offset += 1
    }
    return unit
  }
}
