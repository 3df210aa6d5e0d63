// SPDX-License-Identifier: Apache-2.0

import Foundation
import GraphIR
import GraphPasses
import Testing

/// The savings of hoisting in numbers, and its notes where it saves nothing.
@Suite struct HoistingTests {
  private func hoisted(_ file: String) throws -> (before: Graph, after: Graph, notes: [PassNote]) {
    let url = GoldenTests.folder.appendingPathComponent("slice-hoisting.\(file)")
    let text = try String(contentsOf: url, encoding: .utf8).components(separatedBy: "----\n")[0]
    let before = try Graph(parsing: text, file: file).canonical()
    let (after, reports) = Pipeline(only: ["slice-hoisting"]).run(before)
    return (before, after, reports[0].notes)
  }

  /// 2 × 256 of tanh, tanh and +, 2 × 252 of a convolution of 6 products and of max; then 2 × 36 and 2 × 32.
  @Test func aWindowIsComputedWithItsReceptiveField() throws {
    let (before, after, notes) = try hoisted("does.window")
    #expect(before.flopsPerFrame == 3 * 512 + 504 * 11 + 504)
    #expect(after.flopsPerFrame == 3 * 72 + 64 * 11 + 64)
    #expect(notes.isEmpty)
  }

  @Test func channelsAreComputedAlone() throws {
    let (before, after, _) = try hoisted("does.channels")
    #expect(before.flopsPerFrame == 6 + 4 * 12 + 4)
    #expect(after.flopsPerFrame == 6 + 2 * 12 + 2)
    let groups = try hoisted("does.groups")
    #expect(groups.before.stateBytes == 4 * 4 && groups.after.stateBytes == 2 * 4)
  }

  @Test func nothingIsComputedTwice() throws {
    let (before, after, _) = try hoisted("does.union")
    #expect(before.flopsPerFrame == 16 + 1 + 2 + 1 && after.flopsPerFrame == 8 + 1 + 2 + 1)
  }

  @Test(arguments: [
    ("does-not.reshape", "y", "a reshape passes whole rows only"),
    ("does-not.cycle", "y", "its window grows with each round of its cycle"),
  ])
  func whatCannotBeHoistedIsNoted(file: String, subject: String, reason: String) throws {
    let notes = try hoisted(file).notes
    #expect(notes.map(\.subject).contains(subject), "\(notes)")
    #expect(notes.allSatisfy { $0.severity == .note && $0.message.hasSuffix(reason) }, "\(notes)")
  }

  @Test func slicesThatLieApartAreNotedAndThoseThatMeetAreNot() throws {
    func notes(_ start: Int) throws -> [PassNote] {
      let graph = try Graph(
        parsing: """
          graph "x" stream 48000
          input src [8, frames]
          y = tanh(src)
          dst = slice(y, axis: 0, start: 0, count: 2) + slice(y, axis: 0, start: \(start), count: 2)
          output dst = dst
          """)
      return Pipeline().run(graph).reports.flatMap(\.notes)
    }
    #expect(
      try notes(5).map(\.message)
        == ["7 positions are computed of which 4 are read: what lies between its slices is computed, too"])
    #expect(try notes(2).isEmpty)
  }

  /// Slices of many values would be more nodes than a graph may have: the pass is undone, and says so.
  @Test func aGraphThatWouldGrowTooLargeStaysAsItIs() throws {
    var graph = Graph(name: "x", clock: .step, sampleRate: 48_000)
    let type = TensorType(Shape([4]))
    for index in 0..<3_500 { graph.inputs.append(InputPort(name: "x\(index)", type: type)) }
    let inputs = (0..<3_500).map { graph.append(.input($0), [], type: type) }
    for (index, input) in inputs.enumerated() {
      var value = input
      for other in 1...2 {
        value = graph.append(.fma, [value, inputs[(index + other) % 3_500], input], type: type)
      }
      value = graph.append(.slice(axis: 0, start: index % 4, count: 1), [value], type: TensorType(Shape([1])))
      graph.outputs.append(OutputPort(name: "y\(index)", value: value))
    }
    try #require(Verifier.violations(in: graph).isEmpty)
    let (after, reports) = Pipeline(only: ["slice-hoisting"]).run(graph)
    #expect(after == graph.canonical())
    #expect(reports[0].rewrites == 0 && reports[0].notes.count == 1)
  }
}
