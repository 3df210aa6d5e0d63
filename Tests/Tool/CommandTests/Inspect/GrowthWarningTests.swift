// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TestEquipment
import Testing
import VirtualCards

/// A loop that grows with the parameters as they are set is warned of before it is run, and no other.
@Suite("Command: growing loops", .waits)
struct GrowthWarningTests {
  private let tool = Result {
    let tool = try Tool()
    try Sound.waves(channels: 1, frames: 400).write(tool.path("in.wav"))
    return tool
  }

  /// - Parameter feedback: its default.
  private static func model(_ feedback: Double, _ loop: String = "x + feedback * delay(y, 100)") -> String {
    """
    { "legato": 1, "name": "Loop", "inputs": { "x": { "shape": ["channels", "frames"] } },
      "parameters": { "feedback": { "default": \(feedback), "minimum": -2, "maximum": 2 } },
      "presets": { "Howl": { "feedback": 1.1 } },
      "graph": { "y": "\(loop)" }, "outputs": ["y"] }
    """
  }

  /// The warning about a loop whose gain is a parameter.
  private static func sentence(_ setting: String, _ gain: String) -> String {
    "m.json:4:20: warning: 'y': with the parameters \(setting), this feeds back with a gain of \(gain) after 100 "
      + "frames, and grows until it is no number; keep the gain below 1, or bound what goes around with limit(x, level)"
  }

  /// Runs the command over a loop, and returns the warnings.
  private func warnings(feedback: Double = 0.5, _ words: [String]) throws -> [String] {
    let tool = try tool.get()
    try tool.make("m.json", Self.model(feedback))
    let run = try tool.run(words)
    #expect(run.code == 0, "\(run.messages)")
    return run.lines.filter { $0.contains("warning: ") }
  }

  private static let running = [
    ["process", "m.json", "in.wav", "out.wav", "--force"],
    ["plot", "--model", "m.json", "--rate", "100", "-o", "m.svg", "--force"],
    ["inspect", "m.json"], ["inspect", "m.json", "--stage", "plan"], ["verify", "m.json", "--blocks", "0"],
  ]

  @Test("a value that is set makes the loop grow, or ends it", arguments: running)
  func settings(words: [String]) throws {
    #expect(try warnings(words) == [])
    let howling = [Self.sentence("as set", "1.1")]
    #expect(try warnings(words + ["--set", "feedback=1.1"]) == howling)
    #expect(try warnings(words + ["--preset", "Howl"]) == howling)
    #expect(try warnings(words + ["--preset", "Howl", "--set", "feedback=0.9"]) == [])
    #expect(
      try warnings(feedback: 1.01, words) == [Self.sentence("at their defaults", "1.01")])
    #expect(try warnings(feedback: 1.01, words + ["--set", "feedback=-0.9"]) == [])
  }

  @Test(
    "where a parameter moves, its first value counts",
    arguments: [
      ("0,feedback,1.2", ["1.2"]), ("0.001,feedback,1.2", ["1.2"]), ("0.001,feedback,1.2,step", []),
    ])
  func automation(points: String, gains: [String]) throws {
    try tool.get().make("points.csv", points)
    let words = [
      "process", "m.json", "in.wav", "out.wav", "--automate", "points.csv", "--set", "feedback=0.1",
    ]
    #expect(try warnings(words) == gains.map { Self.sentence("as set", $0) })
  }

  @Test("many files are warned of once")
  func batch() throws {
    let tool = try tool.get()
    try Sound.waves(channels: 1, frames: 400).write(tool.path("other.wav"))
    let words = ["process", "m.json", "in.wav", "other.wav", "--output-dir", "d", "--set", "feedback=1.1"]
    #expect(try warnings(words) == [Self.sentence("as set", "1.1") + " (2 files)"])
  }

  @Test("what cannot be drawn as it grows is warned of before that is said")
  func failure() throws {
    let tool = try tool.get()
    try tool.make("m.json", Self.model(2, "x + feedback * delay(y, 1)"))
    let run = try tool.run("plot", "--model", "m.json", "--rate", "1000")
    #expect(run.code == 1 && run.lines.count == 2, "\(run.messages)")
    #expect(run.lines.first?.contains("warning: 'y': with the parameters at their defaults, ") == true)
    #expect(run.lines.last?.hasPrefix("m.json: the output is ") == true)
  }

  @Test("what grows too slowly to be seen is not said to be finite")
  func verification() throws {
    let tool = try tool.get()
    try tool.make("m.json", Self.model(0.5, "x + 1.001 * delay(y, 100) + 0 * feedback"))
    let run = try tool.run("verify", "m.json", "--blocks", "0")
    #expect(run.code == 0 && run.lines.count == 1, "\(run.messages)")
    let line = try #require(run.output.split(separator: "\n").first { $0.contains("law 4: finite") })
    #expect(
      try Regex(
        #"      law 4: finite    'y' grows without end; in 3100 frames peak \d+ for input up to ±16, .*"#
      )
      .wholeMatch(in: line) != nil, "\(line)")
  }

  @Test("verify judges and tries a loop as it is set, where it grows neither at first nor at the ends")
  func verificationAsSet() throws {
    let tool = try tool.get()
    try tool.make("m.json", Self.model(0.5, "x + max(1.001 - abs(feedback - 1), 0) * delay(y, 100)"))
    func finite(_ options: String...) throws -> String {
      let run = try tool.run(["verify", "m.json", "--blocks", "0"] + options)
      #expect(run.code == 0, "\(run.messages)")
      let lines = run.output.split(separator: "\n").map(String.init)
      return try #require(lines.first { $0.contains("law 4: finite") })
    }
    let still = try finite()
    #expect(still.hasPrefix("  ok  ") && still.hasSuffix("parameters moving and at the ends of their ranges"))
    let growing = try finite("--set", "feedback=1")
    #expect(growing.contains("    'y' grows without end with parameters as set; in 3100 frames peak "))
    #expect(growing.hasSuffix("parameters moving, as set and at the ends of their ranges"))
  }

  @Test("the passes' report has the warning among its notes, as set")
  func report() throws {
    let tool = try tool.get()
    try tool.make("m.json", Self.model(0.5))
    for form in [["--json"], []] {
      func isTold(_ options: String...) throws -> Bool {
        let run = try tool.run(["inspect", "m.json", "--stage", "passes"] + form + options)
        #expect(run.code == 0 && run.messages.isEmpty, "\(run.messages)")
        return run.output.contains("with the parameters as set, this feeds back with a gain of 1.1 after ")
      }
      #expect(try isTold("--preset", "Howl") && !isTold())
    }
  }

  @Test("a control that is set stays one that the file does not declare")
  func controls() throws {
    let tool = try tool.get()
    try tool.make("m.json", Self.model(0.5))
    #expect(
      try tool.run("inspect", "m.json", "--json", "--set", "mix=0.5").output.matches(of: /"mix"/).count == 1)
  }

  @Test("the picture of a loop that grows says so")
  func picture() throws {
    let tool = try tool.get()
    func isTold(_ loop: String, _ feedback: String) throws -> Bool {
      try tool.make("m.json", Self.model(0.5, loop))
      let run = try tool.run("plot", "--model", "m.json", "--rate", "100", "--set", "feedback=\(feedback)")
      #expect(run.code == 0, "\(run.messages)")
      return run.output.contains("'y' grows without end; what is drawn is how that begins")
    }
    #expect(try isTold("x + feedback * delay(y, 100)", "1.1"))
    #expect(try !isTold("x + feedback * delay(y, 100)", "0.9"))
  }

  // MARK: Live

  /// A card that hears a half in real time.
  private func card() throws -> VirtualCard {
    var settings = CardSettings { $0.formats = [.float] }
    settings.source = .samples([[Double]](repeating: [Double](repeating: 0.5, count: 4_000_000), count: 2))
    settings.pace = .real
    return try VirtualCard(settings)
  }

  @Test(
    "live, a loop is warned of as it is set at first, and where the model is edited, as it is turned then")
  func live() throws {
    let (tool, card) = (try tool.get(), try card())
    try tool.make("m.json", Self.model(1.5))
    let running = try tool.start(
      ["live", "m.json", "--device", "duplex", "--period", "4096", "--set", "feedback=1.25"],
      environment: card.environment)
    try tool.waitUntil("sound") { try card.log.contains { $0.action == "start" } }
    try tool.make("m.json", Self.model(1.5, "x - 0.5 * feedback"))
    try tool.waitUntil("another model") { try card.played.samples.first?.last == -0.125 }
    try tool.make("m.json", Self.model(0.5, "x + feedback * delay(y, 100) * 1.2"))
    try tool.waitUntil("the loop again") { try card.played.samples.first?.last != -0.125 }
    kill(running.process.processIdentifier, SIGINT)
    let lines = try running.finish().lines.filter { $0.contains("warning: ") }
    #expect(lines == [Self.sentence("as set", "1.25"), Self.sentence("as set", "1.5")])
  }
}
