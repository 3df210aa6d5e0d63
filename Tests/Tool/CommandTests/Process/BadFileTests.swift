// SPDX-License-Identifier: Apache-2.0

import AudioIO
import Foundation
import TestEquipment
import Testing

@Suite("Command: bad files", .waits)
struct BadFileTests {
  private let tool: Tool

  init() throws {
    tool = try Tool()
    try tool.make("m.json", TestModels.double)
    try Sound.waves(channels: 1, frames: 30_000).write(tool.path("in.wav"))
  }

  /// One message, exit code 1, and no file but those that were there.
  private func refused(_ words: String..., says message: String) throws {
    let before = try tool.names
    let run = try tool.run(["process"] + words)
    #expect(run.code == 1 && run.output.isEmpty)
    #expect(run.lines.count == 1 && run.messages.hasPrefix(message), "\(run.messages)")
    #expect(try tool.names == before)
  }

  @Test("inputs")
  func inputs() throws {
    try refused("m.json", "nix.wav", "a.wav", says: "nix.wav: no such file\n")
    try refused("m.json", ".", "a.wav", says: ".: is a folder, not a file\n")
    try refused("m.json", "m.json", "a.wav", says: "m.json: not an audio file of a known type\n")
    try tool.make("empty.wav", "")
    try refused("m.json", "empty.wav", "a.wav", says: "empty.wav: the file is empty\n")
    try tool.bytes("in.wav").prefix(20).write(to: URL(fileURLWithPath: tool.path("head.wav")))
    try refused("m.json", "head.wav", "a.wav", says: "head.wav: damaged: ")
    try Sound.waves(channels: 1, frames: 30_000).write(tool.path("in.flac"), .int16)
    let whole = try tool.bytes("in.flac")
    try whole.prefix(whole.count / 2).write(to: URL(fileURLWithPath: tool.path("half.flac")))
    try refused("m.json", "half.flac", "a.wav", says: "half.flac: damaged: ")
    try refused("m.json", "a\nb.wav", "a.wav", says: "a\\nb.wav: no such file\n")
  }

  @Test("sound in the place of the model", arguments: ["wav", "flac", "aiff", "ogg", "caf", "rf64"])
  func mistaken(_ ending: String) throws {
    try Sound.waves(channels: 1, frames: 300).write(
      tool.path("a.\(ending)"), ending == "flac" ? .int16 : .float)
    try refused("a.\(ending)", "m.json", "b.wav", says: "a.\(ending): is an audio file, not a model\n")
  }

  @Test("a cut file is refused before anything is written, in place too", arguments: ["a.wav", "cut.wav"])
  func cut(_ output: String) throws {
    let cut = try tool.bytes("in.wav").dropLast(20_000 * 4)
    try cut.write(to: URL(fileURLWithPath: tool.path("cut.wav")))
    try refused(
      "m.json", "cut.wav", output, says: "cut.wav: damaged: it ends after 10000 of 30000 frames\n")
    #expect(try tool.bytes("cut.wav") == cut)
  }

  @Test("an Ogg file cut within a page is refused; of one without its last page, the rest is rendered")
  func cutOgg() throws {
    try Sound.waves(channels: 1, frames: 60_000).write(tool.path("in.ogg"), .vorbis)
    let whole = try tool.bytes("in.ogg")
    try whole.dropLast(100).write(to: URL(fileURLWithPath: tool.path("cut.ogg")))
    try refused("m.json", "cut.ogg", "a.wav", says: "cut.ogg: damaged: it ends within a page\n")
    let last = try #require(whole.range(of: Data("OggS".utf8), options: .backwards))
    try whole[..<last.lowerBound].write(to: URL(fileURLWithPath: tool.path("cut.ogg")))
    let run = try tool.run("process", "m.json", "cut.ogg", "a.wav")
    #expect(run.code == 0)
    #expect(
      run.lines.first
        == "cut.ogg: no page of it is marked as the last one; the end of the sound may be missing")
    let other = try tool.run("process", "m.json", "in.ogg", "b.wav")
    #expect(other.code == 0 && !other.messages.contains("marked as the last one"))
  }

  @Test("outputs")
  func outputs() throws {
    try refused("m.json", "in.wav", "nix/a.wav", says: "nix: no such folder\n")
    try refused("m.json", "in.wav", "m.json/a.wav", says: "m.json: is a file, not a folder\n")
    try refused("m.json", "in.wav", ".", says: ".: is a folder, not a file\n")
    try refused("m.json", "in.wav", "/dev/full", says: "/dev/full: no space left on device\n")
    try refused("m.json", "in.wav", "/dev/null/a.wav", says: "/dev/null: is a file, not a folder\n")
  }

  @Test("a folder that cannot be written")
  func closedFolder() throws {
    // Root may write everywhere but where the kernel itself refuses.
    let folder = geteuid() == 0 ? "/sys" : tool.path("closed")
    if geteuid() != 0 {
      let closed: [FileAttributeKey: Any] = [.posixPermissions: 0o555]
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: false, attributes: closed)
    }
    let run = try tool.run("process", "m.json", "in.wav", folder + "/a.wav")
    #expect(run.code == 1 && run.lines.count == 1)
    let reasons = ["permission denied", "the file system is read-only", "operation not permitted"]
    #expect(reasons.contains { run.messages == "\(folder): \($0)\n" }, "\(run.messages)")
  }

  @Test("a disk that fills up leaves nothing")
  func fullDisk() throws {
    let run = try tool.shell("ulimit -f 20; exec $LEGATO process m.json in.wav a.wav")
    #expect(run.code == 1 && run.messages == "a.wav: file too large\n", "\(run.messages)")
    #expect(try tool.names == ["in.wav", "m.json"])
  }

  @Test("models")
  func models() throws {
    try refused("nix.json", "in.wav", "a.wav", says: "nix.json: no such file\n")
    try refused(".", "in.wav", "a.wav", says: ".: is a folder, not a model file\n")
    try tool.makeFolder("half")
    try tool.make("half/checkpoint", "")
    try tool.make("half/optimizer_model.onnx", "")
    try refused(
      "half", "in.wav", "a.wav",
      says:
        "half: is a folder with optimizer_model.onnx, checkpoint, and without eval_model.onnx, the network itself\n"
    )
    try tool.makeFolder("made")
    try tool.make("made/artifacts.json", "{}")
    try refused("made", "in.wav", "a.wav", says: "made: is a folder of artifacts, which a Trainer loads, ")
    let broken = """
      { "legato": 1, "name": "Broken", "inputs": { "x": { "shape": ["channels", "frames"] } },
        "graph": {
          "a": "tnh(x)",
          "b": "a + xx",
          "c": "(x"
        },
        "outputs": ["c"] }
      """
    try tool.make("broken.json", broken)
    for words in [["process", "broken.json", "in.wav", "a.wav"], ["inspect", "broken.json"]] {
      let run = try tool.run(words)
      #expect(run.code == 1 && run.lines.count == 3, "\(run.messages)")
      for (line, place) in zip(run.lines, ["broken.json:3:11: ", "broken.json:4:15: ", "broken.json:5:"]) {
        #expect(line.hasPrefix(place), "\(line)")
      }
    }
  }

  @Test("LEGATO_LLVM: a wrong library is said to be named there; an empty name is none")
  func namedLLVM() throws {
    let words = ["process", "m.json", "in.wav", "a.wav"]
    let wrong = try tool.run(words, environment: ["LEGATO_LLVM": "libm.so.6"])
    #expect(wrong.code == 1 && wrong.lines.count == 1)
    #expect(wrong.messages.contains("'libm.so.6' is not LLVM 19"), "\(wrong.messages)")
    #expect(wrong.messages.contains("LEGATO_LLVM names it"), "\(wrong.messages)")
    let empty = try tool.run(words, environment: ["LEGATO_LLVM": ""])
    #expect(empty.code == 0, "\(empty.messages)")
  }

  @Test("without libLLVM: one line that says what to install")
  func noLLVM() throws {
    let run = try tool.run(
      "process", "m.json", "in.wav", "a.wav", environment: ["LEGATO_LLVM": "/nonexistent"])
    #expect(run.code == 1 && run.lines.count == 1)
    #expect(run.messages.hasPrefix("process: ") && run.messages.contains("libllvm19"))
    #expect(try tool.names == ["in.wav", "m.json"])
  }
}
