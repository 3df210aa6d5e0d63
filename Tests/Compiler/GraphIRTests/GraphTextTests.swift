// SPDX-License-Identifier: Apache-2.0

import GraphIR
import Testing

@Suite struct GraphTextTests {
  static let graphs = [
    """
    graph "Bitcrusher" stream 48000
    input src [2, frames]
    parameter gain [frames] = 1 minimum 0.1 maximum 20 ramp 960 scale logarithmic unit "dB"
    parameter steps [] = 8 minimum 1 maximum 256 ramp 0 scale linear
    driven [2, frames] = src * gain
    saturated [2, frames] = tanh(driven)
    v1 [2, frames] = saturated * steps
    v2 [2, frames] = round(v1)
    v3 [2, frames] = v2 / steps
    output dst = v3

    """,
    """
    graph "Echo" stream 44100
    input src [frames]
    v1 [frames] = echo * 0.5
    echo [frames] = delay(wet, frames: 100)
    wet [frames] = src + v1
    output dst = wet

    """,
    """
    graph "Window" step 48000
    input a parameter [2, 256]
    weights "taps" [3, 2, 2] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]
    v1 [2, 256] = negate(a)
    v2 [3, 253] = conv1d(v1, "taps", axis: 1, dilation: 3, stride: 1, groups: 1, padding: "valid")
    v3 [3, 32] = slice(v2, axis: 1, start: 64, count: 32)
    v4 [3] = sum(v3, axis: 1)
    output dst = v4
    output sums apart = v4

    """,
  ]

  /// A value that is fed back has the rows of its weight, though nothing else around the cycle says how many.
  @Test(arguments: ["x, delay(y, 1)", "delay(y, 1), x"]) func aWeightSaysTheShapeOfACycle(parts: String)
    throws
  {
    let graph = try Graph(
      parsing: """
        graph "fed back" stream 48000
        input x [1, frames]
        weights "w" [2, 3] = [1, 0.5, 0.25, -1, -0.5, 0.25]
        y = tanh(dense(concatenate([\(parts)]), "w"))
        output y = y
        """)
    #expect(graph.shape(of: graph.outputs[0].value).description == "[2, frames]")
  }

  @Test(arguments: graphs)
  func printParsePrintIsTheIdentity(text: String) throws {
    let graph = try Graph(parsing: text)
    #expect(Verifier.violations(in: graph).isEmpty)
    let printed = graph.description
    let again = try Graph(parsing: printed)
    #expect(again == graph)
    #expect(again.description == printed)
  }

  @Test func valuesMayBeCalledAsLinesBegin() throws {
    let text = """
      graph "words" step 48000
      input input [2]
      output [2] = tanh(input)
      weights [2] = delay(output, frames: 1)
      output output = output
      output weights = weights

      """
    let graph = try Graph(parsing: text)
    #expect(graph.outputs.map(\.name) == ["output", "weights"])
    #expect(try Graph(parsing: graph.description) == graph)
  }

  @Test func aGraphInCanonicalOrderPrintsAsItWasWritten() throws {
    #expect(try Graph(parsing: Self.graphs[0]).description == Self.graphs[0])
    #expect(try Graph(parsing: Self.graphs[2]).description == Self.graphs[2])
  }

  @Test(arguments: [
    ("input z twice [3]", "graph:4:1: an input is a 'parameter' or not, never 'twice'"),
    ("output dst beside = src", "graph:4:1: an output is 'apart' or not, never 'beside'"),
    ("x = sin(y)", "graph:4:9: no value is called 'y'"),
    ("x = tanhh(src)", "graph:4:5: no function is called 'tanhh'; did you mean 'tanh'?"),
    ("x [3, frames] = sin(src)", "graph:4:1: 'x' is stated as [3, frames], and is [2, frames]"),
    ("x = delay(x, 1)", "graph:4:1: the shape of 'x' cannot be inferred: nothing around its cycle says it"),
    ("x = x + src", "graph:4:1: 'x' makes a cycle without a delay; put delay(…, 1) into it"),
    ("x = x", "graph:4:1: 'x' is defined as itself"),
    (
      "x = slice(src, axis: 0, start: 0) + pad(delay(x, 1), axis: 0, after: 1)",
      "graph:4:1: the shape of 'x' grows each time around its cycle and has no end"
    ),
    (
      "x = slice(src, axis: 1, start: 0)",
      "axis 1 of [2, frames] is the frames; this works along fixed axes only"
    ),
    ("x = src + \"taps\"", "the shapes [2, frames] and [3] do not broadcast"),
    ("x = delay(src, 0)", "graph:4:5: a delay must be at least 1 frame; it is 0"),
    (
      "x = delay(src, 1.5)",
      "graph:4:16: 'frames' must be a whole number; it is 1.5; round(…) makes it whole"
    ),
    (
      "x = lookahead(src, -1)", "graph:4:5: a lookahead must be 0 to 268435328 frames; it is -1"
    ),
    ("x = src + lookahead(2, 5)", "graph:4:11: lookahead needs a value with frames; this one is []"),
    (
      "x = src + lookahead(delay(x, 8), 2)",
      "graph:4:1: 'x' makes a cycle that looks ahead at itself; take lookahead out of the cycle"
    ),
    (
      "x = src + lookahead(x, 2)",
      "graph:4:1: 'x' makes a cycle that looks ahead at itself; take lookahead out of the cycle"
    ),
    ("x = tanh(src, 3)", "graph:4:15: one argument too many; the function is tanh(x)"),
    ("x = slice(src, axes: 0)", "graph:4:16: slice takes no 'axes'; did you mean 'axis'?"),
    ("x = slice(src)", "graph:4:5: 'axis' is missing; the function is slice(x, axis, start, count: 1)"),
    ("x = src < src < src", "graph:4:15: comparisons do not chain; put one of them in brackets"),
    ("tanh = src", "graph:4:1: 'tanh' is a function; choose another name"),
  ])
  func mistakesAreNamedWithTheirPlace(line: String, message: String) {
    let text = """
      graph "x" stream 48000
      input src [2, frames]
      weights "taps" [3] = [1, 2, 3]
      \(line)
      output dst = x
      """
    do {
      let graph = try Graph(parsing: text)
      Issue.record("no error: \(graph)")
    } catch {
      #expect(error.all.map(\.description).contains { $0.hasSuffix(message) }, "\(error)")
    }
  }

  @Test(arguments: [
    "say \"hi\"\nthere", "back\\slash", "\\n is no line end", "\\", "\"", "\r\n", "\u{2028}", "\u{301}accent",
    "it's",
    "# no comment", "ends in \\\"", "名前", " ",
  ])
  func anyTextReadsBack(text: String) throws {
    var graph = Graph(name: text, clock: .stream, sampleRate: 48_000)
    graph.inputs = [InputPort(name: "src", type: TensorType(.frames))]
    graph.parameters = [
      ParameterDeclaration(
        name: "gain", initial: 1, minimum: 0, maximum: 2, unit: text, rampFrames: 0, summary: text)
    ]
    graph.weights = [Weights(name: text, shape: [2], values: [1, -2])]
    let source = graph.append(.input(0), [], type: TensorType(.frames))
    let weights = graph.append(.weights(WeightsID(0)), [], type: TensorType(Shape([2])))
    let product = graph.append(
      .binary(.multiply), [source, weights], type: TensorType(Shape([2], frames: .init())))
    graph.outputs = [OutputPort(name: "dst", value: product)]
    #expect(Verifier.violations(in: graph).isEmpty)
    let read = try Graph(parsing: graph.description)
    #expect(read == graph.canonical())
    // Equal strings may be written in different scalars.
    #expect(Array(read.name.unicodeScalars) == Array(text.unicodeScalars))
    #expect(read.description == graph.canonical().description)
  }

  @Test func aStringEscapesOnlyWhatCanBeEscaped() {
    let error = #expect(throws: ExpressionError.self) { try Expression(parsing: "\"a\\tb\"") }
    #expect(error?.offset == 2)
    #expect(error?.message == "after '\\' in a string stands one of \" ' \\ n, not 't'")
    for text in ["\"a\\", "\"a\\\""] {
      #expect(throws: ExpressionError.self) { try Expression(parsing: text) }
    }
  }

  @Test func typesFlowAroundCycles() throws {
    let graph = try Graph(
      parsing: """
        graph "x" stream 48000
        input src [2, frames]
        a = delay(b, 1) * 0.5
        b = a + delay(c, 3)
        c = src + a
        output dst = b
        """)
    #expect(graph.outputs.map { graph.shape(of: $0.value).fixed } == [[2]])
    #expect(Verifier.violations(in: graph).isEmpty)
  }

  @Test func aLongSumNeedsNoStack() throws {
    let sum = Array(repeating: "src", count: 20_000).joined(separator: " + ")
    let graph = try Graph(
      parsing: "graph \"x\" stream 48000\ninput src [frames]\ny = \(sum)\noutput y = y")
    #expect(graph.nodes.count == 20_000)
  }

  @Test func bracketsNestToALimit() {
    let text = String(repeating: "(", count: 100_000) + "1"
    #expect(throws: ExpressionError.self) { try Expression(parsing: text) }
  }
}
