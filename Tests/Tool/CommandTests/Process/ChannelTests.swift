// SPDX-License-Identifier: Apache-2.0

import TestEquipment
import Testing

@Suite("Command: channels", .waits)
struct ChannelTests {
  private let tool: Tool
  private let sound = Sound.waves(channels: 3, frames: 1000)

  init() throws {
    tool = try Tool()
    try sound.write(tool.path("in.wav"))
  }

  private func output(_ model: String, _ options: String..., of tool: Tool? = nil) throws -> [[Float]] {
    let tool = tool ?? self.tool
    try tool.make("m.json", model)
    let run = try tool.run(["process", "m.json", "in.wav", "a.wav", "--force"] + options)
    #expect(run.code == 0, "\(run.messages)")
    return try Sound.read(tool.path("a.wav")).samples
  }

  private func doubled(_ channels: Int...) -> [[Float]] { channels.map { sound.samples[$0].map { 2 * $0 } } }

  @Test("a symbolic model takes all channels, a mono model has a context for each")
  func fit() throws {
    #expect(try output(TestModels.double) == doubled(0, 1, 2))
    #expect(try output(TestModels.mono) == doubled(0, 1, 2))
  }

  @Test("--inputs and --outputs choose channels, in their order")
  func chosen() throws {
    #expect(try output(TestModels.stereo, "--inputs", "3,1") == doubled(2, 0))
    #expect(try output(TestModels.stereo, "--inputs", "2,2") == doubled(1, 1))
    #expect(try output(TestModels.mono, "--inputs", "3") == doubled(2))
    #expect(try output(TestModels.double, "--outputs", "3,1,1") == doubled(2, 0, 0))
    #expect(try output(TestModels.mono, "--outputs", "2") == doubled(1))
    #expect(try output(TestModels.wide, "--inputs", "1", "--outputs", "2") == [sound.samples[0].map { -$0 }])
  }

  @Test("a mono file goes to both channels of a stereo model, and to no other model for several")
  func monoToBoth() throws {
    let tool = try Tool()
    try Sound(samples: [sound.samples[0]]).write(tool.path("in.wav"))
    #expect(try output(TestModels.stereo, of: tool) == doubled(0, 0))
    #expect(try output(TestModels.double, of: tool) == doubled(0))
    let surround = TestModels.model(shape: #"[6, "frames"]"#, graph: #""y": "2 * x""#)
    let twoInputs = """
      { "legato": 1, "name": "Test", "inputs": { "x": { "shape": ["frames"] }, "key": { "shape": ["frames"] } },
        "graph": { "y": "x * key" }, "outputs": ["y"] }
      """
    let refusals = [
      (surround, [], "6 channels (m.json:1:44), in.wav has 1", "1,1,1,1,1,1"),
      (twoInputs, [], "2 channels (m.json:1:44), in.wav has 1", "1,1"),
      (TestModels.stereo, ["--inputs", "1"], "2 channels (m.json:1:44), --inputs names 1", "1,1"),
    ]
    for (model, options, misfit, remedy) in refusals {
      try tool.make("m.json", model)
      let run = try tool.run(["process", "m.json", "in.wav", "b.wav"] + options)
      #expect(
        run.code == 2
          && run.lines == [
            "process: 'Test' takes \(misfit); choose them with --inputs, such as --inputs \(remedy)"
          ], "\(run.messages)")
    }
  }

  @Test("the contexts of a mono model have states of their own")
  func states() throws {
    let model = TestModels.model(shape: #"["frames"]"#, graph: #""y": "2 * delay(x, 3)""#)
    #expect(try output(model) == doubled(0, 1, 2).map { [0, 0, 0] + $0.dropLast(3) })
  }

  @Test("the channels of several outputs follow one another, and the message says which are which")
  func outputs() throws {
    try tool.make("m.json", TestModels.twoOutputs)
    let run = try tool.run("process", "m.json", "in.wav", "a.wav", "--inputs", "1,2")
    #expect(run.messages == "a.wav: 1000 frames (0.02 s), 3 channels at 48000 Hz, 32 bit float: y 1-2, z 3\n")
    let sum = zip(sound.samples[0], sound.samples[1]).map { $0 + $1 }
    #expect(try Sound.read(tool.path("a.wav")).samples == doubled(0, 1) + [sum])
  }

  @Test(
    "channels that do not fit: one line that names the remedy",
    arguments: [
      (
        TestModels.stereo, [],
        "'Test' takes 2 channels (m.json:1:44), in.wav has 3; choose them with --inputs, such as --inputs 1,2"
      ),
      (
        TestModels.stereo, ["--inputs", "1"],
        "'Test' takes 2 channels (m.json:1:44), --inputs names 1; choose them with --inputs, such as --inputs 1,1"
      ),
      (TestModels.wide, [], "the model makes 2 channels of one, and there are 3; choose one with --inputs 1"),
      (TestModels.double, ["--inputs", "4"], "--inputs: there is no channel 4; in.wav has 3"),
      (TestModels.double, ["--outputs", "4"], "--outputs: there is no channel 4; the model makes 3"),
    ])
  func misfit(_ model: String, _ options: [String], _ message: String) throws {
    try tool.make("m.json", model)
    let run = try tool.run(["process", "m.json", "in.wav", "a.wav"] + options)
    #expect(run.code == 2 && run.messages == "process: \(message)\n")
    #expect(try tool.names == ["in.wav", "m.json"])
  }

  @Test("a model of steps renders no files, and says so")
  func unsuited() throws {
    try tool.make("m.json", TestModels.steps)
    let run = try tool.run("process", "m.json", "in.wav", "a.wav")
    let message = "'Test' executes steps (m.json:1:44); only models of streams, with frames, render files"
    #expect(run.code == 1 && run.messages == "process: \(message)\n")
  }
}
