// SPDX-License-Identifier: Apache-2.0

import GraphIR

/// The use of another model in an expression: `model("cabinet.json", x, level: gain)`.
struct ModelCall {
  /// The row of the call among the expression's terms.
  let term: Int
  let offset: Int
  /// Nil where the first argument is no string.
  let path: String?
  let pathOffset: Int
  /// The arguments behind the path.
  let arguments: [Expression.Argument]
}

extension Expression {
  /// The uses of other models, each after those in its arguments.
  var modelCalls: [ModelCall] {
    terms.indices.compactMap { row in
      guard case .call(Function.modelName, let arguments) = terms[row].kind else { return nil }
      var path: String?
      let first = arguments.first
      if let first, first.label == nil, case .string(let text) = terms[first.term].kind { path = text }
      return ModelCall(
        term: row, offset: terms[row].offset, path: path, pathOffset: first?.offset ?? terms[row].offset,
        arguments: Array(arguments.dropFirst()))
    }
  }
}
