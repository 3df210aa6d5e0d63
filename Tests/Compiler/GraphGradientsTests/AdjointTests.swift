// SPDX-License-Identifier: Apache-2.0

import GradientEquipment
import GraphGradients
import GraphIR
import ReferenceInterpreter
import Testing

/// Law 9 op by op: what flows back is how fast the result changes.
@Suite struct AdjointTests {
  /// Expressions of x [3, 4], y [3, 4], v [4], s [] and z [2, 3, 4], around which their derivatives are known.
  static let expressions = [
    "-x", "abs(x)", "exp(x)", "sin(x)", "cos(x)", "tan(x)", "tanh(x)", "sigmoid(x)", "erf(x)", "floor(x) * x",
    "round(x) + x", "sqrt(x + 2)", "log(x + 2)", "x + v", "x - s", "x * v", "x * s", "x / (y + 2)",
    "s / (x + 2)", "(x + 3) % (y + 2)", "min(x, y)", "max(x, v)", "max(x, 0)", "pow(x + 2, y)", "pow(x, 2)",
    "pow(s + 2, x)", "atan2(x, y)", "select(x < y, x * x, v)", "x * y + v", "x < y", "sign(x) * x",
    "slice(x, axis: 0, start: 1, count: 2)", "concatenate([x, y * y], axis: 1)", "reshape(x, [2, 6])",
    "transpose(x, [1, 0]) * 2", "pad(x, axis: 1, before: 2, after: 1)", "broadcast(v, [3, 4]) * x",
    "gather(x, 3 * abs(s), axis: 0)", "gather(z, 4 * abs(y), axis: 2)", "gather(x, 3 * abs(z), axis: 1)",
    "shifted(x, axis: 1, by: 1) * x", "shifted(x, axis: 0, by: -2)", "sum(x, axis: 0)", "sum(x * x, axis: 1)",
    "maximum(x, axis: 1)", "maximum(floor(3 * x) / 4 + x, axis: 0)", "windows(v, axis: 0, size: 2)",
    "windows(z, axis: 2, size: 2, hop: 2)", "windows(z, axis: 2, size: 3, dilation: 1)",
    "windows(z, axis: 2, size: 2, dilation: 2)", "windows(z, axis: 1, size: 1, hop: 2)",
    "windows(z, axis: 2, size: 3, hop: 2) * 2", "contraction(x, y)", "contraction(z, x)",
    "contraction(x, z * z)", "matmul(x, transpose(y, [1, 0]))", "softmax(x)", "layerNorm(x)",
    "mean(x, axis: 0) / (v + 3)", "attention(x, y, x * x)", "cumsum(x, axis: 1)", "maxPool(z, size: 2)",
    "averagePool(z, size: 3)", "x + delay(y, 1)",
  ]

  @Test(arguments: expressions)
  func flowsBackAsItChanges(expression: String) throws {
    let graph = try Graph(
      parsing: """
        graph "x" step 48000
        input x [3, 4]
        input y [3, 4]
        input v [4]
        input s []
        input z [2, 3, 4]
        dst = \(expression)
        output dst = dst
        """)
    try expectGradient(of: graph, seed: UInt64(expression.count), expression)
  }

  /// What is read before a delay is read by way of it, too: in the order of nodes it may stand behind its user.
  @Test(arguments: ["dst = v + u", "dst = u + v", "dst = u * exp(v)"])
  func flowsBackAroundALoopThroughADelay(line: String) throws {
    let graph = try Graph(
      parsing: """
        graph "x" step 48000
        input x [3, 4]
        v = x + delay(u, 1)
        u = tanh(v)
        \(line)
        output dst = dst
        """)
    try expectGradient(of: graph, seed: 7, line)
  }

  /// Layers with weights that are inputs, so that what flows back into them is tried.
  static let layers = [
    "input x [3, 4]\ninput w [5, 4]\ninput b [5]\ndst = dense(x, w, b)",
    "input x [3, 4, 2]\ninput w [5, 4]\ndst = dense(x, w, axis: 1)",
    "input x [3, 9]\ninput w [4, 3, 2]\ninput b [4]\ndst = conv1d(x, w, b, axis: 1)",
    "input x [2, 3, 11]\ninput w [4, 3, 3]\ndst = conv1d(x, w, axis: 2, stride: 2, dilation: 2)",
    "input x [4, 9]\ninput w [6, 2, 2]\ninput b [6]\ndst = conv1d(x, w, b, axis: 1, groups: 2, stride: 3)",
    "input x [3, 6, 7]\ninput w [2, 3, 3, 2]\ninput b [2]\ndst = conv2d(x, w, b)",
    "input x [2, 4, 6, 7]\ninput w [4, 2, 3, 3]\ndst = conv2d(x, w, stride: 2, groups: 2)",
    "input x [2, 4, 5, 4]\ninput w [3, 2, 2, 2, 2]\ndst = conv3d(x, w)",
    "input x [3, 8]\ninput w [3, 2, 3]\ndst = convTranspose(x, w, axis: 1, padding: 'full')",
    "input x [4, 5]\ninput w [4, 2, 3]\ninput b [4]\ndst = convTranspose(x, w, b, axis: 1, stride: 2, groups: 2)",
    "input x [2, 3, 3]\ninput w [2, 2, 2, 3]\ndst = convTranspose(x, w, stride: [3, 2], padding: 'full')",
  ]

  @Test(arguments: layers)
  func layersLearn(layer: String) throws {
    let graph = try Graph(
      parsing: "graph \"x\" step 48000\n\(layer.replacing("'", with: "\""))\noutput dst = dst")
    try expectGradient(of: graph, seed: 7, layer)
  }

  /// Cycles along positions, whose adjoints run the other way.
  static let cycles = [
    "input x [6, 3]\nh = tanh(x + 0.5 * shifted(h, axis: 0, by: 1))\ndst = h",
    "input x [6, 3]\ninput u [3, 3]\nh = tanh(x + dense(shifted(h, axis: 0, by: 1), u))\ndst = h * x",
    "input x [6, 3]\ninput u [3, 3]\nh = sigmoid(x + dense(shifted(h, axis: 0, by: -2), u))\ndst = h",
    "input x [5, 2]\ninput w [12, 2]\ninput u [12, 3]\ninput b [12]\ndst = lstm(x, w, u, b, along: 'positions')",
    "input x [5, 2]\ninput w [9, 2]\ninput u [9, 3]\ninput b [9]\ninput v [9]\n"
      + "dst = gru(x, w, u, b, v, along: 'positions', direction: 'backward')",
    "input x [7, 2]\na = x + 0.3 * shifted(b, axis: 0, by: 1)\nb = a * reshape(sum(a, axis: 1), [7, 1])\ndst = b",
  ]

  @Test(arguments: cycles)
  func cyclesRunBackwards(cycle: String) throws {
    let graph = try Graph(
      parsing: "graph \"x\" step 48000\n\(cycle.replacing("'", with: "\""))\noutput dst = dst")
    try expectGradient(of: graph, seed: 11, cycle)
  }

  private func expectGradient(of graph: Graph, seed: UInt64, _ what: String) throws {
    var check = try GradientCheck(graph, seed: seed)
    #expect(Verifier.violations(in: check.gradient).isEmpty)
    check.compare(directions: 12)
    #expect(check.compared >= 6, "\(what): \(check.skipped) directions were skipped")
    #expect(check.worst <= 1e-6, "\(what): off by \(check.worst)")
  }

  /// At rest, where the rules alone say 0 times infinity.
  @Test(arguments: [
    ("pow(a, b)", [0, 0], [0, 0]), ("pow(a, b)", [0, 1], [1, 0]), ("pow(a, b)", [0, 2], [0, 0]),
    ("atan2(a, b)", [0, 0], [0, 0]), ("atan2(a, b)", [0, 4], [0.25, 0]), ("atan2(a, b)", [2, 0], [0, -0.5]),
  ])
  func slopesAtRest(expression: String, numbers: [Float], wanted: [Double]) throws {
    let graph = try Graph(
      parsing: "graph \"x\" step 48000\ninput a []\ninput b []\nloss = \(expression)\noutput loss = loss")
    let gradient = try graph.withGradient(of: "loss", withRespectTo: ["a", "b"])
    let made = ReferenceInterpreter(gradient).run(inputs: numbers.map { [$0] }, frames: 1).outputs
    let slopes = ["a", "b"].map { name in
      made[gradient.outputs.firstIndex { $0.name == Graph.gradientName(of: name) }!][0].value
    }
    #expect(slopes == wanted)
  }

  /// What flows back is read where it was computed: gradients of the last layer come first.
  @Test func gradientsStandInTheOrderOfTheWayBack() throws {
    let graph = try Graph(
      parsing: """
        graph "x" step 48000
        input x [2]
        input a [3, 2]
        input b [1, 3]
        loss = dense(tanh(dense(x, a)), b)
        output loss = loss
        """)
    let gradient = try graph.withGradient(of: "loss", withRespectTo: ["a", "b"])
    #expect(gradient.outputs.map(\.name) == ["loss", "gradient.b", "gradient.a"])
    #expect(gradient.canonical().outputs.map(\.value).sorted() == gradient.canonical().outputs.map(\.value))
  }

  @Test func namesAndShapesAreRefusedInWords() throws {
    let graph = try Graph(
      parsing: """
        graph "x" step 48000
        input x [3]
        y = x * x
        loss = sum(y, axis: 0)
        output y = y
        output loss = loss
        """)
    func refusal(_ loss: String, _ names: [String]) -> String {
      do throws(TypingError) {
        _ = try graph.withGradient(of: loss, withRespectTo: names)
        return ""
      } catch {
        return error.description
      }
    }
    #expect(refusal("l", ["x"]) == "there is no output 'l' to be made small")
    #expect(refusal("y", ["x"]) == "what is made small is one number; 'y' is [3]")
    #expect(refusal("loss", ["z"]) == "there is no input 'z' for a gradient")
    #expect(refusal("loss", ["x"]) == "")
  }
}
