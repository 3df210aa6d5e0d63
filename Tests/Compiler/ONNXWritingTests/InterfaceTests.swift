// SPDX-License-Identifier: Apache-2.0

import GraphIR
import ONNXWriting
import Testing

/// Inputs and outputs of a file, and the names in it.
@Suite struct InterfaceTests {
  @Test func headIsWhatItShouldBe() throws {
    let contents = try ONNXContents(of: "input x [2]\ny = 2 * x\noutput y = y")
    #expect((contents.version, contents.opset) == (8, 17))
    #expect((contents.producer, contents.name, contents.summary) == ("Legato", "test", ""))
    #expect(contents.properties.isEmpty)
    #expect(ONNXContents.text(contents.inputs) == "x [2]" && ONNXContents.text(contents.outputs) == "y [2]")
    #expect(contents.initializers.map(\.numbers) == [[2]])
  }

  @Test func words() throws {
    let graph = try Graph(
      parsing: "graph \"test\" step 48000\ninput x [2]\ny = x + delay(y, 1)\noutput y = y")
    let export = ONNXExport(graph, summary: "Sums.", descriptions: ["x": "What is summed."])
    let contents = try ONNXContents(export.bytes)
    #expect(
      contents.summary
        == "Sums.\nState: what goes out as NAME_out goes into the next step as NAME_in; zeros into the first step."
    )
    #expect(
      contents.inputs.map(\.summary) == [
        "What is summed.", "y in the last steps, the oldest first; zeros into the first step.",
      ])
    #expect(export.nodes == contents.nodes.count && export.weights == 0)
    #expect(export.states.map(\.shape) == [[1, 2]])
  }

  /// Several delays of one value share the longest; the oldest step is the first one.
  @Test func states() throws {
    let contents = try ONNXContents(
      of: """
        input x [2]
        a = delay(x, 1) + delay(x, 4)
        b = a + 0.5 * delay(b, 2)
        output a = a
        output b = b
        """)
    #expect(ONNXContents.text(contents.inputs) == "x [2], x_in [4, 2], b_in [2, 2]")
    #expect(ONNXContents.text(contents.outputs) == "a [2], b [2], x_out [4, 2], b_out [2, 2]")
    #expect(contents.properties == ["legato.state.x_in": "x_out", "legato.state.b_in": "b_out"])
    let places = contents.nodes.filter { $0.type == "Gather" }.map { node in
      (node.inputs[0], contents.tensor(node.inputs[1])?.numbers ?? [])
    }
    #expect(places.map(\.0) == ["x_in", "x_in", "b_in"] && places.map(\.1) == [[3], [0], [0]])
  }

  /// A cycle of cells: nodes come behind what they read, however the file that was read orders them.
  @Test func cycles() throws {
    let contents = try ONNXContents(
      of: """
        input x [3]
        a = x + delay(b, 1)
        b = tanh(c) - delay(a, 2)
        c = a * delay(c, 1)
        output a = a
        """)
    #expect(ONNXContents.text(contents.inputs) == "x [3], c_in [1, 3], a_in [2, 3], b_in [1, 3]")
  }

  @Test func parametersAreInputsWithDefaults() throws {
    let contents = try ONNXContents(
      of: """
        input x [2]
        parameter gain [] = 0.5 minimum 0 maximum 2 ramp 0 scale linear unit "dB" summary "Its level."
        parameter idle [] = 3 minimum 0 maximum 4 ramp 0 scale linear
        y = gain * x
        output y = y
        """)
    #expect(ONNXContents.text(contents.inputs) == "x [2], gain [], idle []")
    #expect(contents.inputs.map(\.summary) == ["", "Its level. 0.0 to 2.0 dB.", "0.0 to 4.0."])
    #expect(contents.tensor("gain")?.numbers == [0.5] && contents.tensor("idle")?.numbers == [3])
    #expect(
      contents.properties == [
        "legato.parameter.gain":
          #"{ "default": 0.5, "minimum": 0, "maximum": 2, "unit": "dB", "scale": "linear", "ramp": 0, "description": "Its level." }"#,
        "legato.parameter.idle":
          #"{ "default": 3, "minimum": 0, "maximum": 4, "scale": "linear", "ramp": 0 }"#,
      ])
  }

  /// An output that is an input, or a parameter, is called so.
  @Test func outputsThatAreGiven() throws {
    let contents = try ONNXContents(
      of: """
        input x [2]
        parameter gain [] = 0.5 minimum 0 maximum 2 ramp 0 scale linear
        output x = x
        output gain = gain
        output other = x
        """)
    #expect(ONNXContents.text(contents.outputs) == "x [2], gain [], other [2]")
    #expect(contents.types == "Identity")
  }

  /// Ports of the kinds that a file declared are cast behind inputs and in front of outputs, once, and not where a node makes
  /// them.
  @Test func kindsOfNumbers() throws {
    let graph = try Graph(
      parsing: """
        graph "test" step 48000
        input tokens [2]
        input tiny [2]
        input unused [2]
        isLarge = tokens > 4
        isRead = tokens < tiny
        whole = truncate(tiny / 2)
        both = tokens + isRead
        output isLarge = isLarge
        output isRead = isRead
        output whole = whole
        output both = both
        output tokens = tokens
        output same = both
        """)
    let export = ONNXExport(
      graph,
      types: (
        ["tokens": "int64", "tiny": "int4", "unused": "bool"],
        [
          "isLarge": "bool", "isRead": "bool", "whole": "int32", "both": "int64", "tokens": "float32",
          "same": "float32",
        ]
      ))
    let contents = try ONNXContents(export.bytes)
    #expect(contents.inputs.map(\.element) == [7, 1, 9])
    #expect(contents.outputs.map(\.element) == [9, 9, 6, 7, 7, 1])
    #expect(contents.types == "Cast Greater Less Cast Div Cast Add Cast Cast")
    #expect(
      contents.nodes.filter { $0.type == "Cast" }.map { $0.attributes[0] } == [
        "to 1", "to 1", "to 6", "to 9", "to 7",
      ])
  }

  /// Values under several names, and names that several things have.
  @Test func names() throws {
    let contents = try ONNXContents(
      of: """
        input x [2]
        weights "x" [2] = [1, 2]
        weights "number" [2] = [3, 4]
        weights "lstm.weight" [2] = [5, 6]
        y_in = x * "x" + "number" * "lstm.weight"
        y = delay(y_in, 1) * 2
        late = delay(y, 1)
        output y = y
        output same = y
        output given = x
        output x = y_in
        output two = 2
        output fixed = "number"
        output late = late
        """)
    #expect(
      ONNXContents.text(contents.outputs)
        == "y [2], same [2], given [2], x_1 [2], two [], fixed [2], late [2], y_in_out [1, 2], y_out [1, 2]")
    #expect(contents.tensor("lstm.weight")?.numbers == [5, 6])
    #expect(contents.nodes.filter { $0.type == "Identity" }.map(\.outputs).count == 4)
  }

  /// In the body of a `Scan` and nowhere else; before the first position there are 32 zeros.
  @Test func weightsOfALoopStandInTheFileOnce() throws {
    let numbers = (1...1024).map(String.init).joined(separator: ", ")
    let graph = try Graph(
      parsing: """
        graph "test" step 48000
        input x [6, 32]
        weights "w" [32, 32] = [\(numbers)]
        h = tanh(x + dense(shifted(h, axis: 0, by: 1), "w"))
        output h = h
        """)
    let export = ONNXExport(graph)
    #expect(export.weights == 1024 + 32)
    #expect((4096..<6144).contains(export.bytes.count), "\(export.bytes.count)")
  }

  /// A model that warms up says for how long.
  @Test func prewarm() throws {
    let graph = try Graph(
      parsing: "graph \"test\" step 48000 prewarm 3\ninput x [2]\ny = 1 + delay(y, 1)\noutput y = y")
    let contents = try ONNXContents(ONNXExport(graph).bytes)
    #expect(contents.properties["legato.prewarm"] == "3")
    #expect(
      contents.summary.hasSuffix(
        "zeros into the first of 3 steps of zeros that run before the model's own first one."))
  }

  @Test func theSameGraphMakesTheSameBytes() throws {
    let text = """
      graph "test" step 48000
      input x [4]
      weights "w" [4, 4] = [\((1...16).map(String.init).joined(separator: ", "))]
      h = tanh(dense(delay(h, 1), "w") + x * 0.25 - delay(x, 3))
      y = gather(h, x) + sum(h, axis: 0)
      output y = y
      output h = h
      """
    let first = ONNXExport(try Graph(parsing: text)).bytes
    for _ in 0..<5 { #expect(ONNXExport(try Graph(parsing: text)).bytes == first) }
  }
}
