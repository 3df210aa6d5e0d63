// SPDX-License-Identifier: Apache-2.0

import GraphIR
import TestEquipment
import Testing

/// Values that begin with the first frame beside others that warm up.
@Suite struct ColdStartTests {
  /// A graph in which the values with these names warm up.
  private static func graph(_ lines: [String], warming names: Set<String>) throws -> Graph {
    let text = ["graph \"cold\" stream 48000 prewarm 64", "input x [frames]"] + lines
    var graph = try Graph(parsing: text.joined(separator: "\n") + "\n")
    graph.origins.warmed = Set(graph.origins.names.filter { names.contains($0.value) }.keys)
    return graph
  }

  /// How many values are held at 0 until silence has run.
  private static func holds(_ graph: Graph) -> Int {
    graph.startingCold().nodes.count { if case .select = $0.op { true } else { false } }
  }

  /// A history is held where it may be something else than 0, and where what it follows from may be infinite; so is a
  /// frequency.
  @Test(arguments: [
    ("amp * 2", 1), ("amp + 1", 2), ("x * 2", 0), ("x * p", 0), ("x * (1 / p)", 0), ("x * (1 / x)", 1),
    ("x / p", 0), ("x / amp", 2), ("x * phasor(100)", 1), ("x * exp(100 * phasor(100))", 2),
    ("fma(x, p, x)", 0),
    ("fma(x, exp(100 * phasor(100)), x)", 2), ("0 / (1 - x)", 1), ("x * delay(2, 5)", 0),
  ])
  func whatMayBeHeardIsHeld(expression: String, count: Int) throws {
    let graph = try Self.graph(
      [
        "parameter p [] = 1 minimum 0 maximum 2 ramp 0 scale linear", "amp = tanh(x + 1)",
        "y = \(expression)", "z = delay(y, 9)", "output z = z",
      ], warming: ["amp"])
    #expect(Self.holds(graph) == count)
  }

  private static func histories(_ count: Int) throws -> Graph {
    let all = 0..<count
    return try graph(
      ["amp = tanh(x)", "parameter p [] = 1 minimum 0 maximum 2 ramp 0 scale linear"]
        + all.map { "y\($0) = delay(amp * p + \($0 + 1), 3)" } + ["s0 = y0 * 2"]
        + all.dropFirst().map { "s\($0) = s\($0 - 1) + y\($0)" } + ["output y = s\(count - 1)"],
      warming: ["amp"])
  }

  /// Each history is held, and takes no longer where there are more of them.
  @Test func manyHistoriesAreHeld() throws {
    #expect(Self.holds(try Self.histories(50)) == 51)
  }

  @Test(.enabled(if: InstructionCount.isAvailable, "this machine counts no instructions"))
  func workIsInProportion() throws {
    func instructions(_ graph: Graph) -> UInt64 { InstructionCount.count { _ = graph.startingCold() } }
    let (few, many) = (instructions(try Self.histories(1_000)), instructions(try Self.histories(4_000)))
    #expect(many <= 6 * few, "\(many) instructions, \(few) for a quarter")
  }
}
