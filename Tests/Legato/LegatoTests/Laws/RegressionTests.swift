// SPDX-License-Identifier: Apache-2.0

import Foundation
import GraphIR
import Testing

/// Graphs that the compiler once got wrong; the first line of each says how. All laws hold for them.
@Suite struct RegressionTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "Regressions")

  static let names: [String] = {
    let files = try? FileManager.default.contentsOfDirectory(atPath: folder.path())
    return (files ?? []).filter { $0.hasSuffix(".graph") }.sorted()
  }()

  @Test(arguments: names) func allLawsHold(name: String) throws {
    let text = try String(contentsOf: Self.folder.appending(path: name), encoding: .utf8)
    #expect(text.hasPrefix("# "), "\(name) does not say what went wrong")
    let graph = try Graph(parsing: text, file: name)
    // The last seed has numbers among its inputs that are none.
    for seed in UInt64(3)...4 {
      try Laws(LawCase(label: name, graph: graph, seed: seed)).check(seed: seed)
    }
  }

  @Test func thereAreSome() { #expect(!Self.names.isEmpty) }
}
