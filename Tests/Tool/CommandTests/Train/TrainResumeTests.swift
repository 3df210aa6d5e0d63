// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestEquipment
import Testing

/// `train` that ends before its time, and goes on from a checkpoint.
@Suite("Command: train, ended and gone on", .waits)
struct TrainResumeTests {
  private let tool: Tool

  init() throws {
    tool = try Tool()
    try tool.makeTrainingFiles()
  }

  private static let sound = Tool.filterTraining

  private func run(_ line: String) throws -> ProgramRun {
    try tool.run(line.split(separator: " ").map(String.init))
  }

  @Test("a run that goes on from a checkpoint comes to the same bits") func goesOn() throws {
    #expect(try run("train \(Self.sound) --epochs 6 -o whole.json --quiet").code == 0)
    #expect(try run("train \(Self.sound) --epochs 2 --checkpoint c.safetensors --quiet").code == 0)
    let rest = try run(
      "train \(Self.sound) --epochs 6 --checkpoint c.safetensors --resume -o rest.json --quiet")
    #expect(rest.code == 0)
    #expect(try tool.bytes("whole.safetensors") == tool.bytes("rest.safetensors"))
    let again = try run("train \(Self.sound) --epochs 6 --checkpoint c.safetensors --resume")
    #expect(
      again.code == 0 && again.lines.last == "c.safetensors: its 6 epochs are over; more --epochs go on",
      "\(again.messages)")
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

  /// A run that does not come to an end, once it has said something.
  private func start(_ line: String, until message: String) throws -> RunningProgram {
    let running = try tool.start(
      "train \(line) --epochs 1000000 --checkpoint c.safetensors".split(separator: " ").map(String.init))
    try tool.wait(for: message, from: running)
    return running
  }

  @Test("an interruption ends the run where it is, and says how it goes on", arguments: [SIGTERM, SIGINT])
  func interrupted(number: Int32) throws {
    let running = try start("\(Self.sound) -o out.json", until: "epoch 2: ")
    kill(running.process.processIdentifier, number)
    let run = try running.finish()
    #expect(run.code == -number)
    #expect(
      run.messages.contains("train: interrupted in epoch ") && run.messages.hasSuffix("; --resume goes on\n"))
    #expect(try tool.bytes("out.safetensors").count > 0 && tool.bytes("c.safetensors").count > 0)
  }

  /// An epoch of one batch, which is at work for longer than two signals are taken for one request.
  @Test("a second signal does not wait for the batch that is at work") func interruptedTwice() throws {
    func numbers(_ rows: Int, _ columns: Int) -> [[Float]] {
      (0..<rows).map { row in (0..<columns).map { Float((row * columns + $0) * 7919 % 1021 - 510) / 8000 } }
    }
    let units = 128
    try tool.make(
      "lstm.json",
      """
      { "legato": 1, "name": "LSTM", "inputs": { "src": { "shape": [1, "frames"] } },
        "weights": { "wi": \(numbers(4 * units, 1)), "wh": \(numbers(4 * units, units)), "head": \(numbers(1, units)) },
        "graph": { "y": "dense(lstm(src, 'wi', 'wh'), 'head')" }, "outputs": ["y"] }
      """)
    let sound = Sound(samples: [(0..<100_000).map { Float(sin(Double($0) / 9)) }])
    try sound.write(tool.path("long.wav"))
    // Without a checkpoint the next batch follows at once.
    let line =
      "train lstm.json --data long.wav:long.wav --window 100000 --warmup 0 --recompute 1000 --batch 1 --validate 0"
    let running = try tool.start((line + " -o out.json").split(separator: " ").map(String.init))
    try tool.wait(for: "epoch 1: ", from: running)
    kill(running.process.processIdentifier, SIGINT)
    try tool.waitUntil("the end") {
      kill(running.process.processIdentifier, SIGTERM)
      return !running.process.isRunning
    }
    let run = try running.finish()
    #expect(run.code == -SIGTERM && !run.messages.contains("interrupted"), "\(run)")
    #expect(try !tool.names.contains { $0.hasPrefix("out.") || $0.contains(".legato-") })
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
      ("--accumulate 2", "has --accumulate default, and not 2"),
      ("--recompute 125", "has --recompute default, and not 125"),
      ("--window 100", "has --window 200, and not 100"),
    ] {
      // The option stands in the place of the one that was given.
      let name = try #require(options.split(separator: " ").first)
      let rest = line.replacing(try Regex("\(name) [^ ]+ ?"), with: "")
      let run = try run("\(rest) --checkpoint c.safetensors --resume \(options)")
      #expect(
        run.code == 2 && run.messages == "train: --resume: the run in c.safetensors \(message)\n", "\(run)")
    }
    let other = try run(
      "\(line) --checkpoint c.safetensors --resume".replacing("wet.wav", with: "other.wav"))
    #expect(other.code == 2 && other.messages.contains("has other data, 20 examples"), "\(other.messages)")
    // The same weights in another graph are another model.
    let file = String(decoding: try tool.bytes("filter.json"), as: UTF8.self)
    let changed = file.replacing("'gain' *", with: "tanh('gain') *")
    try #require(changed != file)
    try tool.make("filter.json", changed)
    let another = try run("\(line) --checkpoint c.safetensors --resume")
    #expect(another.code == 2 && another.messages.contains("has another model: its graph has changed since"))
    let missing = try run("\(line) --checkpoint none.safetensors --resume")
    #expect(
      missing.lines == [
        "train: --resume: 'none.safetensors' does not exist; without --resume a run begins, and writes it"
      ], "\(missing.messages)")
  }

  /// 18 examples are four updates of 4 and one of 2, as two batches of 2 each, and the last one alone.
  @Test("batches that are added up are one larger batch, and a run of them goes on to the same bits")
  func accumulates() throws {
    let line = Self.sound.replacing("--batch 4 ", with: "")
    func run(_ options: String) throws -> ProgramRun {
      let run = try self.run("train \(line) \(options)")
      #expect(run.code == 0, "\(run.messages)")
      return run
    }
    func losses(_ name: String) throws -> [Double] {
      let report = try JSONSerialization.jsonObject(with: Data(tool.bytes(name))) as? [String: Any]
      let epochs = try #require(report?["epochs"] as? [[String: Any]])
      return epochs.compactMap { ($0["scores"] as? [String: Double])?["loss"] }
    }
    _ = try run("--batch 4 --epochs 4 --report large.json -o large-model.json")
    let added = "--batch 2 --accumulate 2"
    let told = try run("\(added) --epochs 4 --threads 1 --report small.json -o whole.json")
    #expect(told.messages.contains("in batches of 2, 2 of them for an update; "), "\(told.messages)")
    let (large, small) = (try losses("large.json"), try losses("small.json"))
    #expect(large.count == 4 && small.count == 4)
    for (large, small) in zip(large, small) { #expect(abs(large - small) <= 1e-5 * large) }
    _ = try run("\(added) --epochs 2 --threads 3 --checkpoint a.safetensors")
    _ = try run("\(added) --epochs 4 --threads 2 --checkpoint a.safetensors --resume -o rest.json")
    #expect(try tool.bytes("whole.safetensors") == tool.bytes("rest.safetensors"))
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

  /// The words of `c.safetensors`.
  private func head() throws -> String {
    let bytes = try tool.bytes("c.safetensors")
    return String(decoding: bytes[8..<8 + (Int(bytes[0]) | Int(bytes[1]) << 8)], as: UTF8.self)
  }

  /// Makes `d.safetensors` of `c.safetensors` with other words, without its digest, and the format that asks for one: as of
  /// another program.
  private func rewrite(_ words: [String: String]) throws {
    let head = try head()
    var text = head.replacing("\"digest\"", with: "\"dygest\"").replacing("\"format\"", with: "\"former\"")
    for (old, new) in words {
      #expect(text.contains(old), "\(old)")
      text = text.replacing(old, with: new)
    }
    var bytes = Array(text.utf8)
    while !bytes.count.isMultiple(of: 8) { bytes.append(32) }
    let count = (0..<8).map { UInt8(truncatingIfNeeded: bytes.count >> (8 * $0)) }
    try tool.make("d.safetensors", count + bytes + tool.bytes("c.safetensors")[(8 + head.utf8.count)...])
  }

  @Test("an older checkpoint has the means of the batches that are done in place of their sums")
  func olderMeans() throws {
    let line = "train \(Self.sound.replacing("--batch 4", with: "--batch 100")) --validate 0"
    #expect(try run("\(line) --epochs 2 --checkpoint c.safetensors --quiet").code == 0)
    try rewrite([
      #"\"batch\":0"#: #"\"batch\":1"#,
      #"\"tally\":{\"skipped\":0,\"sums\":{}}"#: #"\"partial\":{\"esr\":0.5,\"loss\":0.25}"#,
    ])
    // The third epoch has one batch, which is done.
    let rest = try run("\(line) --epochs 3 --checkpoint d.safetensors --resume")
    #expect(rest.code == 0 && rest.lines.contains("epoch 3: loss 0.25, esr 0.5"), "\(rest)")
  }

  @Test("a checkpoint whose words do not go with its arrays is refused in one line")
  func damagedWords() throws {
    #expect(try run("train \(Self.sound) --epochs 2 --checkpoint c.safetensors --quiet").code == 0)
    let best = try #require(try head().firstMatch(of: /bestEpoch\\":[0-9]+/)?.0)
    for (old, new) in [
      (String(best), "bestEpoch\\\":-9223372036854775808"), (String(best), "bestEpoch\\\":3"),
      ("\\\"epoch\\\":3", "\\\"epoch\\\":9223372036854775807"), ("\\\"skipped\\\":0", "\\\"skipped\\\":7"),
      ("\\\"epoch\\\":1", "\\\"epoch\\\":-9223372036854775808"),
    ] {
      try rewrite([old: new])
      let run = try run(
        "train \(Self.sound) --epochs 3 --patience 1 --checkpoint d.safetensors --resume --plot c.svg")
      #expect(
        run.code == 1
          && run.messages
            == "d.safetensors: does not say which run it is of: it is no checkpoint of legato train\n",
        "\(run)")
    }
  }

  /// At a small rate each epoch is better than those before: the last one is written.
  @Test(
    "a run that is killed, or interrupted, goes on to the bits of one that was not",
    arguments: [SIGKILL, SIGTERM, SIGINT])
  func killed(number: Int32) throws {
    let line = Self.sound.replacing("0.03", with: "0.000001") + " --validate 0"
    let running = try start(line, until: "epoch 4: ")
    kill(running.process.processIdentifier, number)
    let killed = try running.finish()
    #expect(killed.code == -number)
    let last = try #require(killed.messages.matches(of: #/(?m)^epoch ([0-9]+): /#).last?.1)
    let epochs = try #require(Int(last)) + 20
    let rest = try run("train \(line) --epochs \(epochs) --checkpoint c.safetensors --resume -o rest.json")
    let whole = try run("train \(line) --epochs \(epochs) -o whole.json")
    for run in [rest, whole] {
      #expect(run.code == 0 && run.messages.contains("learned by epoch \(epochs), "), "\(run.messages)")
    }
    #expect(try tool.bytes("rest.safetensors") == tool.bytes("whole.safetensors"))
  }

  @Test("as many threads as may be, to the same bits") func threads() throws {
    for threads in [1, 2, 3] {
      #expect(
        try run("train \(Self.sound) --epochs 3 --threads \(threads) -o \(threads).json --quiet").code == 0)
    }
    let one = try tool.bytes("1.safetensors")
    #expect(try one == tool.bytes("2.safetensors") && one == tool.bytes("3.safetensors"))
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

  @Test("examples run through a model that is drawn anew, to the same bits") func augmentation() throws {
    try tool.make(
      "filter.json",
      """
      { "legato": 1, "name": "Filter", "inputs": { "src": { "shape": [1, "frames"] } }, "weights": { "g": [0.5] },
        "graph": { "y": "'g' * src + 0.1 * delay(y, 1)" }, "outputs": ["y"] }
      """)
    try tool.make(
      "noisy.json",
      """
      { "legato": 1, "name": "Noisy", "inputs": { "x": { "shape": [1, "frames"] } },
        "parameters": { "level": { "default": 0, "minimum": 0, "maximum": 0.1 } },
        "graph": { "z": "x + level * noise(1)" }, "outputs": ["z"] }
      """)
    try Sound(samples: [(0..<3000).map { Float(sin(Double($0) / 9)) }]).write(tool.path("a.wav"))
    let line = "train filter.json --data a.wav:a.wav --window 100 --warmup 20 --chunk 50 --batch 4 --quiet"
    #expect(try run(line + " --augment noisy.json --epochs 4 -o whole.json").code == 0)
    #expect(try run(line + " --augment noisy.json --epochs 2 --checkpoint c.safetensors").code == 0)
    #expect(
      try run(line + " --augment noisy.json --epochs 4 --checkpoint c.safetensors --resume -o rest.json").code
        == 0)
    let resumed = line + " --epochs 6 --checkpoint c.safetensors --resume"
    let text = String(decoding: try tool.bytes("noisy.json"), as: UTF8.self)
    try tool.make("louder.json", text.replacing("0.1 }", with: "0.2 }"))
    for (options, message) in [
      ("", "an --augment, which has to be said again"),
      (" --augment louder.json", "another model at --augment"),
    ] {
      let run = try run(resumed + options)
      #expect(
        run.code == 2 && run.messages == "train: --resume: the run in c.safetensors has \(message)\n",
        "\(run)")
    }
    try tool.make("moved.json", text)
    #expect(try run(resumed + " --augment moved.json").code == 0)
    #expect(try run(line + " --epochs 4 -o plain.json").code == 0)
    #expect(try tool.bytes("whole.safetensors") == tool.bytes("rest.safetensors"))
    #expect(try tool.bytes("whole.safetensors") != tool.bytes("plain.safetensors"))
    try tool.make(
      "two.json",
      #"{ "legato": 1, "clock": "step", "inputs": { "x": { "shape": [2] } }, "graph": { "y": "tanh(x)" }, "#
        + #""outputs": ["y"] }"#)
    let refused = try run(line + " --augment two.json --epochs 4 -o o.json")
    #expect(refused.code == 1 && refused.messages.contains("'src' is [1, 120]"), "\(refused.messages)")
  }
}
