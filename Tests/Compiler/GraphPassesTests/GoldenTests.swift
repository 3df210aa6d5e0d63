// SPDX-License-Identifier: Apache-2.0

import Foundation
import GraphIR
import GraphPasses
import TestEquipment
import Testing

/// Walks the golden files: a line that says what is shown, the pass in the file's name, the graph before it, `----`,
/// and the graph after it. `LEGATO_RECORD=1` writes what the passes make into the files.
@Suite struct GoldenTests {
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("golden")

  static let files = GoldenFile.names(in: folder)

  @Test func everyPassHasAFileInWhichItDoesAndOneInWhichItDoesNot() {
    for pass in Pipeline.passes {
      #expect(Self.files.contains { $0.hasPrefix("\(pass.name).does.") }, "\(pass.name)")
      #expect(Self.files.contains { $0.hasPrefix("\(pass.name).does-not.") }, "\(pass.name)")
    }
  }

  @Test(arguments: files)
  func thePassMakesWhatTheFileShows(file: String) throws {
    let golden = try GoldenFile(file, in: Self.folder)
    let pass = try #require(Pipeline.passes.first { file.hasPrefix($0.name + ".") })
    let pipeline = Pipeline(only: [pass.name])
    let before = try Graph(parsing: golden.before, file: file)

    let (after, reports) = pipeline.run(before)
    try golden.record(after.description)
    #expect(after.description == golden.after)
    #expect((reports[0].rewrites > 0) == file.contains(".does."))
    let (again, _) = pipeline.run(after)
    #expect(again == after, "a second run changes something")
  }
}
