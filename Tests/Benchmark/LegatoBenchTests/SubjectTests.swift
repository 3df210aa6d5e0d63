// SPDX-License-Identifier: Apache-2.0

import Foundation
import GraphIR
import TestEquipment
import Testing

@testable import LegatoBench

@Suite("Benchmark: what is measured")
struct SubjectTests {
  @Test("every model that is shipped has its rows")
  func shipped() throws {
    let folder = PackageFiles.folder.appending(path: Subject.folder)
    let subjects = try Subject.shipped(in: folder.path())
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path())
    for file in files where file.hasSuffix(".json") && file != "legato.schema.json" {
      let name = "model " + file.dropLast(".json".count)
      let own = subjects.filter { $0.name == name || $0.name.hasPrefix(name + " ") }
      #expect(own.map(\.name) == [name] || own.map(\.name) == [name + " mono", name + " stereo"])
      #expect(own.allSatisfy { $0.isShipped && !$0.sizes.isEmpty })
    }
    let names = Set(subjects.map(\.name))
    #expect(names.isSuperset(of: ["model amplifier", "model bitcrusher mono", "model bitcrusher stereo"]))
    let stereo = try #require(subjects.first { $0.name == "model bitcrusher stereo" })
    #expect(stereo.sizes == [16, 32, 64, 128, 256, 512, 1024, 2048, 4096])
    #expect(try stereo.graph().inputs[0].type.shape.count == 2)
  }

  @Test("a model of steps is one row, and a model that is wrong is said")
  func others() throws {
    let folder = try TemporaryFolder()
    try folder.make(
      "steps.json",
      #"{ "legato": 1, "inputs": { "x": { "shape": [4] } }, "graph": { "y": "tanh(x)" }, "outputs": ["y"] }"#)
    let steps = try Subject.shipped(in: folder.path)
    #expect(steps.map(\.name) == ["model steps, a step"] && steps.map(\.sizes) == [[1]])
    #expect(steps.first?.rowName(1) == "model steps, a step")
    try folder.make("wrong.json", "{")
    let error = #expect(throws: BenchError.self) { try Subject.shipped(in: folder.path) }
    #expect(error?.message.contains("wrong.json:1:2") == true, "\(error?.message ?? "")")
  }

  @Test("small graphs have names of their own, and all of them are graphs")
  func micro() throws {
    let rows = Subject.micro.flatMap { subject in subject.sizes.map(subject.rowName) }
    #expect(Set(rows).count == rows.count)
    for subject in Subject.micro { #expect(try subject.graph().outputs.count > 0, "\(subject.name)") }
  }
}
