// SPDX-License-Identifier: Apache-2.0

import GraphGradients
import GraphIR
import Testing

/// Logarithms of exponentials over a number.
@Suite struct LogarithmTests {
  private func graph(_ y: String) throws -> Graph {
    try Graph(parsing: "graph \"g\" step 48000\ninput x [2, 3]\ninput s [2, 1]\ny = \(y)\noutput y = y")
      .canonical()
  }

  @Test(arguments: [
    ("log(exp(x) / s)", "x - log(s)"),
    ("2 * log(reshape(exp(x) / s, [6]))", "2 * reshape(x - log(s), [6])"),
    ("log(transpose(exp(x) / s, [1, 0]))", "transpose(x - log(s), [1, 0])"),
    ("log(slice(exp(x) / s, axis: 1, start: 1, count: 2))", "slice(x - log(s), axis: 1, start: 1, count: 2)"),
    ("log(x / s)", "log(x / s)"), ("log(exp(x))", "log(exp(x))"), ("exp(x) / s", "exp(x) / s"),
    ("log(max(exp(x) / s, 0.1))", "log(max(exp(x) / s, 0.1))"),
  ])
  func areTakenOneByOne(text: String, wanted: String) throws {
    #expect(try graph(text).withLogarithmsOfQuotients() == graph(wanted))
  }
}
