// SPDX-License-Identifier: Apache-2.0

import Foundation
import GraphIR
import GraphPasses
import Testing

/// Walks the golden files: a line that says what is shown, the pass in the file's name, the graph before it, `----`,
/// and the graph after it. `LEGATO_RECORD=1` writes what the passes make into the files.
@Suite struct GoldenTests {
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("golden")

  static let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path))?.sorted() ?? []

  @Test func everyPassHasAFileInWhichItDoesAndOneInWhichItDoesNot() {
    for pass in Pipeline.passes {
      #expect(Self.files.contains { $0.hasPrefix("\(pass.name).does.") }, "\(pass.name)")
      #expect(Self.files.contains { $0.hasPrefix("\(pass.name).does-not.") }, "\(pass.name)")
    }
  }

  @Test(arguments: files)
  func thePassMakesWhatTheFileShows(file: String) throws {
    let url = Self.folder.appendingPathComponent(file)
    let text = try String(contentsOf: url, encoding: .utf8)
    let parts = text.components(separatedBy: "----\n")
    try #require(parts.count == 2, "\(file) has no line ----")
    let pass = try #require(Pipeline.passes.first { file.hasPrefix($0.name + ".") })
    let pipeline = Pipeline(only: [pass.name])
    let before = try Graph(parsing: parts[0], file: file)

    let (after, reports) = pipeline.run(before)
    if ProcessInfo.processInfo.environment["LEGATO_RECORD"] == "1" {
      try (parts[0] + "----\n" + after.description).write(to: url, atomically: true, encoding: .utf8)
    }
    #expect(after.description == parts[1])
    #expect((reports[0].rewrites > 0) == file.contains(".does."))
    let (again, _) = pipeline.run(after)
    #expect(again == after, "a second run changes something")
  }
}
