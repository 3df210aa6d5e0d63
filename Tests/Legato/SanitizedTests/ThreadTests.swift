// SPDX-License-Identifier: Apache-2.0

import Foundation
import GraphIR
import Legato
import RealtimeCore
import TestEquipment
import Testing

/// Threads that share nothing but a program, or the compiler. The thread sanitizer looks on in `.ci/run`.
@Suite struct ThreadTests {
  private static func graph(_ name: String) throws -> Graph {
    let model = try Model(contentsOf: PackageFiles.models.appending(path: name).path())
    return try model.graph(
      extents: Dictionary(uniqueKeysWithValues: model.symbols.map { ($0, 2) }), sampleRate: model.sampleRate)
  }

  private static func program(_ name: String) throws -> Program {
    try Compilation(graph(name), CompilerOptions()).program()
  }

  private static func noise(for graph: Graph) -> Stimulus {
    var random = SplitMix(seed: 5)
    let frames = 600
    let rows = graph.inputs.map(\.type.shape.count).reduce(0, +)
    return Stimulus(
      inputs: (0..<rows).map { _ in (0..<frames).map { _ in random.float(-1, 1) } }, frames: frames)
  }

  private static func bits(of program: Program, for stimulus: Stimulus) throws -> [[UInt32]] {
    let playback = try Playback(stimulus, through: program)
    playback.finish()
    return playback.outputs.map { $0.map(\.bitPattern) }
  }

  /// Some of the models: what is shared is the same for all.
  @Test(
    arguments: stride(from: 0, to: PackageFiles.shippedModels.count, by: 5).map {
      PackageFiles.shippedModels[$0]
    })
  func compileAndRunAtOnce(name: String) async throws {
    let graph = try Self.graph(name)
    #expect(graph.clock == .stream)
    let stimulus = Self.noise(for: graph)
    let shared = try Self.program(name)
    let right = try Self.bits(of: shared, for: stimulus)
    try await withThrowingTaskGroup(of: [[[UInt32]]].self) { group in
      for _ in 0..<4 {
        group.addTask {
          [try Self.bits(of: shared, for: stimulus), try Self.bits(of: Self.program(name), for: stimulus)]
        }
      }
      for try await outputs in group { #expect(outputs.allSatisfy { $0 == right }) }
    }
  }
}
