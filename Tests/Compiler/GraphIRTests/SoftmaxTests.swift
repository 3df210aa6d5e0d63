// SPDX-License-Identifier: Apache-2.0

import GraphIR
import Testing

/// Which values are a softmax.
@Suite struct SoftmaxTests {
  @Test(arguments: [
    ("softmax(x)", true), ("softmax(x, axis: -1)", true), ("reshape(softmax(x), [2, 1, 3])", true),
    ("softmax(2 * x)", true), ("softmax(x, axis: 0)", false), ("reshape(softmax(x), [6])", false),
    ("sigmoid(x)", false), ("exp(x) / 3", false), ("x", false), ("log(softmax(x))", false),
    ("exp(x) / reshape(sum(exp(2 * x), axis: 1), [2, 1])", false),
    ("x / reshape(sum(x, axis: 1), [2, 1])", false),
  ])
  func isOne(text: String, wanted: Bool) throws {
    let graph = try Graph(parsing: "graph \"g\" step 48000\ninput x [2, 3]\ny = \(text)\noutput y = y")
    #expect(graph.isSoftmax(graph.outputs[0].value) == wanted)
  }
}
