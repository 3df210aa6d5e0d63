// SPDX-License-Identifier: Apache-2.0

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
