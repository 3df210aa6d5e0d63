// SPDX-License-Identifier: Apache-2.0

import GraphIR

/// Mistakes of syntax that leave no doubt about what was meant: they are noted, and reading goes on as if that stood
/// there, so that one run tells what is wrong with the rest.
///
///     { "a": 1            a comma is missing: a value, or a key with its colon, follows
///       "b": 2,, c: 3 }   a comma too many; a key without quotes
///
/// What could be meant in two ways ends the text: whatever would be read behind it could be wrong for that reason.
extension JSONReader {
  /// Whether what follows a value is the next one of its container, with nothing but the comma left out.
  func lacksOnlyAComma(inside container: String) -> Bool {
    guard container == "object" else {
      return switch next {
      case UInt8(ascii: "\""), UInt8(ascii: "["), UInt8(ascii: "{"): true
      case .some(let byte): isDigit(byte)
      case nil: false
      }
    }
    guard next == UInt8(ascii: "\"") else { return false }
    var ahead = self
    do throws(JSONError) {
      _ = try ahead.readString()
      try ahead.skipSpace()
    } catch {
      return false
    }
    return ahead.next == UInt8(ascii: ":")
  }

  /// Passes over the commas that follow one.
  mutating func skipFurtherCommas(_ expected: String) throws(JSONError) {
    guard next == UInt8(ascii: ",") else { return }
    try note(error("expected \(expected), found ','; there is one ',' too many"))
    while next == UInt8(ascii: ",") {
      offset += 1
      try skipSpace()
    }
  }

  /// A key that lacks its quotes; nil where it is no word before a colon.
  mutating func readBareKey() throws(JSONError) -> JSONString? {
    guard let byte = next, isLetter(byte) else { return nil }
    let word = peekWord()
    var ahead = self
    ahead.offset += word.utf8.count
    try ahead.skipSpace()
    guard ahead.next == UInt8(ascii: ":") else { return nil }
    try note(error("the key \(quoted(word)) needs double quotes"))
    let start = place
    offset += word.utf8.count
    return JSONString(text: word, place: start, end: place.column, columns: [])
  }
}
