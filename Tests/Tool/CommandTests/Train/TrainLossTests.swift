// SPDX-License-Identifier: Apache-2.0

import Foundation
import Legato
import LegatoTraining
import TestEquipment
import Testing

/// `train` and `evaluate`: what is made small, how fast, and what is said of it.
@Suite("Command: the loss of learning", .waits)
struct TrainLossTests {
  private let tool: Tool

  init() throws {
    tool = try Tool()
    try tool.make("scores.json", Self.model("dense(x, 'w', 'b')"))
    try tool.make("shares.json", Self.model("softmax(dense(x, 'w', 'b'))"))
    var random = SplitMix(seed: 4)
    var table = "a,b,label\n"
    for _ in 0..<20 {
      let (a, b) = (random.float(-1, 1), random.float(-1, 1))
      table += "\(a),\(b),\(a < b ? "up" : "down")\n"
    }
    try tool.make("data.csv", table)
  }

  private static func model(_ y: String, _ train: String = "") -> String {
    """
    { "legato": 1, "name": "Two", "clock": "step", "inputs": { "x": { "shape": [2] } },
      "weights": { "w": [[0.5, -0.25], [0, 2]], "b": [0, 0] },
      "graph": { "y": "\(y)" }, "outputs": [{ "name": "y", "labels": ["up", "down"] }]\(train) }
    """
  }

  private func run(_ line: String) throws -> ProgramRun {
    try tool.run(line.split(separator: " ").map(String.init))
  }

  @Test("the loss of a softmax is that of its probabilities, and is told") func softmax() throws {
    // -log of the softmax of [0.5 a - 0.25 b, 2 b], at its first place: of one example, a = 1, b = -1.
    try tool.make("one.csv", "a,b,label\n1,-1,up\n")
    let wanted = log(1 + exp(-2.0 - 0.75))
    var trained: [ProgramRun] = []
    for name in ["scores", "shares"] {
      let judged = try run("evaluate \(name).json --data one.csv --json")
      let report = try JSONSerialization.jsonObject(with: Data(judged.output.utf8)) as? [String: Any]
      let loss = try #require((report?["scores"] as? [String: Double])?["loss"])
      #expect(abs(loss - wanted) < 1e-6, "\(name): \(judged.output)")
      trained.append(
        try run("train \(name).json --data data.csv --epochs 20 --report \(name)-r.json -o \(name)-o.json"))
    }
    func told(_ run: ProgramRun) -> [Substring] {
      run.messages.split(separator: "\n").filter { $0.hasPrefix("epoch ") }
    }
    #expect(told(trained[0]) == told(trained[1]) && told(trained[0]).count == 20, "\(trained)")
    #expect(trained[0].messages.contains("; what is made small: crossEntropy(y, target)\n"), "\(trained[0])")
    let loss = "crossEntropy(log(y), target)"
    #expect(trained[1].messages.contains("; what is made small: \(loss)\n"), "\(trained[1])")
    #expect(
      String(decoding: try tool.bytes("shares-r.json"), as: UTF8.self).contains("\"loss\" : \"\(loss)\""))
    let twice = try run("evaluate shares.json --data one.csv --loss crossEntropy(y,target)")
    #expect(
      twice.code == 0
        && twice.messages.hasPrefix(
          "shares.json: 'y' is a softmax, of which crossEntropy makes another one; the loss of its probabilities is "
            + "crossEntropy(log(y), …)\n"),
      "\(twice)")
  }

  /// The numbers are 125 and -1000: the probability of the second one is far below all that a float holds.
  @Test("a probability of 0 has the loss of the numbers, and is learned from as they are") func certain()
    throws
  {
    try tool.make("one.csv", "a,b,label\n0,-500,down\n")
    var learned: [[Substring]] = []
    for name in ["scores", "shares"] {
      let judged = try run("evaluate \(name).json --data one.csv")
      #expect(judged.code == 0 && judged.output.hasPrefix("loss 1125\n"), "\(judged)")
      let trained = try run(
        "train \(name).json --data one.csv --epochs 40 --learning-rate 0.1 -o \(name)-o.json")
      learned.append(trained.messages.split(separator: "\n").filter { $0.hasPrefix("epoch ") })
    }
    #expect(learned[0] == learned[1] && learned[0].last == "epoch 40: loss 0", "\(learned)")
  }

  @Test("the mean of a stream's probabilities is told, too") func streams() throws {
    for name in ["down", "up"] {
      try tool.makeFolder("clips/\(name)")
      try Sound(samples: [[Float](repeating: 0.5, count: 64)]).write(tool.path("clips/\(name)/1.wav"))
    }
    let stream = """
      { "legato": 1, "name": "Two", "inputs": { "x": { "shape": [1, "frames"] } }, "weights": { "w": [[[0.5]], [[0]]] },
        "graph": { "y": "softmax(conv1d(x, 'w'), axis: 0)" }, "outputs": [{ "name": "y", "labels": ["up", "down"] }] }
      """
    try tool.make("stream.json", stream)
    let open = try run("evaluate stream.json --data clips --window 64 --warmup 0")
    #expect(open.code == 0 && open.messages.isEmpty, "\(open)")
    let loss = "crossEntropy(mean(y,axis:-1),target)"
    let twice = try run("evaluate stream.json --data clips --window 64 --warmup 0 --loss \(loss)")
    #expect(
      twice.messages.hasPrefix("stream.json: 'y' is a softmax, of which crossEntropy makes another one; ")
        && twice.messages.hasSuffix("crossEntropy(log(max(mean(y,axis:-1), 1e-37)), …)\n"), "\(twice)")
  }

  @Test("of several arrays that are no input, classes are those that are called target") func targets() throws
  {
    let x = try Tensor(shape: [3, 2], values: [1, -1, 0, 2, -1, 0])
    try x.write(to: tool.path("x.npy"))
    try Tensor(shape: [3], values: [0, 1, 1]).write(to: tool.path("t.npy"))
    try Tensor(shape: [3], values: [1, 0, 0]).write(to: tool.path("o.npy"))
    let rest = "--data o=o.npy --metric off=mean(o)"
    let wanted = try run("evaluate scores.json --data x=x.npy --data only=t.npy")
    #expect(wanted.code == 0 && wanted.output.hasPrefix("loss "), "\(wanted)")
    let found = try run("evaluate scores.json --data x=x.npy --data target=t.npy \(rest)")
    #expect(found.lines.first == wanted.lines.first, "\(found) \(wanted)")
    let both = try run("evaluate scores.json --data x=x.npy --data only=t.npy \(rest)")
    #expect(
      both.code == 2 && both.messages.contains("nothing says which of 'o' and 'only' 'y' is compared with"),
      "\(both)")
  }

  @Test("a loss that nothing changes that learns is refused, with its place") func constant() throws {
    try tool.make(
      "stated.json", Self.model("dense(x, 'w', 'b')", ",\n  \"train\": { \"loss\": \"mean(target)\" }"))
    for (line, message) in [
      ("stated.json", "stated.json:4:22: 'loss', 'mean(target)': nothing that learns changes it smoothly"),
      ("scores.json --loss 1", "Two: 'loss', '1': nothing that learns changes it smoothly"),
    ] {
      let run = try run("train \(line) --data data.csv -o o.json")
      #expect(run.code == 1 && run.messages.contains(message), "\(run)")
      #expect(run.messages.split(separator: "\n").count == 1, "\(run)")
      #expect(try !tool.names.contains("o.json"), "\(run)")
    }
    // It may be looked at.
    let judged = try run("evaluate scores.json --data data.csv --loss topAccuracy(y,target)")
    #expect(judged.code == 0 && judged.output.hasPrefix("loss "), "\(judged)")
  }

  @Test("a loss that is no finite number is told by the exit code, and its first example") func notFinite()
    throws
  {
    try tool.make("odd.csv", "a,b,label\n1,1,up\n1,1,up\n1,1,up\n1,-1,up\n1,1,up\n1,-1,up\n")
    for batch in [1, 2, 3, 16] {
      let judged = try run("evaluate scores.json --data odd.csv --loss mean(log(y)) --batch \(batch)")
      #expect(judged.code == 4 && judged.output.hasPrefix("loss nan\n"), "\(judged)")
      #expect(
        judged.messages
          == "scores.json: loss is no finite number; example 3 is the first without one\n", "\(judged)")
    }
  }

  @Test("what is no number has no sign") func nan() throws {
    let judged = try run("evaluate scores.json --data data.csv --metric q=sqrt(sum(y)-1000)")
    #expect(judged.code == 4 && judged.output.contains("\nq nan\n"), "\(judged)")
  }

  /// Nothing but the form of the arrays says so: one number for two of the output.
  @Test("numbers in an array, or a column, are classes where the output has several numbers for each")
  func classesOfArrays()
    throws
  {
    let plain = Self.model("dense(x, 'w', 'b')").replacing(", \"labels\": [\"up\", \"down\"]", with: "")
    try tool.make("plain.json", plain)
    try Tensor(shape: [3, 2], values: [1, -1, 2, 3, -4, 1]).write(to: tool.path("x.npy"))
    try Tensor(shape: [3], values: [0, 1, 1]).write(to: tool.path("kind.npy"))
    let data = "evaluate plain.json --data x=x.npy --data kind=kind.npy"
    let open = try run(data)
    let said = try run("\(data) --loss crossEntropy(y,kind)")
    #expect(open.code == 0 && open.output == said.output && open.output.contains("taken for"), "\(open)")
    try tool.make("kind.csv", "a,b,label\n1,-1,0\n2,3,1\n-4,1,1\n")
    let table = try run("evaluate plain.json --data kind.csv")
    #expect(table.code == 0 && table.output == said.output, "\(table)")
    try Tensor(shape: [3], values: [0, 1, 0.5]).write(to: tool.path("kind.npy"))
    let odd = try run(data)
    #expect(
      odd.code == 1
        && odd.messages.contains("kind.npy: the label of example 2 is 0.5, and no class: they are 0 to 1"),
      "\(odd)")
  }

  @Test("where weights follow but a few times in an epoch, a line tells") func fewUpdates() throws {
    func told(_ options: String) throws -> Bool {
      let run = try run(
        "train scores.json --data data.csv --epochs 1 --validate 0 --checkpoint c.safetensors --force \(options)"
      )
      #expect(run.code == 0, "\(run)")
      return run.messages.contains(
        "scores.json: weights follow 2 times in an epoch: a smaller --batch, or more --epochs, ")
    }
    #expect(try told(""))
    #expect(try !told("--batch 16") && !told("--batch 2"))
    try tool.make("scores.json", Self.model("dense(x, 'w', 'b')", ", \"train\": { \"batch\": 16 }"))
    #expect(try !told(""))
    // Of windows in chunks they follow more often: here are 3 windows.
    try tool.makeTrainingFiles()
    for (options, times) in [("", "once"), ("--chunk 512", "2 times"), ("--chunk 256", nil)] {
      let run = try run(
        "train filter.json --data dry.wav:wet.wav --window 1024 --warmup 0 --epochs 1 --validate 0 -o o.json --force \(options)"
      )
      let line = run.messages.split(separator: "\n").first { $0.contains("weights follow") }
      #expect(
        run.code == 0 && line?.contains(" \(times ?? "?") in an epoch") == times.map { _ in true }, "\(run)")
    }
  }

  @Test("the rate follows a schedule of the command line as one of the file") func schedule() throws {
    let both = #"{ "warmup": { "steps": 5 }, "cosine": { "steps": 40, "to": 0.1 } }"#
    let train = ",\n \"train\": { \"optimizer\": { \"adamW\": { \"schedule\": \(both) } } }"
    try tool.make("stated.json", Self.model("dense(x, 'w', 'b')", train))
    let rest = "--data data.csv --epochs 30 --quiet -o"
    #expect(try run("train stated.json \(rest) a.json").code == 0)
    #expect(try run("train scores.json --schedule warmup:5,cosine:40:0.1 \(rest) b.json").code == 0)
    #expect(try run("train scores.json \(rest) c.json").code == 0)
    #expect(try tool.bytes("a.safetensors") == tool.bytes("b.safetensors"))
    #expect(try tool.bytes("a.safetensors") != tool.bytes("c.safetensors"))
    // An epoch has two updates.
    for (text, epoch) in [
      ("cosine:5", 4), ("warmup:3,linear:2", 4), ("cosine:60", nil), ("cosine:5:0.1", nil),
    ] {
      let run = try run("train scores.json --schedule \(text) --data data.csv --epochs 30 -o e.json --force")
      let line = epoch.map {
        "scores.json: the schedule lets the rate be 0 from epoch \($0) on: it counts updates, of which an epoch has 2"
      }
      #expect(run.lines.first { $0.contains("schedule") } == line, "\(run.messages)")
    }
    for text in [
      "cosine", "cosine:0", "warmup:1,warmup:2", "linear:5,cosine:3", "steps:5", "linear:5:2", "warmup:5:1",
      ",",
    ] {
      let run = try run("train scores.json --schedule \(text) \(rest) d.json")
      #expect(
        run.code == 2 && run.messages.hasPrefix("train: --schedule takes ")
          && run.messages.hasSuffix("not '\(text)'\n"),
        "\(run)")
    }
  }
}
