// SPDX-License-Identifier: Apache-2.0

import GraphIR

extension JSONReader {
  /// Skips white space, `// …` and `/* … */`.
  mutating func skipSpace() throws(JSONError) {
    while let byte = next {
      switch byte {
      case UInt8(ascii: " "), UInt8(ascii: "\t"): offset += 1
      case UInt8(ascii: "\n"), UInt8(ascii: "\r"): skipLineBreak()
      case UInt8(ascii: "/"): try skipComment()
      default: return
      }
    }
  }

  /// Skips "\n", "\r\n" or "\r", each of which ends one line.
  private mutating func skipLineBreak() {
    let first = bytes[offset]
    offset += 1
    if first == UInt8(ascii: "\r"), next == UInt8(ascii: "\n") { offset += 1 }
    line += 1
    columnOrigin = offset - 1
  }

  private mutating func skipComment() throws(JSONError) {
    switch offset + 1 < bytes.count ? bytes[offset + 1] : nil {
    case UInt8(ascii: "/"):
      while let byte = next, byte != UInt8(ascii: "\n"), byte != UInt8(ascii: "\r") { try skipCharacter() }
    case UInt8(ascii: "*"): try skipBlockComment()
    default: throw error("expected '//' or '/*', found a single '/'")
    }
  }

  private mutating func skipBlockComment() throws(JSONError) {
    let start = place
    offset += 2
    while let byte = next {
      switch byte {
      case UInt8(ascii: "\n"), UInt8(ascii: "\r"): skipLineBreak()
      case UInt8(ascii: "*") where offset + 1 < bytes.count && bytes[offset + 1] == UInt8(ascii: "/"):
        offset += 2
        return
      default: try skipCharacter()
      }
    }
    throw JSONError(place: start, message: "the comment is not closed; expected '*/'")
  }

  /// Skips one character that is no line break, and one column.
  mutating func skipCharacter() throws(JSONError) {
    let length = bytes[offset] < 0x80 ? 1 : try multibyteLength()
    offset += length
    columnOrigin += length - 1
  }

  /// The length of the character that begins here with a byte above 0x7F (Unicode, table 3-7).
  func multibyteLength() throws(JSONError) -> Int {
    let lead = bytes[offset]
    let length: Int
    let second: ClosedRange<UInt8>
    switch lead {
    case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
    case 0xE0: (length, second) = (3, 0xA0...0xBF)
    case 0xED: (length, second) = (3, 0x80...0x9F)
    case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
    case 0xF0: (length, second) = (4, 0x90...0xBF)
    case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
    case 0xF4: (length, second) = (4, 0x80...0x8F)
    default: throw invalidByte()
    }
    guard offset + length <= bytes.count, second.contains(bytes[offset + 1]) else { throw invalidByte() }
    for index in offset + 2..<offset + length where bytes[index] & 0xC0 != 0x80 { throw invalidByte() }
    return length
  }

  private func invalidByte() -> JSONError {
    let digits = String(bytes[offset], radix: 16, uppercase: true)
    return error("the byte 0x\(digits) does not belong here in UTF-8; save the file as UTF-8")
  }
}
