// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestEquipment
import Testing

@Suite("Command: --then, and models within models", .waits)
struct ChainCommandTests {
  private let tool: Tool

  init() throws {
    tool = try Tool()
    try tool.make("half.json", ChainCommandTests.gain("Half", 0.5))
    try tool.make("third.json", ChainCommandTests.gain("Third party", 0.25))
  }

  /// A gain with a preset.
  private static func gain(_ name: String, _ level: Double, shape: String = #"["channels", "frames"]"#)
    -> String
  {
    """
    { "legato": 1, "name": "\(name)", "inputs": { "x": { "shape": \(shape) } },
      "parameters": { "level": { "default": \(level), "minimum": 0, "maximum": 4 } },
      "graph": { "y": "x * level" }, "outputs": ["y"],
      "presets": { "Loud": { "level": 4 }, "\(name)": { "level": 1 } } }
    """
  }

  private func rendered(_ arguments: String...) throws -> [[Float]] { try rendered(arguments) }

  private func rendered(_ arguments: [String]) throws -> [[Float]] {
    if try !tool.names.contains("in.wav") {
      try Sound.waves(channels: 2, frames: 500).write(tool.path("in.wav"))
    }
    let run = try tool.run(["process"] + arguments + ["in.wav", "out.wav", "--force", "--bits", "float"])
    #expect(run.code == 0, "\(run.messages)")
    return try Sound.read(tool.path("out.wav")).samples
  }

  /// Gains are powers of two, so that every product is exact.
  private func scaled(_ factor: Float) -> [[Float]] {
    Sound.waves(channels: 2, frames: 500).samples.map { $0.map { $0 * factor } }
  }

  @Test("settings and presets reach each model of a chain")
  func chain() throws {
    #expect(try rendered("half.json", "--then", "third.json") == scaled(0.125))
    #expect(try rendered("half.json", "--then", "third.json", "--set", "2.level=1") == scaled(0.5))
    #expect(try rendered("half.json", "--then", "third.json", "--set", "third.level=2") == scaled(1))
    #expect(
      try rendered("half.json", "--then", "third.json", "--preset", "2.Loud", "--preset", "half.Half")
        == scaled(4))
    #expect(try rendered("half.json", "--then", "third.json", "--preset", "Third party") == scaled(0.5))
    #expect(
      try rendered("half.json", "--then", "third.json", "--then", "half.json", "--set", "3.level=4")
        == scaled(0.5))
  }

  @Test("a chain with a model for one channel runs once for each channel")
  func mono() throws {
    try tool.make("mono.json", Self.gain("Mono", 0.5, shape: #"[1, "frames"]"#))
    #expect(try rendered("half.json", "--then", "mono.json") == scaled(0.25))
    #expect(try rendered("mono.json", "--then", "half.json") == scaled(0.25))
  }

  @Test("bypass and mix are there for whoever turns them")
  func controls() throws {
    #expect(try rendered("half.json", "--set", "bypass=1") == scaled(1))
    #expect(try rendered("half.json", "--set", "mix=0.5") == scaled(0.75))
    #expect(try rendered("half.json", "--then", "third.json", "--set", "2.bypass=1") == scaled(0.5))
    #expect(try rendered("half.json", "--then", "third.json", "--set", "bypass=1") == scaled(1))
    try tool.make("auto.csv", "0, mix, 0\n0.001, mix, 1, step\n0.002, 1.bypass, 1, step")
    let parts = try rendered("half.json", "--then", "third.json", "--automate", "auto.csv")
    for (part, whole) in zip(parts, scaled(1)) {
      let expected = whole.enumerated().map { $0 < 48 ? $1 : $0 < 96 ? $1 / 8 : $1 / 4 }
      #expect(part == expected)
    }
    try tool.make("wide.json", TestModels.wide)
    try Sound.waves(channels: 1, frames: 50).write(tool.path("mono.wav"))
    let run = try tool.run("process", "wide.json", "mono.wav", "x.wav", "--set", "mix=0.5")
    #expect(
      run.lines == [
        "wide.json:2:57: 'Test' cannot have 'mix': what goes in is [1, frames], and what comes out is [2, frames]"
      ])
  }

  @Test("the order in which the controls of a chain are turned does not matter")
  func controlsInAnyOrder() throws {
    let settings = ["mix=0.5", "2.mix=0.5", "1.bypass=1", "bypass=0"]
    let chain = ["half.json", "--then", "third.json"]
    var first: [[Float]]?
    for order in [settings, settings.reversed()] {
      let found = try rendered(chain + order.flatMap { ["--set", $0] })
      // Of the second one half is heard, (0.25 + 1) / 2, and half of that.
      for (row, whole) in zip(found, scaled(0.8125)) {
        #expect(zip(row, whole).allSatisfy { abs($0 - $1) < 1e-6 }, "\(order)")
      }
      #expect(found == first ?? found, "\(order)")
      first = found
      let rows = order.map { "0, " + $0.replacing("=", with: ", ") + ", step" }
      try tool.make("auto.csv", rows.joined(separator: "\n"))
      #expect(try rendered(chain + ["--automate", "auto.csv"]) == found, "\(order)")
    }
    let turned = ["--set", "mix=0.5", "--set", "2.mix=0.5", "--set", "bypass=0", "--set", "2.bypass=0"]
    for command in [["inspect"], ["verify", "--blocks", "0"], ["plot", "-o", "plot.svg", "--model"]] {
      let run = try tool.run(command + chain + turned)
      #expect(run.code == 0, "\(command): \(run.messages)")
    }
  }

  @Test("a model in an expression: its file's folder is where others are looked for")
  func within() throws {
    try FileManager.default.createDirectory(atPath: tool.path("rig"), withIntermediateDirectories: true)
    try tool.make("rig/half.json", Self.gain("Half", 0.5))
    let graph = #""h": "model('half.json', x)", "y": "h * 2""#
    try tool.make("rig/rig.json", TestModels.model(shape: #"["channels", "frames"]"#, graph: graph))
    #expect(try rendered("rig/rig.json", "--set", "h.level=2") == scaled(4))
    let inspect = try tool.run("inspect", "rig/rig.json", "--json")
    #expect(inspect.code == 0 && inspect.output.contains(#""name" : "h.level""#), "\(inspect.output)")
    let compiled = try tool.run("compile", "rig/rig.json", "-o", "rig.o")
    #expect(compiled.code == 0, "\(compiled.messages)")
    let header = String(decoding: try tool.bytes("rig.h"), as: UTF8.self)
    #expect(header.contains("TEST_PARAMETER_H_LEVEL"), "\(header)")
  }

  @Test("a path that leads out of the folder is refused, and so is what is no file")
  func outside() throws {
    try FileManager.default.createDirectory(atPath: tool.path("rig"), withIntermediateDirectories: true)
    try tool.make("rig/half.json", Self.gain("Half", 0.5))
    try FileManager.default.createSymbolicLink(
      atPath: tool.path("rig/out.json"), withDestinationPath: "../half.json")
    try FileManager.default.createSymbolicLink(
      atPath: tool.path("rig/in.json"), withDestinationPath: "half.json")
    #expect(try tool.shell("mkfifo rig/pipe.json").code == 0)
    try tool.make("rig/sound.json", "RIFF....WAVE")
    let cases = [
      ("../half.json", "lies outside the folder of 'rig/rig.json'; write a path inside of it, without '..'"),
      ("/etc/passwd", "lies outside the folder of 'rig/rig.json'; write a path inside of it, without '..'"),
      ("out.json", "is a link that leads out of the folder of 'rig/rig.json'"),
      ("no.json", "is not there: 'rig/no.json': no such file"),
      ("pipe.json", "cannot be used: 'rig/pipe.json' is no ordinary file"),
      ("sound.json", "cannot be used: 'rig/sound.json' is an audio file, not a model"),
      (".", "cannot be used: 'rig/.' is a folder, not a model file"),
    ]
    for (path, message) in cases {
      let graph = #""y": "model('\#(path)', x)""#
      try tool.make("rig/rig.json", TestModels.model(shape: #"["channels", "frames"]"#, graph: graph))
      let run = try tool.run("inspect", "rig/rig.json")
      #expect(
        run.code == 1 && run.lines == ["rig/rig.json:2:26: the model '\(path)' \(message)"], "\(run.messages)"
      )
    }
    let graph = #""y": "model('in.json', x)""#
    try tool.make("rig/rig.json", TestModels.model(shape: #"["channels", "frames"]"#, graph: graph))
    #expect(try tool.run("inspect", "rig/rig.json").code == 0)
  }

  @Test(
    "what is wrong with a chain: one line, no file",
    arguments: [
      (["--then", ""], 2, "process: --then takes the file of a model, and this is empty"),
      (["--then", "no.json"], 1, "no.json: no such file"),
      (
        ["--then", "third.json", "--set", "level=1"], 2,
        "process: --set level=1: several models have 'level'; write 1.level or 2.level"
      ),
      (
        ["--then", "half.json", "--set", "half.bypass=1"], 2,
        "process: --set half.bypass=1: several models have 'half.bypass'; write 1.bypass or 2.bypass"
      ),
      (
        ["--then", "third.json", "--set", "2.levle=1"], 2,
        "process: --set 2.levle=1: 'Half + Third party' has no parameter '2.levle'; did you mean '2.level'?"
      ),
      (
        ["--then", "third.json", "--preset", "Loud"], 2,
        "process: --preset Loud: several models have it; write '1.Loud' or '2.Loud'"
      ),
      (
        ["--then", "steps.json"], 1,
        "steps.json:1:44: 'Test' has the clock 'step', and 'Half' before it 'stream'; models of one clock go together"
      ),
    ])
  func wrong(_ options: [String], _ code: Int32, _ message: String) throws {
    try tool.make("steps.json", TestModels.steps)
    try Sound.waves(channels: 2, frames: 50).write(tool.path("in.wav"))
    let before = try tool.names
    let run = try tool.run(["process", "half.json", "in.wav", "out.wav"] + options)
    #expect(run.code == code && run.lines == [message], "\(run.messages)")
    #expect(try tool.names == before)
  }
}
