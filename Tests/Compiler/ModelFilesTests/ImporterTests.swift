// SPDX-License-Identifier: Apache-2.0

import GraphIR
import ModelFiles
import TestEquipment
import Testing

/// Models that are right, and the graphs that they become.
@Suite struct ImporterTests {
  private func graph(
    _ text: String, extents: [String: Int] = ["channels": 2], sampleRate: Double = 48_000
  ) throws -> Graph {
    let document = try ModelDocument.decode(Array(text.utf8), file: "m")
    let graph = try Graph(importing: document, extents: extents, sampleRate: sampleRate)
    #expect(Verifier.violations(in: graph) == [])
    return graph
  }

  private func stream(_ graph: String, _ rest: String = "") throws -> String {
    let text = """
      { "legato": 1, "name": "m", "inputs": { "x": { "shape": ["channels", "frames"] } }, "outputs": ["y"],
        \(rest) "graph": { \(graph) } }
      """
    // The lines between the input and the output.
    return try self.graph(text).description.split(separator: "\n").dropFirst(2).dropLast().joined(
      separator: "\n")
  }

  @Test func theBitcrusherBecomesThisGraph() throws {
    let bytes = try bytes(ofModel: "bitcrusher.json")
    let document = try ModelDocument.decode(bytes, file: "models/bitcrusher.json")
    #expect(document.symbols == ["channels"])
    let graph = try Graph(importing: document, extents: ["channels": 2], sampleRate: 48_000)
    let resolution = "Steps between 0 and full level; the fewer, the harsher."
    let gain = "How hard the signal is driven into the saturation in front of the rounding."
    let mix = "0 passes the input on as it came, 1 plays the crushed signal only."
    let rate = "How many samples a second are heard; from half the sample rate on, all of them."
    let expected = """
      graph "Bitcrusher" stream 48000
      input src [2, frames]
      parameter resolution [frames] = 8 minimum 1 maximum 256 ramp 960 scale logarithmic unit "levels" summary "\(resolution)"
      parameter saturationGain [frames] = 1 minimum 0.1 maximum 20 ramp 960 scale linear summary "\(gain)"
      parameter dryWet [frames] = 1 minimum 0 maximum 1 ramp 960 scale linear summary "\(mix)"
      parameter rate [frames] = 384000 minimum 100 maximum 384000 ramp 960 scale logarithmic unit "Hz" summary "\(rate)"
      v1 [frames] = rate * 2
      v2 [frames] = v1 >= 48000
      turns [frames] = phasor(rate)
      v3 [frames] = 1 - turns
      v4 [frames] = min(turns, v3)
      v5 [frames] = v4 * 96000
      v6 [frames] = v5 < rate
      isDue [frames] = max(v2, v6)
      v7 [2, frames] = delay(held, frames: 1)
      held [2, frames] = select(isDue, src, v7)
      v8 [2, frames] = held * saturationGain
      saturated [2, frames] = tanh(v8)
      v9 [2, frames] = saturated * resolution
      v10 [2, frames] = round(v9)
      quantized [2, frames] = v10 / resolution
      v11 [2, frames] = quantized * dryWet
      v12 [frames] = 1 - dryWet
      v13 [2, frames] = src * v12
      dst [2, frames] = v11 + v13
      output dst = dst

      """
    #expect(graph.description == expected)
    #expect(try Graph(parsing: expected) == graph)
  }

  @Test func placesOfNodesAreKept() throws {
    let graph = try graph(
      """
      { "legato": 1, "inputs": { "x": { "shape": ["frames"] } }, "outputs": ["y"],
        "graph": { "y": "tanh(x *\\u0020x) + delay(x, 2)" } }
      """)
    let places = graph.nodes.map { node in
      graph.origins.places[node.result].map { "\(node.op): \($0.line):\($0.column)" } ?? "\(node.op)"
    }
    #expect(
      places
        == [
          "input(0)", "binary(\(BinaryOp.self).multiply): 2:27", "unary(\(UnaryOp.self).tanh): 2:20",
          "delay(2): 2:39", "binary(\(BinaryOp.self).add): 2:20",
        ].map {
          $0.replacing("BinaryOp", with: "GraphIR.BinaryOp").replacing("UnaryOp", with: "GraphIR.UnaryOp")
        })
  }

  @Test func namesMayBeUsedBeforeTheyAreDefined() throws {
    #expect(
      try stream("\"y\": \"b - 1\", \"b\": \"sin(a)\", \"a\": \"x * 2\"") == """
        a [2, frames] = x * 2
        b [2, frames] = sin(a)
        y [2, frames] = b - 1
        """)
  }

  @Test func anEchoGoesAroundThroughItsDelay() throws {
    #expect(
      try stream("\"y\": \"x + 0.5 * echo\", \"echo\": \"delay(y, 0.25 * sampleRate)\"")
        == """
        echo [2, frames] = delay(y, frames: 12000)
        v1 [2, frames] = echo * 0.5
        y [2, frames] = x + v1
        """.replacing("echo * 0.5", with: "0.5 * echo"))
  }

  /// `a` is used while nothing is known of its channels: what does not fit a guess is no error.
  @Test func typesAreFoundAroundCycles() throws {
    let text = """
      { "legato": 1, "outputs": ["a"], "inputs": { "mono": { "shape": ["frames"] }, "x": { "shape": [2, "frames"] } },
        "graph": { "a": "slice(b, axis: 0, start: 1) + delay(x, 1)", "b": "delay(a, 1) + mono" } }
      """
    let graph = try graph(text)
    #expect(graph.shape(of: graph.outputs[0].value) == Shape([2], frames: .init()))
  }

  @Test func numbersAreComputedInDoublePrecision() throws {
    #expect(try stream("\"y\": \"x * (2 * pi * 440 / sampleRate)\"") == "y [2, frames] = x * 0.057595864")
    #expect(
      try stream("\"y\": \"delay(x, round(0.0333 * sampleRate))\"")
        == "y [2, frames] = delay(x, frames: 1598)")
    #expect(try stream("\"y\": \"x * n\", \"n\": \"-max(3, 2 + 2)\"") == "y [2, frames] = x * -4")
  }

  @Test func weightsOfTheFileFeedLayers() throws {
    let weights = "\"weights\": { \"w\": [[[1, 2], [3, 4]]], \"b\": [0.5] }, "
    #expect(
      try stream("\"y\": \"conv1d(x, weight: 'w', bias: 'b', dilation: 4)\"", weights) == """
        weights "w" [1, 2, 2] = [1, 2, 3, 4]
        weights "b" [1] = [0.5]
        y [1, frames] = conv1d(x, "w", "b", axis: 1, dilation: 4, stride: 1, groups: 1, padding: "causal")
        """)
  }

  @Test func withoutFramesItIsAModelOfSteps() throws {
    let text = """
      { "legato": 1, "name": "Mean", "inputs": { "window": { "shape": [4, "length"] } }, "outputs": ["y", "window", "bias"],
        "parameters": { "bias": { "default": 1, "minimum": 0, "maximum": 2, "ramp": 1 } },
        "graph": { "y": "mean(window, axis: 1) + bias" } }
      """
    #expect(
      try graph(text, extents: ["length": 8]).description == """
        graph "Mean" step 48000
        input window [4, 8]
        parameter bias [] = 1 minimum 0 maximum 2 ramp 0 scale linear
        v1 [4] = sum(window, axis: 1)
        v2 [4] = v1 / 8
        y [4] = v2 + bias
        output y = y
        output window = window
        output bias = bias

        """)
  }

  @Test func aGeneratorIsAStream() throws {
    let text = """
      { "legato": 1, "name": "Ramp", "outputs": ["t"], "graph": { "t": "delay(t + 1, 1) + delay(one, 1)", "one": "1" } }
      """
    #expect(try graph(text).clock == .stream)
    let step = text.replacing("\"outputs\"", with: "\"clock\": \"step\", \"outputs\"")
    #expect(try graph(step).clock == .step)
  }

  @Test func symbolsAreListedOnceInOrder() throws {
    let text = """
      { "legato": 1, "outputs": ["a"], "inputs": { "a": { "shape": ["rooms", "channels", "frames"] },
        "b": { "shape": ["sampleRate", "channels", 2, "bands", "frames"] } } }
      """
    #expect(try ModelDocument.decode(Array(text.utf8), file: "m").symbols == ["rooms", "channels", "bands"])
  }
}
