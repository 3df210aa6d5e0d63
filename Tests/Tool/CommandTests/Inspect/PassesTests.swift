// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestEquipment
import Testing

@Suite("Command: passes", .waits)
struct PassesTests {
  private let tool: Tool
  /// Everything in it can be simplified, and one number is infinite.
  private static let model = """
    { "legato": 1, "name": "Test", "inputs": { "x": { "shape": [4, "frames"] } },
      "parameters": { "p": { "default": 1, "minimum": 0, "maximum": 2, "ramp": 0 } },
      "graph": { "zero": "select(0, 1, 0) - 0", "w": "pow(x, 2) * 1 + min(x, 1 / zero)",
        "e": "tanh(w * 3)", "low": "slice(e, axis: 0, start: 0)", "high": "slice(e, axis: 0, start: 2)",
        "y": "(low + high) * p" },
      "outputs": ["y"] }
    """

  init() throws {
    tool = try Tool()
    try tool.make("m.json", Self.model)
  }

  private struct Report: Decodable {
    struct Figures: Decodable, Equatable {
      let nodes, flops, bytesMoved, kernels, workspaceBytes, weightsBytes: Int
    }
    struct Rule: Decodable {
      let name: String
      let count: Int
    }
    struct Pass: Decodable {
      let name: String
      let rewrites: Int
      let before, after: Figures
      let rules: [Rule]
    }
    struct Note: Decodable {
      let severity, pass, file, message: String
      let line, column: Int?
    }
    let model, clock, cpu: String
    let passes: [Pass]
    let notes: [Note]
  }

  private func report(_ options: String...) throws -> Report {
    let run = try tool.run(["inspect", "m.json", "--stage", "passes", "--json"] + options)
    return try JSONDecoder().decode(Report.self, from: Data(run.output.utf8))
  }

  @Test("a line a pass, its figures aligned, then rules and notes")
  func text() throws {
    let run = try tool.run("inspect", "m.json", "--stage", "passes")
    #expect(run.code == 0 && run.messages.isEmpty)
    let lines = run.output.split(separator: "\n").map(String.init)
    let table = lines.dropFirst().prefix { $0 != "rules" }
    #expect(table.count == 20 && Set(table.map(\.count)).count == 1, "\(run.output)")
    for part in [
      "FLOPs/frame", "\n  algebraic-rules: x * 1 → x, 1 time\n", "\n  m.json:3:",
      "warning: '/': this is inf, whatever comes in (constant-folding)\n",
      "note: 'e': 3 positions are computed of which 2 are read",
    ] { #expect(run.output.contains(part), "\(part) in \(run.output)") }
  }

  @Test("the figures of each pass begin where the last one's end")
  func json() throws {
    let all = try report()
    #expect(all.clock == "stream" && all.passes.last?.name == "weight-repacking")
    for (first, second) in zip(all.passes, all.passes.dropFirst()) { #expect(first.after == second.before) }
    let rules = try #require(all.passes.first { $0.name == "algebraic-rules" })
    #expect(rules.rewrites == rules.rules.reduce(0) { $0 + $1.count } && rules.rewrites > 0)
    let hoisting = try #require(all.passes.first { $0.name == "slice-hoisting" })
    #expect(hoisting.after.flops < hoisting.before.flops)
    let fusion = try #require(all.passes.first { $0.name == "fusion" })
    #expect(
      fusion.after.kernels < fusion.before.kernels && fusion.after.bytesMoved < fusion.before.bytesMoved)
    #expect(all.notes.contains { $0.severity == "warning" && $0.file == "m.json" && $0.line == 3 })
    #expect(all.notes.contains { $0.severity == "note" && $0.pass == "slice-hoisting" })
  }

  @Test("--passes chooses, --stop-after ends")
  func choice() throws {
    #expect(try report("--passes", "none").passes.isEmpty)
    #expect(
      try report("--passes", "slice-hoisting,fusion").passes.map(\.name) == ["slice-hoisting", "fusion"])
    #expect(try !report("--passes", "-algebraic-rules").passes.map(\.name).contains("algebraic-rules"))
    func rewrites(_ options: String...) throws -> Int {
      let run = try tool.run(
        ["inspect", "m.json", "--stage", "passes", "--json", "--passes", "-fusion"] + options)
      let report = try JSONDecoder().decode(Report.self, from: Data(run.output.utf8))
      return report.passes.reduce(0) { $0 + $1.rewrites }
    }
    let all = try rewrites()
    #expect(try all > 4 && rewrites("--stop-after", "3") == 3 && rewrites("--stop-after", "0") == 0)
    let wrong = try tool.run("inspect", "m.json", "--stop-after", "-1")
    #expect(wrong.code == 2 && wrong.messages.contains("--stop-after takes a whole number"))
  }

  private static let compiling = [
    ["process", "m.json", "in.wav", "out.wav"], ["verify", "m.json", "--blocks", "0"], ["inspect", "m.json"],
    ["inspect", "m.json", "--stage", "plan"], ["compile", "m.json"],
  ]

  @Test("whoever compiles says warnings, and no notes")
  func warnings() throws {
    try Sound.waves(channels: 4, frames: 100).write(tool.path("in.wav"))
    for words in Self.compiling {
      let run = try tool.run(words)
      #expect(run.lines.filter { $0.contains("warning: ") }.count == 1, "\(run.messages)")
      #expect(!run.messages.contains("note: "))
    }
    let quiet = try tool.run("process", "m.json", "in.wav", "quiet.wav", "--quiet")
    #expect(quiet.code == 0 && quiet.messages.isEmpty)
  }

  @Test("a loop that grows is named, with its gain")
  func growingLoop() throws {
    try tool.make(
      "m.json",
      """
      { "legato": 1, "name": "Loop", "inputs": { "x": { "shape": ["channels", "frames"] } },
        "graph": { "y": "x + 1.01 * delay(y, 100)" }, "outputs": ["y"] }
      """)
    try Sound.waves(channels: 1, frames: 400).write(tool.path("in.wav"))
    for words in Self.compiling {
      let run = try tool.run(words)
      #expect(run.code == 0 && run.lines.filter { $0.contains("warning: ") }.count == 1, "\(run.messages)")
      #expect(
        run.messages.contains(
          "m.json:2:20: warning: 'y': this feeds back with a gain of 1.01 after 100 frames"),
        "\(run.messages)")
    }
  }
}
