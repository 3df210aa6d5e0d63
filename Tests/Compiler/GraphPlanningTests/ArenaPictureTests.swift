// SPDX-License-Identifier: Apache-2.0

import GraphIR
import GraphPasses
import GraphPlanning
import Testing

/// The memory of a plan as people see it.
@Suite struct ArenaPictureTests {
  /// Each node a kernel, each value a buffer.
  private func plan(_ definitions: String...) throws -> Plan {
    let lines = ["graph \"x\" stream 48000", "input x [2, frames]"] + definitions
    let target = try #require(Target.x86(level: "x86-64-v3"))
    let graph = try Graph(parsing: lines.joined(separator: "\n"))
    return try Plan(Pipeline.plain.lower(graph, for: target).kernels, target: target)
  }

  private func picture(_ plan: Plan) -> [String] {
    plan.description.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      .drop { $0 != "buffers in use" }.dropFirst().prefix { !$0.hasPrefix("each ") }
      .filter { !$0.isEmpty }
  }

  @Test func aRowShowsWhenABufferIsInUse() throws {
    let lines = picture(
      try plan("a = tanh(x)", "low = slice(a, axis: 0, start: 0, count: 1)", "y = a * low", "output y = y"))
    #expect(
      lines.map { $0.prefix(24) } == [
        "  kernel      0         ",
        "              0123",
        "  buffer 0    ███       ",
        "  buffer 2      ██      ",
        "  buffer 1     ██       ",
      ])
    #expect(lines[0].hasSuffix("    offset"))
  }

  @Test func oneBufferNeedsNoPicture() throws {
    #expect(picture(try plan("y = tanh(x)", "output y = y")).isEmpty)
  }

  /// Two channels, each read and written by the function and by the copy to the output.
  @Test func theLastLineSaysWhatAFrameCosts() throws {
    #expect(
      try plan("y = tanh(x)", "output y = y").description
        .hasSuffix("\neach frame: 2 FLOPs, 32 bytes moved; latency 0 frames\n"))
  }

  /// Whatever there is stands in it once, and no line is longer than a screen is wide.
  @Test func manyKernelsGoBelowEachOther() throws {
    let chain = (1...150).map { "a\($0) = tanh(\($0 == 1 ? "x" : "a\($0 - 1)"))" }
    let target = try #require(Target.x86(level: "x86-64-v3"))
    let text = (["graph \"x\" stream 48000", "input x [2, frames]"] + chain + ["output y = a150"]).joined(
      separator: "\n")
    let plan = try Plan(Pipeline.plain.lower(Graph(parsing: text), for: target).kernels, target: target)
    let lines = picture(plan)
    #expect(plan.kernelGraph.kernels.count == 151 && lines.allSatisfy { $0.count <= 100 })
    let marks = lines.reduce(0) { $0 + $1.count { $0 == "█" } }
    #expect(marks == plan.layout.liveRanges.values.reduce(0) { $0 + $1.count })
    #expect(lines.count { $0.contains("kernel") } == 3)
  }
}
