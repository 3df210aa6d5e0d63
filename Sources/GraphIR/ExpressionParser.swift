// SPDX-License-Identifier: Apache-2.0

extension Expression {
  package init(parsing text: some StringProtocol) throws(ExpressionError) {
    var parser = try ExpressionParser(text)
    self = try parser.whole()
  }
}

/// Reads the grammar of `Expression`, with one level of recursion for each level of brackets.
///
/// Between two brackets operands and operators wait in two stacks, until an operator that binds no more tightly
/// comes along:
///
///     a + b * c - d        operands a b c, operators + *: '-' makes b * c of them, then a + …
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
    _ = try expression()
    guard token.kind == .end else { throw unexpected("an operator or the end") }
    return result
  }

  /// Everything up to a closing bracket, a comma or the end; the row of its term.
  private mutating func expression() throws(ExpressionError) -> Int {
    var operands = [try operand()]
    var operators: [(op: BinaryOp, offset: Int)] = []
    while case .infix(let op) = token.kind {
      while let last = operators.last, last.op.precedence >= op.precedence {
        guard op.precedence > BinaryOp.less.precedence || last.op.precedence > op.precedence else {
          throw ExpressionError(
            offset: token.offset, message: "comparisons do not chain; put one of them in brackets")
        }
        try join(&operands, &operators)
      }
      operators.append((op, token.offset))
      try advance()
      operands.append(try operand())
    }
    while !operators.isEmpty { try join(&operands, &operators) }
    return operands[0]
  }

  private mutating func join(
    _ operands: inout [Int], _ operators: inout [(op: BinaryOp, offset: Int)]
  ) throws(ExpressionError) {
    let (op, offset) = operators.removeLast()
    let right = operands.removeLast()
    operands.append(try add(.binary(op, operands.removeLast(), right), offset))
  }

  private mutating func operand() throws(ExpressionError) -> Int {
    var signs: [Int] = []
    while token.kind == .infix(.subtract) {
      signs.append(token.offset)
      try advance()
    }
    var result = try primary()
    for offset in signs.reversed() { result = try add(.negation(result), offset) }
    return result
  }

  private mutating func primary() throws(ExpressionError) -> Int {
    let (kind, offset) = (token.kind, token.offset)
    switch kind {
    case .number(let value):
      try advance()
      return try add(.number(value), offset)
    case .string(let text):
      try advance()
      return try add(.string(text), offset)
    case .name(let name):
      try advance()
      guard token.kind == .mark("(") else { return try add(.name(name), offset) }
      return try add(.call(name, try arguments()), offset)
    case .mark("("):
      try open()
      let inner = try expression()
      guard token.kind == .mark(")") else { throw unexpected("an operator or ')'") }
      try close()
      return inner
    case .mark("["):
      return try add(.list(try elements()), offset)
    case .mark, .infix, .end:
      throw unexpected("a number, a name or '('")
    }
  }

  private mutating func elements() throws(ExpressionError) -> [Int] {
    try open()
    var elements: [Int] = []
    while token.kind != .mark("]") {
      elements.append(try expression())
      guard try comma(before: "]") else { break }
    }
    try close()
    return elements
  }

  private mutating func arguments() throws(ExpressionError) -> [Expression.Argument] {
    try open()
    var arguments: [Expression.Argument] = []
    while token.kind != .mark(")") {
      let offset = token.offset
      let label = try label()
      arguments.append(.init(label: label, term: try expression(), offset: offset))
      guard try comma(before: ")") else { break }
    }
    try close()
    return arguments
  }

  /// Passes `name:`, or stays where it is.
  private mutating func label() throws(ExpressionError) -> String? {
    guard case .name(let name) = token.kind else { return nil }
    let (savedLexer, savedToken) = (lexer, token)
    try advance()
    guard token.kind == .mark(":") else {
      (lexer, token) = (savedLexer, savedToken)
      return nil
    }
    try advance()
    return name
  }

  private mutating func open() throws(ExpressionError) {
    guard depth < Limits.depth else {
      throw ExpressionError(offset: token.offset, message: "brackets nest deeper than \(Limits.depth) levels")
    }
    depth += 1
    try advance()
  }

  private mutating func close() throws(ExpressionError) {
    depth -= 1
    try advance()
  }

  /// Passes a comma, or stays before the closing bracket and says no.
  private mutating func comma(before close: Unicode.Scalar) throws(ExpressionError) -> Bool {
    if token.kind == .mark(",") {
      try advance()
      if token.kind == .mark(close) { throw unexpected("an expression after ','") }
      return true
    }
    guard token.kind == .mark(close) else { throw unexpected("',' or '\(close)'") }
    return false
  }

  private mutating func advance() throws(ExpressionError) { token = try lexer.next() }

  private mutating func add(_ kind: Expression.Kind, _ offset: Int) throws(ExpressionError) -> Int {
    guard result.terms.count < Limits.terms else {
      throw ExpressionError(offset: offset, message: "an expression may have at most \(Limits.terms) terms")
    }
    result.terms.append(.init(kind: kind, offset: offset))
    return result.terms.count - 1
  }

  private func unexpected(_ wanted: String) -> ExpressionError {
    let found =
      switch token.kind {
      case .number(let value): "the number \(written(value))"
      case .name(let name): quoted(name)
      case .string(let text): "the string \"\(printable(text))\""
      case .infix(let op): "'\(op.rawValue)'"
      case .mark(let mark): "'\(mark)'"
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
