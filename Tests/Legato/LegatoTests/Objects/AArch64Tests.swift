// SPDX-License-Identifier: Apache-2.0

import GraphIR
import GraphPlanning
import Legato
import NativeCode
import ReferenceInterpreter
import TestEquipment
import Testing

/// Code for 64-bit Arm, on such a machine or emulated: it means what the interpreter says.
@Suite(.enabled(if: Emulator.runsAArch64, "no qemu-aarch64 in PATH: .ci/setup installs it"), .waits)
struct AArch64Tests {
  @Test func aBitcrusher() throws { try check(try ObjectTests.bitcrusher()) }

  @Test(arguments: Function.all.map(\.name)) func everyFunction(name: String) throws {
    let graph = try #require(try FunctionExamples.graph(of: name))
    try check(LawCase(label: name, graph: graph, stimulus: FunctionTests.stimulus(for: graph)))
  }

  /// With cycles and histories, on both clocks.
  @Test(arguments: UInt64(1)...16) func aRandomGraph(seed: UInt64) throws {
    try check(try LawCase(seed: seed))
  }

  private func check(_ example: LawCase) throws {
    let object = try ObjectRun(example.graph, target: .aarch64)
    let whole = try object.outputs(of: example.stimulus, blocks: [example.stimulus.frames])
    let reference = ReferenceInterpreter(example.graph.canonical()).run(
      inputs: example.stimulus.inputs, frames: example.stimulus.frames, events: example.stimulus.changes)
    example.expectInside(whole, reference, "AArch64 is right")
    example.expectSame(
      try object.outputs(of: example.stimulus, blocks: [1, 50, 7]), as: whole, "AArch64: splits do not matter"
    )
  }
}
