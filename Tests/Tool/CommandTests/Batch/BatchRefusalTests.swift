// SPDX-License-Identifier: Apache-2.0

import AudioIO
import Foundation
import Glibc
import TestEquipment
import Testing

@Suite("Command: many files, and what is in the way", .waits)
struct BatchRefusalTests {
  private let tool: Tool

  init() throws {
    tool = try Tool()
    try tool.make("m.json", TestModels.double)
    for folder in ["in", "more", "out"] { try tool.makeFolder(folder) }
    for name in ["in/a.wav", "in/b.wav", "more/a.wav", "more/b.wav"] {
      try Sound.waves(channels: 1, frames: 100).write(tool.path(name))
    }
  }

  /// One line, and nothing written.
  private func refused(_ words: String..., code: Int32 = 2, says message: String) throws {
    try refused(words, code: code, says: message)
  }

  private func refused(_ words: [String], code: Int32 = 2, says message: String) throws {
    let before = try tool.files(in: ".")
    let run = try tool.run(["process", "m.json"] + words)
    #expect(run.code == code && run.output.isEmpty)
    #expect(run.lines.count == 1 && run.messages.hasPrefix(message), "\(run.messages)")
    #expect(try tool.files(in: ".") == before)
  }

  @Test("before anything is written")
  func before() throws {
    let out = ["--output-dir", "out"]
    try refused("in", out[0], out[1], says: "process: in is a folder; --recursive takes the files in it\n")
    try refused(
      "in/a.wav", "in/b.wav", "more/a.wav", out[0], out[1],
      says:
        "process: in/a.wav and more/a.wav would both become out/a.wav; render them into different folders\n")
    try refused(
      "in", "more", "--recursive", out[0], out[1],
      says: "process: in/a.wav and more/a.wav would both become out/a.wav, and 1 other like them; ")
    try refused(
      "in/a.wav", "in/b.wav", "--output-dir", "in", "--force",
      says: "process: in/a.wav is an input and an output; use --suffix, or another --output-dir\n")
    try refused(
      "in", "--recursive", "--output-dir", "in", "--suffix", "-x",
      says: "process: in is the output folder itself; ")
    try refused("in/a.wav", "--output-dir", "m.json", code: 1, says: "m.json: is a file, not a folder\n")
    try refused("in/a.wav", "--output-dir", "m.json/x", code: 1, says: "m.json: is a file, not a folder\n")
    try refused(
      "in/a.wav", out[0], out[1], "--report", "nix/r.json", code: 1, says: "nix: no such folder\n")
    for name in ["out/a.wav", "out/b.wav"] { try tool.make(name, "precious") }
    try refused(
      "in", "--recursive", out[0], out[1], code: 1,
      says: "out/a.wav: the file exists, and 1 other output too; --force replaces")
    try refused(
      "in/a.wav", out[0], out[1], code: 1,
      says: "out/a.wav: the file exists; --force replaces, --resume goes on with a run over these inputs\n")
    try refused(
      "in/a.wav", out[0], out[1], "--resume", code: 1,
      says: "out/a.wav: the file exists; no record says what it was made with, ")
    #expect(try tool.bytes("out/a.wav") == Data("precious".utf8))
    #expect(
      try tool.run("process", "m.json", "in", "--recursive", "--output-dir", "out", "--force").code == 0)
    #expect(try Sound.read(tool.path("out/a.wav")) == Sound.waves(channels: 1, frames: 100).map { 2 * $0 })
  }

  @Test("an input that is an output by another name")
  func linked() throws {
    let manager = FileManager.default
    try manager.createSymbolicLink(atPath: tool.path("out/x.wav"), withDestinationPath: "../in/a.wav")
    try manager.linkItem(atPath: tool.path("in/a.wav"), toPath: tool.path("more/x.wav"))
    let before = try tool.bytes("in/a.wav")
    try refused(
      "in/a.wav", "more/x.wav", "--output-dir", "out", "--force",
      says: "process: in/a.wav is an input and an output; ")
    #expect(try tool.bytes("in/a.wav") == before)
  }

  @Test("folders without audio, and devices")
  func nothing() throws {
    try tool.makeFolder("empty")
    let run = try tool.run("process", "m.json", "empty", "/dev/zero", "--recursive", "--output-dir", "out")
    #expect(run.code == 1)
    #expect(
      run.lines.dropFirst() == [
        "empty: no audio files in it", "/dev/zero: is a device or a pipe; write MODEL INPUT OUTPUT for one",
      ])
  }

  @Test(
    "a full disk ends the run with one line; what is whole stays",
    .enabled(if: Self.canMount, "users may not mount here: unshare --user --mount"))
  func fullDisk() throws {
    try tool.makeFolder("many")
    for index in 0..<30 {
      try Sound.waves(channels: 1, frames: 20_000).write(tool.path("many/\(10 + index).wav"))
    }
    let command = """
      mount -t tmpfs -o size=1m none out && $LEGATO process m.json many --recursive --output-dir out --jobs 1; \
      code=$?; ls -A out; exit $code
      """
    try tool.make("run.sh", command)
    let run = try tool.shell("unshare --user --map-root-user --mount sh run.sh")
    #expect(run.code == 1)
    // 1 MiB holds twelve files of 80 kB.
    let names = run.output.split(separator: "\n")
    #expect(
      names.count == 13 && names.allSatisfy { !$0.contains(".legato-") || $0 == ".legato-run" }, "\(names)")
    #expect(
      run.lines.count == 2 && run.lines[0].contains("out: 12 files")
        && run.lines[0].hasSuffix(", 18 not tried"))
    #expect(run.lines.last == "out: no space left on device; what is whole stays, --resume goes on")
  }

  private static let canMount =
    (try? Tool().shell("unshare --user --map-root-user --mount mount -t tmpfs none /mnt").code) == 0

  @Test(
    "a folder that vanishes is said once, also where some of its files had begun",
    arguments: [("in/sub", "a"), ("out/sub", "a"), ("out/sub", "sub/0")])
  func vanished(_ folder: String, slow: String) throws {
    try tool.makeFolder("in/sub")
    for index in 0..<5 { try Sound.waves(channels: 1, frames: 100).write(tool.path("in/sub/\(index).wav")) }
    try SparseSound.wave(tool.path("in/\(slow).wav"), seconds: 200)
    let hidden = slow == "a" ? ".a.wav.legato-" : "sub/.0.wav.legato-"
    func isWriting() throws -> Bool { try tool.files(in: "out").contains { $0.hasPrefix(hidden) } }
    for _ in 0..<20 {
      try FileManager.default.removeItem(atPath: tool.path("out"))
      let running = try tool.start([
        "process", "m.json", "in", "--recursive", "--output-dir", "out", "--jobs", "1",
      ])
      try tool.waitUntil("a file in the folder", isWriting)
      kill(running.process.processIdentifier, SIGSTOP)
      // It may have been faster.
      let isInTime = try isWriting()
      if isInTime { try FileManager.default.removeItem(atPath: tool.path(folder)) }
      kill(running.process.processIdentifier, SIGCONT)
      let run = try running.finish()
      guard isInTime else { continue }
      #expect(run.code == 1 && run.lines.count == 2, "\(run.messages)")
      #expect(run.messages.hasPrefix("out: 2 files (") && run.lines[0].hasSuffix(", 5 failed"))
      #expect(run.lines.last == "\(folder): no such folder (5 files)")
      #expect(try tool.files(in: "out") == [".legato-run", "a.wav", "b.wav"])
      return
    }
    Issue.record("no run was stopped in time")
  }

  @Test("a link, a pipe or a folder in the place of the record is refused, and left alone")
  func noRecord() throws {
    let (manager, record) = (FileManager.default, tool.path("out/.legato-run"))
    try tool.make("notes.txt", "precious")
    let put: [() throws -> Void] = [
      { try manager.createSymbolicLink(atPath: record, withDestinationPath: "../notes.txt") },
      { try manager.createSymbolicLink(atPath: record, withDestinationPath: "nowhere") },
      { try tool.makePipe("out/.legato-run") },
      { try tool.makeFolder("out/.legato-run") },
    ]
    for put in put {
      try put()
      for more in [[], ["--resume"], ["--force"]] {
        try refused(
          ["in/a.wav", "--output-dir", "out"] + more, code: 1,
          says: "out/.legato-run: is no ordinary file, as a run's record is; remove it\n")
      }
      try manager.removeItem(atPath: record)
    }
    #expect(try tool.bytes("notes.txt") == Data("precious".utf8))
  }

  @Test("an output that the sound is made of, of one file and of many")
  func sources() throws {
    let model = """
      { "legato": 1, "name": "Cab", "inputs": { "x": { "shape": [1, "frames"] } },
        "weights": { "cab": { "file": "out/a.wav" } }, "graph": { "y": "fir(x, 'cab')" }, "outputs": ["y"] }
      """
    try tool.make("m.json", model)
    let cabinet = Data(WaveBytes([[1, 0.5]]).bytes)
    try cabinet.write(to: URL(fileURLWithPath: tool.path("out/a.wav")))
    try refused(
      "in", "--recursive", "--output-dir", "out", "--force",
      says: "process: out/a.wav is what the sound is made of and an output; use --suffix, or another ")
    for input in ["in/a.wav", "out/a.wav"] {
      try refused(
        input, "out/./a.wav", "--force",
        says: "process: 'out/./a.wav' is what the sound is made of; name another file\n")
    }
    try tool.make("points.wav", "0,mix,1\n")
    try refused(
      "in/a.wav", "points.wav", "--force", "--automate", "points.wav",
      says: "process: 'points.wav' is what the sound is made of; name another file\n")
    #expect(try tool.bytes("out/a.wav") == cabinet)
    #expect(try tool.run("process", "m.json", "in/a.wav", "b.wav").code == 0)
  }

  @Test("the code for no CPU, or no libLLVM: one line for all files")
  func noCode() throws {
    let run = try tool.run(
      ["process", "m.json", "in", "--recursive", "--output-dir", "out"],
      environment: ["LEGATO_LLVM": "/nonexistent"])
    #expect(run.code == 1 && run.lines.count == 2)
    #expect(run.lines.last?.hasPrefix("process: ") == true && run.messages.contains("libllvm19"))
  }

  @Test("a day of sound in one file among others")
  func day() throws {
    // Few frames a second keep the time short.
    let frames = 24 * 3600 * 50
    try SparseSound.rf64(tool.path("in/day.rf64"), frames: frames, rate: 50)
    let run = try tool.run("process", "m.json", "in", "--recursive", "--output-dir", "out", "--quiet")
    #expect(run.code == 0 && run.messages.isEmpty, "\(run.messages)")
    let day = try AudioFileReader(path: tool.path("out/day.rf64")).description
    #expect(day.frames == frames && day.typeName.contains("RF64"))

    // More than 32 bits can say.
    try SparseSound.rf64(tool.path("long.rf64"), frames: 24 * 3600 * 96_000, rate: 96_000)
    let reader = try AudioFileReader(path: tool.path("long.rf64"))
    #expect(reader.description.frames == 24 * 3600 * 96_000)
    let buffer = PlanarBuffer(channels: 1, capacity: 1000)
    #expect(unsafe try reader.read(into: buffer.rows, frames: 1000) == 1000 && buffer[0, 999] == -1)
  }
}
