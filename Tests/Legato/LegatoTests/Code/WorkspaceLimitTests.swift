// SPDX-License-Identifier: Apache-2.0

import GraphIR
import GraphPlanning
import Legato
import LegatoEquipment
import NativeCode
import Testing

/// The memory of a graph is known when it is planned, and refused there where it is too much.
@Suite struct WorkspaceLimitTests {
  /// Graphs that look small: rings and copies of inputs are not part of their values.
  static let excessive = [
    """
    graph "rings of a convolution" stream 48000
    input x [1048576, 8, frames]
    weights "w" [1, 8, 2] = [\(Array(repeating: "1", count: 16).joined(separator: ", "))]
    y = conv1d(x, "w")
    output y = sum(y, axis: 0)
    """,
    """
    graph "rings of a delay" stream 48000
    input x [2000000, frames]
    y = delay(x, 100)
    output y = sum(y, axis: 0)
    """,
    """
    graph "a copy of an input" stream 48000
    input x [4096, 4096, frames]
    input z [16777216, frames]
    output a = z
    output b = x
    """,
  ]

  @Test(arguments: excessive.indices) func tooMuchMemoryIsRefusedWithTheNumber(index: Int) throws {
    let graph = try Graph(parsing: Self.excessive[index])
    try #require(Verifier.violations(in: graph).isEmpty)
    let options = CompileOptions(target: try .host())
    let error = #expect(throws: PlanError.self) { try CompiledGraph(graph, options: options) }
    guard case .workspaceTooLarge(let bytes) = try #require(error) else { return }
    #expect(bytes > Limits.workspaceBytes)
    #expect(error?.description.contains("would take \(bytes) bytes; 2147483648 are the most") == true)
  }

  @Test func whatFitsIsPlanned() throws {
    let graph = try Graph(
      parsing: """
        graph "rings" stream 48000
        input x [1024, frames]
        y = delay(x, 1)
        output y = sum(y, axis: 0)
        """)
    let compiled = try CompiledGraph(graph, options: CompileOptions(target: try .host()))
    #expect(compiled.plan.layout.size <= Limits.workspaceBytes)
  }

  @Test("A model's memory is refused at the value that takes most of it")
  func whatIsTooLargeHasItsPlace() throws {
    let text = """
      { "legato": 1, "inputs": { "x": { "shape": ["frames"] } },
        "graph": {
          "z": "x * 2",
          "y": "delay(x, 134217628) + delay(-z, 134217628)" },
        "outputs": ["y"] }
      """
    let found = reportedProblems { _ = try Model(text, name: "m.json").compilation() }
    #expect(found.count == 1)
    #expect(found[0].hasPrefix("m.json:4:"), "\(found)")
    #expect(found[0].contains("the workspace would take "))
  }

  @Test("The longest delay is possible, and one frame more is a mistake with its place")
  func theLongestDelay() throws {
    func problems(_ frames: Int) -> [String] {
      let text = """
        { "legato": 1, "inputs": { "x": { "shape": ["frames"] } },
          "graph": { "y": "delay(x, \(frames))" }, "outputs": ["y"] }
        """
      return reportedProblems { _ = try Model(text, name: "m.json").compilation() }
    }
    #expect(problems(Limits.delay) == [])
    let most = "a delay must be at most 268435328 frames; it is 268435329"
    #expect(problems(Limits.delay + 1) == ["m.json:2:20: \(most)"])
  }
}
