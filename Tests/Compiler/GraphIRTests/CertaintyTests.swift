// SPDX-License-Identifier: Apache-2.0

import GraphIR
import Testing

/// Values that are known never to be NaN, and others that only look so.
@Suite struct CertaintyTests {
  @Test(arguments: [
    ("x", false), ("1", true), ("p", true), ("q", true), ("x < p", true), ("phasor(p)", true),
    ("noise(1)", true),
    // The way through a range that overflows may.
    ("wide", false),
    ("1 - phasor(p)", true), ("p * q", true), ("p - x", false),
    // Sums of what may have overflowed are infinity minus infinity at worst.
    ("(p * q) - (p * p)", false),
    ("min(x, p)", true), ("min(p, x)", true), ("max(x, x)", false), ("max(x, p) - p", false),
    ("max(-1, min(1, p)) * q", true),
    ("tanh(p * q) * p", true), ("tanh(x)", false), ("exp(p)", true), ("exp(p) - p", false),
    ("log(p)", false), ("sqrt(p)", false), ("sin(p)", false), ("p / q", false), ("p % q", false),
    ("abs(x)", false), ("abs(-p)", true), ("round(p * q)", true), ("select(x, p, q)", true),
    ("select(p, x, q)", false), ("delay(p < x, 1)", true), ("delay(x, 1)", false),
    ("sum(reshape(p, [1]), axis: 0)", false),
  ])
  func isNumber(_ expression: String, _ expected: Bool) throws {
    let graph = try Graph(
      parsing: """
        graph "numbers" stream 48000
        input x [frames]
        parameter p [frames] = 1 minimum 0 maximum 2 ramp 960 scale linear
        parameter q [] = 1 minimum 0 maximum 2 ramp 0 scale linear
        parameter wide [frames] = 0 minimum -3e38 maximum 3e38 ramp 960 scale linear
        y = \(expression)
        output y = y
        """)
    #expect(graph.isNumber(graph.outputs[0].value) == expected)
  }

  @Test func aLoopIsNotFollowedForEver() throws {
    let graph = try Graph(
      parsing: """
        graph "loop" stream 48000
        y [frames] = delay(y, frames: 1)
        output y = y
        """)
    #expect(!graph.isNumber(graph.outputs[0].value))
  }
}
