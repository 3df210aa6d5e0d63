// SPDX-License-Identifier: Apache-2.0

import GraphIR
import ModelFiles
import Testing

/// Loops in a row, each of which says its types only when those of the one before it are known.
@Suite struct LoopChainTests {
  /// Loops in a row: the sum of each is delayed once and goes on; only the loop before it says what shape that has.
  private func chain(_ count: Int, isReversed: Bool) throws -> Graph {
    var definitions: [String] = []
    for loop in 0..<count {
      let before = loop == 0 ? "x" : "heard\(loop - 1)"
      definitions.append(#""sum\#(loop)": "\#(before) + heard\#(loop)""#)
      definitions.append(#""heard\#(loop)": "delay(sum\#(loop), 1)""#)
    }
    if isReversed { definitions.reverse() }
    let text = """
      { "legato": 1, "name": "m", "inputs": { "x": { "shape": [2, "frames"] } },
        "graph": { \(definitions.joined(separator: ", ")) }, "outputs": ["heard\(count - 1)"] }
      """
    let document = try ModelDocument.decode(Array(text.utf8), file: "m")
    return try Graph(importing: document, extents: [:], sampleRate: 48_000)
  }

  @Test(arguments: [1, 64, 65, 100, 200, 2_000], [false, true])
  func aChainOfLoopsIsRead(count: Int, isReversed: Bool) throws {
    let graph = try chain(count, isReversed: isReversed)
    #expect(Verifier.violations(in: graph) == [])
    #expect(graph.nodes.count == 2 * count + 1)
    #expect(graph.values.allSatisfy { $0.type.shape == Shape([2], frames: .init()) })
  }

  /// Law 6.
  @Test(arguments: [1, 64, 65, 100, 200, 2_000])
  func itsTextReadsBack(count: Int) throws {
    let graph = try chain(count, isReversed: false)
    #expect(try Graph(parsing: graph.description) == graph)
  }

  /// The text form says the types that nothing else says.
  @Test func aLoopWhoseTypeIsOnlyStatedIsRead() throws {
    let text = """
      graph "m" stream 48000
      y [2, frames] = delay(y, frames: 1)
      output y = y

      """
    let graph = try Graph(parsing: text)
    #expect(Verifier.violations(in: graph) == [])
    #expect(graph.description == text)
    #expect(throws: Diagnostics.self) { try Graph(parsing: text.replacing(" [2, frames]", with: "")) }
  }
}
