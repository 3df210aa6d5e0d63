// SPDX-License-Identifier: Apache-2.0

import AudioIO
import Foundation
import Legato
import RealtimeCore
import TestEquipment
import Testing

@testable import FileRendering

@Suite("Command: process with models that state another rate", .waits)
struct ResampledProcessTests {
  private let tool: Tool

  init() throws { tool = try Tool() }

  private static func model(
    _ rate: Int, _ graph: String, shape: String = #"["channels", "frames"]"#, parameters: String = ""
  ) -> String {
    """
    { "legato": 1, "name": "Rated", "sampleRate": \(rate), "inputs": { "x": { "shape": \(shape) } },
      "parameters": { \(parameters) }, "graph": { \(graph) }, "outputs": ["y"] }
    """
  }

  private static let identity = #""y": "x * 1""#

  private func sine(_ hertz: Double, _ rate: Int, frames: Int, delay: Double = 0) -> [Float] {
    (0..<frames).map { Float(0.5 * sin(2 * Double.pi * hertz * (Double($0) / Double(rate) - delay))) }
  }

  /// The model's output for a sound.
  private func output(_ model: String, _ sound: Sound, _ options: String...) throws -> Sound {
    try tool.make("m.json", model)
    try? FileManager.default.removeItem(atPath: tool.path("in.wav"))
    try sound.write(tool.path("in.wav"))
    let run = try tool.run(["process", "m.json", "in.wav", "out.wav", "--force", "--quiet"] + options)
    #expect(run.code == 0 && run.messages.isEmpty, "\(run.messages)")
    return try Sound.read(tool.path("out.wav"))
  }

  private func difference(_ one: [Float], _ other: [Float]) -> Float {
    let middle = one.count / 4..<3 * one.count / 4
    return middle.map { abs(one[$0] - other[$0]) }.max() ?? 0
  }

  @Test(
    "what comes out has the file's rate and frames, and stands in its place",
    arguments: [
      (44_100, 48_000), (48_000, 44_100), (8000, 192_000), (192_000, 8000), (11_025, 48_000),
      (96_000, 48_000),
    ])
  func place(_ file: Int, _ model: Int) throws {
    let hertz = Double(min(file, model)) / 50
    for frames in [0, 1, 2, 147, 20 * file / min(file, model) * 100] {
      let input = sine(hertz, file, frames: frames)
      let sound = Sound(samples: [input, input.map { -$0 }], sampleRate: file)
      let found = try output(Self.model(model, Self.identity), sound)
      #expect(found.sampleRate == file && found.frames == frames)
      guard frames > 1000 else { continue }
      let off = difference(found.samples[0], input)
      #expect(off < 1e-6, "\(off)")
      #expect(found.samples[1] == found.samples[0].map { -$0 })
    }
  }

  @Test("a delay of the model is as long as at its own rate")
  func modelTime() throws {
    // 480 frames of the model are 10 ms.
    let input = Sound(samples: [sine(1000, 44_100, frames: 8000)], sampleRate: 44_100)
    let found = try output(Self.model(48_000, #""y": "delay(x, round(0.01025 * sampleRate))""#), input)
    let off = difference(found.samples[0], sine(1000, 44_100, frames: 8000, delay: 0.01025))
    #expect(off < 1e-6, "\(off)")
  }

  @Test("a file of the model's rate is not touched", arguments: ["best", "hold"])
  func sameRate(_ quality: String) throws {
    let sound = Sound.waves(channels: 2, frames: 5000)
    #expect(
      try output(Self.model(48_000, #""y": "2 * x""#), sound, "--quality", quality) == sound.map { 2 * $0 })
  }

  @Test(
    "blocks change no bit, and a tail is only more of the same",
    arguments: ["best", "fast", "linear", "hold"])
  func laws(_ quality: String) throws {
    let echo = Self.model(
      11_025, #""y": "g * x + 0.6 * delay(y, 777)""#,
      parameters: #""g": { "default": 1, "minimum": 0, "maximum": 2 }"#)
    try tool.make("moves.csv", "0,g,1\n0.05,g,2\n0.08,g,0.5,step")
    var sound = Sound.waves(channels: 3, frames: 3000)
    sound.sampleRate = 44_100
    let words = ["--quality", quality, "--automate", "moves.csv"]
    let short = try output(echo, sound, words[0], words[1], words[2], words[3])
    #expect(short.frames == 3000)
    for (block, tail) in [("1", "0"), ("77", "0"), ("77", "0.1"), ("65536", "0.1"), ("4096", "auto")] {
      let found = try output(
        echo, sound, words[0], words[1], words[2], words[3], "--block", block, "--tail", tail)
      #expect(found.frames == (tail == "0" ? 3000 : tail == "0.1" ? 7410 : found.frames))
      #expect(found.samples.map { Array($0.prefix(3000)) } == short.samples, "\(block) \(tail)")
      guard tail == "auto" else { continue }
      // The last frame can be heard, and none behind it.
      let long = try output(echo, sound, words[0], words[1], words[2], words[3], "--tail", "5")
      // A tail is what comes of a file that goes on with silence.
      var silent = sound
      for channel in 0..<3 { silent.samples[channel] += [Float](repeating: 0, count: 5 * 44_100) }
      #expect(try output(echo, silent, words[0], words[1], words[2], words[3]) == long)
      #expect(found.samples == long.samples.map { Array($0.prefix(found.frames)) } && found.frames > 30_000)
      let threshold: Float = 1.584_893_2e-5
      #expect(found.samples.contains { abs($0[found.frames - 1]) > threshold })
      #expect(long.samples.allSatisfy { $0.dropFirst(found.frames).allSatisfy { abs($0) <= threshold } })
    }
  }

  @Test("parameters move in the model's frames")
  func automation() throws {
    let model = Self.model(
      48_000, #""y": "x * 0 + p""#,
      parameters: #""p": { "default": 0, "minimum": 0, "maximum": 1, "ramp": 0 }"#)
    try tool.make("moves.csv", "0.1,p,1,step")
    let sound = Sound(samples: [[Float](repeating: 0, count: 8820)], sampleRate: 44_100)
    // Frame 4800 of the model is frame 4410 of the file; the line of the one before begins at 4799.
    let found = try output(model, sound, "--automate", "moves.csv", "--quality", "linear")
    let expected = (0..<8820).map { frame in Float(max(0, min(1, Double(frame) * 160 / 147 - 4799))) }
    let off = zip(found.samples[0], expected).map { abs($0 - $1) }.max() ?? 1
    #expect(off < 1e-5, "\(off)")
  }

  @Test("a program that is late is aligned all the same")
  func latency() throws {
    var sound = Sound.waves(channels: 1, frames: 4000)
    sound.sampleRate = 44_100
    try sound.write(tool.path("in.wav"))
    func rendered(late frames: Int, tail: Tail) throws -> Sound {
      let value = frames > 0 ? "delay(x, \(frames))" : "x * 1"
      let program = try Model(Self.model(48_000, "\"y\": \"\(value)\"", shape: #"["frames"]"#)).compile()
      var layout = program.layout
      layout.latency = frames
      let late = unsafe try Program(
        name: "late", layout: layout, entry: program.entry, weights: program.weights, owner: program)
      let renderer = Renderer(
        try ContextBank(
          late,
          ContextBank.Shape(contexts: 1, channels: 1, inputs: [0], outputs: [0], block: frames + 50),
          automation: Automation()))
      let conversion = try RateConversion(
        fileRate: 44_100, modelRate: 48_000, inputs: [0], outputs: 1, quality: .medium)
      var options = AudioFileWriter.Options()
      options.replaceExisting = true
      let writer = try AudioFileWriter(
        path: tool.path("out.wav"), channels: 1, sampleRate: 44_100, options: options)
      let reader = try AudioFileReader(path: tool.path("in.wav"))
      try renderer.render(
        SoundSource(reader, through: conversion), to: SoundSink(writer, channels: 1, through: conversion),
        tail: tail
      ) { _, _ in }
      try writer.finish()
      return try Sound.read(tool.path("out.wav"))
    }
    for tail in [Tail.seconds(0), .seconds(0.01), .audible] {
      let plain = try rendered(late: 0, tail: tail)
      #expect(plain.frames >= 4000)
      for frames in [1, 64, 6000] { #expect(try rendered(late: frames, tail: tail) == plain) }
    }
  }

  @Test("what is not finite becomes silent where it is, is counted, and found")
  func nonFinite() throws {
    try tool.make("m.json", Self.model(48_000, Self.identity))
    var sound = Sound.waves(channels: 2, frames: 4000)
    sound.sampleRate = 44_100
    sound.samples[1][1234] = 0
    let clean = try output(Self.model(48_000, Self.identity), sound)
    // A writer would make it silent: the last bytes of a file of floats are its samples.
    var bytes = [UInt8](try tool.bytes("in.wav"))
    bytes.replaceSubrange(
      bytes.count - 8 * (4000 - 1234) + 4..<bytes.count - 8 * (4000 - 1235), with: [0, 0, 0xC0, 0x7F])
    try Data(bytes).write(to: URL(fileURLWithPath: tool.path("bad.wav")))
    let run = try tool.run("process", "m.json", "bad.wav", "out.wav", "--force")
    #expect(run.code == 0)
    #expect(
      run.lines.count == 2
        && run.lines[1]
          == "bad.wav: 1 sample infinite or not a number, made silent; the first at 0.03 s (frame 1234), channel 2"
    )
    #expect(try Sound.read(tool.path("out.wav")) == clean)
    let check = try tool.run("process", "m.json", "bad.wav", "check.wav", "--check", "non-finite")
    #expect(check.code == 4)
    #expect(check.messages == "bad.wav: the sample at frame 1234 (0.027982 s), channel 2 is nan\n")
    #expect(try !tool.names.contains("check.wav"))
    // What nobody reads matters to nobody.
    let other = try tool.run(
      "process", "m.json", "bad.wav", "one.wav", "--inputs", "1", "--check", "non-finite")
    #expect(other.code == 0 && other.lines.count == 1, "\(other.messages)")
    #expect(try Sound.read(tool.path("one.wav")).samples == [clean.samples[0]])
    let later = bytes.count - 8 * (4000 - 1240)
    bytes.replaceSubrange(later..<later + 4, with: [0, 0, 0xC0, 0x7F])
    try Data(bytes).write(to: URL(fileURLWithPath: tool.path("bad.wav")))
    let second = try tool.run(
      "process", "m.json", "bad.wav", "two.wav", "--inputs", "1", "--check", "non-finite")
    #expect(second.messages == "bad.wav: the sample at frame 1240 (0.028118 s), channel 1 is nan\n")

    // What is executed behind the end, for the resampler's sake, is in no file: it is not counted, nor looked at.
    try tool.make("m.json", Self.model(48_000, #""y": "1 / x""#))
    try Sound(samples: [[Float](repeating: 0.5, count: 4800)], sampleRate: 24_000).write(
      tool.path("half.wav"))
    let words = ["process", "m.json", "half.wav", "double.wav", "--force", "--quality", "linear"]
    let quiet = try tool.run(words + ["--check", "non-finite"])
    #expect(quiet.code == 0 && quiet.lines.count == 1, "\(quiet.messages)")
    #expect(try Sound.read(tool.path("double.wav")).samples[0].allSatisfy { abs($0 - 2) < 1e-6 })
    let tail = try tool.run(words + ["--tail", "0.01"])
    #expect(tail.lines.last?.hasPrefix("double.wav: 480 samples infinite") == true, "\(tail.messages)")
    let found = try tool.run(words + ["--tail", "0.01", "--check", "non-finite"])
    #expect(found.code == 4 && found.messages.contains(" at frame 4800 (0.200000 s)"), "\(found.messages)")
  }

  @Test("pipes of unknown length, with a header and without")
  func pipes() throws {
    try tool.make("m.json", Self.model(48_000, Self.identity))
    var sound = Sound.waves(channels: 2, frames: 30_000)
    sound.sampleRate = 44_100
    let expected = try output(Self.model(48_000, Self.identity), sound, "--tail", "0.1")
    let words = "process m.json - - --tail 0.1 --quiet"
    #expect(try tool.shell("cat in.wav | $LEGATO \(words) | cat > piped.wav").code == 0)
    #expect(try Sound.read(tool.path("piped.wav")) == expected)
    let raw = "--raw 44100:2"
    // The header of a file of floats has 44 bytes in front of the sound, or more: its end is the sound.
    let line = "tail -c 240000 in.wav | $LEGATO \(words) \(raw) > piped.raw"
    #expect(try tool.shell(line).code == 0)
    let bytes = try tool.bytes("piped.raw")
    let floats = unsafe bytes.withUnsafeBytes { unsafe Array($0.bindMemory(to: Float.self)) }
    #expect(floats.count == 2 * expected.frames)
    #expect(floats.indices.allSatisfy { floats[$0] == expected.samples[$0 % 2][$0 / 2] })
  }

  @Test("files of several rates in one run, and going on with it")
  func batch() throws {
    try tool.make("m.json", Self.model(48_000, Self.identity))
    try tool.makeFolder("in")
    for rate in [8000, 44_100, 48_000, 100] {
      try Sound(samples: [sine(300, rate, frames: 2000)], sampleRate: rate).write(tool.path("in/\(rate).wav"))
    }
    let words = ["process", "m.json", "in", "--recursive", "--output-dir", "out", "--report", "r.json"]
    let run = try tool.run(words + ["--quality", "fast"])
    #expect(run.code == 1 && run.lines.count == 2, "\(run.messages)")
    #expect(
      run.lines.last
        == "in/100.wav: 100 Hz cannot be resampled to 48000 Hz at once: one of them is more than 256 times the other"
    )
    for rate in [8000, 44_100, 48_000] {
      let found = try Sound.read(tool.path("out/\(rate).wav"))
      #expect(found.sampleRate == rate && found.frames == 2000)
      let off = difference(found.samples[0], sine(300, rate, frames: 2000))
      #expect(off < 1e-4, "\(off)")
    }
    let rates = try tool.report("r.json").compactMap { $0["rate"] as? Int }
    #expect(rates.sorted() == [8000, 44_100, 48_000])
    let other = try tool.run(words + ["--resume", "--quality", "best"])
    #expect(other.code == 2)
    #expect(
      other.messages
        == "process: out was made with --quality fast; name another --output-dir, or replace all with --force\n"
    )
    let same = try tool.run(words + ["--resume", "--quality", "fast"])
    #expect(same.code == 1 && same.lines.first?.contains("3 whole before") == true, "\(same.messages)")
  }

  @Test("24 hours")
  func day() throws {
    let frames = 24 * 3600 * 10 + 7
    try SparseSound.rf64(tool.path("day.rf64"), frames: frames, rate: 10)
    try tool.make("m.json", Self.model(7, Self.identity))
    let run = try tool.run("process", "m.json", "day.rf64", "out.rf64", "--quality", "linear", "--bits", "16")
    #expect(run.code == 0)
    #expect(
      run.lines == ["out.rf64: \(frames) frames (86400.70 s), 1 channel at 10 Hz, 16 bit, through 7 Hz"])
    let found = try AudioFileReader(path: tool.path("out.rf64"))
    #expect(found.description.frames == frames && found.description.sampleRate == 10)
  }

  @Test("what cannot be meant")
  func wrong() throws {
    try tool.make("m.json", Self.model(48_000, Self.identity))
    try Sound(samples: [[0.5]], sampleRate: 187).write(tool.path("slow.wav"))
    let none = try tool.run("process", Tool.bitcrusher, "slow.wav", "out.wav", "--quality", "best")
    #expect(none.code == 2)
    #expect(
      none.messages
        == "process: --quality says how sound is resampled, and 'Bitcrusher' states no rate: it runs at that "
        + "of each file; leave --quality out\n")
    let word = try tool.run("process", "m.json", "slow.wav", "out.wav", "--quality", "good")
    #expect(word.code == 2)
    #expect(
      word.messages == "process: --quality takes best, medium, fast, linear or hold, not 'good'\n")
    let far = try tool.run("process", "m.json", "slow.wav", "out.wav")
    #expect(far.code == 1)
    #expect(
      far.messages
        == "slow.wav: 187 Hz cannot be resampled to 48000 Hz at once: one of them is more than 256 times the other\n"
    )
    #expect(try tool.names.filter { $0.contains("out") }.isEmpty)
  }
}
