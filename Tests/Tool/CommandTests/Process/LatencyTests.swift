// SPDX-License-Identifier: Apache-2.0

import AudioIO
import Foundation
import Legato
import RealtimeCore
import TestEquipment
import Testing

@testable import FileRendering

/// Models with lookahead have latency, and are aligned with their input in files.
@Suite("Models that are late", .waits)
struct LatencyTests {
  private let tool: Tool

  init() throws { tool = try Tool() }

  /// A model that delays its input.
  private static func model(by frames: Int) -> String {
    TestModels.model(
      shape: #"["frames"]"#, graph: "\"y\": \"select(1 < 2, x, lookahead(abs(x), \(frames)))\"")
  }

  private func late(by frames: Int) throws -> Program {
    let program = try Model(Self.model(by: frames)).compile()
    #expect(program.layout.latency == frames)
    return program
  }

  @Test(
    "the output stands where the input stood, in any blocks",
    arguments: [1, 3, 64, 4096], [0, 1, 2, 63, 64, 65, 5000])
  func aligned(_ block: Int, _ frames: Int) throws {
    let sound = Sound.waves(channels: 1, frames: frames)
    try sound.write(tool.path("in.wav"))
    for (latency, tail) in [(1, 0), (64, 0), (200, 0), (64, 30)] {
      let renderer = Renderer(
        try ContextBank(
          late(by: latency),
          ContextBank.Shape(contexts: 1, channels: 1, inputs: [0], outputs: [0], block: block),
          automation: Automation()))
      var options = AudioFileWriter.Options()
      options.replaceExisting = true
      let writer = try AudioFileWriter(
        path: tool.path("a.wav"), channels: 1, sampleRate: 48_000, options: options)
      let seconds = Double(tail) / 48_000
      try renderer.render(
        SoundSource(AudioFileReader(path: tool.path("in.wav"))), to: SoundSink(writer, channels: 1),
        tail: .seconds(seconds)
      ) { _, _ in }
      try writer.finish()
      let silence = [Float](repeating: 0, count: tail)
      #expect(try Sound.read(tool.path("a.wav")).samples == [sound.samples[0] + silence], "\(latency)")
    }
  }

  @Test("the last frame that is audible is found where it will stand")
  func audible() throws {
    try Sound(samples: [[0, 0.5, 0.25, 0, 0]]).write(tool.path("in.wav"))
    for latency in [1, 200] {
      let renderer = Renderer(
        try ContextBank(
          late(by: latency),
          ContextBank.Shape(contexts: 1, channels: 1, inputs: [0], outputs: [0], block: 64),
          automation: Automation()))
      let path = tool.path("\(latency).wav")
      let writer = try AudioFileWriter(path: path, channels: 1, sampleRate: 48_000)
      try renderer.render(
        SoundSource(AudioFileReader(path: tool.path("in.wav"))), to: SoundSink(writer, channels: 1),
        tail: .audible
      ) { _, _ in }
      try writer.finish()
      #expect(try Sound.read(path).samples == [[0, 0.5, 0.25, 0, 0]])
    }
  }

  private func process(_ words: [String]) throws -> [Float] {
    let run = try tool.run(["process", "m.json", "in.wav", "out.wav", "--force", "--bits", "float"] + words)
    #expect(run.code == 0, "\(run.messages)")
    return try Sound.read(tool.path("out.wav")).samples[0]
  }

  @Test("a file is where it was, whatever the block, and chains and bypass keep it there")
  func files() throws {
    let sound = Sound.waves(channels: 1, frames: 700)
    try sound.write(tool.path("in.wav"))
    try tool.make("m.json", Self.model(by: 100))
    for words in [[], ["--block", "1"], ["--block", "64"], ["--then", "m.json", "--set", "mix=0.25"]] {
      #expect(try process(words) == sound.samples[0], "\(words)")
    }
    try tool.make(
      "m.json", TestModels.model(shape: #"["frames"]"#, graph: #""y": "x * 0.5 + 0 * lookahead(x, 64)""#))
    #expect(try process(["--set", "bypass=1"]) == sound.samples[0])
    #expect(try process(["--set", "mix=0"]) == sound.samples[0])
    try tool.make(
      "outer.json",
      TestModels.model(
        shape: #"["frames"]"#, graph: #""y": "x - 2 * model('m.json', model('m.json', x) * 2)""#))
    let run = try tool.run("process", "outer.json", "in.wav", "out.wav", "--force", "--bits", "float")
    #expect(run.code == 0, "\(run.messages)")
    #expect(try Sound.read(tool.path("out.wav")).samples[0].allSatisfy { $0 == 0 })
    #expect(try tool.run("inspect", "outer.json").output.contains("latency       128 frames\n"))
  }

  @Test("what plays on is written to its end")
  func tail() throws {
    try Sound(samples: [[1, 0, 0]]).write(tool.path("in.wav"))
    try tool.make(
      "m.json",
      TestModels.model(
        shape: #"["frames"]"#,
        graph: #""y": "delay(x, 50) + lookahead(0 * x, 200) - lookahead(delay(x, 20), 10)""#))
    var expected = [Float](repeating: 0, count: 51)
    (expected[10], expected[50]) = (-1, 1)
    #expect(try process(["--tail", "auto"]) == expected)
  }

  @Test("a parameter acts on the sample of its frame", arguments: ["0", "0.02"])
  func automation(ramp: String) throws {
    try Sound(samples: [[Float](repeating: 1, count: 2000)]).write(tool.path("in.wav"))
    try tool.make(
      "m.json",
      """
      { "legato": 1, "name": "Test", "inputs": { "x": { "shape": ["frames"] } },
        "parameters": { "p": { "default": 0, "minimum": 0, "maximum": 8, "ramp": \(ramp) } },
        "graph": { "y": "x * 0.5 * (p + 1) + 0 * lookahead(x, 37)" }, "outputs": ["y"] }
      """)
    try tool.make(
      "moves.csv", "time,parameter,value\n0,p,0\n\(1000.0 / 48_000),p,3,step\n\(1001.0 / 48_000),p,5,step\n")
    let expected = (0..<2000).map { Float($0 < 1000 ? 0.5 : $0 < 1001 ? 2 : 3) }
    for block in ["1", "256", "4096"] {
      #expect(try process(["--automate", "moves.csv", "--block", block]) == expected)
    }
  }

  @Test("what shows the latency says the same")
  func shown() throws {
    try tool.make("m.json", Self.model(by: 100))
    #expect(try tool.run("inspect", "m.json").output.contains("latency       100 frames\n"))
    #expect(try tool.run("inspect", "m.json", "--stage", "plan").output.contains("; latency 100 frames\n"))
    #expect(try tool.run("inspect", "m.json", "--stage", "graph").output.contains("= lookahead("))
    let verified = try tool.run("verify", "m.json", "--blocks", "10")
    #expect(verified.code == 0, "\(verified.output)")
    #expect(verified.output.contains("latency          100 frames, which are 2.1 ms\n"))
    #expect(verified.output.contains("law 5: latency   100 frames, as planned\n"))
    #expect(try tool.run("compile", "m.json", "-o", "m.o").code == 0)
    #expect(String(decoding: try tool.bytes("m.h"), as: UTF8.self).contains("_LATENCY 100\n"))
    #expect(try tool.run("inspect", "m.json", "--stage", "passes").code == 0)
  }

  @Test("a response is drawn where it is heard")
  func plotted() throws {
    struct Response: Decodable {
      struct Channel: Decodable { let impulseResponse: [Double] }
      let channels: [Channel]
    }
    try tool.make(
      "m.json",
      TestModels.model(shape: #"["frames"]"#, graph: #""y": "x + delay(x, 9) / 2 + 0 * lookahead(x, 5000)""#))
    let run = try tool.run("plot", "--model", "m.json", "-o", "m.svg", "--json", "--rate", "8000")
    #expect(run.code == 0, "\(run.messages)")
    let response = try JSONDecoder().decode(Response.self, from: Data(run.output.utf8)).channels[0]
      .impulseResponse
    #expect(abs(response[0] - 1) < 1e-6 && abs(response[9] - 0.5) < 1e-6)
  }

  @Test("a cycle that looks ahead, and steps that do, are refused with their places")
  func refused() throws {
    try tool.make(
      "m.json", TestModels.model(shape: #"["frames"]"#, graph: #""y": "x + lookahead(delay(y, 9), 3)""#))
    let cycle = try tool.run("inspect", "m.json")
    #expect(cycle.code == 1)
    #expect(
      cycle.lines == [
        "m.json:2:14: 'y' makes a cycle that looks ahead at itself; take lookahead out of the cycle"
      ])
    try tool.make("m.json", TestModels.model(shape: "[4]", graph: #""y": "lookahead(x, 3)""#))
    let steps = try tool.run("inspect", "m.json")
    #expect(
      steps.code == 1 && steps.lines == ["m.json:2:20: lookahead needs a stream; this graph executes steps"])
  }
}
