// SPDX-License-Identifier: Apache-2.0

import GraphIR

extension JSONReader {
  /// Reads true, false or null; anything else that is not a value is an error with its remedy.
  mutating func readWord() throws(JSONError) -> JSONValue.Content {
    guard let byte = next else { throw error("expected a value, but the file ends here") }
    guard isLetter(byte) else { throw try unexpectedValue(byte) }
    let word = peekWord()
    switch word {
    case "true", "false":
      offset += word.utf8.count
      return .boolean(word == "true")
    case "null":
      offset += word.utf8.count
      return .null
    case "NaN", "nan", "Infinity", "infinity", "inf", "Inf":
      throw error("\(quoted(word)) is not a number of JSON; write a finite number")
    case "True", "TRUE", "False", "FALSE", "Null", "NULL", "None", "nil":
      let meant = ["t": "true", "f": "false"][word.lowercased().prefix(1)] ?? "null"
      throw error("unknown word \(quoted(word)); did you mean '\(meant)'?")
    default: throw error("unknown word \(quoted(word)); a string is written in double quotes")
    }
  }

  private func unexpectedValue(_ byte: UInt8) throws(JSONError) -> JSONError {
    switch byte {
    case UInt8(ascii: "'"): error("a string is written in double quotes, not in single ones")
    case UInt8(ascii: "+"): error("a number has no '+' in front; leave it out")
    case UInt8(ascii: "."): error("a number begins with a digit; write a 0 before the '.'")
    case UInt8(ascii: "#"): error("a comment begins with '//', not with '#'")
    default: error("expected a value, found \(try found())")
    }
  }

  /// The letters, digits and underscores from here on.
  func peekWord() -> String {
    var end = offset
    while end < bytes.count, isLetter(bytes[end]) || isDigit(bytes[end]) { end += 1 }
    return String(decoding: bytes[offset..<end], as: UTF8.self)
  }

  /// The character that stands here, as a message names it.
  func found() throws(JSONError) -> String {
    let length = bytes[offset] < 0x80 ? 1 : try multibyteLength()
    let scalars = String(decoding: bytes[offset..<offset + length], as: UTF8.self).unicodeScalars
    return quoted(scalars[scalars.startIndex])
  }

  func error(_ message: String) -> JSONError { JSONError(place: place, message: message) }

  func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }

  func isLetter(_ byte: UInt8) -> Bool {
    let lower = byte | 0x20
    return lower >= UInt8(ascii: "a") && lower <= UInt8(ascii: "z") || byte == UInt8(ascii: "_")
  }
}
