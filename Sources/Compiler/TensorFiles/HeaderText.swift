// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// A cursor in the JSON of a header, which asks for one thing after the other and goes nowhere else.
struct HeaderText {
  private let bytes: [UInt8]
  private var offset = 0
  /// The name of the file in messages.
  private let file: String
  /// The tensor that is being read; nil between them.
  var tensor: String?

  init(_ bytes: [UInt8], file: String) { (self.bytes, self.file) = (bytes, file) }

  private var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  func flaw(_ message: String) -> TensorFileError {
    TensorFileError(file, tensor: tensor, "\(message), at byte \(offset) of the header")
  }

  private func expected(_ what: String) -> TensorFileError {
    let found =
      switch next {
      case nil: "its end"
      case UInt8(ascii: "'"): "an apostrophe"
      case let byte?: byte < 0x80 ? quoted(UnicodeScalar(byte)) : "a byte above 127"
      }
    return flaw("has \(found) where \(what) should be")
  }

  private mutating func skipSpace() {
    while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { offset += 1 }
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
      if byte == UInt8(ascii: "\\") { text += String(try escape()).utf8 } else { text.append(byte) }
    }
    try take("\"")
    guard let string = String(validating: text, as: UTF8.self) else { throw flaw("is no UTF-8") }
    return string
  }

  private mutating func escape() throws(TensorFileError) -> Unicode.Scalar {
    guard let byte = next else { throw expected("the rest of a string") }
    offset += 1
    switch UnicodeScalar(byte) {
    case "\"", "\\", "/": return UnicodeScalar(byte)
    case "b": return "\u{8}"
    case "f": return "\u{C}"
    case "n": return "\n"
    case "r": return "\r"
    case "t": return "\t"
    case "u":
      var code = UInt32(try unit())
      if UTF16.isLeadSurrogate(UInt16(code)), bytes[offset...].starts(with: Array("\\u".utf8)) {
        offset += 2
        let trail = try unit()
        guard UTF16.isTrailSurrogate(trail) else { throw flaw("has half a character in a string") }
        code = 0x10000 + (code - 0xD800) << 10 + UInt32(trail - 0xDC00)
      }
      guard let scalar = Unicode.Scalar(code) else { throw flaw("has half a character in a string") }
      return scalar
    default: throw flaw("has an unknown escape in a string")
    }
  }

  private mutating func unit() throws(TensorFileError) -> UInt16 {
    var unit: UInt16 = 0
    for _ in 0..<4 {
      guard let digit = next.flatMap(Self.digit) else {
        throw flaw("has an escape without four digits in a string")
      }
      unit = unit << 4 | digit
      offset += 1
    }
    return unit
  }

  /// The value of a hexadecimal digit.
  private static func digit(_ byte: UInt8) -> UInt16? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt16(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt16(byte - UInt8(ascii: "a") + 10)
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt16(byte - UInt8(ascii: "A") + 10)
    default: nil
    }
  }
}
