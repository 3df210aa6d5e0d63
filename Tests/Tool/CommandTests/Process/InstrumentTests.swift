// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestEquipment
import Testing

/// Models without inputs, which make their sound of themselves.
@Suite("Command: models without inputs render", .waits)
struct InstrumentTests {
  private let tool: Tool

  init() throws {
    tool = try Tool()
    try tool.make("count.json", Self.counter())
  }

  /// Frame n is n + 1, times a gain, in parts of 65536: exact in floats.
  private static func counter(_ more: String = "") -> String {
    """
    { "legato": 1, "name": "Counter", \(more)
      "parameters": { "gain": { "default": 1, "minimum": 0, "maximum": 4, "ramp": 0 } },
      "graph": { "n": "1 + delay(n, 1)", "y": "n / 65536 * gain" }, "outputs": ["y"] }
    """
  }

  private func count(_ frames: Int, _ gain: (Int) -> Float = { _ in 1 }) -> [[Float]] {
    [(0..<frames).map { Float($0 + 1) / 65536 * gain($0) }]
  }

  @Test("as long as --seconds says, at the rate that is asked for, whatever the blocks")
  func rendered() throws {
    let run = try tool.run("process", "count.json", "a.wav", "--seconds", "0.1")
    #expect(
      run.code == 0
        && run.messages == "a.wav: 4800 frames (0.10 s), 1 channel at 48000 Hz, 32 bit float\n")
    #expect(try Sound.read(tool.path("a.wav")) == Sound(samples: count(4800)))
    for block in ["7", "65536"] {
      let other = try tool.run(
        "process", "count.json", "b.wav", "--seconds", "100ms", "--rate", "44100", "--block", block, "--force"
      )
      #expect(other.code == 0, "\(other.messages)")
      #expect(try Sound.read(tool.path("b.wav")) == Sound(samples: count(4410), sampleRate: 44_100))
    }
    try tool.make("stated.json", Self.counter(#""sampleRate": 22050,"#))
    #expect(try tool.run("process", "stated.json", "c.flac", "--seconds", "1", "--bits", "24").code == 0)
    let stated = try Sound.read(tool.path("c.flac"))
    #expect(stated.sampleRate == 22_050 && stated.frames == 22_050)
  }

  @Test("settings, points, models behind it and the check for what is not finite work as with a file")
  func turned() throws {
    try tool.make("auto.csv", "0, gain, 2, step\n0.01, gain, 0.5, step\n")
    let moved = try tool.run(
      "process", "count.json", "a.wav", "--seconds", "0.02", "--automate", "auto.csv", "--check", "non-finite"
    )
    #expect(moved.code == 0, "\(moved.messages)")
    #expect(try Sound.read(tool.path("a.wav")).samples == count(960) { $0 < 480 ? 2 : 0.5 })
    try tool.make("double.json", TestModels.double)
    let chain = try tool.run(
      "process", "count.json", "b.wav", "--then", "double.json", "--seconds", "0.02", "--set", "gain=0.25")
    #expect(chain.code == 0, "\(chain.messages)")
    #expect(try Sound.read(tool.path("b.wav")).samples == count(960) { _ in 0.5 })
    try tool.make(
      "bad.json",
      #"{ "legato": 1, "name": "Bad", "graph": { "n": "1 + delay(n, 1)", "y": "1 / (n - 100)" }, "outputs": ["y"] }"#
    )
    let bad = try tool.run("process", "bad.json", "c.wav", "--seconds", "0.02", "--check", "non-finite")
    #expect(
      bad.code == 4 && bad.lines.count == 1 && bad.messages.contains("frame 99"), "\(bad.messages)")
    #expect(try !tool.names.contains("c.wav"))
  }

  @Test("- is the standard output, and --raw says at which rate")
  func pipes() throws {
    let wave = try tool.shell("$LEGATO process count.json - --seconds 0.1 > a.wav")
    #expect(wave.code == 0, "\(wave.messages)")
    #expect(try Sound.read(tool.path("a.wav")).samples == count(4800))
    let raw = try tool.shell("$LEGATO process count.json - --seconds 0.1 --raw 8000:1 | wc -c")
    #expect(raw.code == 0 && raw.output.contains("3200"), "\(raw.messages)")
    let misfit = try tool.shell("$LEGATO process count.json - --seconds 0.1 --raw 8000:2 > b.raw")
    #expect(
      misfit.code == 2
        && misfit.messages
          == "process: --raw says 2 channels at 8000 Hz, but what is written has 1 channel at 8000 Hz\n"
    )
  }

  @Test("the report has no input")
  func report() throws {
    let run = try tool.run("process", "count.json", "a.wav", "--seconds", "0.1", "--report", "r.json")
    #expect(run.code == 0, "\(run.messages)")
    let files = try tool.report("r.json")
    #expect(files.count == 1 && files[0]["input"] == nil && files[0]["output"] as? String == "a.wav")
    #expect(files.first?["frames"] as? Int == 4800)
  }

  @Test(
    "what does not go together is refused in a line",
    arguments: [
      ("count.json a.wav", "'Counter' has no input; write MODEL OUTPUT --seconds S, such as --seconds 3"),
      (
        "count.json in.wav a.wav",
        "'Counter' has no input; write MODEL OUTPUT --seconds S, such as --seconds 3"
      ),
      (
        "count.json in.wav a.wav --seconds 3",
        "--seconds goes with MODEL OUTPUT, of a model without inputs; a file sounds as long as it is"
      ),
      (
        "double.json a.wav --seconds 3",
        "'Test' has an input, and sounds as long as that; write MODEL INPUT OUTPUT, without --seconds"
      ),
      ("double.json a.wav", "OUTPUT is missing; see --help"),
      ("count.json --seconds 3", "OUTPUT is missing; see --help"),
      ("double.json in.wav a.wav --rate 8000", "--rate goes with --seconds S; a file has a rate of its own"),
      (
        "count.json a.wav --seconds 1 --tail 2",
        "--tail is about INPUT, and --seconds says that there is none"
      ),
      (
        "count.json a.wav --seconds 0",
        "--seconds takes a time above 0 s and up to 40000000 s, such as 2.5 or 300ms, not '0'"
      ),
      (
        "count.json in.wav --output-dir out",
        "'Counter' has no input, and makes one file; write MODEL OUTPUT --seconds S, such as --seconds 3"
      ),
      (
        "count.json in.wav --output-dir out --seconds 3",
        "--seconds is for models without inputs, which make one file; leave out --output-dir, or --seconds"
      ),
      (
        "stated.json a.wav --seconds 1 --rate 8000",
        "--rate 8000: 'Counter' is for 22050 Hz, as stated.json:1:49 states; leave --rate out"
      ),
    ])
  func refusals(_ words: String, _ message: String) throws {
    try tool.make("double.json", TestModels.double)
    try tool.make("stated.json", Self.counter(#""sampleRate": 22050,"#))
    try Sound.waves(channels: 1, frames: 50).write(tool.path("in.wav"))
    let before = try tool.names
    let run = try tool.run(["process"] + words.split(separator: " ").map(String.init))
    #expect(run.code == 2 && run.lines == ["process: \(message)"], "\(run.messages)")
    #expect(try tool.names == before)
  }
}
