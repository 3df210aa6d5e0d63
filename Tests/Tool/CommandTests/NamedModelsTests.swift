// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestEquipment
import Testing

@Suite("Command: models by name", .waits)
struct NamedModelsTests {
  private let tool: Tool

  init() throws {
    tool = try Tool()
    for folder in ["one", "two", "home/legato/models", "share/legato/models"] { try tool.makeFolder(folder) }
  }

  private func gain(_ factor: Int, _ more: String = "") -> String {
    """
    { "legato": 1, "name": "Times \(factor)", \(more) "inputs": { "x": { "shape": ["channels", "frames"] } },
      "graph": { "y": "\(factor) * x" }, "outputs": ["y"] }
    """
  }

  /// Folders of this test alone.
  private var environment: [String: String] {
    [
      "LEGATO_MODELS": "one:" + tool.path("two"), "XDG_DATA_HOME": tool.path("home"),
      "XDG_DATA_DIRS": "relative:" + tool.path("share"),
    ]
  }

  /// The value that a sound of ones comes to.
  private func factor(_ words: String...) throws -> Float {
    try Sound(samples: [[1, 1]]).write(tool.path("in.wav"))
    defer {
      for name in ["in.wav", "out.wav"] { try? FileManager.default.removeItem(atPath: tool.path(name)) }
    }
    let run = try tool.run(
      ["process", words[0], "in.wav", "out.wav", "--bits", "float"] + words.dropFirst(),
      environment: environment)
    try #require(run.code == 0, "\(run.messages)")
    return try Sound.read(tool.path("out.wav")).samples[0][0]
  }

  @Test("the first folder that has the name is meant; a file of that very name goes first, a folder does not")
  func order() throws {
    try tool.make("share/legato/models/gain.json", gain(2))
    #expect(try factor("gain") == 2)
    try tool.make("home/legato/models/gain.json", gain(3))
    #expect(try factor("gain") == 3)
    try tool.make("two/gain.json", gain(5))
    #expect(try factor("gain") == 5)
    try tool.make("one/gain.json", gain(7))
    #expect(try factor("gain") == 7)
    try tool.makeFolder("gain")
    #expect(try factor("gain", "--then", "gain") == 49)
    try FileManager.default.removeItem(atPath: tool.path("gain"))
    try tool.make("gain", gain(11))
    #expect(try factor("gain") == 11)
    #expect(try factor("./one/gain.json", "--then", "gain") == 77)
  }

  @Test("every command that takes a model takes its name, the checkout's, too")
  func commands() throws {
    for words in [
      ["inspect", "filter"], ["compile", "filter"], ["verify", "filter", "--blocks", "0"],
      ["plot", "--model", "filter", "-o", "plot.svg"],
      ["inspect", "filter", "--stage", "graph", "--then", "echo"],
    ] {
      let run = try tool.run(words)
      #expect(run.code == 0, "\(words): \(run.messages)")
    }
    #expect(try tool.names.contains("filter.o"))
    try tool.make("one/broken.json", gain(2).replacing("[\"y\"]", with: "3"))
    let broken = try tool.run("inspect", "broken", environment: environment)
    #expect(broken.code == 1 && broken.messages.hasPrefix("one/broken.json:2:"), "\(broken.messages)")
    let live = try tool.run("live", "broken", environment: environment)
    #expect(live.code == 1 && live.messages.hasPrefix("one/broken.json:2:"), "\(live.messages)")
  }

  @Test("a name that is not found: where it was looked for, and what may be meant")
  func missing() throws {
    try tool.make("two/tape.json", gain(2))
    let places = [
      "one", tool.path("two"), tool.path("home/legato/models"), tool.path("share/legato/models"),
    ]
    let run = try tool.run("process", "taep", "a.wav", "b.wav", environment: environment)
    let beginning = "taep: no such file, and no model is called so in \(places.joined(separator: ", ")) or "
    #expect(run.code == 1 && run.lines.count == 1 && run.messages.hasPrefix(beginning), "\(run.messages)")
    #expect(run.messages.hasSuffix("/models; did you mean tape?\n"), "\(run.messages)")
    let then = try tool.run("inspect", "filter", "--then", "xyzxyz")
    #expect(then.code == 1 && then.messages.hasPrefix("xyzxyz: no such file, and no model is called so in "))
    #expect(then.messages.hasSuffix("; legato models lists those that are\n"), "\(then.messages)")
    // A path is not looked for.
    for path in ["taep.json", "./taep", "two/taep"] {
      #expect(try tool.run("inspect", path, environment: environment).lines == ["\(path): no such file"])
    }
  }

  @Test("models lists them under their folders, with a line each, as JSON, too")
  func list() throws {
    try tool.make("one/a.json", gain(2, #""description": "Twice as loud.","#))
    try tool.make("one/b.json", gain(3))
    try tool.make("one/c.json", "{")
    try tool.make("one/no.schema.json", "{}")
    try tool.make("one/notes.txt", "x")
    try tool.make("two/a.json", gain(4))
    try tool.make("two/long-name.json", gain(5))
    let run = try tool.run("models", environment: environment)
    #expect(run.code == 0 && run.messages.isEmpty)
    let lines = run.output.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(
      lines.prefix(3) == [
        "one", "  a           Twice as loud.", "  b           Times 3: 1 input, 1 output, 0 parameters",
      ], "\(run.output)")
    #expect(lines[3].hasPrefix("  c           cannot be read: "))
    #expect(
      lines[4...6] == [
        "", Substring(tool.path("two")), "  long-name   Times 5: 1 input, 1 output, 0 parameters",
      ])
    #expect(run.output.contains("\n  bitcrusher  Drives a signal into saturation"), "\(run.output)")
    #expect(!run.output.contains("schema"))
    struct Row: Decodable { let name, folder, file: String, title, description, error: String? }
    let rows = try JSONDecoder().decode(
      [Row].self, from: Data(tool.run("models", "--json", environment: environment).output.utf8))
    #expect(rows.prefix(4).map(\.name) == ["a", "b", "c", "long-name"])
    #expect(rows[0].file == "one/a.json" && rows[0].folder == "one" && rows[0].title == "Times 2")
    #expect(rows[0].description == "Twice as loud." && rows[2].title == nil && rows[2].error != nil)
  }

  @Test("the report and the record of a batch go by the file that the name means")
  func files() throws {
    try tool.make("one/gain.json", gain(2))
    try Sound(samples: [[1, 1]]).write(tool.path("in.wav"))
    let same = try tool.run(
      "process", "gain", "in.wav", "b.wav", "--report", "one/gain.json", "--force", environment: environment)
    #expect(
      same.code == 2 && same.lines == ["process: --report one/gain.json is the model; name another file"])
    let words = ["process", "gain", "in.wav", "--output-dir", "out", "--then", "gain"]
    #expect(try tool.run(words, environment: environment).code == 0)
    #expect(try tool.run(words + ["--resume"], environment: environment).code == 0)
    try tool.make("one/gain.json", gain(3))
    let changed = try tool.run(words + ["--resume"], environment: environment)
    #expect(changed.code == 2 && changed.messages.contains("out was made "), "\(changed.messages)")
  }
}
