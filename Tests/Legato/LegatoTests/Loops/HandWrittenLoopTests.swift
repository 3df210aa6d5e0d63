// SPDX-License-Identifier: Apache-2.0

import GraphIR
import GraphPlanning
import NativeCode
import Testing

/// A filter that is written as a loop is the filter that has a name, instruction by instruction, where it is the same
/// arithmetic.
@Suite struct HandWrittenLoopTests {
  private func text(_ lines: String, channels: Int) throws -> String {
    let graph = try Graph(
      parsing: """
        graph "filter" stream 48000
        input x [\(channels), frames]
        parameter tone [frames] = 0.4 minimum 0 maximum 0.6 ramp 50 scale linear
        \(lines)
        output y = y
        """)
    let target = try #require(Target.x86(level: "x86-64-v3"))
    return try CompiledGraph(graph, options: CompileOptions(target: target)).llvmText
  }

  private static let pairs = [
    (
      "y = biquad(x, 0.2, 0.3, 0.1, -0.5, 0.25)",
      "y = 0.2 * x + delay(s, 1)\ns = 0.3 * x - -0.5 * y + delay(t, 1)\nt = 0.1 * x - 0.25 * y"
    ),
    (
      "y = biquad(x, tone, 0.3, 0.1, -0.5, tone)",
      "y = tone * x + delay(s, 1)\ns = 0.3 * x - -0.5 * y + delay(t, 1)\nt = 0.1 * x - tone * y"
    ),
    (
      "y = slew(x, tone, 2)",
      """
      way = x - delay(y, 1)
      up = max(tone, 0) * (1 / sampleRate)
      y = delay(y, 1) + max(min(way, up), 0 - max(2, 0) * (1 / sampleRate))
      """
    ),
  ]

  @Test(arguments: pairs) func isTheSameCode(named: String, byHand: String) throws {
    for channels in [1, 2, 16] {
      #expect(try text(named, channels: channels) == text(byHand, channels: channels), "\(channels) channels")
    }
  }
}
