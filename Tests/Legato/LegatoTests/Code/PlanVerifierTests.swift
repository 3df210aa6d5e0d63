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

  // MARK: Histories

  /// The violations of a graph in the layout of another one, both with one history of a wide input.
  private func violations(of line: String, laidOutFor other: String) throws -> [String] {
    func lowered(_ line: String) throws -> KernelGraph {
      let weights = (0..<512).map { String($0 % 7) }.joined(separator: ", ")
      return KernelGraph(
        lowering: try Graph(
          parsing: """
            graph "past" stream 48000
            input x [16, frames]
            input s [frames]
            weights "w" [16, 16, 2] = [\(weights)]
            \(line)
            output y = y
            """))
    }
    return HistoryVerifier.violations(in: try lowered(line), laidOut: WorkspaceLayout(try lowered(other)))
  }

  @Test(arguments: [
    "y = delay(x, 100)", "y = delay(x, 128) + delay(x, 512)", "y = delay(x, by: s, minimum: 0, maximum: 600)",
    "y = x + 0.5 * delay(x + 0.5 * delay(y, 1), 1)", "y = conv1d(x, \"w\", dilation: 40)",
    "y = conv1d(x, \"w\", dilation: 65)",
  ])
  func historiesAreWhereTheyAreLookedFor(line: String) throws {
    #expect(try violations(of: line, laidOutFor: line).isEmpty)
  }

  @Test func aRingHoldsItsPastAndATile() throws {
    let found = try violations(of: "y = delay(x, 200)", laidOutFor: "y = delay(x, 100)")
    #expect(found == ["history 0 is too short for its past and a tile"])
  }

  /// A read at 100 frames ends in the tile behind the one in which it begins.
  @Test func whatCrossesTheEndOfARingIsThereAgain() throws {
    let found = try violations(
      of: "y = delay(x, 256) + delay(x, 100)", laidOutFor: "y = delay(x, 256) + delay(x, 128)")
    #expect(found.count == 1 && found[0].hasPrefix("history 0 may end within a read of kernel"), "\(found)")
  }

  @Test func framesThatASignalAsksForAreFoundByAMask() throws {
    let found = try violations(
      of: "y = delay(x, by: s, minimum: 0, maximum: 512)", laidOutFor: "y = delay(x, 512)")
    #expect(found.contains { $0.hasPrefix("history 0 is looked for frame by frame in kernel") }, "\(found)")
  }

  @Test func aPastIsMovedOnBetweenItsWriterAndItsReaders() throws {
    let (early, late) = ("y = conv1d(x, \"w\")", "y = conv1d(tanh(x), \"w\")")
    let before = try violations(of: late, laidOutFor: early)
    #expect(before == ["history 0 is moved on before kernel 1"])
    let behind = try violations(of: early, laidOutFor: late)
    #expect(behind == ["history 0 has no past yet in kernel 1"])
    let short = try violations(of: "y = conv1d(x, \"w\", dilation: 40)", laidOutFor: early)
    #expect(short == ["history 0 is too short for its past"])
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
