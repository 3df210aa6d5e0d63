// SPDX-License-Identifier: Apache-2.0

import GraphIR
import GraphPlanning
import Testing

/// Plans that are broken on purpose: the verifier says what is wrong. It runs on every plan that is made, random
/// ones included.
@Suite struct PlanVerifierTests {
  /// Three values of the arena: `doubled` and `large` are alive together.
  private func lowered() throws -> KernelGraph {
    KernelGraph(
      lowering: try Graph(
        parsing: """
          graph "arena" stream 48000
          input x [4, frames]
          doubled = x * 2
          large = sum(doubled, axis: 0)
          turned = transpose(reshape(doubled, shape: [2, 2]), order: [1, 0])
          y = reshape(turned, shape: [4]) + large
          output y = y
          """))
  }

  private func tileBuffers(_ graph: KernelGraph) -> [Int] {
    graph.buffers.indices.filter { graph.buffers[$0].lifetime == .tile }
  }

  @Test func aPlanAsItIsMadeIsSound() throws {
    let graph = try lowered()
    #expect(tileBuffers(graph).count >= 3)
    #expect(PlanVerifier.violations(in: graph, laidOut: WorkspaceLayout(graph)).isEmpty)
  }

  @Test func buffersThatAreAliveTogetherMayNotOverlap() throws {
    let graph = try lowered()
    var layout = WorkspaceLayout(graph)
    let buffers = tileBuffers(graph)
    layout.bufferOffsets[buffers[1]] = layout.bufferOffsets[buffers[0]] + 64
    let violations = PlanVerifier.violations(in: graph, laidOut: layout)
    #expect(violations.contains { $0.contains("overlap while both are in use") }, "\(violations)")
  }

  @Test func buffersBeginAtCacheLinesAndEndInTheWorkspace() throws {
    let graph = try lowered()
    var layout = WorkspaceLayout(graph)
    layout.bufferOffsets[tileBuffers(graph)[0]] = layout.size + 4
    let violations = PlanVerifier.violations(in: graph, laidOut: layout)
    #expect(violations.contains { $0.contains("not a multiple of 64") }, "\(violations)")
    #expect(violations.contains { $0.contains("lies outside the workspace") }, "\(violations)")
  }

  @Test func aBufferIsWrittenBeforeItIsRead() throws {
    var graph = try lowered()
    graph.kernels.removeFirst()
    let violations = PlanVerifier.violations(in: graph, laidOut: WorkspaceLayout(graph))
    #expect(violations.contains { $0.contains("before anything is written to it") }, "\(violations)")
  }

  @Test func anInputIsNotReadAfterItsOutputOverwroteIt() throws {
    var graph = try lowered()
    graph.kernels.append(graph.kernels[0])
    let violations = PlanVerifier.violations(in: graph, laidOut: WorkspaceLayout(graph))
    #expect(violations == ["input 0 is read after output 0 overwrote it"])
  }
}
