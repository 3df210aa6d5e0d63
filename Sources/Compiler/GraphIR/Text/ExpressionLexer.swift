// SPDX-License-Identifier: Apache-2.0

/// Cuts an expression into tokens.
///
/// A character is a Unicode scalar, as in `Place`.
struct ExpressionLexer {
  struct Token: Hashable {
    var kind: Kind
    var offset: Int
  }

  enum Kind: Hashable {
    case number(Double)
    case name(String)
    case string(String)
    /// An operator between two operands; '-' is the difference, whatever it turns out to be.
    case infix(BinaryOp)
    /// A bracket, a comma or a colon.
    case mark(Unicode.Scalar)
    case end
  }

  /// Nobody needs more, and the exact conversion of a longer one would cost more than linear time.
  private static let maximumNumberLength = 1024

  private let scalars: [Unicode.Scalar]
  private var position = 0

  init(_ text: some StringProtocol) { scalars = Array(text.unicodeScalars) }

  mutating func next() throws(ExpressionError) -> Token {
    while let scalar = peek, scalar.isSpace { position += 1 }
    let offset = position
    guard let scalar = peek else { return Token(kind: .end, offset: offset) }
    if scalar.isDigit || (scalar == "." && peek(1)?.isDigit == true) {
      return Token(kind: .number(try number()), offset: offset)
    }
    if scalar.beginsName {
      position = scalars.endOfQualifiedName(from: position)
      return Token(kind: .name(text(from: offset)), offset: offset)
    }
    if scalar == "\"" || scalar == "'" {
      return Token(kind: .string(try QuotedText.read(scalars, at: &position)), offset: offset)
    }
    guard let (kind, length) = symbol(scalar) else {
      throw unknown(scalar, at: offset)
    }
    position += length
    return Token(kind: kind, offset: offset)
  }

  private func symbol(_ scalar: Unicode.Scalar) -> (Kind, length: Int)? {
    let isPair = peek(1) == "="
    switch scalar {
    case "<": return isPair ? (.infix(.lessOrEqual), 2) : (.infix(.less), 1)
    case ">": return isPair ? (.infix(.greaterOrEqual), 2) : (.infix(.greater), 1)
    case "=" where isPair: return (.infix(.equal), 2)
    case "!" where isPair: return (.infix(.notEqual), 2)
    case "*" where peek(1) == "*": return nil
    case "+": return (.infix(.add), 1)
    case "-": return (.infix(.subtract), 1)
    case "*": return (.infix(.multiply), 1)
    case "/": return (.infix(.divide), 1)
    case "%": return (.infix(.modulo), 1)
    case "(", ")", "[", "]", ",", ":": return (.mark(scalar), 1)
    default: return nil
    }
  }

  /// The error of what no expression has, with the way to write what it is in other languages.
  private func unknown(_ scalar: Unicode.Scalar, at offset: Int) -> ExpressionError {
    let (sign, remedy): (String, String) =
      switch (scalar, peek(1)) {
      case ("^", _): ("^", "; powers are written pow(x, y)")
      case ("*", _): ("**", "; powers are written pow(x, y)")
      case ("?", _): ("?", "; a choice is written select(condition, a, b)")
      case ("&", "&"): ("&&", "; of comparisons, which are 1 or 0, a * b is 1 where both are")
      case ("|", "|"): ("||", "; of comparisons, which are 1 or 0, max(a, b) is 1 where one is")
      case ("!", _): ("!", "; of a comparison, which is 1 or 0, 1 - x is the contrary")
      default: (String(scalar), "")
      }
    let quotation = sign.unicodeScalars.count > 1 ? "'\(sign)'" : quoted(scalar)
    return ExpressionError(offset: offset, message: "\(quotation) has no meaning here\(remedy)")
  }

  private var peek: Unicode.Scalar? { peek(0) }

  private func peek(_ ahead: Int) -> Unicode.Scalar? {
    position + ahead < scalars.count ? scalars[position + ahead] : nil
  }

  private func text(from start: Int) -> String {
    String(String.UnicodeScalarView(scalars[start..<position]))
  }

  private mutating func digits() { while peek?.isDigit == true { position += 1 } }

  private mutating func number() throws(ExpressionError) -> Double {
    let start = position
    digits()
    if peek == "." {
      position += 1
      digits()
    }
    if peek == "e" || peek == "E" {
      let sign = peek(1) == "+" || peek(1) == "-"
      if peek(sign ? 2 : 1)?.isDigit == true {
        position += sign ? 2 : 1
        digits()
      }
    }
    guard position - start <= Self.maximumNumberLength else {
      throw ExpressionError(
        offset: start,
        message:
          "a number may have at most \(Self.maximumNumberLength) characters, this one has \(position - start)"
      )
    }
    let text = text(from: start)
    guard let value = Double(text), Float(value).isFinite else {
      throw ExpressionError(
        offset: start, message: "the number \(printable(text, limit: 40)) is too large for a 32-bit float")
    }
    if let scalar = peek, scalar.continuesName || scalar == "." {
      throw ExpressionError(
        offset: position, message: "\(quoted(scalar)) directly after a number; write '*' to multiply")
    }
    return value
  }
}

extension Unicode.Scalar {
  fileprivate var isSpace: Bool {
    switch value {
    case 0x20, 0x09...0x0D: true
    case 0..<0x80: false
    default: properties.isWhitespace
    }
  }
}
