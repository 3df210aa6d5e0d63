// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// A cursor in the JSON of a header, which asks for one thing after the other and goes nowhere else.
struct HeaderText {
  private let bytes: [UInt8]
  private var offset = 0
  /// What messages call the file.
  private let file: String
  /// The tensor that is being read; nil between them.
  var tensor: String?

  init(_ bytes: [UInt8], file: String) { (self.bytes, self.file) = (bytes, file) }

  private var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  func flaw(_ message: String) -> TensorFileError {
    TensorFileError(file, tensor: tensor, "\(message), at byte \(offset) of the header")
  }

  private func expected(_ what: String) -> TensorFileError {
    let found = next.map { quoted(String(UnicodeScalar($0 < 0x80 ? $0 : 0x3F))) } ?? "its end"
    return flaw("has \(found) where \(what) should be")
  }

  private mutating func skipSpace() {
    while let byte = next, [0x20, 0x0A, 0x0D, 0x09].contains(byte) { offset += 1 }
  }

  /// Goes behind a mark where it comes next.
  private mutating func skips(_ mark: Unicode.Scalar) -> Bool {
    skipSpace()
    guard next == UInt8(ascii: mark) else { return false }
    offset += 1
    return true
  }

  private mutating func take(_ mark: Unicode.Scalar) throws(TensorFileError) {
    guard skips(mark) else { throw expected("'\(mark)'") }
  }

  /// Nothing but space up to the end.
  mutating func end() throws(TensorFileError) {
    skipSpace()
    guard next == nil else { throw expected("its end") }
  }

  /// An object: for each key, a closure reads the value.
  mutating func object(
    _ member: (inout HeaderText, String) throws(TensorFileError) -> Void
  ) throws(TensorFileError) {
    try take("{")
    if skips("}") { return }
    repeat {
      let key = try string()
      try take(":")
      try member(&self, key)
    } while skips(",")
    try take("}")
  }

  /// Whole numbers in an array, at most so many.
  mutating func numbers(most: Int) throws(TensorFileError) -> [Int] {
    try take("[")
    var numbers: [Int] = []
    if skips("]") { return numbers }
    repeat {
      guard numbers.count < most else { throw flaw("has more than \(most) numbers in an array") }
      numbers.append(try number())
    } while skips(",")
    try take("]")
    return numbers
  }

  private mutating func number() throws(TensorFileError) -> Int {
    skipSpace()
    let start = offset
    while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { offset += 1 }
    let digits = bytes[start..<offset]
    guard let first = digits.first, first != UInt8(ascii: "0") || digits.count == 1 else {
      throw expected("a whole number")
    }
    let number = digits.reduce(0 as Int?) { number, digit in
      guard let (product, tooLarge) = number?.multipliedReportingOverflow(by: 10), !tooLarge else {
        return nil
      }
      let (sum, overflow) = product.addingReportingOverflow(Int(digit - UInt8(ascii: "0")))
      return overflow ? nil : sum
    }
    guard let number else { throw flaw("has a number that is too large") }
    return number
  }

  mutating func string() throws(TensorFileError) -> String {
    guard skips("\"") else { throw expected("a string") }
    var text: [UInt8] = []
    while let byte = next, byte != UInt8(ascii: "\"") {
      guard byte >= 0x20 else { throw flaw("has a control character in a string") }
      offset += 1
      if byte == UInt8(ascii: "\\") { text += try escape().utf8 } else { text.append(byte) }
    }
    try take("\"")
    guard let string = String(validating: text, as: UTF8.self) else { throw flaw("is no UTF-8") }
    return string
  }

  private mutating func escape() throws(TensorFileError) -> String {
    guard let byte = next else { throw expected("the rest of a string") }
    offset += 1
    switch UnicodeScalar(byte) {
    case "\"", "\\", "/": return String(UnicodeScalar(byte))
    case "b": return "\u{8}"
    case "f": return "\u{C}"
    case "n": return "\n"
    case "r": return "\r"
    case "t": return "\t"
    case "u":
      var units = [try unit()]
      if UTF16.isLeadSurrogate(units[0]), bytes[offset...].starts(with: Array("\\u".utf8)) {
        offset += 2
        units.append(try unit())
      }
      guard let text = String(validating: units, as: UTF16.self) else {
        throw flaw("has half a character in a string")
      }
      return text
    default: throw flaw("has an unknown escape in a string")
    }
  }

  private mutating func unit() throws(TensorFileError) -> UInt16 {
    let digits = bytes[offset...].prefix(4)
    guard digits.count == 4, digits.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }),
      let unit = UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
    else { throw flaw("has an escape without four digits in a string") }
    offset += 4
    return unit
  }
}

extension String {
  /// The string as JSON writes it.
  var asJSON: String {
    var result = "\""
    for scalar in unicodeScalars {
      switch scalar {
      case "\"", "\\": result += "\\\(scalar)"
      case "\0"..<" ":
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
