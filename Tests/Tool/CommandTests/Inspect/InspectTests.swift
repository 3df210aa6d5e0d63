// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestEquipment
import Testing

@Suite("Command: inspect and ops", .waits)
struct InspectTests {
  private let tool: Tool

  init() throws { tool = try Tool() }

  @Test("a model's ports, parameters and memory")
  func text() throws {
    let run = try tool.run("inspect", Tool.bitcrusher)
    #expect(run.code == 0 && run.messages.isEmpty)
    for part in [
      "Bitcrusher\n", "src  [channels, frames]", "dst  [1, frames]",
      "1 to 256 levels   logarithmic  ramp 20 ms",
      "0.1 to 20 ", "resolution=24 saturationGain=3", "latency       0 frames",
      "compiled for  1 channel at 48000 Hz", "channels      left open: as many as --channels says",
    ] { #expect(run.output.contains(part), "\(part)") }
  }

  @Test(
    "how many channels a program has is said as it is, by inspect, compile and verify",
    arguments: [
      (TestModels.stereo, [], "2 channels at"), (TestModels.wide, [], "1 channel in, 2 out at"),
      (TestModels.noInput, [], "no input, 1 channel out at"), (TestModels.mono, [], "1 channel at"),
      (TestModels.double, ["--channels", "3"], "3 channels at"),
      (TestModels.double, [], "1 channel (--channels makes it for others) at"),
    ])
  func channels(_ model: String, _ options: [String], _ said: String) throws {
    try tool.make("m.json", model)
    let compiled = try tool.run(["compile", "m.json"] + options)
    #expect(compiled.code == 0 && compiled.messages.contains(", \(said)"), "\(compiled.messages)")
    let plain = said.replacing(" (--channels makes it for others)", with: "")
    let report = try tool.run(["inspect", "m.json"] + options).output
    #expect(report.contains("compiled for  \(plain)"), "\(report)")
    #expect(report.contains("--channels") == (model == TestModels.double))
    let proof = try tool.run(["verify", "m.json", "--blocks", "0"] + options).output
    #expect(proof.contains("Test, \(plain)"), "\(proof)")
  }

  @Test("a gradient is that of the loss which the file states, and of what learns there")
  func gradient() throws {
    let text = """
      { "legato": 1, "name": "Gain", "inputs": { "src": { "shape": [1, "frames"] } },
        "weights": { "gain": [0.5], "offset": [0] }, "graph": { "dst": "src * 'gain' + 'offset'" },
        "outputs": ["dst"]TRAIN }
      """
    func graph(_ train: String) throws -> String {
      try tool.make("m.json", text.replacing("TRAIN", with: train))
      let run = try tool.run("inspect", "m.json", "--stage", "gradient")
      #expect(run.code == 0, "\(run.messages)")
      return run.output
    }
    let plain = try graph("")
    #expect(plain.contains("gradient.gain") && plain.contains("gradient.offset"), "\(plain)")
    #expect(plain.contains("[1, 1, 64]") || plain.contains("[64, 1, 1]"), "\(plain)")
    let stated = try graph(
      #", "train": { "loss": "huber(dst, target)", "trainable": ["gain"], "window": 96, "warmup": 32 }"#)
    #expect(stated.contains("gradient.gain") && !stated.contains("gradient.offset"), "\(stated)")
    #expect(stated.contains("[1, 1, 96]") && stated.contains("128"), "\(stated)")
    // What is beyond a distance of 1 counts once: a huber, and no square alone.
    #expect(stated.contains("abs") && !plain.contains("abs"), "\(stated)")
    #expect(try tool.run("inspect", "m.json", "--stage", "gradient", "-o", "g.svg").code == 0)
    let drawn = String(decoding: try tool.bytes("g.svg"), as: UTF8.self)
    #expect(drawn.contains("<svg") && drawn.contains("gradient.gain"))
  }

  @Test("a gradient of pieces, as the file or the command line says it")
  func gradientOfAPiece() throws {
    let text = """
      { "legato": 1, "name": "Sway", "inputs": { "src": { "shape": [1, "frames"] } }, "weights": { "back": [0.5] },
        "graph": { "time": "12 + 4 * sin(sum(src))", "y": "src + 'back' * delay(y, by: time, minimum: 8, maximum: 20)" },
        "outputs": ["y"]TRAIN }
      """
    func run(_ train: String, _ options: String...) throws -> ProgramRun {
      try tool.make("m.json", text.replacing("TRAIN", with: train))
      return try tool.run(["inspect", "m.json", "--stage", "gradient"] + options)
    }
    let refused = try run("")
    #expect(refused.code != 0 && refused.messages.contains("learning has them with --recompute 8"))
    let asked = try run("", "--recompute", "8")
    #expect(asked.code == 0 && asked.output.contains("gradient.back"), "\(asked.messages)")
    #expect(asked.output.contains("cotangent.y") && asked.output.contains("[1, 1, 8]"), "\(asked.output)")
    #expect(try run(#", "train": { "recompute": 8 }"#).output == asked.output)
    #expect(try run(#", "train": { "recompute": 4 }"#, "--recompute", "8").output == asked.output)
    let window = try run(#", "train": { "recompute": 8, "window": 12, "warmup": 3 }"#)
    #expect(window.messages.contains("not cut into pieces of 8"), "\(window.messages)")
    for (words, message) in [
      (["m.json", "--recompute", "8"], "--recompute goes with --stage gradient"),
      (["steps.json", "--stage", "gradient", "--recompute", "8"], "--recompute counts frames of a stream"),
    ] {
      try tool.make(
        "steps.json",
        """
        { "legato": 1, "name": "Steps", "clock": "step", "inputs": { "x": { "shape": [2] } }, "weights": { "w": [1] },
          "graph": { "y": "x * 'w'" }, "outputs": ["y"] }
        """)
      let run = try tool.run(["inspect"] + words)
      #expect(run.code == 2 && run.messages.contains(message), "\(run.messages)")
    }
  }

  @Test("the same as JSON")
  func model() throws {
    struct Report: Decodable {
      struct Parameter: Decodable, Equatable {
        let name: String
        let `default`, minimum, maximum: Float
        let unit: String?
        let scale: String
        let ramp: Double
        let declared: Bool
      }
      struct Preset: Decodable { let name: String, values: [String: Float] }
      let name, clock: String
      let channels, sampleRate, workspaceBytes, stateBytes, weightsBytes, latencyFrames: Int
      let parameters: [Parameter]
      let presets: [Preset]
    }
    let run = try tool.run("inspect", Tool.bitcrusher, "--json", "--channels", "3", "--rate", "44100")
    let report = try JSONDecoder().decode(Report.self, from: Data(run.output.utf8))
    #expect(report.name == "Bitcrusher" && report.clock == "stream")
    #expect(report.channels == 3 && report.sampleRate == 44100)
    #expect(report.workspaceBytes > 0 && report.stateBytes > 0 && report.latencyFrames == 0)
    let names = ["resolution", "saturationGain", "dryWet", "rate", "bypass", "mix"]
    #expect(report.parameters.map(\.name) == names)
    #expect(report.parameters.map(\.declared) == [true, true, true, true, false, false])
    #expect(report.parameters.map(\.default).suffix(2) == [0, 1])
    #expect(
      report.parameters[0]
        == .init(
          name: "resolution", default: 8, minimum: 1, maximum: 256, unit: "levels", scale: "logarithmic",
          ramp: 0.02, declared: true))
    #expect(report.presets.first { $0.name == "Broken radio" }?.values["dryWet"] == 0.8)
    #expect(run.output.contains("0.8") && !run.output.contains("0.800"))
    let named = try tool.run(
      "inspect", Tool.bitcrusher, "--json", "--channels", "3", "--rate", "44100", "-o", "-")
    #expect(named.output == run.output && named.messages.isEmpty)
    #expect(run.output.contains("\"shape\" : [\n        3,\n        \"frames\"\n"))
  }

  @Test("bypass and mix are listed where they can be turned")
  func controls() throws {
    try tool.make(
      "one.json",
      TestModels.model(shape: #"[2, "frames"]"#, graph: #""y": "slice(x, axis: 0, start: 0, count: 1)""#))
    try tool.make("own.json", TestModels.model(shape: #"["frames"]"#, graph: #""mix": "x * 2", "y": "mix""#))
    for (model, listed) in [
      (Tool.bitcrusher, ["bypass", "mix"]), (tool.path("one.json"), []), (tool.path("own.json"), ["bypass"]),
    ] {
      let run = try tool.run("inspect", model)
      #expect(run.code == 0, "\(run.messages)")
      let rows = run.output.split(separator: "\n").compactMap {
        $0.split(separator: " ").first.map(String.init)
      }
      #expect(rows.filter { ["bypass", "mix"].contains($0) } == listed, "\(run.output)")
    }
  }

  @Test(
    "stages",
    arguments: [
      ("document", "quantized = round(saturated * resolution) / resolution\n"),
      ("graph", "saturated [1, frames] = tanh(v8)\n"),
      ("plan", "map over frames\n"), ("llvm", "define "), ("assembly", ".text"),
      ("svg", ">kernel 0</text>"),
    ])
  func stages(_ stage: String, _ part: String) throws {
    let run = try tool.run("inspect", Tool.bitcrusher, "--stage", stage)
    #expect(run.code == 0 && run.output.contains(part))
    let object = try JSONSerialization.jsonObject(
      with: Data(try tool.run("inspect", Tool.bitcrusher, "--stage", stage, "--json").output.utf8))
    let json = try #require(object as? [String: String])
    #expect(json == ["model": "Bitcrusher", "stage": stage, "text": run.output])
  }

  @Test("a stage, or the report, goes to a file", arguments: ["svg", "passes", "report"])
  func file(_ stage: String) throws {
    let words = ["inspect", Tool.bitcrusher] + (stage == "report" ? ["--json"] : ["--stage", stage])
    let text = Data(try tool.run(words).output.utf8)
    let run = try tool.run(words + ["-o", "a.txt"])
    #expect(run.code == 0 && run.output.isEmpty && run.messages == "a.txt: \(text.count) bytes\n")
    #expect(try tool.names == ["a.txt"] && tool.bytes("a.txt") == text)

    try tool.make("a.txt", "precious")
    let refused = try tool.run(words + ["-o", "a.txt"])
    #expect(refused.code == 1 && refused.lines == ["a.txt: the file exists; --force replaces it"])
    #expect(try tool.bytes("a.txt") == Data("precious".utf8))
    #expect(try tool.run(words + ["--output=a.txt", "--force", "--quiet"]).messages.isEmpty)
    #expect(try tool.names == ["a.txt"] && tool.bytes("a.txt") == text)
  }

  @Test(
    "a file that cannot be written leaves nothing",
    arguments: [
      ("nowhere/a.svg", 1, "nowhere: no such folder"), ("m.json/a.svg", 1, "m.json: is a file, not a folder"),
      ("folder", 1, "folder: is a folder, not a file"),
      ("/dev/full", 1, "/dev/full: no space left on device"),
      ("", 2, "inspect: --output takes a file, or - for the standard output"),
    ])
  func unwritable(_ path: String, _ code: Int32, _ line: String) throws {
    try tool.make("m.json", TestModels.double)
    try FileManager.default.createDirectory(atPath: tool.path("folder"), withIntermediateDirectories: false)
    let run = try tool.run("inspect", "m.json", "--stage", "graph", "-o", path)
    #expect(run.code == code && run.lines == [line])
    #expect(try tool.names == ["folder", "m.json"])
  }

  @Test("a result never takes the place of a file that it is made of")
  func ownFiles() throws {
    let half =
      #"{ "legato": 1, "inputs": { "x": { "shape": ["frames"] } }, "graph": { "y": "x / 2" }, "outputs": ["y"] }"#
    try tool.make("half.h", half)
    try tool.make(
      "user.json", half.replacing("x / 2", with: #"model('half.h', x)"#.replacing("'", with: #"\""#)))
    for (words, name) in [
      ("inspect half.h -o ./half.h", "./half.h"), ("inspect user.json -o half.h", "half.h"),
      ("inspect \(Tool.bitcrusher) --then user.json -o user.json", "user.json"),
      ("plot --model user.json -o half.h", "half.h"), ("compile half.h", "half.h"),
    ] {
      let run = try tool.run((words + " --force").split(separator: " ").map(String.init))
      let command = words.prefix { $0 != " " }
      #expect(run.code == 2, "\(words): \(run.messages)")
      #expect(run.lines == ["\(command): '\(name)' is what the result is made of; name another file"])
      #expect(try tool.bytes("half.h") == Data(half.utf8))
    }
  }

  @Test("--force alone is a mistake")
  func force() throws {
    let run = try tool.run("inspect", Tool.bitcrusher, "--force")
    #expect(run.code == 2 && run.lines == ["inspect: --force is of use with --output FILE only"])
  }

  @Test("the CPU and the passes decide what the plan is")
  func compilation() throws {
    try tool.make("m.json", TestModels.crushing)
    func text(_ stage: String, _ options: String...) throws -> String {
      try tool.run(["inspect", "m.json", "--stage", stage] + options).output
    }
    #expect(try text("plan", "--cpu", "x86-64").contains("for x86-64, vectors of 4 floats"))
    #expect(try text("plan", "--cpu", "x86-64-v3").contains("for x86-64-v3, vectors of 8 floats"))
    func kernels(_ passes: String) throws -> Int {
      try text("plan", "--passes", passes).split(separator: "\n").filter { $0.contains("map over") }.count
    }
    let all = try kernels("all")
    #expect(try kernels("none") > all && kernels("-fusion") > all)
    #expect(try kernels("none,fusion") == kernels("fusion") && kernels("fusion") == all)
    #expect(try text("plan", "--passes", "-fma-formation", "--cpu", "x86-64-v3").contains("fma(") == false)
    #expect(try text("plan", "--cpu", "x86-64-v3").contains("fma("))
  }

  @Test("a model of steps")
  func steps() throws {
    try tool.make("m.json", TestModels.steps)
    let run = try tool.run("inspect", "m.json", "--json")
    #expect(
      run.output.contains("\"clock\" : \"step\"") && run.output.contains("\"shape\" : [\n        4\n      ]"))
  }

  @Test("every function has its signature and its meaning")
  func ops() throws {
    struct Row: Decodable { let group, name, signature, meaning: String }
    let text = try tool.run("ops", environment: ["LEGATO_LLVM": "/nonexistent"]).output
    let rows = try JSONDecoder().decode([Row].self, from: Data(tool.run("ops", "--json").output.utf8))
    #expect(rows.count > 50)
    for row in rows {
      #expect(
        !row.meaning.isEmpty && text.contains(row.signature) && text.contains(row.meaning), "\(row.name)")
    }
    #expect(rows.contains { $0.name == "+" && $0.signature == "x + y" })
    #expect(rows.contains { $0.signature == "atan2(y, x)" })
    for group in Set(rows.map(\.group)) { #expect(text.contains("\(group)\n")) }
  }
}
