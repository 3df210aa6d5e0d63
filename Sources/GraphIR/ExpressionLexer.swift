// SPDX-License-Identifier: Apache-2.0

/// Cuts an expression into tokens.
struct ExpressionLexer {
  struct Token: Hashable {
    var kind: Kind
    var offset: Int
  }

  enum Kind: Hashable {
    case number(Double)
    case name(String)
    case string(String)
    /// An operator or a punctuation mark.
    case symbol(String)
    case end
  }

  private let characters: [Character]
  private var position = 0

  init(_ text: some StringProtocol) { characters = Array(text) }

  mutating func next() throws(ExpressionError) -> Token {
    while let character = peek, character.isWhitespace { position += 1 }
    let offset = position
    guard let character = peek else { return Token(kind: .end, offset: offset) }
    if character.isASCIIDigit || (character == "." && peek(1)?.isASCIIDigit == true) {
      return Token(kind: .number(try number()), offset: offset)
    }
    if character.isLetter {
      while let character = peek, character.isLetter || character.isASCIIDigit || character == "_" {
        position += 1
      }
      return Token(kind: .name(String(characters[offset..<position])), offset: offset)
    }
    if character == "\"" || character == "'" { return Token(kind: .string(try string()), offset: offset) }
    for symbol in ["<=", ">=", "==", "!="] where character == symbol.first && peek(1) == "=" {
      position += 2
      return Token(kind: .symbol(symbol), offset: offset)
    }
    if "+-*/%<>()[],:".contains(character) {
      position += 1
      return Token(kind: .symbol(String(character)), offset: offset)
    }
    throw ExpressionError(offset: offset, message: "'\(character)' has no meaning here")
  }

  private var peek: Character? { peek(0) }

  private func peek(_ ahead: Int) -> Character? {
    position + ahead < characters.count ? characters[position + ahead] : nil
  }

  private mutating func digits() { while peek?.isASCIIDigit == true { position += 1 } }

  private mutating func number() throws(ExpressionError) -> Double {
    let start = position
    digits()
    if peek == "." {
      position += 1
      digits()
    }
    if peek == "e" || peek == "E" {
      let sign = peek(1) == "+" || peek(1) == "-"
      if peek(sign ? 2 : 1)?.isASCIIDigit == true {
        position += sign ? 2 : 1
        digits()
      }
    }
    let text = String(characters[start..<position])
    guard let value = Double(text) else {
      throw ExpressionError(offset: start, message: "'\(text)' is not a number")
    }
    guard value.isFinite, Swift.abs(value) <= Double(Float.greatestFiniteMagnitude) else {
      throw ExpressionError(offset: start, message: "the number \(text) is too large for a float")
    }
    if let character = peek, character.isLetter || character == "_" {
      throw ExpressionError(
        offset: position, message: "'\(character)' directly after a number; write '*' to multiply")
    }
    return value
  }

  private mutating func string() throws(ExpressionError) -> String {
    let (start, quote) = (position, characters[position])
    position += 1
    while let character = peek, character != quote { position += 1 }
    guard peek == quote else {
      throw ExpressionError(offset: start, message: "the string that begins here has no end")
    }
    position += 1
    return String(characters[start + 1..<position - 1])
  }
}

extension Character {
  fileprivate var isASCIIDigit: Bool { ("0"..."9").contains(self) }
}

extension String {
  /// Whether an expression reads it as one name.
  package var isName: Bool {
    first?.isLetter == true && allSatisfy { $0.isLetter || ("0"..."9").contains($0) || $0 == "_" }
  }
}
