// SPDX-License-Identifier: Apache-2.0

import Foundation
import GraphIR
import Legato
import NativeCode
import RealtimeCore
import ReferenceInterpreter
import TestEquipment
import Testing

/// Silence that runs through a model before its first frame.
@Suite struct PrewarmTests {
  /// A number that goes halfway to 2 with each frame, beside an input.
  private static func text(_ prewarm: String, clock: String = "stream") -> String {
    let shape = clock == "stream" ? "[frames]" : "[]"
    return """
      graph "settles" \(clock) 48000\(prewarm)
      input x \(shape)
      parameter goal [] = 1 minimum 0 maximum 4 ramp 0 scale linear
      level \(shape) = goal + 0.5 * delay(level, 1) + 0 * x
      y \(shape) = level + x
      output y = y
      """
  }

  @Test(arguments: ["stream", "step"]) func aModelBeginsWithWhatSilenceLeaves(clock: String) throws {
    let graph = try Graph(parsing: Self.text(" prewarm 3", clock: clock))
    #expect(graph.prewarm == 3)
    let stimulus = Stimulus(inputs: [[0, 1, 0]], frames: 3)
    let run = try NativeRun(graph)
    // 1, 1.5, 1.75 are heard by nobody.
    #expect(try run.outputs(of: stimulus) == [[1.875, 1.9375 + 1, 1.96875]])
    let playback = try Playback(stimulus, through: run.program)
    for _ in 0..<2 {
      #expect(playback.context.position == 0)
      playback.finish()
      #expect(playback.outputs == [[1.875, 2.9375, 1.96875]])
      playback.context.reset()
      playback.rewind()
    }
    let right = ReferenceInterpreter(graph.canonical()).run(inputs: stimulus.inputs, frames: 3)
    #expect(right.outputs[0].map(\.value) == [1.875, 2.9375, 1.96875])
  }

  /// A parameter that is turned before the first frame holds from there, and does not change what came before.
  @Test func silenceHasTheInitialValuesOfParameters() throws {
    let graph = try Graph(parsing: Self.text(" prewarm 3"))
    let stimulus = Stimulus(
      inputs: [[0, 0]], frames: 2, changes: [ParameterEvent(frame: 0, parameter: 0, value: 4)])
    #expect(try NativeRun(graph).outputs(of: stimulus) == [[4.875, 6.4375]])
    let right = ReferenceInterpreter(graph.canonical()).run(
      inputs: stimulus.inputs, frames: 2, events: stimulus.changes)
    #expect(right.outputs[0].map(\.value) == [4.875, 6.4375])
  }

  /// Values that are known before the first frame hold while silence runs, in a program that is told them.
  @Test func silenceHasTheValuesThatAreKnown() throws {
    let program = try NativeRun(Graph(parsing: Self.text(" prewarm 3"))).program
    let settled = try program.settled(at: ["goal": 4, "other": 1])
    var context = try Context(settled)
    context.parameter(named: "goal")?.set(4)
    for _ in 0..<2 {
      var output = [Float](repeating: 0, count: 2)
      var span = output.mutableSpan
      context.execute(frames: 2, input: [0, 1].span, output: &span)
      #expect(output == [7.5, 8.75])
      context.reset()
    }
    #expect(try program.settled(at: ["goal": 1]) === program)
    #expect(try NativeRun(Graph(parsing: Self.text(""))).program.settled(at: ["goal": 4]).layout.prewarm == 0)
  }

  /// Frames keep their numbers: noise is the same.
  @Test func theFirstFrameIsAtTheBeginning() throws {
    func noise(_ prewarm: String) throws -> [[Float]] {
      let graph = try Graph(
        parsing: """
          graph "noise" stream 48000\(prewarm)
          input x [frames]
          y [frames] = x + noise(seed: 3)
          output y = y
          """)
      return try NativeRun(graph).outputs(
        of: Stimulus(inputs: [[Float](repeating: 0, count: 200)], frames: 200))
    }
    #expect(try noise(" prewarm 77") == noise(""))
  }

  @Test func modelsWithinModelsAddUp() throws {
    let folder = try TemporaryFolder()
    func write(_ name: String, _ graph: String, _ prewarm: Int) throws {
      _ = try folder.make(
        name,
        """
        { "legato": 1, "prewarm": \(prewarm), "inputs": { "x": { "shape": [1, "frames"] } },
          "graph": { "y": "\(graph)" }, "outputs": ["y"] }
        """)
    }
    try write("one.json", "x + 0.5 * delay(y, 1)", 100)
    try write("two.json", "model('one.json', model('one.json', x))", 7)
    let model = try Model(contentsOf: folder("two.json"))
    #expect(try model.graph(extents: [:], sampleRate: nil).prewarm == 207)
    let builder = GraphBuilder("built")
    builder.prewarm = 1000
    builder.output("y", builder.model(model, builder.input("x", channels: 1), named: "m"))
    #expect(try builder.graph().prewarm == 1207)
  }

  /// Models in files: one that settles to 2 above its input, and a second one with these expressions.
  private static func models(
    _ second: String, prewarm: Int = 0
  ) throws -> (folder: TemporaryFolder, first: Model, second: Model) {
    let folder = try TemporaryFolder()
    func write(_ name: String, _ prewarm: Int, _ graph: String) throws {
      _ = try folder.make(
        name,
        """
        { "legato": 1, "prewarm": \(prewarm), "inputs": { "src": { "shape": [1, "frames"] } },
          "weights": { "taps": [0.5, -0.25, 0.125], "begins": [3] }, "graph": { \(graph) }, "outputs": ["dst"] }
        """)
    }
    try write("first.json", 64, #""level": "1 + 0.5 * delay(level, 1) + 0 * src", "dst": "src + level""#)
    try write("second.json", prewarm, #""dst": "\#(second)""#)
    return (
      folder, try Model(contentsOf: folder("first.json")), try Model(contentsOf: folder("second.json"))
    )
  }

  private static func output(_ model: Model, _ sound: [Float]) throws -> [Float] {
    let graph = try model.graph(extents: [:], sampleRate: 48_000)
    return try NativeRun(graph).outputs(of: Stimulus(inputs: [sound], frames: sound.count))[0]
  }

  private static let sound = (0..<300).map { Float(($0 * 37) % 100) / 100 - 0.5 }

  /// A model behind one that warms up begins with the first frame, as it does by itself.
  @Test(arguments: [
    "src + 0.5 * delay(dst, 70)", "0.9 * delay(dst, 1) + 0.1 * (src + 1)", "src * sine(440)",
    "fir(src, 'taps')", "delay(src * src, 3, initial: 'begins')", "src + delay(src, by: 20.5, maximum: 40)",
    "delay(tanh(src) + 1, 50)", "delay(src * (1 / src), 3)", "src * (1 + delay(2, 9))",
  ])
  func aModelBehindRemembersNothing(second: String) throws {
    let (folder, first, second) = try Self.models(second)
    let alone = try Self.output(second, try Self.output(first, Self.sound))
    #expect(try Self.output(first.then(second), Self.sound) == alone)
    _ = try folder.make(
      "both.json",
      """
      { "legato": 1, "inputs": { "src": { "shape": [1, "frames"] } },
        "graph": { "dst": "model('second.json', model('first.json', src))" }, "outputs": ["dst"] }
      """)
    #expect(try Self.output(Model(contentsOf: folder("both.json")), Self.sound) == alone)
    let builder = GraphBuilder("built")
    let made = builder.model(first, builder.input("src", channels: 1), named: "a")
    builder.output("dst", builder.model(second, made, named: "b"))
    let built = try NativeRun(builder.graph()).outputs(
      of: Stimulus(inputs: [Self.sound], frames: Self.sound.count))
    #expect(built == [alone])
    // One behind it that warms up settles on what that makes of silence.
    let third = try Self.output(first, alone)
    #expect(try Self.output(first.then(second).then(first), Self.sound) == third)
  }

  /// A filter that takes away a level has done so where an amplifier rests at one.
  @Test func noLevelIsHeardToBegin() throws {
    func model(_ name: String) throws -> Model {
      try Model(contentsOf: PackageFiles.models.appending(path: name).path())
    }
    let silence = [Float](repeating: 0, count: 4_000)
    let amplifier = try model("captures/crunch.nam")
    #expect(try Self.output(amplifier, silence).allSatisfy { abs($0) > 1e-4 })
    for model in [try amplifier.then(model("dcblock.json")), try model("crunch.json")] {
      #expect(try Self.output(model, silence).allSatisfy { abs($0) < 1e-6 })
    }
  }

  /// A model that warms up takes those with it that it uses.
  @Test func aModelWarmsUpItsParts() throws {
    let (folder, _, _) = try Self.models("src + delay(src, 5)")
    _ = try folder.make(
      "whole.json",
      """
      { "legato": 1, "prewarm": 9, "inputs": { "src": { "shape": [1, "frames"] } },
        "graph": { "dst": "model('second.json', src + 1)" }, "outputs": ["dst"] }
      """)
    let whole = try Model(contentsOf: folder("whole.json"))
    #expect(try Self.output(whole, [0, 0]) == [2, 2])
  }

  /// No part is cut short in silence.
  @Test func allTogetherHaveALimit() throws {
    let (folder, _, second) = try Self.models("src + delay(src, 5)", prewarm: Limits.prewarm)
    _ = try folder.make(
      "both.json",
      """
      { "legato": 1, "prewarm": 1, "inputs": { "src": { "shape": [1, "frames"] } },
        "graph": { "dst": "model('second.json', src)" }, "outputs": ["dst"] }
      """)
    let both = try Model(contentsOf: folder("both.json"))
    for model in [both, try second.then(second)] {
      let error = #expect(throws: ModelError.self) { try model.graph(extents: [:], sampleRate: 48_000) }
      #expect("\(error.map { "\($0)" } ?? "")".contains("1048576 are the most"))
    }
    let builder = GraphBuilder("built")
    builder.prewarm = 1
    builder.output("dst", builder.model(second, builder.input("src", channels: 1), named: "a"))
    #expect(throws: ModelError.self) { try builder.graph() }
    #expect(ProgramLayout.longestPrewarm == Limits.prewarm)
  }

  /// A large network warms up for fewer frames than a small one.
  @Test func workHasALimit() throws {
    let text = { (channels: Int) in
      """
      { "legato": 1, "prewarm": 1048576, "inputs": { "src": { "shape": [\(channels), "frames"] } },
        "graph": { "dst": "tanh(sin(src) + delay(dst, 1))" }, "outputs": ["dst"] }
      """
    }
    #expect(try Model(text(2)).graph(extents: [:], sampleRate: 48_000).prewarm == 1 << 20)
    let large =
      #"{ "legato": 1, "prewarm": 1048576, "inputs": { "src": { "shape": [400, "frames"] } }, "weights": { "w": ["#
      + [String](
        repeating: "[" + [String](repeating: "0", count: 400).joined(separator: ",") + "]", count: 400
      )
      .joined(separator: ",") + #"] }, "graph": { "dst": "dense(src, 'w', axis: 0)" }, "outputs": ["dst"] }"#
    let error = #expect(throws: ModelError.self) { try Model(large).graph(extents: [:], sampleRate: 48_000) }
    #expect("\(error.map { "\($0)" } ?? "")".contains("operations are the most"))
    // What is only remembered takes time, too.
    let late = (0..<40).map { "\"y\($0)\": \"delay(\($0 == 0 ? "src" : "y\($0 - 1)"), 1)\"" }
    let delays = """
      { "legato": 1, "prewarm": 1048576, "inputs": { "src": { "shape": [4000, "frames"] } },
        "graph": { \(late.joined(separator: ", ")) }, "outputs": ["y39"] }
      """
    #expect(throws: ModelError.self) { try Model(delays).graph(extents: [:], sampleRate: 48_000) }
    let builder = GraphBuilder("built")
    builder.prewarm = 1 << 20
    builder.output("y", (0..<40).reduce(builder.input("src", channels: 4000)) { late, _ in late.delay(1) })
    let said = #expect(throws: ModelError.self) { try builder.graph() }
    #expect("\(said.map { "\($0)" } ?? "")".contains("operations are the most"))
  }

  @Test func aBuilderSaysHowLong() throws {
    let builder = GraphBuilder("built")
    let x = builder.input("x", channels: 1)
    builder.output("y", x.delay(5))
    builder.prewarm = 1000
    #expect(try builder.graph().prewarm == 1000)
    builder.prewarm = -1
    #expect(throws: ModelError.self) { try builder.graph() }
    builder.prewarm = .max
    #expect(throws: ModelError.self) { try builder.graph() }
  }
}
