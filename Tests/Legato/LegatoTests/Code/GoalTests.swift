// SPDX-License-Identifier: Apache-2.0

import GraphIR
import GraphPasses
import GraphPlanning
import NativeCode
import Testing

/// Code for size against code for speed.
@Suite struct GoalTests {
  @Test(arguments: ["x86-64", "x86-64-v3", "x86-64-v4", "aarch64"])
  func aBitcrusherIsSmaller(target: String) throws {
    let graph = try ObjectTests.bitcrusher().graph
    func bytes(_ goal: Goal) throws -> Int {
      try CompiledGraph(graph, options: CompileOptions(target: Target.named(target), goal: goal)).object()
        .codeBytes
    }
    let (speed, size) = (try bytes(.speed), try bytes(.size))
    #expect(size * 3 < speed * 2, "\(size) bytes, not \(speed)")
  }

  /// With parameters that rest, jump, glide and land, on every level that runs here.
  @Test(arguments: UInt64(1)...30) func randomGraphsHaveTheSameBits(seed: UInt64) throws {
    let levels = ["host"] + Target.runnableLevels
    let target = try Target.named(levels[Int(seed) % levels.count])
    let example = try LawCase(seed: seed)
    let speed = try NativeRun(example.graph, target: target)
    let size = try NativeRun(example.graph, target: target, goal: .size)
    let right = try speed.outputs(of: example.stimulus)
    for blocks in [[128], [1, 300, 17]] {
      example.expectSame(
        try size.outputs(of: example.stimulus, blocks: blocks), as: right, flushed: true,
        "size has the same bits")
    }
  }

  @Test func aBitcrusherHasTheSameBits() throws {
    let example = try ObjectTests.bitcrusher()
    let right = try NativeRun(example.graph).outputs(of: example.stimulus)
    example.expectSame(
      try NativeRun(example.graph, goal: .size).outputs(of: example.stimulus), as: right,
      "size has the same bits")
  }
}
