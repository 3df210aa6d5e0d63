// SPDX-License-Identifier: Apache-2.0

extension Expression {
  package init(parsing text: some StringProtocol) throws(ExpressionError) {
    var parser = try ExpressionParser(text)
    self = try parser.whole()
  }
}

/// Reads the grammar of `Expression` by climbing over operators of rising precedence.
private struct ExpressionParser {
  private var lexer: ExpressionLexer
  private var token: ExpressionLexer.Token
  private var result = Expression()
  private var depth = 0

  init(_ text: some StringProtocol) throws(ExpressionError) {
    lexer = ExpressionLexer(text)
    token = try lexer.next()
  }

  mutating func whole() throws(ExpressionError) -> Expression {
    if token.kind == .end { throw ExpressionError(offset: token.offset, message: "an expression is missing") }
    _ = try expression(above: 0)
    guard token.kind == .end else { throw unexpected("an operator or the end") }
    return result
  }

  /// An expression whose operators all bind more tightly than `level`; the row of its term.
  private mutating func expression(above level: Int) throws(ExpressionError) -> Int {
    depth += 1
    defer { depth -= 1 }
    guard depth <= Limits.depth else {
      throw ExpressionError(offset: token.offset, message: "brackets nest deeper than \(Limits.depth) levels")
    }
    var left = try unary()
    while case .symbol(let symbol) = token.kind, let op = BinaryOp(rawValue: symbol), op.precedence > level {
      let offset = token.offset
      try advance()
      let right = try expression(above: op.precedence)
      left = add(.binary(op, left, right), offset)
      if op.precedence == BinaryOp.less.precedence, case .symbol(let next) = token.kind,
        BinaryOp(rawValue: next)?.precedence == op.precedence
      {
        throw ExpressionError(
          offset: token.offset, message: "comparisons do not chain; put one of them in brackets")
      }
    }
    return left
  }

  private mutating func unary() throws(ExpressionError) -> Int {
    var signs: [Int] = []
    while token.kind == .symbol("-") {
      signs.append(token.offset)
      try advance()
    }
    var result = try primary()
    for offset in signs.reversed() { result = add(.negation(result), offset) }
    return result
  }

  private mutating func primary() throws(ExpressionError) -> Int {
    let (kind, offset) = (token.kind, token.offset)
    switch kind {
    case .number(let value):
      try advance()
      return add(.number(value), offset)
    case .string(let text):
      try advance()
      return add(.string(text), offset)
    case .name(let name):
      try advance()
      guard token.kind == .symbol("(") else { return add(.name(name), offset) }
      return add(.call(name, try arguments()), offset)
    case .symbol("("):
      try advance()
      let inner = try expression(above: 0)
      try expect(")")
      return inner
    case .symbol("["):
      try advance()
      var elements: [Int] = []
      while token.kind != .symbol("]") {
        elements.append(try expression(above: 0))
        guard try comma(before: "]") else { break }
      }
      try advance()
      return add(.list(elements), offset)
    case .symbol, .end:
      throw unexpected("a number, a name or '('")
    }
  }

  private mutating func arguments() throws(ExpressionError) -> [Expression.Argument] {
    try advance()
    var arguments: [Expression.Argument] = []
    while token.kind != .symbol(")") {
      let offset = token.offset
      var label: String?
      if case .name(let name) = token.kind {
        let (savedLexer, savedToken) = (lexer, token)
        try advance()
        if token.kind == .symbol(":") {
          label = name
          try advance()
        } else {
          (lexer, token) = (savedLexer, savedToken)
        }
      }
      arguments.append(.init(label: label, term: try expression(above: 0), offset: offset))
      guard try comma(before: ")") else { break }
    }
    try advance()
    return arguments
  }

  /// Passes a comma, or stays before the closing bracket and says no.
  private mutating func comma(before close: String) throws(ExpressionError) -> Bool {
    if token.kind == .symbol(",") {
      try advance()
      if token.kind == .symbol(close) { throw unexpected("an expression after ','") }
      return true
    }
    guard token.kind == .symbol(close) else { throw unexpected("',' or '\(close)'") }
    return false
  }

  private mutating func expect(_ symbol: String) throws(ExpressionError) {
    guard token.kind == .symbol(symbol) else { throw unexpected("an operator or '\(symbol)'") }
    try advance()
  }

  private mutating func advance() throws(ExpressionError) { token = try lexer.next() }

  private mutating func add(_ kind: Expression.Kind, _ offset: Int) -> Int {
    result.terms.append(.init(kind: kind, offset: offset))
    return result.terms.count - 1
  }

  private func unexpected(_ wanted: String) -> ExpressionError {
    let found =
      switch token.kind {
      case .number(let value): "the number \(value)"
      case .name(let name): "'\(name)'"
      case .string(let text): "the string \"\(text)\""
      case .symbol(let symbol): "'\(symbol)'"
      case .end: "the end"
      }
    return ExpressionError(offset: token.offset, message: "expected \(wanted), found \(found)")
  }
}

extension BinaryOp {
  /// How tightly an infix operator binds; 0 for functions.
  fileprivate var precedence: Int {
    switch self {
    case .less, .lessOrEqual, .greater, .greaterOrEqual, .equal, .notEqual: 1
    case .add, .subtract: 2
    case .multiply, .divide, .modulo: 3
    case .min, .max, .pow, .atan2: 0
    }
  }
}
