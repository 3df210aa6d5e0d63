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
      0, 0.99, 1, 2.5, 3, 3.99, 4, 1e30, -0.0, -0.5, -7, .infinity, -.infinity, .nan, -.nan, 1e-40, 8_388_609,
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

  // MARK: What does not fit

  @Test(arguments: [
    (
      "gather(x, x)",
      "axis 0 of [frames] is the frames; this works along fixed axes only; reshape(…, [1]) gives it one"
    ),
    ("gather(\"m\", x, axis: 2)", "[2, 3] has 2 fixed axes; there is no fixed axis 2"),
    ("gather(\"deep\", \"deep\")", "the result would have 9 axes; 8 are the most"),
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
