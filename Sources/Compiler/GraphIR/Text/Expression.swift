// SPDX-License-Identifier: Apache-2.0

/// Arithmetic as people write it, in model files and in the text form of graphs.
///
///     expression = comparison
///     comparison = sum [ ("<" | "<=" | ">" | ">=" | "==" | "!=") sum ]
///     sum        = product { ("+" | "-") product }
///     product    = unary { ("*" | "/" | "%") unary }
///     unary      = "-" unary | primary
///     primary    = number | name | string | list | call | "(" expression ")"
///     call       = name "(" [ argument { "," argument } ] ")"       argument = [ name ":" ] expression
///     list       = "[" [ expression { "," expression } ] "]"
///     name       = letter { letter | digit | "_" }
///
/// In the text form of graphs, and for outputs of a model within a model, a name can have parts: `cab.level`.
///
/// The terms stand in one array, operands before their users: whoever reads an expression walks the array and needs
/// no recursion, however long a sum is.
package struct Expression: Hashable, Sendable {
  package struct Term: Hashable, Sendable {
    package var kind: Kind
    /// Characters (Unicode scalars) from the beginning of the text.
    package var offset: Int
  }

  package enum Kind: Hashable, Sendable {
    case number(Double)
    case name(String)
    case string(String)
    case list([Int])
    case negation(Int)
    case binary(BinaryOp, Int, Int)
    case call(String, [Argument])
  }

  package struct Argument: Hashable, Sendable {
    package var label: String?
    package var term: Int
    /// Characters from the beginning of the text to the label, or to the expression.
    package var offset: Int
  }

  /// The last one is the whole expression.
  package internal(set) var terms: [Term] = []

  /// The names that the expression uses as values, in the order of the text.
  package var names: [String] {
    terms.compactMap { term in
      switch term.kind {
      case .name(let name): name
      case .number, .string, .list, .negation, .binary, .call: nil
      }
    }
  }
}

/// A flaw of an expression, and how many characters it lies from its beginning.
package struct ExpressionError: Error, Hashable, Sendable {
  package var offset: Int
  package var message: String
}

extension Expression {
  /// The part of the expression that ends in a term, as an expression of its own; offsets stay what they are.
  ///
  ///     a * f(b + 1)     the part that ends in '+'     →     b + 1
  ///
  /// It takes time by the terms of the part only, however long the whole is.
  package func part(endingIn root: Int) -> Expression {
    var rows = [root]
    var next = 0
    while next < rows.count {
      rows += terms[rows[next]].kind.operands
      next += 1
    }
    // Each term has one user, so none stands there twice; operands stand before their users.
    rows.sort()
    let positions = Dictionary(uniqueKeysWithValues: rows.enumerated().map { ($1, $0) })
    var part = Expression()
    part.terms = rows.map { row in
      Term(kind: terms[row].kind.withOperands { positions[$0]! }, offset: terms[row].offset)
    }
    return part
  }

  /// An expression that is a name.
  package init(name: String) { terms = [Term(kind: .name(name), offset: 0)] }

  /// An expression that is a number.
  package init(number: Double) { terms = [Term(kind: .number(number), offset: 0)] }

  /// Puts a name in place of a term; what that was made of remains as terms without users.
  package mutating func replace(_ term: Int, with name: String) { terms[term].kind = .name(name) }
}

extension Expression.Kind {
  fileprivate var operands: [Int] {
    switch self {
    case .number, .name, .string: []
    case .list(let rows): rows
    case .negation(let row): [row]
    case .binary(_, let left, let right): [left, right]
    case .call(_, let arguments): arguments.map(\.term)
    }
  }

  fileprivate func withOperands(_ position: (Int) -> Int) -> Self {
    switch self {
    case .number, .name, .string: self
    case .list(let rows): .list(rows.map(position))
    case .negation(let row): .negation(position(row))
    case .binary(let op, let left, let right): .binary(op, position(left), position(right))
    case .call(let name, let arguments):
      .call(
        name,
        arguments.map { argument in
          var argument = argument
          argument.term = position(argument.term)
          return argument
        })
    }
  }
}
