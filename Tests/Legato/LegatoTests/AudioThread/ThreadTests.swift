// SPDX-License-Identifier: Apache-2.0

import Legato
import RealtimeCore
import Testing

/// Threads that share nothing but a program, or the compiler. The thread sanitizer looks on in `.ci/run`.
@Suite struct ThreadTests {
  /// Some of the models: what is shared is the same for all.
  @Test(
    arguments: stride(from: 0, to: ShippedModelTests.names.count, by: 5).map { ShippedModelTests.names[$0] })
  func compileAndRunAtOnce(name: String) async throws {
    let graph = try ShippedModelTests().graph(name, extent: 2)
    let stimulus = LawCase(label: name, graph: graph, seed: 5).stimulus
    let shared = try NativeRun(graph)
    let right = try shared.outputs(of: stimulus)
    try await withThrowingTaskGroup(of: [[[Float]]].self) { group in
      for _ in 0..<4 {
        group.addTask {
          let own = try NativeRun(ShippedModelTests().graph(name, extent: 2))
          return [try shared.outputs(of: stimulus), try own.outputs(of: stimulus)]
        }
      }
      for try await outputs in group {
        let bits = outputs.map { $0.map { $0.map(\.bitPattern) } }
        #expect(bits.allSatisfy { $0 == right.map { $0.map(\.bitPattern) } })
      }
    }
  }
}
