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
    try tool.makeTrainingFiles()
  }

  private static let sound = Tool.filterTraining

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
    #expect(lines.count == 63 && lines[1].hasPrefix("as it was: held back: loss "))
    #expect(lines[2].hasPrefix("epoch 1: loss "))
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

  @Test("layers begin with random weights, by the seed") func initializes() throws {
    try tool.make(
      "deep.json",
      """
      { "legato": 1, "name": "Deep", "clock": "step", "inputs": { "x": { "shape": [2] } },
        "weights": { "a.weight": [[0, 0], [0, 0]], "a.bias": [0, 0], "head.weight": [[0, 0]], "gain": [1] },
        "graph": { "y": "dense(tanh(dense(x, 'a.weight', 'a.bias')), 'head.weight') * 'gain'" }, "outputs": ["y"] }
      """)
    let data = "--data x=x.npy --data target=y.npy --batch 4 --learning-rate 0.05 --epochs 40"
    let blank = "the weights of its layers are all 0"
    let begun = try self.run("train deep.json \(data) -o blank.json")
    #expect(begun.messages.contains(blank), "\(begun.messages)")
    let run = try run("train deep.json \(data) --initialize -o one.json")
    #expect(!run.messages.contains(blank))
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

  @Test("a model that cannot learn is judged all the same") func judgesWithoutWeights() throws {
    try tool.make(
      "fixed.json",
      """
      { "legato": 1, "name": "Fixed", "inputs": { "src": { "shape": [1, "frames"] } },
        "graph": { "dst": "0 * src" }, "outputs": ["dst"] }
      """)
    // Of a model that is silent all of the target is wrong.
    let judged = try run("evaluate fixed.json --data dry.wav:wet.wav --window 200")
    #expect(judged.code == 0 && judged.output.hasPrefix("loss 1\n"), "\(judged)")
    let learns = try run("train fixed.json --data dry.wav:wet.wav --window 200 -o o.json")
    #expect(
      learns.code == 1 && learns.messages.hasSuffix("Fixed: the model has none of its own that learn\n"),
      "\(learns)")
  }

  @Test("a metric that is no number is null, and costs nothing where something is learned")
  func metricsThatAreNoNumbers() throws {
    let line = "line.json --data x=x.npy --data target=y.npy --metric odd=log(0-1-mae(y,target))"
    #expect(try run("train \(line) --epochs 2 --report r.json --plot c.svg -o out.json").code == 0)
    #expect(String(decoding: try tool.bytes("r.json"), as: UTF8.self).contains("\"odd\" : null"))
    let judged = try run("evaluate \(line) --json")
    #expect(judged.code == 4 && judged.output.contains("\"odd\" : null"), "\(judged.messages)")
    #expect(
      judged.messages == "line.json: odd is no finite number; example 0 is the first without one\n",
      "\(judged)")
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
    (
      "filter.json --data dry.wav:short.wav -o o.json", 1,
      "dry.wav has 4000 frames, and its target short.wav 3000: "
    ),
    ("filter.json --data dry.wav:holed.wav --window 200 -o o.json", 1, "holed.wav: frame 777 of channel 1 "),
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
      "filter.json --data dry.wav:wet.wav --window 200 --metric esr=mae(y,target) -o o.json", 2,
      "train: --metric: 'esr' is the metric that sounds have of themselves; call another one otherwise"
    ),
    (
      "line.json --data dry.wav:wet.wav -o o.json", 2,
      "--data: 'Line' is a model of steps, and takes a folder, a table, data.csv, or arrays, NAME=FILE, not a sound"
    ),
    (
      "line.json --data x.npy --data target=y.npy -o o.json", 2,
      "--data: x.npy has no names; an array goes by that of an input or a target: NAME=x.npy"
    ),
    (
      "line.json --data x=x.npy --data target=y.npy --checkpoint c.safetensors --resume", 1,
      "--resume: 'c.safetensors' does not exist; without --resume a run begins, and writes it"
    ),
    (
      "filter.json --data dry.wav:wet.wav --metric a=mae(y,target) --metric a=mse(y,target) -o o.json", 2,
      "--metric 'a' is given twice; call one of them otherwise"
    ),
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
    ("filter.json --data dry.wav:wet.wav --window 200 --report x.npy -o o.json", 1, "x.npy: the file exists"),
    (
      "filter.json --data dry.wav:wet.wav --window 200 --report dry.wav -o o.json", 2,
      "'dry.wav' is what the result is made of; name another file"
    ),
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
    let wet = try Sound.read(tool.path("wet.wav"))
    try Sound(samples: wet.samples.map { Array($0.prefix(3000)) }).write(tool.path("short.wav"))
    // Our own writer has no such number.
    var holed = wet.samples
    holed[0][777] = .nan
    try Data(WaveBytes(holed).bytes).write(to: URL(filePath: tool.path("holed.wav")))
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
