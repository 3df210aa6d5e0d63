// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestEquipment
import Testing

@Suite("Command: process --check non-finite", .waits)
struct CheckTests {
  private let tool: Tool

  init() throws { tool = try Tool() }

  private func render(_ options: String...) throws -> ProgramRun {
    try tool.run(["process", "m.json", "in.wav", "out.wav", "--check", "non-finite"] + options)
  }

  @Test("what made the number is named; the output is not written", arguments: ["1", "5", "4096"])
  func found(block: String) throws {
    var sound = Sound.waves(channels: 2, frames: 60)
    sound.sampleRate = 8000
    sound.samples[1][33] = 0
    try sound.write(tool.path("in.wav"))
    try tool.make(
      "m.json",
      """
      { "legato": 1, "name": "Test", "inputs": { "x": { "shape": ["channels", "frames"] } },
        "parameters": { "least": { "default": 0, "minimum": 0, "maximum": 1 } },
        "graph": { "y": "log(abs(x) + least)" }, "outputs": ["y"] }
      """)
    let run = try render("--block", block)
    #expect(run.code == 4)
    #expect(
      run.lines == [
        "m.json:3:20: 'y' = log(abs(x) + least) is -inf at frame 33 (0.004125 s), channel 2, "
          + "where abs(x) + least is 0"
      ])
    #expect(try tool.names == ["in.wav", "m.json"])
    #expect(try render("--block", block, "--set", "least=0.001").code == 0)
  }

  @Test("it warms up with the parameters that are set")
  func warmedUp() throws {
    var sound = Sound(samples: [Array(repeating: 1, count: 8)])
    sound.sampleRate = 8000
    try sound.write(tool.path("in.wav"))
    try tool.make(
      "m.json",
      """
      { "legato": 1, "name": "Test", "prewarm": 3, "inputs": { "x": { "shape": ["frames"] } },
        "parameters": { "g": { "default": 0.9, "minimum": 0, "maximum": 4 } },
        "graph": { "n": "g + 0 * x + delay(n, 1)", "y": "x / (n - 5)" }, "outputs": ["y"] }
      """)
    #expect(try render().code == 0)
    let run = try render("--set", "g=1.25", "--force")
    #expect(run.code == 4 && run.messages.contains("is inf at frame 0"), "\(run.messages)")
  }

  @Test("with a context for each channel, the earliest counts, and the channel is the file's")
  func contexts() throws {
    var sound = Sound(samples: Array(repeating: Array(repeating: 1, count: 60), count: 3))
    sound.sampleRate = 8000
    sound.samples[0][40] = 0
    sound.samples[1][33] = 0
    sound.samples[2][34] = 0
    try sound.write(tool.path("in.wav"))
    try tool.make("m.json", TestModels.model(shape: #"["frames"]"#, graph: #""y": "1 / x""#))
    let said = "m.json:2:20: 'y' = 1 / x is inf at frame"
    #expect(try render().lines == ["\(said) 33 (0.004125 s), where x is 0 (channel 2 of in.wav)"])
    #expect(
      try render("--inputs", "1,3").lines == ["\(said) 34 (0.004250 s), where x is 0 (channel 3 of in.wav)"])
    #expect(try render("--inputs", "1").lines == ["\(said) 40 (0.005000 s), where x is 0"])
  }

  @Test("a sample of the file that is not finite is the file's", arguments: [Float.nan, .infinity])
  func input(sample: Float) throws {
    var sound = Sound.waves(channels: 3, frames: 60)
    sound.sampleRate = 8000
    sound.samples[2][7] = 0.123
    try sound.write(tool.path("in.wav"))
    // Nothing that Legato writes has such samples: it is put into the bytes.
    var bytes = try tool.bytes("in.wav")
    let place = try #require(bytes.range(of: Self.bytes(0.123)))
    bytes.replaceSubrange(place, with: Self.bytes(sample))
    try bytes.write(to: URL(fileURLWithPath: tool.path("in.wav")))
    try tool.make("m.json", TestModels.stereo)
    let run = try render("--inputs", "1,3")
    #expect(run.code == 4)
    #expect(try tool.names == ["in.wav", "m.json"])
    #expect(run.lines == ["in.wav: the sample at frame 7 (0.000875 s), channel 3 is \(sample)"])
    #expect(try render("--inputs", "1,2").code == 0)
  }

  @Test("of a model that looks ahead, what somebody wrote is shown, at the frame of the file")
  func ahead() throws {
    var sound = Sound.waves(channels: 1, frames: 300).map { $0 + 4 }
    sound.sampleRate = 8000
    sound.samples[0][140] = 0
    try sound.write(tool.path("in.wav"))
    for (graph, said) in [
      // What waits is called as it was written.
      (#""y": "1 / x + lookahead(x, 100)""#, "1 / x is inf at frame 140 (0.017500 s), where x is 0"),
      (
        #""top": "lookahead(x, 100)", "y": "x / (x * top)""#,
        "'y' = x / (x * top) is inf at frame 40 (0.005000 s), where x is "
      ),
    ] {
      try tool.make("m.json", TestModels.model(shape: #"["frames"]"#, graph: graph))
      let run = try render()
      #expect(run.code == 4 && run.lines.count == 1 && run.messages.contains(said), "\(run.messages)")
      #expect(!run.messages.contains("delay") && !run.messages.contains("outputs"), "\(run.messages)")
    }
  }

  @Test("with another rate, frames are the file's, and what came in is blamed on the input")
  func resampled() throws {
    let model = { (graph: String) in
      """
      { "legato": 1, "name": "Rated", "sampleRate": 16000, "inputs": { "x": { "shape": ["frames"] } },
        "graph": { "n": "delay(n, 1) + 1", "y": "\(graph)" }, "outputs": ["y"] }
      """
    }
    var sound = Sound.waves(channels: 1, frames: 4000)
    sound.sampleRate = 8000
    try sound.write(tool.path("in.wav"))
    try tool.make("m.json", model("x + 1 / (n - 5001)"))
    let made = try render()
    #expect(
      made.code == 4 && made.messages.contains(" is inf at frame 2500 (0.312500 s)"), "\(made.messages)")

    sound.samples[0][7] = 0.123
    try FileManager.default.removeItem(atPath: tool.path("in.wav"))
    try sound.write(tool.path("in.wav"))
    var bytes = try tool.bytes("in.wav")
    let place = try #require(bytes.range(of: Self.bytes(0.123)))
    bytes.replaceSubrange(place, with: Self.bytes(.nan))
    try bytes.write(to: URL(fileURLWithPath: tool.path("in.wav")))
    // Silence has no logarithm.
    try tool.make("m.json", model("log(abs(x) + 0 * n)"))
    #expect(try render().lines == ["in.wav: the sample at frame 7 (0.000875 s), channel 1 is nan"])
    try tool.make("m.json", model("x + 0 * n"))
    let one = try tool.run("process", "m.json", "in.wav", "out.wav")
    #expect(
      one.code == 0
        && one.lines.dropFirst() == [
          "in.wav: 1 sample infinite or not a number, made silent; the first at 0.00 s (frame 7), channel 1"
        ],
      "\(one.messages)")
    let many = try tool.run("process", "m.json", "in.wav", "--output-dir", "out")
    #expect(
      many.lines.first
        == "out: 1 sample of inputs infinite or not a number, made silent, in 1 file; the first in in.wav at 0.00 s "
        + "(frame 7), channel 1")
  }

  private static func bytes(_ number: Float) -> Data {
    unsafe withUnsafeBytes(of: number.bitPattern.littleEndian) { unsafe Data($0) }
  }

  @Test("it changes no bit, and finds nothing in the shipped model")
  func nothing() throws {
    try Sound.waves(channels: 2, frames: 3000).write(tool.path("in.wav"))
    let words = ["process", Tool.bitcrusher, "in.wav"]
    #expect(try tool.run(words + ["a.wav"]).code == 0)
    let checked = try tool.run(words + ["b.wav", "--check", "non-finite"])
    #expect(checked.code == 0 && checked.lines.count == 1)
    #expect(try tool.bytes("a.wav") == tool.bytes("b.wav"))
  }

  @Test("nothing else can be checked")
  func kinds() throws {
    let run = try tool.run("process", "m.json", "in.wav", "out.wav", "--check", "denormal")
    #expect(run.code == 2 && run.lines == ["process: --check takes non-finite, not 'denormal'"])
  }
}
