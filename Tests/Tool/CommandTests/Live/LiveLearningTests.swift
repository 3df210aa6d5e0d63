// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Legato
import TestEquipment
import Testing
import VirtualCards

/// A model learns while `legato live` plays it.
@Suite("Command: live learns", .waits)
struct LiveLearningTests {
  private let tool: Tool

  init() throws {
    tool = try Tool()
    try tool.make(
      "amp.json",
      """
      { "legato": 1, "name": "Amp",  // a comment that stays
        "inputs": { "src": { "shape": [1, "frames"] } }, "weights": { "gain": [1] },
        "graph": { "dst": "src * sum('gain')" }, "outputs": ["dst"] }
      """)
    var random = SplitMix(seed: 4)
    let dry = (0..<4000).map { _ in random.float(-0.9, 0.9) }
    try Sound(samples: [dry]).write(tool.path("dry.wav"))
    try Sound(samples: [dry.map { -0.5 * $0 }]).write(tool.path("wet.wav"))
  }

  private static let learning = [
    "--data", "dry.wav:wet.wav", "--window", "200", "--batch", "4", "--learning-rate", "0.01", "-o",
    "learned.json",
  ]

  /// A card that hears a half in both channels, or what is said, in real time.
  private func card(hears heard: [Double]? = nil) throws -> VirtualCard {
    var settings = CardSettings { $0.formats = [.float] }
    settings.source = .samples(
      [[Double]](repeating: heard ?? [Double](repeating: 0.5, count: 4_000_000), count: 2))
    settings.pace = .real
    return try VirtualCard(settings)
  }

  @Test("what is learned is heard, crossfaded, and stays in the file; the model's own is as it was")
  func learns() throws {
    let card = try card()
    let own = try tool.bytes("amp.json")
    try Sound(samples: [[Float](repeating: 0.5, count: 199)]).write(tool.path("short.wav"))
    let running = try tool.start(
      ["live", "amp.json", "--device", "duplex", "--period", "4096"] + Self.learning
        + ["--data", "short.wav:short.wav"],
      environment: card.environment)
    // Half of the sound, and turned.
    try tool.waitUntil("what was learned at the card") {
      let last = try card.played.samples.first?.suffix(1000) ?? []
      return last.count == 1000 && last.allSatisfy { abs($0 + 0.25) < 0.01 }
    }
    kill(running.process.processIdentifier, SIGINT)
    let run = try running.finish()
    #expect(run.code == -SIGINT)
    #expect(run.messages.contains("learned.json: plays what was learned by epoch "), "\(run.messages)")
    #expect(
      run.lines.contains(
        "learned.json: learns: 18 examples to learn from, 2 held back: what is better at these plays"),
      "\(run.messages)")
    let judged = run.messages.matches(of: /held back: loss ([0-9.e+-]+)/).compactMap { Double($0.1) }
    #expect(!judged.isEmpty && zip(judged, judged.dropFirst()).allSatisfy { $0 >= $1 }, "\(run.messages)")
    #expect(
      run.lines.first == "short.wav: shorter than a window of 200 frames, and left out", "\(run.messages)")
    #expect(try tool.bytes("amp.json") == own)
    #expect(
      String(decoding: try tool.bytes("learned.json"), as: UTF8.self).contains("// a comment that stays"))
    #expect(try tool.run("process", "learned.json", "dry.wav", "made.wav", "--quiet").code == 0)
    let (made, wet) = (try Sound.read(tool.path("made.wav")), try Sound.read(tool.path("wet.wav")))
    #expect(zip(made.samples[0], wet.samples[0]).allSatisfy { abs($0 - $1) < 0.02 })
    let played = try card.played.samples[0]
    // Where the machine was too slow for the card, silence was played.
    guard !run.messages.contains("underrun"), !run.messages.contains("overrun") else { return }
    let first = try #require(played.firstIndex { $0 != 0 })
    let steps = zip(played, played.dropFirst()).map { abs($1 - $0) }
    #expect(try #require(steps[(first + 1)...].max()) < 0.002)
  }

  @Test("what cannot be learned is said before anything sounds, and nothing is written")
  func refused() throws {
    for (words, message) in [
      (["--output", "learned.json"], "--output goes with --data: a model that learns while it plays"),
      (["--batch", "4"], "--batch goes with --data: a model that learns while it plays"),
      (
        ["--data", "dry.wav:wet.wav"],
        "--output is missing: the model that plays as it learns, such as learned.json"
      ),
      (
        ["--data", "dry.wav:wet.wav", "--output", "learned.json", "--no-reload"],
        "--no-reload would let nothing be heard of what is learned; leave it or --data out"
      ),
    ] {
      let run = try tool.run(["live", "amp.json"] + words)
      #expect(run.code == 2 && run.lines == ["live: \(message)"], "\(run.messages)")
    }
    let missing = try tool.run(["live", "amp.json", "--data", "dry.wav:none.wav", "--output", "learned.json"])
    #expect(missing.code != 0 && missing.lines == ["live: none.wav: no such file"], "\(missing.messages)")
    let itself = try tool.run([
      "live", "amp.json", "--data", "dry.wav:wet.wav", "--output", "amp.json", "--force",
    ])
    #expect(itself.code != 0 && itself.lines.count == 1, "\(itself.messages)")
    #expect(try !tool.files(in: ".").contains { $0.hasPrefix("learned") || $0 == "amp.safetensors" })
  }

  @Test("where nothing comes to play, no file is left, and those that were there are as they were")
  func leavesNothing() throws {
    let card = try card()
    for (words, code) in [
      (["--device", "none"], 3), (["--device", "duplex", "--set", "nothing=1"], 2),
      (["--device", "duplex", "--input", "none.wav"], 1),
    ] as [([String], Int32)] {
      let run = try tool.run(["live", "amp.json"] + words + Self.learning, environment: card.environment)
      #expect(run.code == code && run.lines.count == 1, "\(run.messages)")
      #expect(try !tool.files(in: ".").contains { $0.hasPrefix("learned") || $0.hasPrefix(".") })
    }
    try tool.make("learned.json", "what there was")
    let run = try tool.run(
      ["live", "amp.json", "--device", "none", "--force"] + Self.learning, environment: card.environment)
    #expect(run.code == 3, "\(run.messages)")
    #expect(try tool.bytes("learned.json") == Data("what there was".utf8))
    #expect(try !tool.files(in: ".").contains("learned.safetensors"))
    try tool.make(
      "steps.json",
      #"{ "legato": 1, "clock": "step", "inputs": { "x": { "shape": [1] } }, "weights": { "w": [1] }, "#
        + #""graph": { "y": "'w' * x" }, "outputs": ["y"] }"#)
    try Tensor(shape: [4, 1], values: [1, 2, 3, 4]).write(to: tool.path("x.npy"))
    let steps = try tool.run([
      "live", "steps.json", "--data", "x=x.npy", "--data", "target=x.npy", "-o", "learned.json", "--force",
    ])
    #expect(
      steps.code == 1 && steps.lines.count == 1 && steps.messages.contains("executes steps (steps.json:1:"))
  }

  /// How long it plays beside a network that learns, in seconds. Nil is until something was learned.
  ///
  /// `TMPDIR=/dev/shm LEGATO_LIVE_SECONDS=600` is a rehearsal. The card writes what it plays from the audio thread, into a
  /// file of the temporary folder, and on a disk it waits there now and then. A virtual machine's processors stand still for
  /// up to 25 ms now and then, whoever has priority: there the buffer has 85 ms.
  private static let seconds = Int(ProcessInfo.processInfo.environment["LEGATO_LIVE_SECONDS"] ?? "")

  @Test("a network that learns beside the sound takes nothing away from it")
  func lasts() throws {
    let tone = (0..<48000 * (Self.seconds ?? 60)).map { 0.5 * sin(Double($0) * 2 * .pi * 200 / 48000) }
    let card = try card(hears: tone)
    let lstm = try tool.run("capture", "--write-signal", "signal.wav", "--seconds", "20")
    #expect(lstm.code == 0, "\(lstm.messages)")
    let signal = try Sound.read(tool.path("signal.wav"))
    try Sound(samples: [signal.samples[0].map { tanh(4 * $0) }]).write(tool.path("loud.wav"))
    #expect(
      try tool.run(
        "capture", "--input", "signal.wav", "--target", "loud.wav", "--epochs", "1", "-o", "lstm.json",
        "--quiet"
      ).code == 0)
    let begin = ContinuousClock.now
    let running = try tool.start(
      [
        "live", "lstm.json", "--device", "duplex", "--data", "signal.wav:loud.wav", "-o", "learned.json",
        "--inputs", "1", "--window", "256", "--batch", "8", "--validate", "0",
      ] + (Self.seconds.map { ["--seconds", "\($0)", "--period", "1024"] } ?? []),
      environment: card.environment)
    try tool.wait(for: "learned.json: plays what was learned", from: running)
    if Self.seconds == nil { kill(running.process.processIdentifier, SIGINT) }
    let run = try running.finish()
    #expect(run.code == (Self.seconds == nil ? -SIGINT : 0), "\(run.messages)")
    let swaps = run.lines.filter { $0.hasPrefix("learned.json: plays what was learned") }.count
    #expect(swaps >= max(1, (Self.seconds ?? 0) / 10), "\(run.messages)")
    let summary = try #require(run.lines.first { $0.contains(" overrun") && $0.contains(" underrun") })
    let counts = summary.split(separator: ", ").filter { $0.contains("run") }.compactMap {
      $0.split(separator: " ").compactMap { Int($0) }.last
    }
    // On a machine that tests share a card may wait now and then, not again and again.
    let most = Self.seconds == nil ? Int((ContinuousClock.now - begin) / .seconds(1)) : 0
    #expect(counts.count == 2 && counts.reduce(0, +) <= most, "\(run.messages)")
    // Where nothing was lost, no swap is a step: the sound's own are those of the network as it was and as it is.
    guard counts == [0, 0] else { return }
    try Sound(samples: [tone.prefix(48000).map(Float.init)]).write(tool.path("tone.wav"))
    let own = try ["lstm.json", "learned.json"].map { model in
      #expect(try tool.run("process", model, "tone.wav", "made.wav", "--force", "--quiet").code == 0)
      return Self.largestStep(of: try Sound.read(tool.path("made.wav")).samples[0].dropFirst(4800))
    }
    let played = try card.played.samples[0].drop { $0 == 0 }
    #expect(
      Self.largestStep(of: played.dropFirst(4800)) <= 1.5 * own.max()!,
      "\(Self.largestStep(of: played.dropFirst(4800))) of \(own)")
  }

  private static func largestStep(of samples: some Sequence<some BinaryFloatingPoint>) -> Double {
    zip(samples, samples.dropFirst()).reduce(0) { max($0, abs(Double($1.1) - Double($1.0))) }
  }

  @Test("a run that cannot learn on says so, and the sound plays on")
  func fails() throws {
    let card = try card()
    // Without examples held back there is nothing to go back to.
    var wild = Self.learning + ["--validate", "0"]
    wild[7] = "1000"
    try tool.make(
      "amp.json",
      #"{ "legato": 1, "inputs": { "src": { "shape": [1, "frames"] } }, "weights": { "gain": [-5] }, "#
        + #""graph": { "dst": "-src * exp(sum('gain'))" }, "outputs": ["dst"] }"#)
    let running = try tool.start(
      ["live", "amp.json", "--device", "duplex", "--period", "4096"] + wild, environment: card.environment)
    try tool.wait(for: "learned.json: learns no more, and plays on as it is", from: running)
    kill(running.process.processIdentifier, SIGINT)
    let run = try running.finish()
    #expect(
      run.messages.contains("is no finite number; the weights are those before it"),
      "\(run.messages)")
  }
}
