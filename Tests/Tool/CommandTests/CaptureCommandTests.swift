// SPDX-License-Identifier: Apache-2.0

import AudioIO
import Foundation
import TestEquipment
import Testing

@Suite("Command: captures", .waits)
struct CaptureCommandTests {
  private let tool: Tool

  init() throws {
    tool = try Tool()
    let files = [
      "wavenet.nam", "sequential.nam", "container.nam", "concat-wavenet.nam", "lstm-stacked.nam", "aida.json",
      "guitarml-knob.json",
      "keras-conv.json",
    ]
    for name in files {
      let folder = PackageFiles.folder.appending(path: "Tests/Compiler/CaptureFilesTests/reference")
      let file = folder.appending(path: name)
      try Data(contentsOf: file).write(to: URL(filePath: tool.path(name)))
    }
    let sound = (0..<3000).map { Float($0 % 50) / 100 - 0.25 }
    try Sound(samples: [sound]).write(tool.path("in.wav"))
  }

  private func rendered(_ words: String...) throws -> [Float] { try rendered(words) }

  private func rendered(_ words: [String]) throws -> [Float] {
    let run = try tool.run(
      ["process", words[0], "in.wav", "out.wav", "--force", "--bits", "float"] + words.dropFirst())
    #expect(run.code == 0, "\(run.messages)")
    return try Sound.read(tool.path("out.wav")).samples[0]
  }

  @Test(
    "import writes a model that sounds the same, and its weights",
    arguments: [
      "wavenet.nam", "concat-wavenet.nam", "lstm-stacked.nam", "aida.json", "guitarml-knob.json",
      "keras-conv.json",
    ])
  func imported(name: String) throws {
    let run = try tool.run("import", name, "-o", "amp.json")
    #expect(run.code == 0 && run.lines.count == 1, "\(run.messages)")
    #expect(
      try tool.files(in: ".").filter { $0.hasPrefix("amp.") }.sorted() == ["amp.json", "amp.safetensors"])
    #expect(try rendered("amp.json") == rendered(name))
    try tool.make(
      "used.json",
      """
      { "legato": 1, "inputs": { "x": { "shape": [1, "frames"] } }, "graph": { "y": "model('\(name)', x)" },
        "outputs": ["y"] }
      """)
    #expect(try rendered("used.json") == rendered(name))
    guard name.hasSuffix(".nam") else { return }
    #expect(try rendered("amp.json", "--normalize") == rendered(name, "--normalize"))
  }

  @Test("import replaces nothing unasked, and writes nothing for what is no capture")
  func refused() throws {
    #expect(try tool.run("import", "wavenet.nam", "-o", "amp.json").code == 0)
    #expect(
      try tool.run("import", "wavenet.nam", "-o", "amp.json").lines == [
        "amp.json: the file exists; --force replaces it"
      ])
    #expect(try tool.run("import", "wavenet.nam", "-o", "amp.json", "--force").code == 0)
    #expect(try tool.run("import", "amp.json").code == 2)
    #expect(try tool.run("import", "wavenet.nam", "-o", "amp.nam").code == 2)
    try tool.make("cut.nam", #"{ "architecture": "LSTM", "config": {"hidden_size": 3}, "weights": [1] }"#)
    let run = try tool.run("import", "cut.nam")
    #expect(run.code == 1 && run.lines.count == 1, "\(run.messages)")
    #expect(run.lines[0].hasPrefix("cut.nam:1:") && run.lines[0].contains("weights has too few numbers"))
    #expect(try tool.files(in: ".").filter { $0.hasPrefix("cut.") } == ["cut.nam"])
    // It is read, and is no graph: it keeps more than anybody has room for.
    try tool.make(
      "wide.nam",
      #"{ "architecture": "Linear", "config": { "receptive_field": 70000, "in_channels": 4096 }, "weights": ["#
        + [String](repeating: "0", count: 70000).joined(separator: ",") + "] }")
    #expect(try tool.run("import", "wide.nam").code == 1)
    #expect(try tool.files(in: ".").filter { $0.hasPrefix("wide.") } == ["wide.nam"])
  }

  @Test("networks of Keras and PyTorch play as captures of Neural Amp Modeler do")
  func networks() throws {
    #expect(try rendered("guitarml-knob.json", "--set", "knob=1") != rendered("guitarml-knob.json"))
    #expect(try rendered("keras-conv.json", "--then", "sequential.nam").count == 3000)
    #expect(try tool.run("verify", "aida.json", "--blocks", "0").code == 0)
    let run = try tool.run("import", "aida.json")
    #expect(run.lines == ["import: 'aida.json' is what the result is made of; name another file"])
    try tool.make("keras.json", #"{ "class_name": "Sequential", "config": { "layers": [] } }"#)
    let refused = try tool.run("process", "keras.json", "in.wav", "no.wav")
    #expect(refused.code == 1 && refused.lines.count == 1, "\(refused.messages)")
    #expect(refused.lines[0].hasPrefix("keras.json:1:17: this is the architecture of a Keras model"))
  }

  @Test("--normalize brings what states its loudness to -18 dB, and refuses what states none")
  func normalized() throws {
    let (plain, louder) = (try rendered("wavenet.nam"), try rendered("wavenet.nam", "--normalize"))
    let gain = Float(pow(10, (-18 + 20.5) / 20))
    #expect(zip(plain, louder).allSatisfy { abs($0 * gain - $1) <= 1e-6 })
    #expect(
      try rendered("wavenet.nam", "--normalize", "--then", "sequential.nam")
        != rendered("wavenet.nam", "--then", "sequential.nam"))
    // A value of a part may be called as it likes.
    try tool.make(
      "part.json",
      """
      { "legato": 1, "inputs": { "x": { "shape": [1, "frames"] } },
        "graph": { "normal": "0.5 * x", "y": "normal" }, "outputs": ["y"] }
      """)
    try tool.make(
      "whole.json",
      """
      { "legato": 1, "inputs": { "src": { "shape": [1, "frames"] } }, "levels": { "loudness": -18 },
        "graph": { "dst": "model('part.json', src)" }, "outputs": ["dst"] }
      """)
    #expect(try rendered("whole.json", "--normalize") == rendered("whole.json"))
    let run = try tool.run("process", "sequential.nam", "in.wav", "no.wav", "--normalize")
    #expect(run.code == 2)
    #expect(
      run.lines == [
        "process: --normalize: 'sequential' cannot be normalized: it states no loudness that a sound has; a model file "
          + "states it as \"levels\": { \"loudness\": -20.5 }"
      ])
    #expect(!FileManager.default.fileExists(atPath: tool.path("no.wav")))
  }

  @Test("--normalize levels the captures within models that state no loudness, and sizes by what each states")
  func normalizedParts() throws {
    let inputs = #""legato": 1, "inputs": { "x": { "shape": [1, "frames"] } }"#
    // By the call itself, by the name of its output, and beside itself.
    for (name, graph) in [
      ("call", #""y": "0.5 * model('wavenet.nam', x)""#),
      ("output", #""amp": "model('wavenet.nam', x)", "y": "0.5 * amp.dst""#),
      ("deep", #""y": "model('call.json', x)""#),
    ] {
      try tool.make("\(name).json", "{ \(inputs), \"graph\": { \(graph) }, \"outputs\": [\"y\"] }")
      let (plain, louder) = (try rendered("\(name).json"), try rendered("\(name).json", "--normalize"))
      let gain = Float(pow(10, (-18 + 20.5) / 20))
      #expect(zip(plain, louder).allSatisfy { abs($0 * gain - $1) <= 1e-6 }, "\(name)")
    }
    // What states its own loudness is levelled as a whole, once.
    let whole =
      #"{ \#(inputs), "levels": { "loudness": -24 }, "graph": { "y": "model('call.json', x)" }, "outputs": ["y"] }"#
    try tool.make("whole.json", whole)
    let (plain, louder) = (try rendered("whole.json"), try rendered("whole.json", "--normalize"))
    let gain = Float(pow(10, 6.0 / 20))
    #expect(zip(plain, louder).allSatisfy { abs($0 * gain - $1) <= 1e-6 })
    let capture = try String(contentsOfFile: tool.path("wavenet.nam"), encoding: .utf8)
    try tool.make(
      "sizes.nam",
      #"{ "architecture": "SlimmableContainer", "config": { "submodels": [{ "max_value": 1, "model": \#(capture) }] } }"#
    )
    #expect(try rendered("sizes.nam", "--normalize") == rendered("wavenet.nam", "--normalize"))
  }

  @Test("--calibrate drives a capture as hard as its amplifier was, and lets it be as loud")
  func calibrated() throws {
    let wrap = #""legato": 1, "inputs": { "x": { "shape": [1, "frames"] } }"#
    let (input, output) = (pow(10, (9.5 - 12.5) / 20.0), pow(10, (9.25 - 9.5) / 20.0))
    let loudness = pow(10, (-18 + 20.5) / 20)
    func make(_ name: String, _ gain: Double) throws {
      try tool.make(
        name,
        "{ \(wrap), \"graph\": { \"y\": \"\(gain) * model('wavenet.nam', \(input) * x)\" }, \"outputs\": [\"y\"] }"
      )
    }
    func agree(_ name: String, _ options: String..., as other: String, _ more: String...) throws {
      let (one, two) = (try rendered([name] + options), try rendered([other] + more))
      #expect(
        zip(one, two).allSatisfy { abs($0 - $1) <= 1e-6 } && one.contains { $0 != 0 }, "\(name) \(options)")
    }
    try make("by-hand.json", output)
    try agree("wavenet.nam", "--calibrate", "9.5dBu", as: "by-hand.json")
    try make("loud.json", loudness)
    try agree("wavenet.nam", "--calibrate", "9.5", "--normalize", as: "loud.json")
    // Inside of a model that states nothing, and once only in one that states its own.
    let inner = #""graph": { "a": "x", "y": "model('wavenet.nam', a)" }, "outputs": ["y"]"#
    try tool.make("inside.json", "{ \(wrap), \(inner) }")
    try agree("inside.json", "--calibrate", "9.5", as: "by-hand.json")
    try tool.make("whole.json", "{ \(wrap), \"levels\": { \"input\": 12.5, \"output\": 9.25 }, \(inner) }")
    try agree("whole.json", "--calibrate", "9.5", as: "by-hand.json")
    // In a chain each has its own.
    try agree(
      "wavenet.nam", "--then", "wavenet.nam", "--calibrate", "9.5", as: "by-hand.json", "--then",
      "by-hand.json")
  }

  @Test("--calibrate refuses what states no level, and what no device has")
  func notCalibrated() throws {
    for (words, message) in [
      (
        ["sequential.nam", "--calibrate", "9"],
        "process: --calibrate: 'sequential' cannot be calibrated: it states no level in dBu that a device has; a model "
          + "file states it as \"levels\": { \"input\": 12.5, \"output\": 9.25 }"
      ),
      (
        ["wavenet.nam", "--calibrate", "1000"],
        "process: --calibrate: a device has from -60 to 60 dBu at full scale, this is 1000.0"
      ),
      (
        ["wavenet.nam", "--calibrate", "9dB"],
        "process: --calibrate takes a level in dBu, such as 12.5, not '9dB'"
      ),
    ] {
      let run = try tool.run(["process", words[0], "in.wav", "no.wav"] + words.dropFirst())
      #expect(run.code == 2 && run.lines == [message])
      #expect(!FileManager.default.fileExists(atPath: tool.path("no.wav")))
    }
  }

  @Test("a capture in a folder of models is found by its name")
  func named() throws {
    try tool.makeFolder("amps")
    for (name, copy) in [("wavenet.nam", "clean.nam"), ("lstm-stacked.nam", "crunchy.nam")] {
      try FileManager.default.copyItem(atPath: tool.path(name), toPath: tool.path("amps/\(copy)"))
    }
    try tool.make(
      "amps/crunchy.json",
      #"{ "legato": 1, "inputs": { "x": { "shape": ["frames"] } }, "graph": { "y": "x" }, "outputs": ["y"] }"#
    )
    let environment = ["LEGATO_MODELS": tool.path("amps")]
    func samples(_ name: String) throws -> [Float] {
      let words = ["process", name, "in.wav", "named.wav", "--force", "--bits", "float"]
      let run = try tool.run(words, environment: environment)
      #expect(run.code == 0, "\(run.messages)")
      return try Sound.read(tool.path("named.wav")).samples[0]
    }
    #expect(try samples("clean") == rendered("wavenet.nam"))
    // Of one name the model is meant.
    #expect(try samples("crunchy") == Sound.read(tool.path("in.wav")).samples[0])
    let list = try tool.run(["models"], environment: environment).output
    let rows = list.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
    #expect(rows.filter { $0.first == "crunchy" }.count == 1, "\(list)")
    #expect(
      rows.first { $0.first == "clean" }?[1...] == ["None", "Untrained,", "pedal,", "clean"], "\(list)")
  }

  @Test("a mono capture before a stereo effect says how a stereo file goes through")
  func channels() throws {
    try Sound(samples: [[0.5, 0.25], [0.25, 0.5]]).write(tool.path("stereo.wav"))
    let words = ["process", "wavenet.nam", "stereo.wav", "out.wav", "--then", "widener"]
    let run = try tool.run(words)
    #expect(
      run.lines == ["process: the model makes 2 channels of one, and there are 2; choose one with --inputs 1"]
    )
    let chosen = try tool.run(words + ["--inputs", "1"])
    #expect(chosen.code == 0, "\(chosen.messages)")
  }

  @Test("--size takes one of several sizes")
  func sizes() throws {
    #expect(try rendered("container.nam", "--size", "0") != rendered("container.nam"))
    #expect(try rendered("container.nam", "--size", "0.5") == rendered("container.nam"))
    #expect(try tool.run("process", "container.nam", "in.wav", "no.wav", "--size", "2").code == 2)
    // Those that a model uses, too.
    try tool.make(
      "used.json",
      """
      { "legato": 1, "inputs": { "x": { "shape": [1, "frames"] } },
        "graph": { "y": "model('container.nam', x)" }, "outputs": ["y"] }
      """)
    #expect(try rendered("used.json", "--size", "0") == rendered("container.nam", "--size", "0"))
    #expect(try rendered("used.json") == rendered("container.nam"))
    #expect(
      try rendered("wavenet.nam", "--then", "container.nam", "--size", "0")
        != rendered("wavenet.nam", "--then", "container.nam"))
    let message = "has one size; it chooses among those of a capture that has several"
    for command in ["process wavenet.nam in.wav no.wav", "import wavenet.nam", "inspect wavenet.nam"] {
      let words = command.split(separator: " ").map(String.init)
      let run = try tool.run(words + ["--size", "0.5"])
      #expect(run.code == 2 && run.lines == ["\(words[0]): --size: 'Tiny' \(message)"], "\(run.messages)")
    }
  }

  @Test("inspect shows levels; presets are not kept in a capture")
  func inspected() throws {
    let run = try tool.run("inspect", "wavenet.nam")
    #expect(run.code == 0, "\(run.messages)")
    for row in ["loudness  -20.5 dB", "12.5 dBu at full scale", "9.25 dBu at full scale", "states 48000 Hz"] {
      #expect(run.output.contains(row), "\(run.output)")
    }
    #expect(try tool.run("verify", "concat-wavenet.nam", "--blocks", "0").code == 0)
    // Half a second in the interpreter is too long.
    let recurrent = try tool.run("verify", "lstm-stacked.nam", "--blocks", "0")
    #expect(recurrent.code == 0 && recurrent.output.contains("; without the 24000 frames of silence before"))
  }
}
