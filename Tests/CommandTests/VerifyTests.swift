// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite("Command: verify")
struct VerifyTests {
  private let tool: Tool

  init() throws { tool = try Tool() }

  @Test("a sound model, for every CPU that runs here", arguments: ["host", "x86-64", "x86-64-v3"])
  func sound(cpu: String) throws {
    let run = try tool.run("verify", Tool.bitcrusher, "--channels", "2", "--cpu", cpu)
    #expect(run.code == 0 && run.messages.isEmpty, "\(run.messages)")
    let lines = run.output.split(separator: "\n")
    #expect(lines.count == 13 && lines.allSatisfy { $0.hasPrefix("ok ") }, "\(run.output)")
  }

  @Test("a broken promise is named and exits with 4")
  func broken() throws {
    try tool.make(
      "loud.json",
      """
      { "legato": 1, "name": "Loud", "inputs": { "x": { "shape": [1, "frames"] } },
        "graph": { "y": "exp(x * x)" }, "outputs": ["y"] }
      """)
    let run = try tool.run("verify", "loud.json")
    #expect(run.code == 4)
    #expect(run.lines == ["loud.json: law 4: finite failed"])
    #expect(run.output.contains("BROKEN law 4: finite"))
    #expect(run.output.contains("exp(x * x) is inf at frame"))
  }

  @Test("the same as JSON")
  func report() throws {
    struct Report: Decodable {
      struct Line: Decodable { let name, figure: String, passed: Bool }
      let model, cpu: String
      let passed: Bool
      let checks: [Line]
    }
    let run = try tool.run("verify", Tool.bitcrusher, "--json")
    let report = try JSONDecoder().decode(Report.self, from: Data(run.output.utf8))
    #expect(report.model == "Bitcrusher" && report.passed && report.checks.count == 13)
  }
}
