// SPDX-License-Identifier: Apache-2.0

import GraphIR
import Testing

/// Alignment of values with lookaheads, and graphs for which there is none.
@Suite struct AlignmentTests {
  private static func graph(_ lines: String) throws -> Graph {
    try Graph(
      parsing: """
        graph "ahead" stream 48000
        input x [2, frames]
        parameter p [frames] = 1 minimum 0 maximum 2 ramp 960 scale linear
        parameter q [] = 1 minimum 0 maximum 2 ramp 0 scale linear
        weights "w" [2, 2] = [1, 2, 3, 4]
        \(lines)
        """)
  }

  private func aligned(_ lines: String) throws -> [String] {
    let graph = try Self.graph(lines)
    #expect(Verifier.violations(in: graph).isEmpty)
    let aligned = graph.aligned()
    #expect(Verifier.violations(in: aligned).isEmpty && !aligned.looksAhead)
    #expect(try Graph(parsing: aligned.description) == aligned)
    let text = aligned.description.split(separator: "\n").map(String.init)
    return [text[0]]
      + text.filter { $0.contains(" = ") && !$0.hasPrefix("param") && !$0.hasPrefix("weights") }
  }

  @Test func whatLooksAheadIsWaitedFor() throws {
    #expect(
      try aligned("loudest = lookahead(abs(x), 64)\ny = x / max(loudest, 0.5)\noutput y = y") == [
        #"graph "ahead" stream 48000 latency 64"#, "v1 [frames] = delay(1, frames: 64)",
        "v2 [2, frames] = delay(x, frames: 64)", "loudest [2, frames] = abs(x)",
        "v3 [2, frames] = max(loudest, 0.5)", "y [2, frames] = v2 / v3",
        "v4 [2, frames] = select(v1, y, 0)", "output y = v4",
      ])
  }

  /// A value that only waits is silent by itself, and so is a movement of it.
  @Test func whatIsSilentIsNotMadeSilent() throws {
    #expect(
      try aligned(
        "y = x * 0\nz = slice(x, axis: 0, start: 1)\nl = lookahead(x, 3) + x\nk = delay(l, 2)\noutput y = y\noutput z = z\noutput k = k"
      ) == [
        #"graph "ahead" stream 48000 latency 3"#, "y [2, frames] = x * 0",
        "v1 [2, frames] = delay(y, frames: 3)",
        "z [1, frames] = slice(x, axis: 0, start: 1, count: 1)", "v2 [1, frames] = delay(z, frames: 3)",
        "v3 [frames] = delay(1, frames: 3)", "v4 [2, frames] = delay(x, frames: 3)",
        "l [2, frames] = x + v4", "v5 [2, frames] = select(v3, l, 0)",
        "k [2, frames] = delay(v5, frames: 2)",
        "output y = v1", "output z = v2", "output k = k",
      ])
  }

  /// A value of parameters is computed before it waits, so that it stays hoisted; numbers wait for nothing.
  @Test func parametersWaitAsLateAsTheyCan() throws {
    let lines = try aligned("y = lookahead(x, 3) * (1 - p) + pow(q, 2) * 2\noutput y = y")
    #expect(lines.contains("v2 [frames] = 1 - p") && lines.contains("v3 [frames] = delay(v2, frames: 3)"))
    #expect(lines.contains("v5 [] = pow(q, 2)") && lines.contains("v6 [] = v5 * 2"))
    #expect(lines.contains("v7 [frames] = delay(v6, frames: 3)"))
  }

  @Test func aGraphThatDoesNotLookAheadStaysAsItIs() throws {
    let graph = try Self.graph("y = x * p + delay(y, 3)\noutput y = y")
    #expect(graph.aligned() == graph)
    let none = try Self.graph("y = lookahead(x, 0) * p\noutput y = y").aligned()
    #expect(none == (try Self.graph("y = x * p\noutput y = y")))
  }

  @Test(arguments: [
    (
      "y = dense(lookahead(x, 5), \"w\" * q)",
      "the weights or the bias of dense follow a parameter and cannot wait for what it is given, which looks ahead by 5 frames; "
        + "let a parameter act on the layer's result"
    ),
    (
      "y = lookahead(lookahead(x, 268435328), 1)",
      "the output 'y' would be late by 268435329 frames; 268435328 are the most"
    ),
    (
      "y = lookahead(x, 200000000) + x",
      "what waits for lookaheads keeps 2400000000 bytes of state; 1073741824 are the most"
    ),
  ])
  func whatCannotWaitIsRefused(line: String, message: String) throws {
    let violations = Verifier.violations(in: try Self.graph("\(line)\noutput y = y"))
    #expect(violations.map(\.message) == [message])
    #expect(violations.allSatisfy { $0.node != nil })
  }
}
