// SPDX-License-Identifier: Apache-2.0

import AudioIO
import Foundation
import Legato
import TestEquipment
import Testing

@testable import FileRendering

@Suite("Command: what sounds on after the end", .waits)
struct TailTests {
  private let tool: Tool
  /// Repeats its input every 100 frames, half as loud each time.
  private let echo = TestModels.model(
    shape: #"["channels", "frames"]"#, graph: #""y": "x + 0.5 * delay(y, 100)""#)

  init() throws { tool = try Tool() }

  private func output(_ model: String, _ input: Sound, _ options: String...) throws -> Sound {
    try? FileManager.default.removeItem(atPath: tool.path("in.wav"))
    try input.write(tool.path("in.wav"))
    try tool.make("m.json", model)
    let run = try tool.run(["process", "m.json", "in.wav", "a.wav", "--force", "--quiet"] + options)
    #expect(run.code == 0 && run.messages.isEmpty, "\(run.messages)")
    return try Sound.read(tool.path("a.wav"))
  }

  /// The response to a click at a frame, in so many frames.
  private func expected(click: Int, frames: Int) -> [Float] {
    var samples = [Float](repeating: 0, count: frames)
    var (frame, level) = (click, Float(1))
    while frame < frames {
      samples[frame] = level
      (frame, level) = (frame + 100, level / 2)
    }
    return samples
  }

  private func click(at frame: Int, frames: Int) -> [Float] {
    (0..<frames).map { $0 == frame ? 1 : 0 }
  }

  @Test("so many seconds more, in any blocks", arguments: ["1", "77", "4096"])
  func seconds(_ block: String) throws {
    let input = Sound(samples: [click(at: 30, frames: 150), click(at: 99, frames: 150)])
    for (tail, frames) in [("0", 150), ("0.01", 630), ("10ms", 630), ("10 ms", 630)] {
      let rows = try output(echo, input, "--tail", tail, "--block", block).samples
      #expect(rows == [expected(click: 30, frames: frames), expected(click: 99, frames: frames)], "\(tail)")
    }
  }

  @Test("auto: to the last frame above -96 dB in any channel", arguments: ["1", "77", "4096"])
  func audible(_ block: String) throws {
    // 2^-15 is above, 2^-16 below. A low rate keeps the minute short that is looked through.
    let input = Sound(samples: [click(at: 30, frames: 150), click(at: 99, frames: 150)], sampleRate: 1000)
    let rows = try output(echo, input, "--tail", "auto", "--block", block).samples
    #expect(rows == [expected(click: 30, frames: 1600), expected(click: 99, frames: 1600)])
    // Mono models have a context for each channel.
    let mono = TestModels.model(shape: #"["frames"]"#, graph: #""y": "x + 0.5 * delay(y, 100)""#)
    #expect(try output(mono, input, "--tail", "auto", "--block", block).samples == rows)
    // Only what is written counts.
    let first = try output(echo, input, "--tail", "auto", "--block", block, "--outputs", "1").samples
    #expect(first == [expected(click: 30, frames: 1531)])
  }

  @Test("auto: silence ends at once, as what rests at a level, and what never ends after a minute")
  func ends() throws {
    let input = Sound(samples: [[Float](repeating: 0, count: 50)], sampleRate: 1000)
    #expect(try output(echo, input, "--tail", "auto").frames == 50)
    let constant = TestModels.model(shape: #"["frames"]"#, graph: #""y": "x + 1""#)
    #expect(try output(constant, input, "--tail", "auto").frames == 50)
    let sine = TestModels.model(
      shape: #"["frames"]"#, graph: #""n": "delay(n, 1) + 1", "y": "x + sin(n * 0.3)""#)
    #expect((60_040...60_050).contains(try output(sine, input, "--tail", "auto").frames))
    let nothing = Sound(samples: [[]], sampleRate: 1000)
    #expect((59_990...60_000).contains(try output(sine, nothing, "--tail", "auto").frames))
    #expect(try output(sine, nothing).frames == 0)
  }

  @Test("auto: that it still sounds after a minute is said, of all files at once")
  func cap() throws {
    let model = TestModels.model(
      shape: #"["frames"]"#, graph: #""n": "delay(n, 1) + 1", "y": "x + 0.01 * sin(n * 0.3)""#)
    try tool.make("m.json", model)
    try tool.makeFolder("in")
    for name in ["a", "b"] {
      try Sound(samples: [[0, 1]], sampleRate: 1000).write(tool.path("in/\(name).wav"))
    }
    let said = "still sounds after 60 s, where --tail auto ends"
    let one = try tool.run("process", "m.json", "in/a.wav", "a.wav", "--tail", "auto")
    #expect(one.lines.first == "a.wav: \(said)", "\(one.messages)")
    let many = try tool.run("process", "m.json", "in", "--recursive", "--output-dir", "out", "--tail", "auto")
    #expect(many.lines.first == "out: \(said) (2 files)", "\(many.messages)")
    try tool.make("m.json", echo)
    #expect(try tool.run("process", "m.json", "in/a.wav", "b.wav", "--tail", "auto").lines.count == 1)
  }

  @Test("auto: what wakes up later is heard, after however much silence", arguments: ["77", "4096"])
  func later(_ block: String) throws {
    let input = Sound(samples: [click(at: 3, frames: 50)], sampleRate: 1000)
    // A counter, and an echo that is late.
    let wakes = TestModels.model(
      shape: #"["frames"]"#,
      graph: #""n": "delay(n, 1) + 1", "y": "x + 0.5 * (n == 30000) + 0.25 * delay(x, 40000)""#)
    let row = try output(wakes, input, "--tail", "auto", "--block", block).samples[0]
    #expect(row.count == 40_004 && row[29_999] == 0.5 && row[40_003] == 0.25)
    // A sound that waits in a ring whose other places hold silence, and one that comes of nothing.
    for (graph, frames) in [
      ("x + 0.25 * delay(x, 40000)", 40_004...40_004), ("x + (noise(3) > 0.999)", 40_000...60_050),
    ] {
      let model = TestModels.model(shape: #"["frames"]"#, graph: #""y": "\#(graph)""#)
      let count = try output(model, input, "--tail", "auto", "--block", block).frames
      #expect(frames.contains(count), "\(graph): \(count)")
    }
    // A parameter that rises out of silence.
    try tool.make(
      "m.json",
      #"{ "legato": 1, "name": "T", "inputs": { "x": { "shape": ["frames"] } }, "#
        + #""parameters": { "p": { "default": 0, "minimum": 0, "maximum": 1 } }, "#
        + #""graph": { "y": "x + p" }, "outputs": ["y"] }"#)
    try tool.make("p.csv", "30,p,0\n31,p,1\n32,p,0\n")
    let words = ["process", "m.json", "in.wav", "p.wav", "--tail", "auto", "--automate", "p.csv"]
    #expect(try tool.run(words + ["--block", block]).code == 0)
    #expect(try (31_990...32_000).contains(Sound.read(tool.path("p.wav")).frames))
  }

  @Test("auto: the end is found as soon as nothing can come", arguments: [nil, 44_100])
  func soon(_ modelRate: Int?) throws {
    // The last frame of a control is held for the rest of its 64 frames.
    for (graph, most, end) in [
      ("x * 2", 40_000, 4000), ("x + 0.5 * delay(x, 20000)", 90_000, 24_000),
      ("control(x) + x", 40_000, 4032),
    ] {
      let text = TestModels.model(shape: #"["frames"]"#, graph: #""y": "\#(graph)""#)
      let program = try Model(text).compile()
      let renderer = Renderer(
        try ContextBank(
          program, ContextBank.Shape(contexts: 1, channels: 1, inputs: [0], outputs: [0], block: 4096),
          automation: Automation()))
      try? FileManager.default.removeItem(atPath: tool.path("in.wav"))
      try Sound.waves(channels: 1, frames: 4000).write(tool.path("in.wav"))
      let conversion = try modelRate.map {
        try RateConversion(fileRate: 48_000, modelRate: $0, inputs: [0], outputs: 1, quality: .best)
      }
      let reader = try AudioFileReader(path: tool.path("in.wav"))
      try? FileManager.default.removeItem(atPath: tool.path("out.wav"))
      let writer = try AudioFileWriter(path: tool.path("out.wav"), channels: 1, sampleRate: 48_000)
      try renderer.render(
        SoundSource(reader, through: conversion), to: SoundSink(writer, channels: 1, through: conversion),
        tail: .audible
      ) { _, _ in }
      try writer.finish()
      #expect(renderer.rehearsed > 0 && renderer.rehearsed < most, "\(graph)")
      // A resampler sounds on a little, before and behind each edge.
      let tail = (end - 4000) * 48_000 / (modelRate ?? 48_000)
      let ends = 4000 + tail...4000 + tail + (modelRate == nil ? 0 : 300)
      #expect(ends.contains(writer.framesWritten), "\(graph): \(writer.framesWritten), not in \(ends)")
    }
  }

  @Test("the tape echo fades out, and what is longer has nothing more to be heard")
  func tapeEcho() throws {
    let path = Tool.package + "/models/echo.json"
    let input = Sound(samples: [click(at: 10, frames: 2000)], sampleRate: 8000)
    try input.write(tool.path("in.wav"))
    for (name, tail) in [("a.wav", "auto"), ("b.wav", "60")] {
      let words = ["process", path, "in.wav", name, "--quiet", "--set", "feedback=0.6"]
      #expect(try tool.run(words + ["--tail", tail]).code == 0)
    }
    let (short, long) = (try Sound.read(tool.path("a.wav")), try Sound.read(tool.path("b.wav")))
    #expect(short.frames > 5 * 3000 && short.frames < 100_000 && long.frames == 2000 + 480_000)
    #expect(long.samples[0].prefix(short.frames).elementsEqual(short.samples[0]))
    #expect(abs(short.samples[0].last ?? 0) > 1.5848e-5)
    #expect(long.samples[0].dropFirst(short.frames).allSatisfy { abs($0) <= 1.585e-5 })
  }

  @Test("what cannot be meant", arguments: ["-1", "x", "3601", "5Hz", "", "nan"])
  func wrong(_ value: String) throws {
    let run = try tool.run("process", "m", "a", "b.wav", "--tail", value)
    #expect(run.code == 2 && run.lines.count == 1)
    #expect(run.messages.hasPrefix("process: --tail takes auto or seconds from 0 to 3600, "))
  }
}
