// SPDX-License-Identifier: Apache-2.0

import GraphIR
import GraphPasses
import GraphPlanning
import Testing

/// Layouts that are broken on purpose: the verifier says what is wrong. It runs on every plan that is made, random
/// ones included.
@Suite struct PlanVerifierTests {
  /// Values of the arena: `doubled` and `large` are alive together.
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

  /// The layout of a graph with one buffer elsewhere.
  private func moving(_ buffer: Int, of graph: KernelGraph, to offset: (WorkspaceLayout) -> Int)
    -> WorkspaceLayout
  {
    let layout = WorkspaceLayout(graph)
    var offsets = layout.bufferOffsets
    offsets[buffer] = offset(layout)
    return WorkspaceLayout(layout, bufferOffsets: offsets)
  }

  @Test(arguments: [true, false]) func aPlanAsItIsMadeIsSound(aliases: Bool) throws {
    let graph = try lowered()
    #expect(tileBuffers(graph).count >= 3)
    #expect(PlanVerifier.violations(in: graph, laidOut: WorkspaceLayout(graph, aliases: aliases)).isEmpty)
  }

  @Test func buffersThatAreAliveTogetherMayNotOverlap() throws {
    let graph = try lowered()
    let buffers = tileBuffers(graph)
    let layout = moving(buffers[1], of: graph) { $0.bufferOffsets[buffers[0]] + 64 }
    let violations = PlanVerifier.violations(in: graph, laidOut: layout)
    #expect(violations.contains { $0.contains("overlap while both are in use") }, "\(violations)")
  }

  /// A sum over channels reads each of them for the only row that it writes.
  @Test func aFoldDoesNotWriteInPlace() throws {
    let graph = try lowered()
    let buffers = tileBuffers(graph)
    let layout = moving(buffers[1], of: graph) { $0.bufferOffsets[buffers[0]] }
    let violations = PlanVerifier.violations(in: graph, laidOut: layout)
    #expect(violations.contains("buffer 0 and buffer 1 overlap while both are in use"), "\(violations)")
  }

  @Test func buffersBeginAtCacheLinesAndEndInTheWorkspace() throws {
    let graph = try lowered()
    let layout = moving(tileBuffers(graph)[0], of: graph) { $0.size + 4 }
    let violations = PlanVerifier.violations(in: graph, laidOut: layout)
    #expect(violations.contains { $0.contains("not a multiple of 64") }, "\(violations)")
    #expect(violations.contains { $0.contains("lies outside the workspace") }, "\(violations)")
  }

  /// As if there were a wavefront among its kernels, for which the layout has no room.
  @Test func wavefrontsHaveRoomBesideTheArena() throws {
    let graph = try lowered()
    let violations = PlanVerifier.violations(in: graph, laidOut: WorkspaceLayout(graph), framesBeside: 30)
    #expect(violations.contains { $0.contains("beside the arena") }, "\(violations)")
  }

  @Test(arguments: ["y = x * control(gain)", "y = x + 0.5 * tanh(control(sum(delay(y, 9))) * delay(y, 9))"])
  func samplesAreTakenWhereTilesBegin(line: String) throws {
    let graph = KernelGraph(
      lowering: try Graph(
        parsing: """
          graph "sampled" stream 48000
          input x [1, frames]
          parameter gain [frames] = 1 minimum 0 maximum 1 ramp 0 scale linear
          \(line)
          output y = y
          """))
    for (alignment, isSound) in [(64, true), (32, true), (128, false), (0, false)] {
      #expect(PlanVerifier.lateSamples(in: graph, tilesEndAt: alignment).isEmpty == isSound, "\(alignment)")
    }
  }
}
