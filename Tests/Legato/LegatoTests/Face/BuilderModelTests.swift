// SPDX-License-Identifier: Apache-2.0

import Foundation
import GraphIR
import Legato
import LegatoEquipment
import NativeCode
import Testing

/// Models within models, from Swift: equal graphs to those of files.
@Suite struct BuilderModelTests {
  private let folder = NSTemporaryDirectory() + "legato-models-" + UUID().uuidString

  private static let cabinet = """
    { "legato": 1, "name": "Cabinet", "inputs": { "x": { "shape": ["n", "frames"] } },
      "parameters": { "level": { "default": 1, "minimum": 0, "maximum": 2 },
                      "tone": { "default": 0.5, "minimum": 0, "maximum": 1 } },
      "weights": { "taps": [[[0.5, 0.25]]] },
      "graph": { "bright": "conv1d(reshape(slice(x, 0, 0), [1]), 'taps')",
                 "y": "bright * level + tone * delay(y, 1)" },
      "outputs": ["y"] }
    """
  private static let split = """
    { "legato": 1, "name": "Split", "inputs": { "x": { "shape": ["n", "frames"] } },
      "graph": { "low": "x * 0.5", "high": "x - low" }, "outputs": ["low", "high"] }
    """

  /// A file that uses the models, and the models themselves.
  private func models(_ graph: String) throws -> (file: Model, cabinet: Model, split: Model) {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    for (name, text) in [("cabinet.json", Self.cabinet), ("split.json", Self.split)] {
      try Data(text.utf8).write(to: URL(fileURLWithPath: folder + "/" + name))
    }
    let file = try Model(
      """
      { "legato": 1, "name": "Rig", "inputs": { "src": { "shape": [2, "frames"] } },
        "parameters": { "gain": { "default": 1, "minimum": 0, "maximum": 2 } },
        "graph": { \(graph) }, "outputs": ["dst"] }
      """, name: "rig", folder: folder)
    return (
      file, try Model(contentsOf: folder + "/cabinet.json"), try Model(contentsOf: folder + "/split.json")
    )
  }

  private func begin() -> (GraphBuilder, src: Legato.Signal, gain: Legato.Signal) {
    let builder = GraphBuilder("Rig", sampleRate: 48_000)
    let src = builder.input("src", channels: 2)
    return (builder, src, builder.parameter("gain", default: 1, in: 0...2))
  }

  @Test func theBuilderAndTheFileGiveEqualGraphs() throws {
    let (file, cabinet, split) = try models(
      """
      "parts": "model('split.json', src * gain)",
      "cab": "model('cabinet.json', parts.low, level: gain * 0.5, tone: 0.25)",
      "room": "model('cabinet.json', cab + parts.high)",
      "dst": "cab + room"
      """)
    let (builder, src, gain) = begin()
    let parts = builder.outputs(of: split, src * gain, named: "parts")
    let cab = builder.model(
      cabinet, parts[0], named: "cab", parameters: ["level": .signal(gain * 0.5), "tone": 0.25])
    let room = builder.model(cabinet, cab + parts[1], named: "room")
    builder.output("dst", cab + room)
    let (built, read) = (try builder.compilation(), try file.compilation())
    #expect(built.compiled.source == read.compiled.source)
    #expect(built.graphText == read.graphText)
    #expect(read.layout.parameters.map(\.name) == ["gain", "room.level", "room.tone"])
    #expect(read.compiled.source.weights.map(\.name) == ["cab.taps"])
  }

  @Test func aCycleOfTheBuilderGoesThroughAModel() throws {
    let (file, cabinet, _) = try models(
      "\"cab\": \"model('cabinet.json', src + fed)\", \"fed\": \"delay(cab, 5)\", \"dst\": \"cab + src\"")
    let (builder, src, _) = begin()
    let fed = builder.forward("fed", channels: 1)
    let cab = builder.model(cabinet, src + fed, named: "cab")
    builder.define(fed, as: cab.delay(5))
    builder.output("dst", cab + src)
    #expect(try builder.compilation().compiled.source == file.compilation().compiled.source)
  }

  @Test func mistakesAreSaidAtOnce() throws {
    let (_, cabinet, split) = try models("\"dst\": \"src\"")
    let (builder, src, gain) = begin()
    _ = builder.model(split, src, named: "parts")
    _ = builder.model(cabinet, src, src, named: "two")
    _ = builder.model(cabinet, gain, named: "still", parameters: ["level": 3])
    _ = builder.model(cabinet, src, named: "label", parameters: ["levl": 1])
    _ = builder.model(cabinet, GraphBuilder("Other").input("x", channels: 1), named: "foreign")
    builder.output("dst", builder.model(cabinet, src, named: "parts"))
    let found = reportedProblems(of: builder).map { $0.replacing(folder, with: "FOLDER") }
    #expect(
      found == [
        "Rig: 'parts': 'Split' has 2 outputs; outputs(of:) gives all of them",
        "Rig: 'two': FOLDER/cabinet.json: 'Cabinet' takes a signal for each of 'x', not 2",
        "Rig: 'still': FOLDER/cabinet.json:2:19: 'level' takes 0 to 2, this is 3",
        "Rig: 'label': FOLDER/cabinet.json: unknown parameter 'levl'; did you mean 'level'?",
        "Rig: 'x' [1, frames] belongs to another builder",
        "Rig: 'parts' is taken already; choose another name",
      ])
  }
}
