// SPDX-License-Identifier: Apache-2.0

import Foundation
import Legato
import LegatoTraining
import TestEquipment
import Testing

/// `train` and `evaluate`: a model learns from sounds or arrays, and what comes of it runs like any other.
@Suite("Command: train", .waits)
struct TrainTests {
  private let tool: Tool

  init() throws {
    tool = try Tool()
    // One pole and a gain, as numbers that learn.
    try tool.make(
      "filter.json",
      """
      { "legato": 1, "name": "Filter",  // a comment that stays
        "inputs": { "src": { "shape": [1, "frames"] } },
        "weights": { "gain": [0.1], "pole": [0.1] },
        "graph": { "y": "'gain' * src + 'pole' * delay(y, 1)" }, "outputs": ["y"] }
      """)
    try tool.make(
      "line.json",
      """
      { "legato": 1, "name": "Line", "clock": "step", "inputs": { "x": { "shape": [2] } },
        "weights": { "w": [[0, 0]], "b": [0] }, "graph": { "y": "dense(x, 'w', 'b')" }, "outputs": ["y"] }
      """)
    var random = SplitMix(seed: 4)
    let dry = (0..<4000).map { _ in random.float(-0.9, 0.9) }
    var wet: [Float] = []
    for sample in dry { wet.append(0.25 * sample + 0.5 * (wet.last ?? 0)) }
    try Sound(samples: [dry]).write(tool.path("dry.wav"))
    try Sound(samples: [wet]).write(tool.path("wet.wav"))
    let x = (0..<40).map { _ in random.float(-1, 1) }
    let y = (0..<20).map { 2 * x[2 * $0] - x[2 * $0 + 1] }
    try Tensor(shape: [20, 2], values: x).write(to: tool.path("x.npy"))
    try Tensor(shape: [20, 1], values: y).write(to: tool.path("y.npy"))
  }

  private static let sound =
    "filter.json --data dry.wav:wet.wav --window 200 --warmup 50 --batch 4 --learning-rate 0.03"

  private func run(_ line: String) throws -> ProgramRun {
    try tool.run(line.split(separator: " ").map(String.init))
  }

  @Test("--artifacts writes programs without data, and says what does not go with it") func artifacts() throws
  {
    let text = String(decoding: try tool.bytes("line.json"), as: UTF8.self)
    try tool.make(
      "stated.json",
      text.replacing("\"outputs\": [\"y\"]", with: "\"outputs\": [\"y\"], \"train\": { \"batch\": 4 }"))
    let run = try run("train stated.json --artifacts parts")
    #expect(
      run.code == 0
        && run.messages.hasPrefix("parts: programs that learn w, b in batches of 4; a step takes "), "\(run)")
    #expect(
      try tool.files(in: "parts") == [
        "artifacts.json", "checkpoint.safetensors", "evaluation.graph", "inference.graph", "optimizer.graph",
        "training.graph",
      ])
    try FileManager.default.removeItem(atPath: tool.path("stated.json"))
    let trainer = try Trainer(artifacts: tool.path("parts"))
    let (x, y) = (try Tensor(contentsOf: tool.path("x.npy")), try Tensor(contentsOf: tool.path("y.npy")))
    try trainer.fit(TensorExamples(["x": x, "target": y]), epochs: 400)
    let w = try #require(trainer.weights(named: "w")).values
    #expect(abs(w[0] - 2) < 0.01 && abs(w[1] + 1) < 0.01, "\(w)")
    for (line, code, message) in [
      ("line.json --artifacts parts", 1, "parts/artifacts.json: the file exists; --force replaces it"),
      ("line.json --artifacts other -o x.json", 2, "nothing learns: --output says nothing then"),
      ("line.json --artifacts no/other", 1, "no/other: the folder cannot be made"),
      ("filter.json --artifacts other", 1, "Filter: is a stream, which learns from its model file"),
      ("line.json -o x.json", 2, "--data is missing"),
    ] {
      let run = try self.run("train " + line)
      #expect(Int(run.code) == code && run.messages.contains(message), "\(line): \(run)")
      #expect(try !tool.names.contains("other"), "\(line)")
    }
    #expect(
      try self.run("train line.json --artifacts parts --force --data x=x.npy --data target=y.npy").code == 0)
  }

  @Test("a filter is learned from a sound, and renders it") func learnsAFilter() throws {
    let run = try run("train \(Self.sound) --epochs 60 -o out.json")
    #expect(run.code == 0)
    let lines = run.messages.split(separator: "\n")
    let first = "filter.json: 18 examples to learn from, 2 held back, in batches of 4; a step takes "
    #expect(lines.first?.hasPrefix(first) == true)
    #expect(lines.count == 62 && lines[1].hasPrefix("epoch 1: loss "))
    #expect(lines.last?.hasPrefix("out.json, out.safetensors: what was learned by epoch ") == true)
    // The file as it is, but for its weights.
    let text = String(decoding: try tool.bytes("out.json"), as: UTF8.self)
    #expect(text.contains("// a comment that stays") && text.contains("\"file\": \"out.safetensors\""))
    #expect(try self.run("process out.json dry.wav made.wav --quiet").code == 0)
    let (made, wet) = (try Sound.read(tool.path("made.wav")), try Sound.read(tool.path("wet.wav")))
    for (a, b) in zip(made.samples[0], wet.samples[0]) { #expect(abs(a - b) < 0.02) }
    let judged = try self.run(
      "evaluate out.json --data dry.wav:wet.wav --window 200 --metric mae=mae(y,target)")
    #expect(judged.code == 0 && judged.output.hasPrefix("loss ") && judged.output.contains("\nmae "))
  }

  @Test("a model of steps is learned from arrays") func learnsALine() throws {
    let line = "line.json --data x=x.npy --data target=y.npy --batch 6 --learning-rate 0.1 --validate 0"
    let run = try run("train \(line) --epochs 150 --report report.json -o out.json --quiet")
    #expect(run.code == 0 && run.messages.isEmpty)
    let weights = try TensorArchive(contentsOf: tool.path("out.safetensors"))
    #expect(zip(try weights.tensor("w").values, [2, -1] as [Float]).allSatisfy { abs($0 - $1) < 0.01 })
    let report = try JSONSerialization.jsonObject(with: Data(tool.bytes("report.json"))) as? [String: Any]
    let epochs = report?["epochs"] as? [[String: Any]]
    #expect(epochs?.count == 150 && epochs?.first?.keys.contains("scores") == true)
  }

  /// A batch has no more examples than there are; sounds have their error in relation to the power of all targets.
  @Test("the defaults bear a short sound with rests") func restsDoNotHarm() throws {
    var random = SplitMix(seed: 6)
    let dry = (0..<4000).map { frame in frame < 2000 ? random.float(-0.9, 0.9) : 0 }
    var wet: [Float] = []
    for sample in dry { wet.append(0.25 * sample + 0.5 * (wet.last ?? 0)) }
    try Sound(samples: [dry]).write(tool.path("short.wav"))
    try Sound(samples: [wet]).write(tool.path("rest.wav"))
    let line = "filter.json --data short.wav:rest.wav --window 200 --warmup 50 --learning-rate 0.03"
    let run = try run("train \(line) --batch 100000 --epochs 60 -o out.json")
    #expect(run.code == 0)
    let lines = run.messages.split(separator: "\n")
    let first =
      "18 examples to learn from, 2 held back, in batches of 18, as there are no more; a step takes "
    #expect(lines.first?.contains(first) == true, "\(lines.first ?? "")")
    for line in lines where line.hasPrefix("epoch ") {
      let losses = line.split(separator: "loss ").dropFirst().compactMap {
        Double($0.prefix { !",;".contains($0) })
      }
      #expect(losses.count == 2 && losses.allSatisfy { $0 < 1.5 }, "\(line)")
    }
    let judged = try self.run("evaluate out.json --data short.wav:rest.wav --window 200 --loss mse(y,target)")
    let esr = judged.output.split(separator: "\n").first { $0.hasPrefix("esr ") }.flatMap {
      Double($0.dropFirst(4))
    }
    #expect(try #require(esr) < 0.01, "\(judged.output)")
  }

  @Test("a run that goes on from a checkpoint comes to the same bits") func goesOn() throws {
    #expect(try run("train \(Self.sound) --epochs 6 -o whole.json --quiet").code == 0)
    #expect(try run("train \(Self.sound) --epochs 2 --checkpoint c.safetensors --quiet").code == 0)
    let rest = try run(
      "train \(Self.sound) --epochs 6 --checkpoint c.safetensors --resume -o rest.json --quiet")
    #expect(rest.code == 0)
    #expect(try tool.bytes("whole.safetensors") == tool.bytes("rest.safetensors"))
    // What is there stays, unless it is to go on or to go.
    for (line, message) in [
      ("--epochs 1 -o whole.json", "whole.json: "),
      ("--epochs 1 --checkpoint c.safetensors", "c.safetensors: "),
      ("--epochs 9 --checkpoint c.safetensors --resume --seed 2", "has --seed 1"),
    ] {
      let run = try run("train \(Self.sound) \(line)")
      #expect(run.code != 0 && run.messages.contains(message), "\(run.messages)")
      #expect(run.messages.split(separator: "\n").count == 1, "\(run.messages)")
    }
  }

  @Test("an interruption ends the run where it is, and says how it goes on") func interrupted() throws {
    let script =
      "$LEGATO train \(Self.sound) --epochs 1000000 --checkpoint c.safetensors -o out.json 2>log & "
      + "while ! grep -q 'epoch 2' log; do :; done; kill -TERM $!; wait $!; echo code $?"
    let run = try tool.shell(script)
    #expect(run.output.contains("code 143"), "\(run.output)")
    let log = String(decoding: try tool.bytes("log"), as: UTF8.self)
    #expect(log.contains("train: interrupted in epoch ") && log.hasSuffix("; --resume goes on\n"))
    #expect(try tool.bytes("out.safetensors").count > 0 && tool.bytes("c.safetensors").count > 0)
  }

  @Test("a run that goes on knows its best epoch and those before, and replaces only what is its own")
  func knowsItsPast() throws {
    let line = "train \(Self.sound) --quiet"
    #expect(try run("\(line) --epochs 4 --report whole.json -o first.json").code == 0)
    #expect(try run("\(line) --epochs 2 --checkpoint c.safetensors").code == 0)
    #expect(try run("\(line) --epochs 4 --checkpoint c.safetensors --resume --report rest.json").code == 0)
    func epochs(_ name: String) throws -> [[String: Any]] {
      let report = try JSONSerialization.jsonObject(with: Data(tool.bytes(name))) as? [String: Any]
      return try #require(report?["epochs"] as? [[String: Any]])
    }
    let (whole, rest) = (try epochs("whole.json"), try epochs("rest.json"))
    #expect(rest.count == 4 && rest.compactMap { $0["epoch"] as? Int } == [1, 2, 3, 4])
    for (one, other) in zip(whole, rest) {
      #expect(one["scores"] as? [String: Double] == other["scores"] as? [String: Double])
    }
    // Nothing is left to learn: the best epoch is in the checkpoint. Another model is not the run's to replace.
    try tool.make("precious.json", "{}")
    let refused = try run("\(line) --epochs 4 --checkpoint c.safetensors --resume -o precious.json")
    #expect(refused.code == 1 && refused.messages.hasPrefix("precious.json: "), "\(refused.messages)")
    #expect(try tool.bytes("precious.json") == Data("{}".utf8))
    #expect(try run("\(line) --epochs 4 --checkpoint c.safetensors --resume -o late.json").code == 0)
    #expect(try tool.bytes("late.safetensors") == tool.bytes("first.safetensors"))
    try Sound(samples: [[Float](repeating: 0.5, count: 4000)]).write(tool.path("other.wav"))
    for (options, message) in [
      ("--loss mse(y,target)", "has --loss default, and not mse(y,target)"),
      ("--batch 5", "has --batch 4, and not 5"), ("--validate 0.2", "has --validate 0.1, and not 0.2"),
      ("--chunk 100", "has --chunk default, and not 100"),
      ("--recompute 125", "has --recompute default, and not 125"),
      ("--window 100", "has --window 200, and not 100"),
    ] {
      let again = "\(line) --checkpoint c.safetensors --resume \(options)".replacing("--batch 4 ", with: "")
      let run = try run(options.contains("batch") ? again : again + " --batch 4")
      #expect(
        run.code == 2 && run.messages == "train: --resume: the run in c.safetensors \(message)\n", "\(run)")
    }
    let other = try run(
      "\(line) --checkpoint c.safetensors --resume".replacing("wet.wav", with: "other.wav"))
    #expect(other.code == 2 && other.messages.contains("has other data, 20 examples"), "\(other.messages)")
    let missing = try run("\(line) --checkpoint none.safetensors --resume")
    #expect(missing.messages == "train: 'none.safetensors' does not exist\n", "\(missing.messages)")
  }

  /// The right to replace files is that of the places where the run wrote, and not of their names elsewhere.
  @Test("a run that goes on from another folder replaces nothing that is not its own")
  func otherFolder() throws {
    let sound = Self.sound.replacing("filter.json", with: "../filter.json")
      .replacing("dry.wav:wet.wav", with: "../dry.wav:../wet.wav")
    let line = "train \(sound) --quiet --checkpoint ../c.safetensors -o out.json"
    for (folder, rest, code) in [
      ("one", "--epochs 1", 0), ("two", "--epochs 2 --resume", 1), ("one", "--epochs 2 --resume", 0),
    ] as [(String, String, Int32)] {
      try FileManager.default.createDirectory(atPath: tool.path(folder), withIntermediateDirectories: true)
      if folder == "two" { try tool.make("two/out.json", "precious") }
      let run = try tool.shell("cd \(folder); $LEGATO \(line) \(rest) 2>&1")
      #expect(run.code == code && (code == 0 || run.output.hasPrefix("out.json: ")), "\(run)")
    }
    #expect(try tool.bytes("two/out.json") == Data("precious".utf8))
  }

  @Test("a checkpoint whose words do not go with its arrays is refused in one line")
  func damagedWords() throws {
    #expect(try run("train \(Self.sound) --epochs 2 --checkpoint c.safetensors --quiet").code == 0)
    let bytes = try tool.bytes("c.safetensors")
    let length = Int(bytes[0]) | Int(bytes[1]) << 8
    let head = String(decoding: bytes[8..<8 + length], as: UTF8.self)
    let best = try #require(head.firstMatch(of: /bestEpoch\\":[0-9]+/)?.0)
    for (old, new) in [
      (String(best), "bestEpoch\\\":-9223372036854775808"), (String(best), "bestEpoch\\\":0"),
      (String(best), "bestEpoch\\\":3"), ("\\\"epoch\\\":3", "\\\"epoch\\\":9223372036854775807"),
      ("\\\"epoch\\\":1", "\\\"epoch\\\":-9223372036854775808"),
    ] {
      var text = Array(head.replacing(old, with: new).utf8)
      #expect(text != Array(head.utf8), "\(old)")
      while !text.count.isMultiple(of: 8) { text.append(32) }
      let count = (0..<8).map { UInt8(truncatingIfNeeded: text.count >> (8 * $0)) }
      try tool.make("d.safetensors", count + text + bytes[(8 + length)...])
      let run = try run(
        "train \(Self.sound) --epochs 3 --patience 1 --checkpoint d.safetensors --resume --plot c.svg")
      #expect(
        run.code == 1
          && run.messages
            == "d.safetensors: does not say which run it is of: it is no checkpoint of legato train\n",
        "\(run)")
    }
  }

  @Test("what is learned from and what is held back have one measure") func oneMeasure() throws {
    let line =
      "filter.json --data dry.wav:wet.wav --window 200 --warmup 50 --learning-rate 1e-9 --metric m=mse(y,target)"
    #expect(try run("train \(line) --epochs 1 --report r.json -o o.json --quiet").code == 0)
    let report = try JSONSerialization.jsonObject(with: Data(tool.bytes("r.json"))) as? [String: Any]
    let epoch = try #require((report?["epochs"] as? [[String: Any]])?.first)
    let powers = try ["scores", "validation"].map { part in
      let scores = try #require(epoch[part] as? [String: Double])
      #expect(scores["esr"] == scores["loss"])
      return try #require(scores["m"]) / #require(scores["loss"])
    }
    let target = try Sound.read(tool.path("wet.wav")).samples[0]
    let power = target.reduce(0) { $0 + Double($1) * Double($1) } / Double(target.count)
    #expect(powers.allSatisfy { abs($0 / power - 1) < 1e-5 }, "\(powers) \(power)")
  }

  @Test("a run that is killed has its best epoch in the checkpoint") func killed() throws {
    let line = "\(Self.sound) --epochs 1000000 --checkpoint c.safetensors"
    let script =
      "$LEGATO train \(line) 2>log & while ! grep -q 'epoch 4' log; do :; done; kill -KILL $!; wait $!; echo code $?"
    #expect(try tool.shell(script).output.contains("code 137"))
    let rest = try run(
      "train \(line) --epochs 1 --resume -o out.json".replacing("--epochs 1000000 ", with: ""))
    #expect(
      rest.code == 0 && rest.messages.contains("out.safetensors: what was learned by epoch "),
      "\(rest.messages)")
  }

  @Test("where no checkpoint can be written any more, the best epoch is written all the same")
  func lostFolder() throws {
    let script =
      "mkdir ck; $LEGATO train \(Self.sound) --epochs 1000000 --checkpoint ck/c.safetensors -o out.json --report r.json "
      + "2>log & while ! grep -q 'epoch 2' log; do :; done; while [ -e ck ]; do rm -rf ck; done; wait $!; echo code $?"
    #expect(try tool.shell(script).output.contains("code 1"))
    let log = String(decoding: try tool.bytes("log"), as: UTF8.self)
    // The folder goes before the file is begun, or while it is written.
    #expect(log.contains("out.safetensors: what was learned by epoch "), "\(log)")
    #expect(log.contains("\nck/c.safetensors: ") || log.contains("\nck: no such folder"), "\(log)")
    #expect(try tool.bytes("out.safetensors").count > 0 && tool.bytes("r.json").count > 0)
  }

  @Test("layers begin with random weights, by the seed") func initializes() throws {
    try tool.make(
      "deep.json",
      """
      { "legato": 1, "name": "Deep", "clock": "step", "inputs": { "x": { "shape": [2] } },
        "weights": { "a.weight": [[0, 0], [0, 0]], "a.bias": [0, 0], "head.weight": [[0, 0]], "gain": [1] },
        "graph": { "y": "dense(tanh(dense(x, 'a.weight', 'a.bias')), 'head.weight') * 'gain'" }, "outputs": ["y"] }
      """)
    let data = "--data x=x.npy --data target=y.npy --batch 4 --learning-rate 0.05 --epochs 40"
    let run = try run("train deep.json \(data) --initialize -o one.json")
    #expect(run.code == 0 && run.messages.contains("--initialize: gain as they are"), "\(run.messages)")
    #expect(run.messages.contains("; what learns: ") && run.messages.contains("head.weight"))
    #expect(try self.run("train deep.json \(data) --initialize --quiet -o two.json").code == 0)
    #expect(try self.run("train deep.json \(data) --initialize --seed 2 --quiet -o three.json").code == 0)
    #expect(try tool.bytes("one.safetensors") == tool.bytes("two.safetensors"))
    #expect(try tool.bytes("one.safetensors") != tool.bytes("three.safetensors"))
    let losses = run.messages.matches(of: /held back: loss ([0-9.e+-]+)/).compactMap { Double($0.1) }
    #expect(losses.count == 40 && losses[39] < 0.2 * losses[0], "\(losses)")
    let none = try self.run("train \(Self.sound) --initialize --quiet -o o.json")
    #expect(none.code == 2 && none.messages.contains("none of gain, pole is a layer's"), "\(none.messages)")
  }

  @Test("what was learned is written for other programs, too") func writesONNX() throws {
    let line = "line.json --data x=x.npy --data target=y.npy --batch 6 --learning-rate 0.1 --validate 0"
    #expect(try run("train \(line) --epochs 150 -o out.onnx --quiet").code == 0)
    let made = try run("evaluate out.onnx --data x=x.npy --data target=y.npy")
    let loss = made.output.firstMatch(of: /loss ([0-9.e+-]+)/).flatMap { Double($0.1) }
    #expect(made.code == 0 && (loss ?? 1) < 1e-3, "\(made)")
    let stream = try run("train \(Self.sound) -o out2.onnx")
    #expect(stream.code != 0 && stream.messages.split(separator: "\n").count == 1, "\(stream.messages)")
    #expect(!stream.messages.contains("epoch"))
  }

  @Test("a metric that is no number is null, and costs nothing") func metricsThatAreNoNumbers() throws {
    let line = "line.json --data x=x.npy --data target=y.npy --metric odd=log(0-1-mae(y,target))"
    #expect(try run("train \(line) --epochs 2 --report r.json --plot c.svg -o out.json").code == 0)
    #expect(String(decoding: try tool.bytes("r.json"), as: UTF8.self).contains("\"odd\" : null"))
    let judged = try run("evaluate \(line) --json")
    #expect(judged.code == 0 && judged.output.contains("\"odd\" : null"), "\(judged.messages)")
  }

  @Test(
    "names of metrics are their own",
    arguments: ["loss", "x", "y", "target", "w", "class.predicted", "next.a"])
  func namesOfMetrics(name: String) throws {
    let line = "line.json --data x=x.npy --data target=y.npy --metric \(name)=mae(y,target) -o o.json"
    let run = try run("train \(line)")
    #expect(run.code == 1 && run.messages.contains("'\(name)' is "), "\(run.messages)")
    #expect(run.messages.split(separator: "\n").count == 1)
  }

  private static let refusals: [(line: String, code: Int32, message: String)] = [
    ("filter.json -o o.json", 2, "--data is missing"),
    (
      "filter.json --data dry.wav -o o.json", 2,
      "--data takes a sound and its target, in.wav:out.wav, not 'dry.wav'"
    ),
    ("filter.json --data dry.wav:none.wav -o o.json", 1, "none.wav: "),
    ("filter.json --data dry.wav:wet.wav", 2, "--output is missing: the model file that is written"),
    ("filter.json --data dry.wav:wet.wav -o o.wav", 2, "--output takes a file whose name ends in .json"),
    (
      "filter.json --data dry.wav:wet.wav --resume -o o.json", 2,
      "--resume goes on where --checkpoint FILE says"
    ),
    (
      "filter.json --data dry.wav:wet.wav --window 9000 -o o.json", 1,
      "a window has 9000 frames, and no sound is so long"
    ),
    (
      "filter.json --data dry.wav:wet.wav --window 200 --learn x* -o o.json", 1,
      "no weights or parameters are called 'x*'; there are 'gain', 'pole'"
    ),
    (
      "filter.json --data dry.wav:wet.wav --window 200 --loss esr(z,target) -o o.json", 1,
      "'loss', 'esr(z,target)': "
    ),
    ("filter.json --data dry.wav:wet.wav --metric mae -o o.json", 2, "--metric takes NAME=EXPRESSION"),
    (
      "line.json --data x=x.npy --data target=x.npy -o o.json", 1,
      "a loss compares values of one shape; these are [1] and [2]"
    ),
    ("line.json --data x=x.npy --data target=dry.wav -o o.json", 1, "dry.wav"),
    (
      "line.json --data z=x.npy --data target=y.npy -o o.json", 2,
      "--data: 'z' is no input, and no loss or metric looks at it; the inputs are 'x'"
    ),
    ("", 2, "MODEL"), ("filter.json --data dry.wav:wet.wav --checkpoint c.txt", 2, "ends in .safetensors"),
    ("filter.json --data dry.wav:wet.wav --window 200 -o /proc/o.json", 1, "/proc/o.json: "),
    (
      "filter.json --data dry.wav:wet.wav --window 200 --report /nowhere/r.json -o o.json", 1,
      "/nowhere: no such folder"
    ),
    ("filter.json --data dry.wav:wet.wav --window 200 --report dry.wav -o o.json", 1, "dry.wav: "),
    ("at44.json --data dry.wav:wet.wav -o o.json", 1, "the sound is at 48000 Hz, and at44.json for 44100"),
    (
      "line.json --data x=x.npy --data target=y.npy --align -o o.json", 2,
      "--align goes with a sound and its target, in.wav:out.wav"
    ),
    (
      "filter.json --data dry.wav:wet.wav --window 200 --checkpoint o.safetensors -o o.json", 1,
      "o.safetensors: is the place of two results; name another file for one"
    ),
    (
      "filter.json --data dry.wav:wet.wav --window 200 -o o.json --report ./o.json", 1,
      "o.json: is the place of two results"
    ),
    (
      "filter.json --data dry.wav:wet.wav --window 200 --checkpoint o.safetensors --resume -o o.json", 1,
      "o.safetensors: is the place of two results"
    ),
    (
      "filter.json --data dry.wav:wet.wav --learning-rate 0 -o o.json", 2,
      "--learning-rate takes a number from"
    ),
  ]

  @Test("what cannot be learned is said in one line, and nothing is written", arguments: refusals.indices)
  func refused(row: Int) throws {
    let (line, code, message) = Self.refusals[row]
    try tool.make(
      "at44.json",
      """
      { "legato": 1, "name": "At", "sampleRate": 44100, "inputs": { "src": { "shape": [1, "frames"] } },
        "weights": { "g": [1] }, "graph": { "y": "'g' * src" }, "outputs": ["y"] }
      """)
    let run = try run("train \(line)")
    #expect(run.code == code && run.messages.contains(message), "\(run.messages)")
    #expect(run.messages.split(separator: "\n").count == 1, "\(run.messages)")
    #expect(!FileManager.default.fileExists(atPath: tool.path("o.json")))
  }
}
