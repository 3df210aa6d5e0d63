// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestEquipment
import Testing

@Suite("Command: the place of a report", .waits)
struct ReportTests {
  private let tool: Tool
  private let words = ["process", "m.json", "in", "--recursive", "--output-dir", "out"]

  init() throws {
    tool = try Tool()
    for name in ["m.json", "then.json"] { try tool.make(name, TestModels.double) }
    try tool.makeFolder("in")
    for name in ["in/a.wav", "in/b.wav"] {
      try Sound.waves(channels: 1, frames: 100).write(tool.path(name))
    }
  }

  /// All files; links may lead nowhere.
  private func contents() throws -> [String: Data?] {
    Dictionary(uniqueKeysWithValues: try tool.files(in: ".").map { ($0, try? tool.bytes($0)) })
  }

  /// One line that says what the report would replace, and nothing written.
  private func refused(_ words: [String], _ role: String) throws {
    let before = try contents()
    let run = try tool.run(words)
    #expect(run.code == 2 && run.output.isEmpty)
    #expect(
      run.lines.count == 1 && run.messages.hasPrefix("process: --report ")
        && run.messages.hasSuffix(" is \(role); name another file\n"), "\(run.messages)")
    #expect(try contents() == before)
  }

  @Test("inputs that cannot even be looked at are in it, too")
  func missing() throws {
    let run = try tool.run(
      "process", "m.json", "gone.wav", "in/a.wav", "--output-dir", "out", "--report", "r.json")
    #expect(run.code == 1)
    let files = try tool.report("r.json")
    #expect(files.map { $0["input"] as? String } == ["in/a.wav", "gone.wav"])
    #expect(files[1]["error"] as? String == "gone.wav: no such file" && files[1]["output"] == nil)
  }

  @Test("is none that the run reads or writes", arguments: [[], ["--force"], ["--resume"]])
  func sources(_ more: [String]) throws {
    let uses = TestModels.model(shape: #"["channels", "frames"]"#, graph: #""y": "model('m.json', x)""#)
    try tool.make("p.json", uses)
    try tool.make("points.csv", "0,mix,1\n")
    let manager = FileManager.default
    try manager.linkItem(atPath: tool.path("in/b.wav"), toPath: tool.path("b.wav"))
    try manager.createSymbolicLink(atPath: tool.path("link"), withDestinationPath: "out")
    try manager.createSymbolicLink(atPath: tool.path("c.wav"), withDestinationPath: "out/../out/a.wav")
    for (report, role) in [
      ("in/a.wav", "an input"), ("b.wav", "an input"), ("out/a.wav", "an output"),
      ("./in/../out//./b.wav", "an output"), ("link/b.wav", "an output"), ("c.wav", "an output"),
      ("m.json", "the model"), ("then.json", "a model that --then names"),
      ("points.csv", "the file that --automate names"),
      ("out/.legato-run", "the record of the output folder"),
    ] {
      try refused(
        words + more + ["--then", "then.json", "--automate", "points.csv", "--report", report], role)
    }
    try refused(
      ["process", "p.json", "in/a.wav", "--output-dir", "out", "--report", "m.json"] + more,
      "a file that the model uses")
    guard more != ["--resume"] else { return }
    let single = ["process", "m.json", "in/a.wav", "a.wav", "--report"]
    for (report, role) in [("in/a.wav", "an input"), ("./a.wav", "an output"), ("m.json", "the model")] {
      try refused(single + [report] + more, role)
    }
  }

  @Test("replaces the report of a run that goes on, and nothing else")
  func resumed() throws {
    let words = words + ["--report", "r.json"]
    #expect(try tool.run(words).code == 0)
    #expect(try tool.run(words + ["--resume"]).code == 0)
    #expect(try tool.report("r.json").map { $0["skipped"] as? Bool } == [true, true])
    for text in ["", "precious", TestModels.double, "{\n  \"model\": \"m.json\"\n}\n"] {
      try tool.make("r.json", text)
      let run = try tool.run(words + ["--resume"])
      #expect(run.code == 1 && run.messages == "r.json: the file exists; --force replaces it\n")
      #expect(try tool.bytes("r.json") == Data(text.utf8))
    }
    #expect(try tool.run(words + ["--resume", "--force"]).code == 0)
    #expect(try tool.report("r.json").count == 2)
  }

  @Test("may be the standard output, where no sound goes")
  func printed() throws {
    let run = try tool.run(words + ["--report", "-"])
    #expect(run.code == 0 && run.lines.count == 1)
    try Data(run.output.utf8).write(to: URL(fileURLWithPath: tool.path("r.json")))
    #expect(try tool.report("r.json").map { $0["input"] as? String } == ["in/a.wav", "in/b.wav"])
    let single = try tool.shell("$LEGATO process m.json in/a.wav - --report - | cat > sound")
    #expect(single.messages == "process: --report - is an output; name another file\n")
    #expect(tool.size("sound") == 0)
  }

  @Test("that cannot be written is said after all else")
  func unwritten() throws {
    let full = "/dev/full: no space left on device"
    let run = try tool.run(words + ["--report", "/dev/full"])
    #expect(run.code == 1 && run.lines.count == 2 && run.lines.last == full, "\(run.messages)")
    #expect(run.messages.hasPrefix("out: 2 files (0.00 s) in "))
    try tool.make("in/b.wav", "no sound")
    let failed = try tool.run(words + ["--force", "--report", "/dev/full"])
    #expect(failed.code == 1 && failed.messages.hasPrefix("out: 1 file (0.00 s) in "))
    let fault = "in/b.wav: not an audio file of a known type"
    #expect(failed.lines.dropFirst() == [fault, full], "\(failed.messages)")

    let single = try tool.run("process", "m.json", "in/a.wav", "a.wav", "--report", "/dev/full")
    #expect(single.code == 1 && single.messages.hasPrefix("a.wav: 100 frames "))
    #expect(single.lines.count == 2 && single.lines.last == full, "\(single.messages)")
    let bad = try tool.run("process", "m.json", "in/b.wav", "b.wav", "--report", "/dev/full")
    #expect(bad.code == 1 && bad.lines == [full, fault], "\(bad.messages)")
    // How a run ends is decided by the sound, not by the report.
    let check = ["--check", "non-finite", "--report", "/dev/full", "--quiet"]
    try Sound(samples: [[1, 1]]).write(tool.path("c.wav"))
    try tool.make("m.json", TestModels.model(shape: #"["frames"]"#, graph: #""y": "log(x - x)""#))
    #expect(try tool.run(["process", "m.json", "c.wav", "d.wav"] + check).code == 4)
  }
}
