// SPDX-License-Identifier: Apache-2.0

import Foundation
import GraphIR
import GraphPlanning
import Legato
import NativeCode
import TestEquipment
import Testing

/// Tables that are read by computed positions, against closed formulas, on every level of the processor.
@Suite struct TableTests {
  private static let levels = ["host"] + Target.runnableLevels

  /// The outputs of a stream with an input x, whose text comes behind it, or of as many steps.
  private func outputs(
    _ text: String, _ x: [Float], clock: String = "stream", target: String = "host", blocks: [Int] = [128]
  ) throws -> [[Float]] {
    let extent = clock == "stream" ? "[frames]" : "[]"
    let graph = try Graph(parsing: "graph \"Table\" \(clock) 48000\ninput x \(extent)\n\(text)")
    return try NativeRun(graph, target: Target.named(target)).outputs(
      of: Stimulus(inputs: [x], frames: x.count, changes: []), blocks: blocks)
  }

  @Test(arguments: levels, ["stream", "step"])
  func anIndexIsRoundedDownAndKeptWithinTheAxis(target: String, clock: String) throws {
    let text = """
      weights "table" [4] = [10, 20, 30, 40]
      y = gather("table", x, axis: 0)
      output y = y
      """
    let x: [Float] = [
      0, 0.99, 1, 2.5, 3, 3.99, 4, 1e30, -0.0, -0.5, -7, .infinity, -.infinity, .nan, -.nan,
      .leastNonzeroMagnitude, 8_388_609,
    ]
    let y: [Float] = [10, 10, 20, 30, 40, 40, 40, 40, 10, 10, 10, 40, 10, 10, 10, 10, 40]
    for blocks in [[128], [1], [3, 5]] {
      #expect(try outputs(text, x, clock: clock, target: target, blocks: blocks)[0] == y)
    }
  }

  /// Rows of a matrix, as an embedding has them, and rows of frames.
  @Test(arguments: levels) func theAxisGivesWayToThoseOfTheIndex(target: String) throws {
    let rows = """
      weights "table" [3, 4] = [0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23]
      weights "order" [2] = [2, 0]
      weights "scale" [2] = [1, 10]
      y = gather("table", x, axis: 0)
      z = gather("table", "order", axis: 1) * (x + 1)
      both = broadcast(x, [2]) * "scale"
      w = gather(both, x, axis: 0)
      output y = y
      output z = z
      output w = w
      """
    let x: [Float] = [0, 1, 2, 1, 0, 2]
    let all = try outputs(rows, x, target: target, blocks: [4])
    #expect(all[0..<4].map { $0 } == (0..<4).map { column in x.map { $0 * 10 + Float(column) } })
    let picked: [Float] = [2, 0, 12, 10, 22, 20]
    #expect(all[4..<10].map { $0 } == picked.map { number in x.map { number * ($0 + 1) } })
    #expect(all[10] == x.map { min($0, 1) * 9 * $0 + $0 })
  }

  /// A loop that jumps through a table, each place saying the next one.
  @Test(arguments: levels, ["stream", "step"])
  func aCycleMayReadWhereItsStateSays(target: String, clock: String) throws {
    let text = """
      weights "next" [5] = [3, 0, 1, 4, 2]
      y = gather("next", delay(y, 1) + 0 * x, axis: 0)
      output y = y
      """
    let expected: [Float] = [3, 4, 2, 1, 0, 3, 4, 2, 1, 0, 3]
    let x = [Float](repeating: 0, count: expected.count)
    #expect(try outputs(text, x, clock: clock, target: target, blocks: [2, 1, 7])[0] == expected)
  }

  // MARK: Between entries

  /// A polynomial is what linear or cubic interpolation goes through, up to its degree.
  @Test(
    arguments: levels,
    [("linear", 1), ("cubic", 2)].flatMap { how in ["stream", "step"].map { (how.0, how.1, $0) } })
  func aPolynomialIsMetBetweenEntries(
    target: String, form: (how: String, degree: Int, clock: String)
  ) throws {
    func polynomial(_ x: Float) -> Float { form.degree == 1 ? 3 * x - 2 : 0.5 * x * x - 3 * x + 1 }
    let entries = (0..<16).map { "\(polynomial(Float($0)))" }.joined(separator: ", ")
    let text = """
      weights "table" [16] = [\(entries)]
      y = lookup("table", x, interpolation: "\(form.how)")
      output y = y
      """
    let x = (0..<200).map { 1 + Float($0) * 13 / 200 }
    let y = try outputs(text, x, clock: form.clock, target: target)[0]
    for (x, y) in zip(x, y) { #expect(abs(y - polynomial(x)) < 1e-4) }
  }

  @Test(arguments: levels, ["linear", "cubic"])
  func beyondTheEdgesTheLastEntryOrTheFirstOneAgain(target: String, how: String) throws {
    let text = """
      weights "table" [4] = [1, 2, 4, 8]
      clamped = lookup("table", x, interpolation: "\(how)")
      wrapped = lookup("table", x, interpolation: "\(how)", edges: "wrapped")
      turned = lookup("table", x + 4, interpolation: "\(how)", edges: "wrapped")
      output clamped = clamped
      output wrapped = wrapped
      output turned = turned
      """
    let x: [Float] = [-100, -1, -0.25, 0, 3, 3.5, 4, 5, 7, 100, -1e-9, .nan]
    let all = try outputs(text, x, target: target)
    #expect(all[0] == [1, 1, 1, 1, 8, 8, 8, 8, 8, 8, 1, 1])
    let whole = [0: Float(1), 1: 8, 3: 1, 4: 8, 6: 1, 7: 2, 8: 8, 9: 1, 10: 1]
    for (place, number) in whole { #expect(all[1][place] == number) }
    for place in x.indices where place != 10 && place != 11 { #expect(all[1][place] == all[2][place]) }
    #expect(how == "cubic" || (all[1][2] == 2.75 && all[1][5] == 4.5))
    #expect(all[1][11].isNaN)
  }

  /// A table of one turn of a sine, read by a phasor: the harmonics that interpolation makes lie where theory has them.
  @Test(arguments: levels) func aWavetableOscillatorIsASine(target: String) throws {
    let size = 256
    let entries = (0..<size).map { "\(Float(sin(2 * .pi * Double($0) / Double(size))))" }
      .joined(separator: ", ")
    let text = """
      weights "wave" [\(size)] = [\(entries)]
      turns = phasor(441 + 0 * x)
      linear = lookup("wave", \(size) * turns, edges: "wrapped")
      cubic = lookup("wave", \(size) * turns, interpolation: "cubic", edges: "wrapped")
      output linear = linear
      output cubic = cubic
      output turns = turns
      """
    let frames = 4800
    let all = try outputs(text, [Float](repeating: 0, count: frames), target: target)
    // The error of a line is h² / 8 of the second derivative, that of the curve of third order in h.
    let step = 2 * Double.pi / Double(size)
    for frame in 0..<frames {
      let exact = sin(2 * .pi * Double(all[2][frame]))
      #expect(abs(Double(all[0][frame]) - exact) < step * step / 8 + 2e-6)
      #expect(abs(Double(all[1][frame]) - exact) < step * step * step / 8 + 2e-6)
    }
  }

  // MARK: What does not fit

  @Test(arguments: [
    (
      "gather(x, x)",
      "axis 0 of [frames] is the frames; this works along fixed axes only; reshape(…, [1]) gives it one"
    ),
    ("gather(\"m\", x, axis: 2)", "[2, 3] has 2 fixed axes; there is no fixed axis 2"),
    ("gather(\"deep\", \"deep\")", "the result would have 9 axes; 8 are the most"),
    (
      "lookup(x, x)",
      "axis -1 of [frames] is the frames; this works along fixed axes only; reshape(…, [1]) gives it one"
    ),
  ])
  func whatDoesNotFitIsSaid(expression: String, message: String) {
    let text = """
      graph "Wrong" stream 48000
      input x [frames]
      weights "m" [2, 3] = [1, 2, 3, 4, 5, 6]
      weights "deep" [1, 1, 1, 1, 1] = [1]
      y = \(expression) * x
      output y = y
      """
    #expect {
      try Graph(parsing: text)
    } throws: {
      "\($0)".contains(message)
    }
  }
}
