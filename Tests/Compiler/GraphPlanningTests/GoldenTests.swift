// SPDX-License-Identifier: Apache-2.0

import Foundation
import GraphIR
import GraphPasses
import GraphPlanning
import TestEquipment
import Testing

/// Walks the golden files: a line that says what is shown, the pass in the file's name, the graph before it, `----`,
/// and the kernels after it. `LEGATO_RECORD=1` writes what the passes make into the files.
///
/// The target has vectors of 16 floats and 32 registers. A pass over kernels is shown behind those that stand before it
/// in the pipeline, but without the passes over the graph; files of the `pipeline` show what comes of everything.
@Suite struct GoldenTests {
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("golden")

  static let files = GoldenFile.names(in: folder)
  static let (ofPipeline, ofPasses) = (
    files.filter { $0.hasPrefix("pipeline.") }, files.filter { !$0.hasPrefix("pipeline.") }
  )

  @Test func everyPassHasAFileInWhichItDoesAndOneInWhichItDoesNot() {
    for pass in Pipeline.kernelPasses {
      #expect(Self.files.contains { $0.hasPrefix("\(pass.name).does.") }, "\(pass.name)")
      #expect(Self.files.contains { $0.hasPrefix("\(pass.name).does-not.") }, "\(pass.name)")
    }
  }

  @Test(arguments: ofPasses)
  func thePassMakesWhatTheFileShows(file: String) throws {
    let names = Pipeline.kernelPasses.map(\.name)
    let index = try #require(names.firstIndex { file.hasPrefix($0 + ".") })
    let target = try Self.target()
    try Self.check(file) { graph in
      let pipeline = Pipeline(disabled: Set(names[(index + 1)...]))
      let (kernels, reports) = pipeline.lower(graph, for: target)
      #expect((reports[index].rewrites > 0) == file.contains(".does."))
      let (again, rewrites) = Pipeline.kernelPasses[index].run(on: kernels, for: target)
      #expect(rewrites == 0 && again.description == kernels.description, "a second run changes something")
      return kernels
    }
  }

  @Test(arguments: ofPipeline)
  func thePipelineMakesWhatTheFileShows(file: String) throws {
    let target = try Self.target()
    try Self.check(file) { Pipeline().lower(Pipeline().run($0).graph, for: target).kernels }
  }

  private static func target() throws -> Target { try #require(Target.x86(level: "x86-64-v4")) }

  private static func check(_ file: String, _ kernels: (Graph) throws -> KernelGraph) throws {
    let golden = try GoldenFile(file, in: folder)
    let result = try kernels(Graph(parsing: golden.before, file: file)).description
    try golden.record(result)
    #expect(result == golden.after)
  }
}
