// SPDX-License-Identifier: Apache-2.0

extension Expression {
  package init(parsing text: some StringProtocol) throws(ExpressionError) {
    var parser = try ExpressionParser(text)
    self = try parser.whole()
  }
}

/// Reads the grammar of `Expression` without recursion: what is not complete waits on stacks, so that the depth of a
/// stranger's brackets costs no stack of ours.
///
///     f(a + b * c - d        levels   [outermost, f(]
///                            operands [a, b, c]    signs [+, *]: '-' makes b * c of them, then a + …
private struct ExpressionParser {
  /// An operator that waits for its right operand.
  private struct Sign {
    /// Nil is the negation, which binds most tightly.
    var op: BinaryOp?
    var offset: Int

    var precedence: Int { op?.precedence ?? 4 }
  }

  /// A level of the expression: what stands between two brackets, or outermost.
  private struct Level {
    enum Kind: Equatable {
      case outermost, group, list
      case call(String)
    }

    var kind: Kind
    var offset: Int
    /// How many signs waited before this level began.
    var base: Int
    var arguments: [Expression.Argument] = []
    /// The label of the argument that is being read, and where the argument begins.
    var label: String?
    var begin = 0

    var closing: ExpressionLexer.Kind {
      switch kind {
      case .outermost: .end
      case .list: .mark("]")
      case .group, .call: .mark(")")
      }
    }
  }

  private var lexer: ExpressionLexer
  private var token: ExpressionLexer.Token
  /// Whether the token stands behind a number.
  private var followsNumber = false
  private var result = Expression()
  private var level = Level(kind: .outermost, offset: 0, base: 0)
  /// The levels around the present one.
  private var outer: [Level] = []
  private var operands: [Int] = []
  private var signs: [Sign] = []

  init(_ text: some StringProtocol) throws(ExpressionError) {
    lexer = ExpressionLexer(text)
    token = try lexer.next()
  }

  mutating func whole() throws(ExpressionError) -> Expression {
    if token.kind == .end { throw ExpressionError(offset: token.offset, message: "an expression is missing") }
    repeat {
      while try !passOperand() {}
    } while try passOperator()
    return result
  }

  // MARK: Where an operand is due

  /// Passes an operand, or a sign or an opening bracket in front of one; whether it was an operand.
  private mutating func passOperand() throws(ExpressionError) -> Bool {
    let (kind, offset) = (token.kind, token.offset)
    switch kind {
    case .number(let value):
      try advance()
      operands.append(try add(.number(value), offset))
    case .string(let text):
      try advance()
      operands.append(try add(.string(text), offset))
    case .name(let name):
      try advance()
      if token.kind == .mark("(") { return try open(.call(name), at: offset) }
      operands.append(try add(.name(name), offset))
    case .infix(.subtract):
      try advance()
      signs.append(Sign(op: nil, offset: offset))
      return false
    case .mark("("): return try open(.group, at: offset)
    case .mark("["): return try open(.list, at: offset)
    case .mark, .infix, .end: throw unexpected("a number, a name or '('")
    }
    return true
  }

  /// Passes an opening bracket; whether the closing one follows at once and is passed too.
  private mutating func open(_ kind: Level.Kind, at offset: Int) throws(ExpressionError) -> Bool {
    guard outer.count < Limits.depth else {
      throw ExpressionError(offset: token.offset, message: "brackets nest deeper than \(Limits.depth) levels")
    }
    try advance()
    outer.append(level)
    level = Level(kind: kind, offset: offset, base: signs.count)
    if kind != .group, token.kind == level.closing {
      try close()
      return true
    }
    try beginArgument()
    return false
  }

  /// Notes where an argument begins, and passes its label.
  private mutating func beginArgument() throws(ExpressionError) {
    (level.label, level.begin) = (nil, token.offset)
    guard case .call = level.kind, case .name(let name) = token.kind else { return }
    let saved = (lexer, token)
    try advance()
    if token.kind == .mark(":") {
      level.label = name
      try advance()
    } else {
      (lexer, token) = saved
    }
  }

  // MARK: Behind an operand

  /// Passes closing brackets, then an operator or a comma; false at the end.
  private mutating func passOperator() throws(ExpressionError) -> Bool {
    while token.kind == level.closing {
      try join(downTo: 0)
      guard level.kind != .outermost else { return false }
      endArgument()
      try close()
    }
    if case .infix(let op) = token.kind {
      try join(downTo: op.precedence)
      signs.append(Sign(op: op, offset: token.offset))
      try advance()
      return true
    }
    switch level.kind {
    case .outermost: throw unexpected("an operator or the end")
    case .group: throw unexpected("an operator or ')'")
    case .list, .call: break
    }
    guard token.kind == .mark(",") else {
      throw unexpected(level.kind == .list ? "',' or ']'" : "',' or ')'")
    }
    try join(downTo: 0)
    endArgument()
    try advance()
    if token.kind == level.closing { throw unexpected("an expression after ','") }
    try beginArgument()
    return true
  }

  /// Gives operands to the signs of this level that bind at least as tightly.
  private mutating func join(downTo precedence: Int) throws(ExpressionError) {
    while signs.count > level.base, let sign = signs.last, sign.precedence >= precedence {
      let right = operands.removeLast()
      if let op = sign.op {
        guard precedence != BinaryOp.less.precedence || op.precedence > precedence else {
          throw ExpressionError(
            offset: token.offset, message: "comparisons do not chain; put one of them in brackets")
        }
        operands.append(try add(.binary(op, operands.removeLast(), right), sign.offset))
      } else {
        operands.append(try add(.negation(right), sign.offset))
      }
      signs.removeLast()
    }
  }

  private mutating func endArgument() {
    level.arguments.append(.init(label: level.label, term: operands.removeLast(), offset: level.begin))
  }

  /// Passes a closing bracket: what stands in the brackets is an operand of the level around it.
  private mutating func close() throws(ExpressionError) {
    switch level.kind {
    case .outermost: preconditionFailure("the outermost level has no bracket")
    case .group: operands.append(level.arguments[0].term)
    case .list: operands.append(try add(.list(level.arguments.map(\.term)), level.offset))
    case .call(let name): operands.append(try add(.call(name, level.arguments), level.offset))
    }
    level = outer.removeLast()
    try advance()
  }

  // MARK: Tokens and terms

  private mutating func advance() throws(ExpressionError) {
    followsNumber = if case .number = token.kind { true } else { false }
    token = try lexer.next()
  }

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
      case .name(let name):
        quoted(name) + (followsNumber ? "; a product is written 2 * x, and numbers have no units" : "")
      case .string(let text): "the string \"\(printable(text))\""
      case .infix(let op): "'\(op.rawValue)'"
      case .mark(let mark): "'\(mark)'"
      case .end: "the end"
      }
    return ExpressionError(offset: token.offset, message: "expected \(wanted), found \(found)")
  }
}
