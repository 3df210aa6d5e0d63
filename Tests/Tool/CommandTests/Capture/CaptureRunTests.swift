// SPDX-License-Identifier: Apache-2.0

import AudioIO
import Foundation
import TestEquipment
import Testing
import VirtualCards

/// `legato capture`: two files or a device, an early capture, and what is refused.
@Suite("Command: capture", .waits)
struct CaptureRunTests {
  private let tool: Tool
  private let signal: [Float]

  init() throws {
    tool = try Tool()
    let run = try tool.run("capture", "--write-signal", "signal.wav", "--seconds", "4", "--rate", "8000")
    try #require(run.code == 0, "\(run.messages)")
    signal = try Sound.read(tool.path("signal.wav")).samples[0]
    try write(signal.map { 0.7 * tanh(3 * $0) }, "wet.wav")
  }

  private func write(_ samples: [Float], _ name: String, sampleRate: Int = 8000) throws {
    try Sound(samples: [samples], sampleRate: sampleRate).write(tool.path(name))
  }

  private func run(_ line: String, environment: [String: String] = [:]) throws -> ProgramRun {
    try tool.run(["capture"] + line.split(separator: " ").map(String.init), environment: environment)
  }

  @Test("a model file and a .nam file that compute the same") func capturesFiles() throws {
    #expect(signal.count == 32_000)
    let run = try run("--input signal.wav --target wet.wav --network lstm:3 --epochs 6 -o amp.json")
    #expect(run.code == 0)
    let lines = run.messages.split(separator: "\n")
    #expect(lines.contains("lstm:3: 112 windows to learn from, 12 held back"), "\(lines)")
    #expect(lines.contains { $0.hasPrefix("wet.wav: ") && $0.hasSuffix("aligned") })
    #expect(lines.contains { $0.hasPrefix("epoch 1, 7 % of it: ESR ") })
    #expect(lines.count { $0.hasPrefix("epoch 1: ESR ") } == 1)
    #expect(lines.contains { $0.hasPrefix("epoch 6: ESR 0.") })
    #expect(lines.dropLast().last?.hasPrefix("amp.json, amp.safetensors, amp.nam: held-back ESR 0.") == true)
    #expect(
      lines.last?.hasPrefix("amp.json: comes 1.0 frames later than wet.wav; evaluate and train") == true)
    for file in ["amp.json", "amp.nam"] {
      let made = try tool.run("process", file, "signal.wav", "\(file).wav", "--bits", "float", "--quiet")
      #expect(made.code == 0, "\(made.messages)")
    }
    let (first, second) = (
      try Sound.read(tool.path("amp.json.wav")), try Sound.read(tool.path("amp.nam.wav"))
    )
    #expect(first.samples == second.samples && first.samples[0].contains { abs($0) > 0.05 })
    let again = try self.run("--input signal.wav --target wet.wav --epochs 1 -o amp.json")
    #expect(again.code == 1 && again.messages.contains("amp.json: "))
  }

  /// `evaluate` has the figure of a capture: the power of all that is wrong over that of the whole target.
  @Test("evaluate and train align as a capture does") func isEvaluated() throws {
    // Late by 30 frames and a half.
    let wet =
      [Float](repeating: 0, count: 30)
      + signal.dropLast(30).indices.map { 0.7 * tanh(2 * (signal[$0] + (0 < $0 ? signal[$0 - 1] : 0))) }
    try write(wet, "late.wav")
    let run = try run("--input signal.wav --target late.wav --network lstm:4 --epochs 20 -o amp.json")
    #expect(run.code == 0, "\(run.messages)")
    let said = try #require(run.messages.split(separator: "\n").dropLast().last)
    let held = try #require(
      Double(said.split(separator: "held-back ESR ").last?.split(separator: " ").first ?? ""))
    func esr(_ options: String) throws -> Double {
      let run = try tool.run(
        ["evaluate", "amp.json", "--data", "signal.wav:late.wav", "--window", "256", "--json"]
          + options.split(separator: " ").map(String.init))
      #expect(run.code == 0, "\(run.messages)")
      let report = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
      let scores = report?["scores"] as? [String: Double]
      #expect(scores?["loss"] == scores?["esr"])
      return try #require(scores?["esr"])
    }
    // The whole has other windows than what is held back.
    let aligned = try esr("--align")
    #expect(aligned > 0.25 * held && aligned < 4 * held, "\(aligned), \(held)")
    #expect(try esr("") > 3 * aligned)
    // Its loudness is that of what was learned.
    let further = try tool.run(
      "train", "amp.nam", "--data", "signal.wav:late.wav", "--align", "--window", "256", "--epochs", "1",
      "--learn",
      "head.*", "--learning-rate", "0.3", "--validate", "0", "-o", "other.json", "--quiet")
    #expect(further.code == 0, "\(further.messages)")
    func loudness(_ file: String) throws -> Double? {
      let json = try JSONSerialization.jsonObject(with: Data(tool.bytes(file))) as? [String: Any]
      return (json?["levels"] as? [String: Any])?["loudness"] as? Double
    }
    let (before, after) = (try #require(try loudness("amp.json")), try #require(try loudness("other.json")))
    #expect(before != after && after.isFinite)
  }

  @Test("a good capture stays until there is another one") func keepsWhatThereIs() throws {
    for file in ["amp.json", "amp.safetensors", "amp.nam"] { try tool.make(file, "good") }
    // A network that needs long for the first judgement.
    let running = try tool.start([
      "capture", "--input", "signal.wav", "--target", "wet.wav", "--network", "lstm:200", "--threads", "1",
      "-o",
      "amp.json", "--force",
    ])
    try tool.wait(for: "lstm:200: ", from: running)
    running.process.interrupt()
    let run = try running.finish()
    #expect(run.code == -SIGINT, "\(run.messages)")
    #expect(
      run.messages.hasSuffix("amp.json: no network was better than silence yet, and nothing is written\n"))
    for file in ["amp.json", "amp.safetensors", "amp.nam"] {
      #expect(try tool.bytes(file) == Data("good".utf8))
    }
  }

  @Test("an interruption ends with the best network until then") func isInterrupted() throws {
    let running = try tool.start([
      "capture", "--input", "signal.wav", "--target", "wet.wav", "--network", "lstm:2", "--epochs", "1000000",
      "-o", "amp.json",
    ])
    try tool.waitUntil("there is a capture") { FileManager.default.fileExists(atPath: tool.path("amp.nam")) }
    running.process.interrupt()
    let run = try running.finish()
    #expect(run.code == -SIGINT && run.messages.contains("amp.nam: held-back ESR "))
    let made = try tool.run("process", "amp.nam", "signal.wav", "made.wav", "--quiet")
    #expect(made.code == 0)
    #expect(try tool.files(in: ".").allSatisfy { !$0.contains(".legato-") })
  }

  @Test("a device plays the signal, and what comes back is learned") func capturesADevice() throws {
    var settings = CardSettings()
    let wet = [Float](repeating: 0, count: 123) + signal.map { 0.6 * tanh(2 * $0) }
    settings.source = .samples([wet.map(Double.init)])
    settings.capture.formats = [.float]
    settings.playback.formats = [.float]
    let card = try VirtualCard(settings)
    let line = "--device duplex --seconds 4 --rate 8000 --network lstm:2 --epochs 20 -o amp.json"
    let run = try run(line, environment: card.environment)
    #expect(run.code == 0, "\(run.messages)")
    #expect(run.messages.contains("duplex: late by 123") && run.messages.contains("amp.nam: held-back ESR "))
    let played = try card.played.samples[0]
    let start = try #require(played.firstIndex { $0 != 0 }) - (signal.firstIndex { $0 != 0 } ?? 0)
    for frame in stride(from: 0, to: signal.count, by: 97) {
      #expect(abs(played[start + frame] - Double(signal[frame])) < 1e-6)
    }
  }

  @Test("a recording with a gap is refused") func hasAGap() throws {
    var settings = CardSettings(.capture(at: 9000, .xrun))
    settings.source = .samples([signal.map(Double.init)])
    let card = try VirtualCard(settings)
    let run = try run("--device duplex --seconds 4 --rate 8000 -o amp.json", environment: card.environment)
    #expect(run.code == 1 && run.messages.contains("the recording has 1 gap; ask for a longer --period"))
    #expect(try tool.files(in: ".").allSatisfy { !$0.hasPrefix("amp") })
  }

  /// A place that cannot be written to is refused before anything plays.
  @Test("a place that takes no file is refused at once") func triesItsPlaces() throws {
    try tool.makePipe("amp.nam")
    let card = try VirtualCard()
    for source in ["--input signal.wav --target wet.wav", "--device duplex --seconds 4 --rate 8000"] {
      let run = try run("\(source) --network lstm:2 --epochs 1 -o amp.json", environment: card.environment)
      #expect(run.code == 1, "\(run)")
      #expect(run.lines == ["amp.nam: is a device or a pipe; name a file"], "\(run.messages)")
    }
    #expect(try tool.names.filter { $0.contains("amp") } == ["amp.nam"])
  }

  @Test("a rate at which nothing sounds is refused") func isTooSlow() throws {
    try write(signal, "slow.wav", sampleRate: 1)
    try write(signal.map { 0.7 * tanh(3 * $0) }, "slow-wet.wav", sampleRate: 1)
    let run = try run("--input slow.wav --target slow-wet.wav --network lstm:2 --epochs 1 -o amp.json")
    #expect(
      run.code == 1
        && run.lines.last == "capture: slow.wav is at 1 Hz; a capture is at 8000 Hz or more: record it so",
      "\(run.messages)")
    #expect(try tool.names.allSatisfy { !$0.contains("amp") })
  }

  private static let refusals: [(line: String, code: Int32, message: String)] = [
    ("", 2, "what to capture is missing: --device NAME, or --input dry.wav"),
    ("--input signal.wav -o amp.json", 2, "--target is missing"),
    ("--target wet.wav -o amp.json", 2, "--input is missing"),
    ("--input signal.wav --target wet.wav", 2, "--output is missing: the model file"),
    ("--input signal.wav --target wet.wav -o amp.nam", 2, "--output takes a file whose name ends in .json"),
    (
      "--input signal.wav --target wet.wav --device hw:0 -o amp.json", 2,
      "--device goes with a device, not with"
    ),
    (
      "--input signal.wav --target wet.wav --network gru:3 -o amp.json", 2,
      "--network: a network is lstm:1 to lstm:256, or"
    ),
    ("--input signal.wav --target wet.wav --epochs 1 --minutes 1 -o amp.json", 2, "both say when it ends"),
    ("--input signal.wav --target wet.wav --minutes x -o amp.json", 2, "--minutes takes a number from"),
    ("--input signal.wav --target none.wav -o amp.json", 1, "none.wav: no such file"),
    ("--input signal.wav --target silent.wav -o amp.json", 1, "silent.wav is silent; look at cables"),
    ("--write-signal more.wav --seconds 1", 2, "--seconds: the test signal has 4 to 600 s"),
    ("--write-signal more.wav --seconds 1000000", 2, "--seconds: the test signal has 4 to 600 s"),
    ("--write-signal more.wav --network lstm:2", 2, "--write-signal writes the signal only"),
    ("--write-signal more.wav --input signal.wav --target wet.wav", 2, "--write-signal goes by itself"),
    ("--write-signal signal.wav", 1, "signal.wav: "),
    ("--device none -o amp.json", 3, "none"),
  ]

  @Test("what is wrong is refused with one line, and nothing is written", arguments: refusals.indices)
  func isRefused(_ row: Int) throws {
    try write([Float](repeating: 0, count: 32_000), "silent.wav")
    let (line, code, message) = Self.refusals[row]
    let card = try VirtualCard()
    let run = try run(line, environment: card.environment)
    #expect(run.code == code && run.messages.contains(message), "\(run.messages)")
    #expect(run.messages.split(separator: "\n").count == 1)
    #expect(try tool.files(in: ".").allSatisfy { !$0.hasPrefix("amp") && !$0.hasPrefix("more") })
  }
}
