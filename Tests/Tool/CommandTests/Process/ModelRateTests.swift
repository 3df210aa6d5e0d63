// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestEquipment
import Testing

@Suite("Command: models that state a rate", .waits)
struct ModelRateTests {
  private let tool: Tool

  init() throws {
    tool = try Tool()
    try tool.make("rated.json", Self.model("Rated", 8000))
    try tool.make("other.json", Self.model("Other", 16_000))
    try tool.make("plain.json", Self.model("Plain", nil))
    try tool.make("slow.json", Self.model("Slow", 50))
    try tool.make(
      "steps.json",
      """
      { "legato": 1, "name": "Steps", "sampleRate": 20, "inputs": { "x": { "shape": [2] } },
        "graph": { "y": "x * sampleRate" }, "outputs": ["y"] }
      """)
  }

  static func model(_ name: String, _ rate: Int?, _ value: String = "x / 2") -> String {
    """
    { "legato": 1, "name": "\(name)",\(rate.map { " \"sampleRate\": \($0)," } ?? "")
      "inputs": { "x": { "shape": ["channels", "frames"] } }, "graph": { "y": "\(value)" }, "outputs": ["y"] }
    """
  }

  @Test("inspect says the rate, and who states it")
  func inspect() throws {
    let text = try tool.run("inspect", "plain.json", "--then", "rated.json").output
    #expect(text.contains("compiled for  1 channel at 8000 Hz"))
    #expect(text.contains("rate          states 8000 Hz, in rated.json\n"))
    #expect(try !tool.run("inspect", "plain.json").output.contains("states"))
    struct Report: Decodable {
      let sampleRate: Int
      let statedRate: Int?
      let statedIn: String?
    }
    func report(_ words: String...) throws -> Report {
      let run = try tool.run(["inspect", "--json"] + words)
      return try JSONDecoder().decode(Report.self, from: Data(run.output.utf8))
    }
    let (rated, plain) = (try report("rated.json", "--rate", "8000"), try report("plain.json"))
    #expect(rated.sampleRate == 8000 && rated.statedRate == 8000 && rated.statedIn == "rated.json")
    #expect(plain.sampleRate == 48_000 && plain.statedRate == nil && plain.statedIn == nil)
    #expect(try tool.run("inspect", "rated.json", "--stage", "document").output.contains("sampleRate 8000\n"))
    #expect(try tool.run("inspect", "rated.json", "--stage", "graph").output.contains(" stream 8000\n"))
  }

  @Test("all of them take the model's rate")
  func all() throws {
    #expect(
      try tool.run("verify", "rated.json", "--blocks", "0").output.hasPrefix(
        "Rated, 1 channel at 8000 Hz, "))
    #expect(try tool.run("verify", "steps.json", "--blocks", "20").output.contains("each with 50 ms of time"))
    let plot = try tool.run("plot", "--model", "rated.json", "--json")
    #expect(plot.code == 0 && plot.output.contains("\"sampleRate\" : 8000"))
    #expect(try tool.run("compile", "rated.json", "-o", "rated.o").code == 0)
    #expect(try String(decoding: tool.bytes("rated.h"), as: UTF8.self).contains(" at 8000 Hz"))
  }

  @Test(
    "another rate is refused, and both are said",
    arguments: [
      ["inspect", "rated.json"], ["inspect", "plain.json", "--then", "rated.json", "--stage", "graph"],
      ["verify", "rated.json"], ["compile", "rated.json"], ["plot", "--model", "rated.json"],
    ])
  func refused(_ words: [String]) throws {
    let run = try tool.run(words + ["--rate", "48000"])
    let name = words.contains("--then") ? "Plain + Rated" : "Rated"
    #expect(run.code == 2 && run.output.isEmpty)
    #expect(
      run.messages
        == "\(words[0]): --rate 48000: '\(name)' is for 8000 Hz, as rated.json:1:47 states; leave --rate out\n"
    )
  }

  @Test("a chain of two rates, and a rate too low to be plotted")
  func misfits() throws {
    let run = try tool.run("inspect", "rated.json", "--then", "plain.json", "--then", "other.json")
    #expect(run.code == 1)
    #expect(
      run.messages == "other.json:1:47: 'Other' is for 16000 Hz, and 'Rated' for 8000 Hz (rated.json:1:47); "
        + "models of one rate go together, and one that states none works at any\n")
    let plot = try tool.run("plot", "--model", "slow.json")
    #expect(plot.code == 1 && plot.lines.count == 1)
    #expect(plot.messages == "plot: 'Slow' is for 50 Hz (slow.json:1:46); a model is drawn from 100 Hz on\n")
  }
}
