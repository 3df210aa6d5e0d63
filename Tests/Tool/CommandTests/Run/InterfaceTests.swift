// SPDX-License-Identifier: Apache-2.0

import Foundation
import Legato
import TestEquipment
import Testing

@Suite("Command: interface", .waits)
struct InterfaceTests {
  private let tool: Tool

  init() throws {
    tool = try Tool()
    try StepModels.make(in: tool)
  }

  @Test("a Swift file is written that says where it comes from, and no path of the machine")
  func writes() throws {
    try tool.make("names.txt", "one\ntwo\n")
    let run = try tool.run(
      "interface", tool.path("sums.json"), "--labels", "total=\(tool.path("names.txt"))", "-o",
      tool.path("Sums.swift"))
    #expect(run.code == 0 && run.messages.contains("Sums.swift: Sums, of Sums"), "\(run.messages)")
    let text = String(decoding: try tool.bytes("Sums.swift"), as: UTF8.self)
    #expect(text.contains("legato interface sums.json -o Sums.swift --labels total=names.txt\n"))
    #expect(!text.contains(tool.folder) && text.contains("case one\n"))
    let again = try tool.run("interface", "sums.json", "-o", "Sums.swift")
    #expect(again.code == 1 && again.messages.contains("--force"), "\(again.messages)")
    #expect(try tool.run("interface", "rows.json", "--bind", "time=3").code == 0)
    #expect(try tool.names.contains("Rows.swift"))
  }

  @Test("what does not fit is said in a line, and nothing is written")
  func refusals() throws {
    try tool.make(
      "none.json",
      #"{ "legato": 1, "inputs": { "x": { "shape": [2] } }, "graph": { "y": "x" }, "outputs": [] }"#)
    let rows: [([String], Int32, String)] = [
      ([], 2, "interface: MODEL is missing; see --help"),
      (["rows.json"], 2, "interface: nothing says how long the axis 'time' is; --bind time=N does"),
      (
        ["sums.json", "-o", "sums.txt"], 2,
        "interface: --output takes a file whose name ends in .swift, such as Activity.swift, not 'sums.txt'"
      ),
      (
        ["sums.json", "--resource", "/sums.json"], 2,
        "interface: --resource takes a path below the resources, such as Models/activity.json, not '/sums.json'"
      ),
      (["sums.json", "--labels", "squared=half.npy"], 1, "half.npy"),
      (["none.json"], 1, "none.json"),
      (["gone.json"], 1, "gone.json"),
    ]
    for (words, code, message) in rows {
      let run = try tool.run(["interface"] + words)
      #expect(run.code == code && run.messages.contains(message), "\(words): \(run.code) \(run.messages)")
      #expect(run.lines.count == 1, "\(run.messages)")
      #expect(try !tool.names.contains { $0.hasSuffix(".swift") })
    }
  }
}
