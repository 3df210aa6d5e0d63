// SPDX-License-Identifier: Apache-2.0

import AudioIO
import Foundation
import Glibc
import TestEquipment
import Testing

@Suite("Command: a run that ended, and its going on", .waits)
struct ResumeTests {
  private let tool: Tool
  private let words = [
    "process", Tool.bitcrusher, "in", "--recursive", "--output-dir", "out", "--jobs", "1",
  ]

  private static let hours = 3 * 3600

  init() throws {
    tool = try Tool()
    try tool.makeFolder("in")
    for name in ["a.wav", "b.wav"] {
      try Sound.waves(channels: 1, frames: 400).write(tool.path("in/" + name))
    }
    // Hours, which nobody waits for.
    try SparseSound.wave(tool.path("in/c.wav"), seconds: Self.hours)
    try Sound.waves(channels: 1, frames: 400).write(tool.path("in/d.wav"))
  }

  /// Ends a run by a signal, in the middle of its third file.
  private func interrupt(_ number: Int32) throws -> ProgramRun {
    let running = try tool.start(words)
    try tool.waitUntil("output") {
      try tool.files(in: "out").contains {
        $0.hasPrefix(".c.wav.legato-") && tool.size("out/" + $0) > 1_000_000
      }
    }
    kill(running.process.processIdentifier, number)
    return try running.finish()
  }

  private func replace(_ name: String, frames: Int) throws {
    try FileManager.default.removeItem(atPath: tool.path(name))
    try Sound.waves(channels: 1, frames: frames).write(tool.path(name))
  }

  /// A file's place on the disk: another one where it was made again.
  private func node(_ name: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: tool.path(name))[.systemFileNumber] as? Int
  }

  @Test("a signal leaves what is whole, and nothing else")
  func signal() throws {
    let run = try interrupt(SIGINT)
    #expect(run.code == -SIGINT && run.messages.isEmpty, "\(run.messages)")
    #expect(try tool.files(in: "out") == [".legato-run", "a.wav", "b.wav"])
  }

  @Test("what was killed leaves a hidden file, which going on removes, and does the rest only")
  func killed() throws {
    #expect(try interrupt(SIGKILL).code == -SIGKILL)
    let left = try tool.files(in: "out")
    #expect(left.count == 4 && left.filter { $0.hasPrefix(".c.wav.legato-") }.count == 1)
    // Not of this run, or somebody's who is at work.
    try tool.make("out/.x.wav.legato-aaaaaa", "other")
    let nodes = try [node("out/a.wav"), node("out/b.wav")]

    try replace("in/c.wav", frames: 400)
    let run = try tool.run(words + ["--resume"])
    #expect(run.code == 0 && run.lines.count == 1)
    #expect(
      run.messages.hasPrefix("out: 2 files (0.02 s) in ") && run.messages.hasSuffix(", 2 whole before\n"))
    #expect(
      try tool.files(in: "out") == [
        ".legato-run", ".x.wav.legato-aaaaaa", "a.wav", "b.wav", "c.wav", "d.wav",
      ])
    #expect(try [node("out/a.wav"), node("out/b.wav")] == nodes)
    #expect(try tool.bytes("out/c.wav") == tool.bytes("out/a.wav"))
  }

  /// Whether somebody holds a file's lock; takes it otherwise, for as long as the descriptor is open.
  private func isLocked(_ descriptor: Int32) -> Bool {
    flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
  }

  @Test("what a run is writing is locked")
  func locked() throws {
    let running = try tool.start(words)
    var temporary: String?
    try tool.waitUntil("the third file") {
      temporary = try tool.files(in: "out").first { $0.hasPrefix(".c.wav.legato-") }
      return temporary != nil
    }
    let descriptor = unsafe open(tool.path("out/" + (try #require(temporary))), O_WRONLY)
    defer { close(descriptor) }
    try tool.waitUntil("a lock") {
      if isLocked(descriptor) { return true }
      flock(descriptor, LOCK_UN)
      return false
    }
    kill(running.process.processIdentifier, SIGTERM)
    #expect(try running.finish().code == -SIGTERM)
  }

  @Test("a file that another run is writing stays")
  func others() throws {
    try replace("in/c.wav", frames: 400)
    #expect(try tool.run(words).code == 0)
    let names = ["out/.c.wav.legato-aaaaaa", "out/.d.wav.legato-aaaaaa"]
    for name in names { try tool.make(name, "something") }
    let descriptor = unsafe open(tool.path(names[0]), O_WRONLY)
    #expect(!isLocked(descriptor))
    let whole = [".legato-run", "a.wav", "b.wav", "c.wav", "d.wav"]
    #expect(try tool.run(words + ["--resume"]).code == 0)
    #expect(try tool.files(in: "out") == [".c.wav.legato-aaaaaa"] + whole)
    close(descriptor)
    #expect(try tool.run(words + ["--resume"]).code == 0)
    #expect(try tool.files(in: "out") == whole)
  }

  @Test("an input that an older file has replaced is rendered again")
  func older() throws {
    try replace("in/c.wav", frames: 400)
    try Sound.waves(channels: 1, frames: 700).write(tool.path("b.wav"))
    let past = Date(timeIntervalSince1970: 1e9)
    try FileManager.default.setAttributes([.modificationDate: past], ofItemAtPath: tool.path("b.wav"))
    #expect(try tool.run(words).code == 0)
    try FileManager.default.removeItem(atPath: tool.path("in/b.wav"))
    try FileManager.default.moveItem(atPath: tool.path("b.wav"), toPath: tool.path("in/b.wav"))
    #expect(try tool.run(words + ["--resume"]).messages.hasSuffix(", 3 whole before\n"))
    #expect(try Sound.read(tool.path("out/b.wav")).frames == 700)
  }

  @Test(
    "on demand, each output is on the disk before it gets its name, and its folder afterwards",
    .enabled(if: Tool.canTrace, "strace is missing, or may not look at programs"))
  func synced() throws {
    try replace("in/c.wav", frames: 400)
    for (option, expected) in [
      // The record alone, on which all going on depends.
      ("", ["fdatasync", "fsync"]),
      ("--force --sync", [[String]](repeating: ["fdatasync", "rename", "fsync"], count: 4).flatMap(\.self)),
      ("--resume --sync", []),
    ] {
      let run = try tool.shell(
        "strace -f -o trace -e trace=fdatasync,fsync,link,linkat,rename,renameat,renameat2 "
          + "$LEGATO \(words.joined(separator: " ")) \(option)")
      #expect(run.code == 0, "\(run.messages)")
      let calls = String(decoding: try tool.bytes("trace"), as: UTF8.self).split(separator: "\n")
      // Of calls that another thread's interrupt, the second half is none.
      let names = calls.filter { !$0.contains("resumed>") }.compactMap { call in
        ["fdatasync", "rename", "fsync"].first { call.contains(" \($0)") }
      }
      #expect(names == expected, "\(calls)")
    }
  }

  @Test("what is older than its input is made again; another model or other options are refused")
  func stale() throws {
    try FileManager.default.removeItem(atPath: tool.path("in/c.wav"))
    #expect(try tool.run(words).code == 0)
    let nodes = try ["a", "b", "d"].map { try node("out/\($0).wav") }
    try replace("in/b.wav", frames: 700)
    #expect(try tool.run(words + ["--resume", "--block", "64"]).code == 0)
    #expect(try Sound.read(tool.path("out/b.wav")).frames == 700)
    #expect(try node("out/a.wav") == nodes[0] && node("out/d.wav") == nodes[2])

    let before = try tool.bytes("out/a.wav")
    try tool.make("out/d.wav", "")
    #expect(try tool.run(words + ["--resume"]).messages.hasSuffix(", 2 whole before\n"))
    #expect(try tool.bytes("out/d.wav") == before)
    let other = try tool.run(words + ["--resume", "--set", "resolution=3"])
    #expect(other.code == 2)
    #expect(
      other.messages.hasPrefix("process: out was made without --set resolution=3; "), "\(other.messages)")
    try tool.make("m.json", TestModels.double)
    let model = try tool.run("process", "m.json", "in", "--recursive", "--output-dir", "out", "--resume")
    #expect(model.code == 2 && model.messages.hasPrefix("process: out was made with bitcrusher.json "))
    #expect(try tool.bytes("out/a.wav") == before)

    #expect(try tool.run(words + ["--resume", "--set", "resolution=3", "--force"]).code == 0)
    #expect(try tool.bytes("out/a.wav") != before)
    #expect(
      try tool.run(words + ["--resume", "--set", "resolution=3"]).messages.contains(", 3 whole before"))
  }

  @Test(
    "an output that somebody has cut is made again, also where its header tells of no more than it holds",
    arguments: ["wav", "flac", "ogg", "aiff", "caf"])
  func cut(_ type: String) throws {
    for name in ["a", "b", "c", "d"] {
      try FileManager.default.removeItem(atPath: tool.path("in/\(name).wav"))
    }
    for name in ["a", "b", "c"] {
      try Sound.waves(channels: 1, frames: 30_000).write(tool.path("in/\(name).wav"), .int16)
    }
    let words = words + ["--suffix", ".\(type)"]
    #expect(try tool.run(words).code == 0)
    let outputs = ["a", "b", "c"].map { "out/\($0).\(type)" }
    let whole = try tool.bytes(outputs[0])
    try whole.prefix(whole.count * 3 / 5).write(to: URL(fileURLWithPath: tool.path(outputs[0])))
    // A whole file, but of another length.
    try Sound.waves(channels: 1, frames: 20_000).write(tool.path("short.wav"), .int16)
    #expect(try tool.run("process", Tool.bitcrusher, "short.wav", outputs[1], "--force").code == 0)
    let run = try tool.run(words + ["--resume"])
    #expect(run.code == 0 && run.messages.hasSuffix(", 1 whole before\n"), "\(run.messages)")
    if type == "ogg" {
      // Each stream has a number of its own.
      #expect(try outputs.allSatisfy { try Sound.read(tool.path($0)).frames == 30_000 })
    } else {
      #expect(try outputs.map { try tool.bytes($0) } == [whole, whole, whole])
    }
    // With a tail, outputs are longer than their inputs.
    for tail in ["0.5", "auto"] {
      let words = words + ["--tail", tail]
      #expect(try tool.run(words + ["--force"]).code == 0)
      #expect(try tool.run(words + ["--resume"]).messages.hasSuffix(", 3 whole before\n"))
    }
  }

  @Test("where no record says of a run, that is said")
  func unknown() throws {
    try replace("in/c.wav", frames: 400)
    let said = "out: no record of a run to go on with; everything is rendered"
    // No folder, no question.
    #expect(try !tool.run(words + ["--resume"]).lines.contains(said))
    for name in [".legato-run", "a.wav", "b.wav", "c.wav", "d.wav"] {
      try FileManager.default.removeItem(atPath: tool.path("out/" + name))
    }
    #expect(try tool.run(words + ["--resume"]).lines.first == said)
    try FileManager.default.removeItem(atPath: tool.path("out/.legato-run"))
    let refused = try tool.run(words + ["--resume"])
    #expect(
      refused.code == 1
        && refused.messages
          == "out/a.wav: the file exists, and 3 other outputs too; no record says what it was made with, so that "
          + "--resume cannot go on; --force replaces\n",
      "\(refused.messages)")
  }

  @Test("a report says what was done when a signal came", arguments: [SIGINT, SIGTERM])
  func reported(_ number: Int32) throws {
    let words = words + ["--report", "r.json"]
    let running = try tool.start(words)
    try tool.waitUntil("the third file") {
      try tool.files(in: "out").contains {
        $0.hasPrefix(".c.wav.legato-") && tool.size("out/" + $0) > 1_000_000
      }
    }
    kill(running.process.processIdentifier, number)
    let run = try running.finish()
    #expect(run.code == -number && run.messages.isEmpty, "\(run.messages)")
    #expect(try tool.files(in: "out") == [".legato-run", "a.wav", "b.wav"])
    #expect(try tool.isInterrupted("r.json") == true)
    #expect(try tool.report("r.json").map { $0["output"] as? String } == ["out/a.wav", "out/b.wav"])
    #expect(try tool.report("r.json").allSatisfy { $0["frames"] as? Int == 400 })
    try replace("in/c.wav", frames: 400)
    #expect(try tool.run(words + ["--resume"]).code == 0)
    #expect(try tool.isInterrupted("r.json") == nil)
    #expect(try tool.report("r.json").count == 4)
  }

  @Test("a forced run with other options that is killed leaves nothing that passes for its own")
  func forced() throws {
    try replace("in/c.wav", frames: 400)
    #expect(try tool.run(words + ["--set", "dryWet=0"]).code == 0)
    try SparseSound.wave(tool.path("in/c.wav"), seconds: Self.hours)
    let running = try tool.start(words + ["--force"])
    try tool.waitUntil("the third file") {
      try tool.files(in: "out").contains { $0.hasPrefix(".c.wav.legato-") }
    }
    kill(running.process.processIdentifier, SIGKILL)
    _ = try running.finish()
    try replace("in/c.wav", frames: 400)
    // d.wav is still the other run's.
    let refused = try tool.run(words + ["--resume"])
    #expect(
      refused.code == 1 && refused.messages.hasPrefix("out/c.wav: the file exists, and 1 other output too"))
    #expect(try tool.run(words + ["--resume", "--force"]).messages.contains(", 2 whole before"))
    #expect(try tool.bytes("out/d.wav") == tool.bytes("out/a.wav"))
  }

  @Test("the content counts of files that options name, and Legato's version; no other file does")
  func record() throws {
    for name in ["in/c.wav", "in/d.wav"] { try FileManager.default.removeItem(atPath: tool.path(name)) }
    try tool.make("then.json", TestModels.double)
    try tool.make("points.csv", "0,dryWet,1\n1,dryWet,0\n")
    let more = ["--then", "then.json", "--automate", "points.csv", "--bits", "16", "--resume"]
    #expect(try tool.run(words + more).code == 0)
    // What an option says that names no file may be a file's name all the same.
    try tool.make("16", "nothing to do with it")
    let again = try tool.run(words + more)
    #expect(again.code == 0 && again.messages.hasSuffix(", 2 whole before\n"), "\(again.messages)")

    func refused(_ beginning: String) throws {
      let run = try tool.run(words + more)
      #expect(run.code == 2)
      #expect(run.messages.hasPrefix("process: out was made " + beginning), "\(run.messages)")
    }
    try tool.make("points.csv", "0,dryWet,1\n1,dryWet,0.5\n")
    try refused("with --automate points.csv ")
    try tool.make("points.csv", "0,dryWet,1\n1,dryWet,0\n")
    try tool.make("then.json", TestModels.double + " ")
    try refused("with --then then.json ")
    try tool.make("then.json", TestModels.double)

    let record = String(decoding: try tool.bytes("out/.legato-run"), as: UTF8.self)
    let version = try #require(try tool.run("--version").output.split(separator: "\n").first)
    #expect(record.hasPrefix(version + "\n"))
    try tool.make("out/.legato-run", "legato 0.0.9" + record.dropFirst(version.count))
    try refused("with legato 0.0.9; ")
  }

  @Test("an output folder whose name is no UTF-8")
  func bytes() throws {
    try replace("in/c.wav", frames: 400)
    let run = try tool.shell(
      """
      out=$(printf 'o\\351'); for i in 1 2; do \
      $LEGATO process \(Tool.bitcrusher) in --recursive --output-dir "$out" --resume || exit; done
      """)
    #expect(run.code == 0 && run.lines.count == 2, "\(run.messages)")
    #expect(run.lines.last?.hasPrefix("o\\xE9: 0 files ") == true, "\(run.messages)")
    #expect(run.lines.last?.hasSuffix(", 4 whole before") == true, "\(run.messages)")
  }
}
