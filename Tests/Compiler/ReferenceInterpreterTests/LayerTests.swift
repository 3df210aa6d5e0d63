// SPDX-License-Identifier: Apache-2.0

import GraphIR
import ReferenceInterpreter
import TestEquipment
import Testing

@Suite struct LayerTests {
  /// The outputs of one step, which must all be certain.
  private func step(_ body: String, _ inputs: [Float]...) throws -> [Float] {
    certain(try interpret("graph \"layer\" step 48000\n" + body, inputs: inputs, frames: 1).outputs[0])
  }

  @Test func convolutionsAlongFramesLookBack() throws {
    let result = try interpret(
      """
      graph "causal" stream 48000
      input x [2, frames]
      weights "w" [1, 2, 2] = [1, 10, 100, 1000]
      weights "b" [1] = [0.5]
      y = conv1d(x, "w", "b", dilation: 2)
      output y = y
      """, inputs: [[1, 2, 3, 4], [5, 6, 7, 8]], frames: 4)
    // The last tap meets the present frame.
    #expect(certain(result.outputs[0]) == [5010.5, 6020.5, 7530.5 + 1, 8640.5 + 2])
  }

  @Test func groupsKeepToThemselves() throws {
    let result = try interpret(
      """
      graph "grouped" stream 48000
      input x [4, frames]
      weights "w" [2, 2, 1] = [1, 2, 3, 4]
      y = conv1d(x, "w", groups: 2)
      output y = y
      """, inputs: [[1], [2], [3], [4]], frames: 1)
    #expect(result.outputs.map { certain($0) } == [[5], [25]])
  }

  @Test func convolutionsAlongAFixedAxisStride() throws {
    let head = "input x [1, 6]\nweights \"w\" [2, 1, 2] = [1, -1, 2, 0]\n"
    #expect(
      try step(
        head + "y = conv1d(x, \"w\", axis: 1, stride: 2, padding: \"valid\")\noutput y = y",
        [1, 4, 9, 16, 25, 36]) == [-3, -7, -11, 2, 18, 50])
    #expect(
      try step(
        head + "y = conv1d(x, \"w\", axis: 1, dilation: 3, padding: \"valid\")\noutput y = y",
        [1, 4, 9, 16, 25, 36]) == [-15, -21, -27, 2, 8, 18])
    #expect(
      try step(
        head + "y = conv1d(x, \"w\", axis: 1, padding: \"causal\")\noutput y = y", [1, 4, 9, 16, 25, 36])
        == [-1, -3, -5, -7, -9, -11, 0, 2, 8, 18, 32, 50])
  }

  @Test func convolutionsLeaveOuterAndInnerAxesAlone() throws {
    #expect(
      try step(
        """
        input x [2, 1, 2, 2]
        weights "w" [1, 1, 2] = [1, 10]
        y = conv1d(x, "w", axis: 2, padding: "valid")
        output y = y
        """, [1, 2, 3, 4, 5, 6, 7, 8]) == [31, 42, 75, 86])
  }

  @Test func denseIsAMatrixOverItsAxis() throws {
    let head = "input x [2, 3]\nweights \"w\" [2, 3] = [1, 0, -1, 2, 3, 4]\nweights \"b\" [2] = [100, 200]\n"
    #expect(
      try step(head + "y = dense(x, \"w\", \"b\")\noutput y = y", [1, 2, 3, 4, 5, 6]) == [98, 220, 98, 247])
    #expect(
      try step(
        "input x [2, 3]\nweights \"w\" [1, 2] = [1, 10]\ny = dense(x, \"w\", axis: 0)\noutput y = y",
        [1, 2, 3, 4, 5, 6]) == [41, 52, 63])
  }

  @Test(
    arguments: [
      ("slice(x, axis: 1, start: 1, count: 2)", [2, 3, 5, 6]),
      ("slice(x, axis: 0, start: 1)", [4, 5, 6]),
      ("reshape(x, shape: [3, 2])", [1, 2, 3, 4, 5, 6]),
      ("transpose(x)", [1, 4, 2, 5, 3, 6]),
      ("pad(x, axis: 1, before: 1, after: 1)", [0, 1, 2, 3, 0, 0, 4, 5, 6, 0]),
      ("pad(x, axis: 0, after: 1)", [1, 2, 3, 4, 5, 6, 0, 0, 0]),
      ("concatenate([x, x], axis: 1)", [1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6]),
      ("concatenate([x, slice(x, axis: 0, start: 0)], axis: 0)", [1, 2, 3, 4, 5, 6, 1, 2, 3]),
      ("broadcast(slice(x, axis: 1, start: 0), shape: [2, 2])", [1, 1, 4, 4]),
      ("broadcast(sum(x, axis: 0), shape: [2, 3])", [5, 7, 9, 5, 7, 9]),
      ("sum(x, axis: 0)", [5, 7, 9]), ("sum(x, axis: 1)", [6, 15]), ("sum(x)", [21]),
      ("mean(x, axis: 1)", [2, 5]),
      ("maximum(x, axis: 0)", [4, 5, 6]), ("maximum(negate(x), axis: 1)", [-1, -4]),
      ("x * slice(x, axis: 1, start: 2)", [3, 6, 9, 24, 30, 36]),
      ("transpose(reshape(x, shape: [1, 2, 3]), order: [2, 0, 1])", [1, 4, 2, 5, 3, 6]),
    ] as [(String, [Float])])
  func numbersGoWhereTheyBelong(expression: String, expected: [Float]) throws {
    #expect(
      try step("input x [2, 3]\ny = \(expression)\noutput y = y", [1, 2, 3, 4, 5, 6]) == expected)
  }

  @Test func channelsMeetRowsWithoutFrames() throws {
    let result = try interpret(
      """
      graph "rows" stream 48000
      input x [2, frames]
      weights "w" [2] = [10, 100]
      y = x * "w"
      output y = y
      """, inputs: [[1, 2], [3, 4]], frames: 2)
    #expect(result.outputs.map { certain($0) } == [[10, 20], [300, 400]])
  }

  @Test func sumsAllowForEveryOrder() throws {
    let numbers = (0..<64).map { Float($0 % 7) * 0.137 - 0.3 }
    let body = "input x [64]\ny = sum(x)\noutput y = y"
    let found = try interpret("graph \"sum\" step 48000\n" + body, inputs: [numbers], frames: 1).outputs[0][0]
    #expect(found.contains(numbers.reduce(0, +)) && found.contains(numbers.reversed().reduce(0, +)))
    #expect(found.radius > 0 && found.radius < 1e-3)
  }

  @Test func sumsOfInfinitiesAreExact() throws {
    let body = "graph \"sum\" step 48000\ninput x [3]\ny = sum(x)\noutput y = y"
    func sum(_ numbers: [Float]) throws -> Estimate {
      try interpret(body, inputs: [numbers], frames: 1).outputs[0][0]
    }
    #expect(try sum([1.1, .infinity, 2]).isCertain)
    #expect(try sum([1.1, .infinity, 2]).contains(.infinity))
    #expect(try sum([.infinity, 1, -.infinity]).isNaN)
    #expect(try sum([1, .nan, 2]).isNaN)
    #expect(try sum([3e38, 3e38, 1]).contains(.infinity))
    #expect(try sum([3e38, 3e38, -3e38]).isUnbounded)
  }

  @Test func softmaxAddsUpToOne() throws {
    let body = "graph \"softmax\" step 48000\ninput x [3]\ny = sum(softmax(x))\noutput y = y"
    let found = try interpret(body, inputs: [[1, 2, 3]], frames: 1).outputs[0][0]
    #expect(abs(found.value - 1) < 1e-12 && found.radius < 3e-6)
  }

  /// Operands that are not certain, fused and unfused, forwards and backwards.
  @Test func matricesOfUncertainNumbersLieInside() throws {
    var random = SplitMix(seed: 7)
    let weights = (0..<4 * 24).map { _ in Float(random.unit() * 2 - 1) }
    let text = """
      graph "dense" step 48000
      input x [24]
      weights "w" [4, 24] = [\(weights.map(\.description).joined(separator: ", "))]
      y = dense(x / 3, "w")
      output y = y
      """
    for _ in 0..<20 {
      let x = (0..<24).map { _ in Float(random.unit() * 2 - 1) }
      let found = try interpret(text, inputs: [x], frames: 1).outputs[0]
      for (row, estimate) in found.enumerated() {
        let terms = zip(x.map { $0 / 3 }, weights[(row * 24)..<(row * 24 + 24)])
        #expect(estimate.contains(terms.reduce(0) { $0 + $1.0 * $1.1 }))
        #expect(estimate.contains(terms.reversed().reduce(0) { $0.addingProduct($1.0, $1.1) }))
        #expect(estimate.radius < 2e-5 && estimate.radius > 1e-7)
      }
    }
  }

  @Test func theSignOfASumOfZeroIsOpen() throws {
    let body = "graph \"sum\" step 48000\ninput x [1]\ny = 1 / sum(x)\noutput y = y"
    let found = try interpret(body, inputs: [[-0.0]], frames: 1).outputs[0][0]
    #expect(found.contains(.infinity) && found.contains(-.infinity))
  }

  @Test(
    "A run that rounds also rounds each partial sum",
    arguments: ["sum(\"w\" * x, axis: 0)", "dense(v, \"m\")"])
  func partialSumsAreRounded(expression: String) throws {
    let numbers = (["1"] + [String](repeating: "2.9802322e-08", count: 256)).joined(separator: ", ")
    let text = """
      graph "sum" stream 48000
      input x [frames]
      weights "w" [257] = [\(numbers)]
      weights "m" [1, 257] = [\(numbers)]
      v = broadcast(x, [257])
      y = \(expression)
      output y = y
      """
    let interpreter = ReferenceInterpreter(try Graph(parsing: text))
    func value(rounding: Bool) -> Double {
      interpreter.run(inputs: [[1]], frames: 1, rounding: rounding).outputs[0][0].value
    }
    #expect(value(rounding: false) == 1 + 256 * 0x1p-25)
    // Each of them is less than half of what a float tells beside 1.
    #expect(value(rounding: true) == 1)
  }
}
