// SPDX-License-Identifier: Apache-2.0

import TestEquipment
import Testing

@Suite("Command: --set", .waits)
struct SettingTests {
  private let tool: Tool

  init() throws { tool = try Tool() }

  @Test(
    "values hold from the first frame, in the parameter's unit or a multiple of it",
    arguments: [
      ("dB", "-6dB", -6), ("dB", "-6 db", -6), ("dB", "+3", 3), ("Hz", "440Hz", 440), ("Hz", "0.44kHz", 440),
      ("kHz", "440Hz", 0.44), ("s", "20ms", 0.02), ("s", "2s", 2), ("ms", "0.5s", 500), ("ms", ".25", 0.25),
      ("", "1e2", 100), ("e", "1e", 1), ("%", "50%", 50), ("levels", "8LEVELS", 8),
    ])
  func units(_ unit: String, _ text: String, _ value: Float) throws {
    try tool.make("m.json", TestModels.unit(unit))
    try Sound.waves(channels: 1, frames: 200).write(tool.path("in.wav"))
    let run = try tool.run("process", "m.json", "in.wav", "a.wav", "--set", "p=1", "--set", "p=\(text)")
    #expect(run.code == 0, "\(run.messages)")
    #expect(try Sound.read(tool.path("a.wav")).samples == [Array(repeating: value, count: 200)])
  }

  @Test(
    "wrong settings: one line, exit code 2, no file",
    arguments: [
      ("resolution", "--set takes NAME=VALUE, such as resolution=8, not 'resolution'"),
      ("=3", "--set takes NAME=VALUE, such as resolution=8, not '=3'"),
      (
        "resolutoin=3",
        "--set resolutoin=3: 'Bitcrusher' has no parameter 'resolutoin'; did you mean 'resolution'?"
      ),
      (
        "q=3",
        "--set q=3: 'Bitcrusher' has no parameter 'q'; it has resolution, saturationGain, dryWet, "
          + "rate, bypass and mix"
      ),
      ("resolution=", "--set resolution=: not a number; resolution takes 1 to 256 levels"),
      ("resolution=nan", "--set resolution=nan: not a number; resolution takes 1 to 256 levels"),
      ("resolution=257", "--set resolution=257: out of range; resolution takes 1 to 256 levels"),
      ("saturationGain=1e999", "--set saturationGain=1e999: out of range; saturationGain takes 0.1 to 20"),
      ("resolution=8Hz", "--set resolution=8Hz: resolution counts levels, not 'Hz'; write the number alone"),
      ("dryWet=50%", "--set dryWet=50%: dryWet has no unit, but '%' is given; write the number alone"),
    ])
  func wrong(_ setting: String, _ message: String) throws {
    let run = try tool.run("process", Tool.bitcrusher, Tool.sound, "a.wav", "--set", setting)
    #expect(run.code == 2 && run.messages == "process: \(message)\n")
    #expect(try tool.names == [])
  }

  @Test("a preset turns its parameters, and --set single ones of them, wherever it stands")
  func preset() throws {
    try Sound.waves(channels: 1, frames: 400).write(tool.path("in.wav"))
    func render(_ name: String, _ options: String...) throws {
      let run = try tool.run(["process", Tool.bitcrusher, "in.wav", name] + options)
      #expect(run.code == 0, "\(run.messages)")
    }
    try render("a.wav", "--preset", "Telephone")
    try render("b.wav", "--set", "resolution=24", "--set", "saturationGain=3")
    try render("c.wav", "--set", "resolution=5", "--preset", "Telephone")
    try render("d.wav", "--set", "resolution=5", "--set", "saturationGain=3")
    #expect(try tool.bytes("a.wav") == tool.bytes("b.wav"))
    #expect(try tool.bytes("c.wav") == tool.bytes("d.wav") && tool.bytes("a.wav") != tool.bytes("c.wav"))
  }

  /// Doubles, or halves; its preset mixes that half and half with what goes in.
  private func mixing(_ name: String, _ factor: String) -> String {
    """
    { "legato": 1, "name": "\(name)", "inputs": { "x": { "shape": ["channels", "frames"] } },
      "graph": { "y": "x * \(factor)" }, "outputs": ["y"],
      "presets": { "Both": { "mix": 0.5 }, "Off": { "bypass": 1 } } }
    """
  }

  @Test("a preset that mixes what cannot be mixed is refused at its place")
  func misfit() throws {
    try tool.make(
      "wide.json",
      """
      { "legato": 1, "name": "Wide", "inputs": { "x": { "shape": [1, "frames"] } },
        "presets": { "Half": { "mix": 0.5 } },
        "graph": { "y": "concatenate([x, -x])" }, "outputs": ["y"] }
      """)
    try Sound.waves(channels: 1, frames: 20).write(tool.path("in.wav"))
    let run = try tool.run("process", "wide.json", "in.wav", "y.wav", "--preset", "Half", "--inputs", "1")
    #expect(
      run.code == 1
        && run.lines == [
          "wide.json:2:26: 'Wide' cannot have 'mix': what goes in is [1, frames], and what comes out is [2, frames]"
        ], "\(run.messages)")
  }

  @Test("a preset turns bypass and mix, too, each those of its own model")
  func controls() throws {
    let sound = Sound.waves(channels: 1, frames: 400)
    try sound.write(tool.path("in.wav"))
    try tool.make("a.json", mixing("Double", "2"))
    try tool.make("b.json", mixing("Quarter", "0.25"))
    func factor(_ options: String...) throws -> Float {
      let run = try tool.run(["process", "a.json", "in.wav", "out.wav", "--force"] + options)
      #expect(run.code == 0, "\(run.messages)")
      let (input, output) = (sound.samples[0][100], try Sound.read(tool.path("out.wav")).samples[0][100])
      return output / input
    }
    #expect(try factor() == 2)
    #expect(try factor("--preset", "Both") == 1.5)
    #expect(try factor("--preset", "Off") == 1)
    #expect(try factor("--preset", "Off", "--set", "bypass=0") == 2)
    let chain = ["--then", "b.json"]
    #expect(try factor(chain[0], chain[1]) == 0.5)
    #expect(try factor(chain[0], chain[1], "--preset", "1.Both") == 0.375)
    #expect(try factor(chain[0], chain[1], "--preset", "quarter.Both") == 1.25)
    #expect(try factor(chain[0], chain[1], "--preset", "1.Off", "--preset", "2.Both") == 0.625)
    #expect(try factor(chain[0], chain[1], "--preset", "2.Off", "--set", "mix=0") == 1)
  }

  @Test("a parameter that no output depends on is a warning, once for many files")
  func idle() throws {
    try tool.make(
      "m.json",
      """
      { "legato": 1, "name": "Half", "inputs": { "x": { "shape": ["channels", "frames"] } },
        "parameters": {
          "gain": { "default": 1, "minimum": 0, "maximum": 2 },
          "lost": { "default": 1, "minimum": 0, "maximum": 2 } },
        "graph": { "y": "x * gain", "z": "x * lost" }, "outputs": ["y"] }
      """)
    try tool.makeFolder("in")
    for name in ["a.wav", "in/b.wav", "in/c.wav"] {
      try Sound.waves(channels: 1, frames: 400).write(tool.path(name))
    }
    let line = "m.json:4:5: warning: 'lost': no output depends on this parameter"
    let one = try tool.run("process", "m.json", "a.wav", "1.wav", "--set", "lost=2")
    #expect(one.code == 0 && one.messages.hasPrefix(line + "\n"), "\(one.messages)")
    #expect(!one.messages.contains("gain"))
    let many = try tool.run(
      "process", "m.json", "in", "--recursive", "--output-dir", "out", "--set", "lost=2")
    #expect(many.code == 0 && many.messages.hasPrefix(line + " (2 files)\n"), "\(many.messages)")
  }

  @Test("a preset turns no control that its model cannot have")
  func withoutControls() throws {
    let model = mixing("Two", "2").replacing(#""outputs": ["y"]"#, with: #""outputs": ["y", "x"]"#)
    try tool.make("m.json", model)
    let run = try tool.run("inspect", "m.json")
    #expect(run.code == 1 && run.messages.hasPrefix("m.json:3:"), "\(run.messages)")
    #expect(run.messages.contains("'presets' set parameters, but the model has none\n"), "\(run.messages)")
  }

  @Test(
    "a preset that there is not",
    arguments: [
      ("telephone", "'Bitcrusher' has no preset 'telephone'; did you mean 'Telephone'?"),
      (
        "x",
        "'Bitcrusher' has no preset 'x'; it has 'Eight bits', 'Telephone', 'Broken radio', 'Early sampler' and "
          + "'Toy'"
      ),
    ])
  func unknownPreset(_ name: String, _ message: String) throws {
    let run = try tool.run("process", Tool.bitcrusher, Tool.sound, "a.wav", "--preset", name)
    #expect(run.code == 2 && run.messages == "process: --preset \(name): \(message)\n")
    #expect(try tool.names == [])
  }
}
