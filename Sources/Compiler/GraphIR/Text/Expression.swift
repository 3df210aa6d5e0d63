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
