// SPDX-License-Identifier: Apache-2.0

import GraphIR
import ModelFiles
import Testing

/// Models that belong together are for one rate.
@Suite struct ModelRateTests {
  private static func model(_ name: String, _ rate: Int?, _ value: String = "x") -> String {
    """
    { "legato": 1, "name": "\(name)",
      \(rate.map { "\"sampleRate\": \($0)," } ?? "")
      "inputs": { "x": { "shape": ["frames"] } }, "graph": { "y": "\(value)" }, "outputs": ["y"] }
    """
  }

  private static let files = [
    "plain.json": model("Plain", nil),
    "cd.json": model("CD", 44_100),
    "tape.json": model("Tape", 48_000),
    "room.json": model("Room", nil, "model('cd.json', x)"),
    "hall.json": model("Hall", nil, "model('room.json', x)"),
    "mixed.json": model("Mixed", nil, "model('cd.json', x) + model('tape.json', x) + model('cd.json', x)"),
  ]

  private func family(_ file: String) throws -> ModelFamily {
    let text = try #require(Self.files[file])
    let document = try ModelDocument.decode(Array(text.utf8), file: file)
    return ModelFamily(document, identity: Array(file.utf8), reader: UsedFiles(Self.files).reader)
  }

  private func chain(_ files: [String]) throws -> ComposedModel {
    let families = try files.map(family)
    return ComposedModel(families.dropFirst().reduce(families[0]) { $0.then($1) })
  }

  private func messages(_ model: ComposedModel) -> [String] {
    do throws(Diagnostics) {
      try model.checkUses()
      return []
    } catch {
      return error.all.map(\.description)
    }
  }

  @Test(arguments: [
    (["plain.json"], nil),
    (["cd.json"], "44100 cd.json:2:17"),
    (["room.json"], "44100 cd.json:2:17"),
    (["hall.json"], "44100 cd.json:2:17"),
    (["plain.json", "cd.json", "plain.json", "room.json"], "44100 cd.json:2:17"),
    (["tape.json", "plain.json", "tape.json"], "48000 tape.json:2:17"),
  ])
  func whoStatesNoneFollows(files: [String], stated: String?) throws {
    let model = try chain(files)
    #expect(messages(model) == [])
    let found = model.family.rateStatement
    #expect(found.map { "\($0.hertz) \($0.file):\($0.place.line):\($0.place.column)" } == stated)
    let graph = try Graph(importing: model, sampleRate: nil)
    #expect(graph.sampleRate == Double(found?.hertz ?? 48_000))
  }

  @Test func theSecondStatementIsRefusedWhereItStands() throws {
    let remedy = "; models of one rate go together, and one that states none works at any"
    #expect(
      messages(try chain(["cd.json", "tape.json"])) == [
        "tape.json:2:17: 'Tape' is for 48000 Hz, and 'CD' for 44100 Hz (cd.json:2:17)\(remedy)"
      ])
    #expect(
      messages(try chain(["plain.json", "tape.json", "hall.json"])) == [
        "cd.json:2:17: 'CD' is for 44100 Hz, and 'Tape' for 48000 Hz (tape.json:2:17)\(remedy) (used by room.json:3:64)"
      ])
    #expect(
      messages(try chain(["mixed.json"])) == [
        "tape.json:2:17: 'Tape' is for 48000 Hz, and 'CD' for 44100 Hz (cd.json:2:17)\(remedy) (used by mixed.json:3:86)"
      ])
  }

  @Test func anotherRateThanTheStatedOneIsRefused() throws {
    let model = try chain(["plain.json", "room.json"])
    for rate in [44_100.5, 48_000, .nan] {
      let error = #expect(throws: Diagnostics.self) { try Graph(importing: model, sampleRate: rate) }
      #expect(
        error?.description
          == "cd.json:2:17: the model is for 44100 Hz, and \(rate.isNaN ? "nan" : rate == 48_000 ? "48000" : "44100.5") Hz "
          + "are asked for; ask for none, and resample the sound")
    }
    #expect(try Graph(importing: model, sampleRate: 44_100).sampleRate == 44_100)
  }
}
