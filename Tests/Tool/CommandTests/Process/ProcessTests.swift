// SPDX-License-Identifier: Apache-2.0

import AudioIO
import Foundation
import TestEquipment
import Testing

@Suite("Command: process", .waits)
struct ProcessTests {
  private let tool: Tool

  init() throws { tool = try Tool() }

  /// Half a step of 16 bits.
  private let rounding: Float = 0.5 / 32768

  @Test("the shipped sound through the shipped model is what the formula says")
  func formula() throws {
    let settings = ["--set", "resolution=4", "--set", "saturationGain=2", "--set", "dryWet=0.75"]
    let run = try tool.run(["process", Tool.bitcrusher, Tool.sound, "a.wav", "--dither", "none"] + settings)
    let input = try Sound.read(Tool.sound)
    let frames = input.samples[0].count
    #expect(run.code == 0 && run.output.isEmpty)
    #expect(run.messages == "a.wav: \(frames) frames (4.00 s), 2 channels at 44100 Hz, 16 bit\n")
    #expect(try tool.names == ["a.wav"])

    let output = try Sound.read(tool.path("a.wav"))
    #expect(output.sampleRate == 44100 && output.samples.map(\.count) == [frames, frames])
    var (beyond, jumps) = (0, 0)
    for (x, y) in zip(input.samples.joined(), output.samples.joined()) {
      let level = Double(4) * tanh(2 * Double(x))
      // Where rounding jumps, the last bit of tanh decides.
      guard abs(level - level.rounded(.down) - 0.5) > 1e-5 else {
        jumps += 1
        continue
      }
      let expected = Float(level.rounded() / 4 * 0.75 + Double(x) * 0.25)
      if abs(y - expected) > rounding * 1.01 { beyond += 1 }
    }
    #expect(beyond == 0)
    #expect(jumps < frames / 100)
  }

  @Test("blocks change no bit, dither included", arguments: ["1", "7", "65536"])
  func blocks(_ block: String) throws {
    try Sound.waves(channels: 2, frames: 9001).write(tool.path("in.wav"))
    for (name, options) in [("a.wav", []), ("b.wav", ["--block", block])] {
      let words = ["process", Tool.bitcrusher, "in.wav", name, "--bits", "16", "--set", "dryWet=0.9"]
      #expect(try tool.run(words + options).code == 0)
    }
    #expect(try tool.bytes("a.wav") == tool.bytes("b.wav"))
  }

  @Test("code for other CPUs and without passes sounds the same")
  func cpus() throws {
    try Sound.waves(channels: 1, frames: 5000).write(tool.path("in.wav"))
    let usual = try tool.run("process", Tool.bitcrusher, "in.wav", "a.wav")
    #expect(usual.code == 0)
    let expected = try Sound.read(tool.path("a.wav")).samples[0]
    var ran = 0
    for options in [
      ["--cpu", "x86-64"], ["--cpu", "x86-64-v3"], ["--cpu", "x86-64-v4"], ["--passes", "none"],
    ] {
      let run = try tool.run(["process", Tool.bitcrusher, "in.wav", "b.wav", "--force"] + options)
      if run.code != 0 {
        #expect(run.lines.count == 1 && run.messages.contains("cannot run on this machine"), "\(options)")
        continue
      }
      ran += 1
      let differing = zip(expected, try Sound.read(tool.path("b.wav")).samples[0]).filter {
        abs($0 - $1) > 1e-5
      }
      // The last bit of tanh can decide where rounding jumps.
      #expect(differing.count < 5, "\(options)")
    }
    #expect(ran >= 2)
  }

  @Test(
    "samples are stored as asked for, or as they were",
    arguments: [
      ("a.wav", nil, "24 bit"), ("a.wav", "16", "16 bit"), ("a.wav", "32", "32 bit"),
      ("a.wav", "float", "32 bit float"), ("a.wav", "8", "8 bit"), ("a.wav", "double", "64 bit float"),
      ("a.flac", "float", "24 bit"), ("a.ogg", nil, "Vorbis"), ("a.rf64", nil, "24 bit"),
      ("a.caf", "float", "32 bit float"),
    ])
  func formats(_ name: String, _ bits: String?, _ format: String) throws {
    try Sound.waves(channels: 1, frames: 500).write(tool.path("in.wav"), .int24)
    let run = try tool.run(
      ["process", Tool.bitcrusher, "in.wav", name] + (bits.map { ["--bits", $0] } ?? []))
    #expect(run.code == 0 && run.messages.hasSuffix("1 channel at 48000 Hz, \(format)\n"), "\(run.messages)")
    #expect(run.lines.count == (name == "a.flac" || name == "a.ogg" ? 2 : 1))
    #expect(try AudioFileReader(path: tool.path(name)).description.sampleFormat.name == format)
  }

  @Test("clipped samples and such as are no numbers are counted and said")
  func counts() throws {
    try Sound(samples: [[0.25, -0.75, 0.75, 0, -0.5]]).write(tool.path("in.wav"))
    let graph = #""y": "select(x > 0.5, 4 * x, sqrt(x))""#
    try tool.make("m.json", TestModels.model(shape: #"["frames"]"#, graph: graph))
    let run = try tool.run("process", "m.json", "in.wav", "a.wav", "--bits", "16", "--dither", "none")
    #expect(
      run.lines.dropFirst() == [
        "a.wav: 1 sample beyond full scale clipped",
        "a.wav: 2 samples infinite or not a number, made silent; --check non-finite names what made the first",
      ])
    #expect(try Sound.read(tool.path("a.wav")).samples == [[0.5, 0, 32767 / 32768, 0, 0]])
    let quiet = try tool.run(
      "process", "m.json", "in.wav", "b.wav", "--quiet", "--bits", "16", "--dither", "none")
    #expect(quiet.code == 0 && quiet.messages.isEmpty)
    #expect(try tool.bytes("a.wav") == tool.bytes("b.wav"))
  }

  @Test("samples that ask for delays outside of what is kept are counted and said, with the place")
  func delays() throws {
    try Sound(samples: [[0, 100, -1, 4, 5, 6]]).write(tool.path("in.wav"))
    let wet = #""wet": "delay(x, by: abs(x), maximum: 5)""#
    let graph = wet + #", "y": "wet + delay(x, by: x, minimum: 1, maximum: 6)""#
    try tool.make("m.json", TestModels.model(shape: #"["frames"]"#, graph: graph))
    let run = try tool.run("process", "m.json", "in.wav", "a.wav", "--report", "r.json")
    #expect(
      run.lines.dropFirst() == [
        "a.wav: y (m.json:2:69): 3 samples asked for delays outside of 1 to 6 frames, and got the nearest",
        "a.wav: wet (m.json:2:22): 2 samples asked for delays outside of 0 to 5 frames, and got the nearest",
      ], "\(run.messages)")
    #expect(try tool.report("r.json").map { $0["outsideDelays"] as? Int } == [5])
    for name in ["in/b.wav", "in/c.wav"] {
      try tool.makeFolder("in")
      try FileManager.default.copyItem(atPath: tool.path("in.wav"), toPath: tool.path(name))
    }
    // Two files after each other through the same contexts count apart.
    let batch = try tool.run(
      "process", "m.json", "in", "--recursive", "--output-dir", "out", "--jobs", "1", "--report", "s.json")
    #expect(
      batch.lines.first
        == "out: y (m.json:2:69) and 1 more delay: 10 samples asked for delays outside of what is kept, "
        + "and got the nearest, in 2 files",
      "\(batch.messages)")
    #expect(try tool.report("s.json").map { $0["outsideDelays"] as? Int } == [5, 5])
  }

  @Test("an empty sound stays one", arguments: ["a.wav", "a.flac"])
  func empty(_ name: String) throws {
    try Sound(samples: [[], []]).write(tool.path("in.wav"))
    let run = try tool.run("process", Tool.bitcrusher, "in.wav", name, "--bits", "16")
    #expect(run.code == 0 && run.messages == "\(name): 0 frames (0.00 s), 2 channels at 48000 Hz, 16 bit\n")
    #expect(try Sound.read(tool.path(name)).samples == [[], []])
  }

  @Test("the input itself may be the output; another file needs --force")
  func replaced() throws {
    let sound = Sound.waves(channels: 1, frames: 300)
    try tool.make("m.json", TestModels.double)
    try sound.write(tool.path("in.wav"))
    try tool.make("other.wav", "precious")
    let refused = try tool.run("process", "m.json", "in.wav", "other.wav")
    #expect(refused.code == 1 && refused.messages == "other.wav: the file exists; --force replaces it\n")
    #expect(try tool.bytes("other.wav") == Data("precious".utf8))
    #expect(try tool.run("process", "m.json", "in.wav", "other.wav", "--force").code == 0)
    #expect(try tool.run("process", "m.json", "in.wav", "in.wav").code == 0)
    #expect(try Sound.read(tool.path("in.wav")) == sound.map { 2 * $0 })
    #expect(try Sound.read(tool.path("other.wav")) == sound.map { 2 * $0 })
    #expect(try tool.names == ["in.wav", "m.json", "other.wav"])
  }

  @Test(
    "pipes, by their names",
    arguments: [
      "cat in.wav | $LEGATO process m.json /dev/stdin /dev/stdout", "cat in.wav | $LEGATO process m.json - -",
      "$LEGATO process m.json in.wav -",
    ])
  func pipes(_ command: String) throws {
    let sound = Sound.waves(channels: 1, frames: 20_000)
    try tool.make("m.json", TestModels.double)
    try sound.write(tool.path("in.wav"))
    let run = try tool.shell("\(command) --quiet | cat > out.wav")
    #expect(run.code == 0 && run.messages.isEmpty)
    #expect(try Sound.read(tool.path("out.wav")) == sound.map { 2 * $0 })
  }

  @Test("what goes to - is WAV, whatever comes in", arguments: ["flac", "ogg"])
  func streamedType(_ type: String) throws {
    try tool.make("m.json", TestModels.double)
    try Sound.waves(channels: 1, frames: 20_000).write(tool.path("in.wav"))
    try #require(try tool.run("process", "m.json", "in.wav", "in.\(type)").code == 0)
    #expect(try tool.shell("$LEGATO process m.json in.\(type) - > out.bin").code == 0)
    #expect(try tool.bytes("out.bin").prefix(4) == Data("RIFF".utf8))
  }

  @Test(
    "the standard output is written from where it stands, also where it is a file",
    arguments: ["-", "/dev/stdout"])
  func redirected(_ output: String) throws {
    let sound = Sound.waves(channels: 1, frames: 20_000)
    try tool.make("m.json", TestModels.double)
    try sound.write(tool.path("in.wav"))
    let run = try tool.shell("(printf before; $LEGATO process m.json - \(output) < in.wav) > out.bin")
    #expect(run.code == 0 && run.lines.count == 1, "\(run.messages)")
    let bytes = try tool.bytes("out.bin")
    #expect(bytes.prefix(6) == Data("before".utf8))
    try bytes.dropFirst(6).write(to: URL(fileURLWithPath: tool.path("out.wav")))
    #expect(try Sound.read(tool.path("out.wav")) == sound.map { 2 * $0 })
    #expect(try tool.shell("$LEGATO process m.json in.wav \(output) > /dev/full").code == 1)
    #expect(try tool.names == ["in.wav", "m.json", "out.bin", "out.wav"])
  }
}
