// SPDX-License-Identifier: Apache-2.0

import ModelFiles
import Testing

@Suite struct ModelDocumentLimitTests {
  private func check(_ members: String, outputs: String = "[\"y\"]") -> [String] {
    let text = "{\"legato\": 1, \(members)\n\"outputs\":\(outputs)}"
    return messages(decoding: Array(text.utf8), file: "m")
  }

  private func table(_ count: Int, _ value: String) -> String {
    "{" + (0..<count).map { "\"n\($0)\":\(value)" }.joined(separator: ",") + "}"
  }

  @Test(arguments: [
    ("graph", 65_536, "\"1\"", "9: a model may have at most 65536 graph entries, this one has 65537"),
    ("weights", 65_536, "1", "11: a model may have at most 65536 weights, this one has 65537"),
    ("inputs", 4_096, "{\"shape\":[]}", "10: a model may have at most 4096 inputs, this one has 4097"),
    (
      "parameters", 4_096, "{\"default\":0,\"minimum\":0,\"maximum\":1}",
      "14: a model may have at most 4096 parameters, this one has 4097"
    ),
    ("presets", 4_096, "{}", "11: a model may have at most 4096 presets, this one has 4097"),
  ])
  func tablesAreLimited(key: String, limit: Int, value: String, message: String) {
    #expect(check("\n\"\(key)\":\(table(limit, value)),") == [])
    #expect(check("\n\"\(key)\":\(table(limit + 1, value)),") == ["m:2:\(message)"])
  }

  @Test func outputsAreLimited() {
    let names = (0..<4097).map { "\"n\($0)\"" }
    #expect(check("", outputs: "[\(names.dropLast().joined(separator: ","))]") == [])
    #expect(
      check("", outputs: "[\(names.joined(separator: ","))]")
        == ["m:2:11: a model may have at most 4096 outputs, this one has 4097"])
  }

  @Test func dimensionsAreLimited() {
    func nested(_ depth: Int) -> String {
      String(repeating: "[", count: depth) + "1" + String(repeating: "]", count: depth)
    }
    #expect(check("\"weights\": {\"w\": \(nested(64))},") == [])
    #expect(
      check("\"weights\":\n{\"w\":\(nested(65))},")
        == ["m:2:6: a weight may have at most 64 dimensions, this one has 65"])
    let extents = [String](repeating: "1", count: 65)
    #expect(check("\"inputs\": {\"x\": {\"shape\": [\(extents.dropLast().joined(separator: ","))]}},") == [])
    #expect(
      check("\"inputs\":\n{\"x\":{\"shape\":[\(extents.joined(separator: ","))]}},")
        == ["m:2:15: a shape may have at most 64 dimensions, this one has 65"])
  }

  @Test(.timeLimit(.minutes(30))) func manyShortRowsTakeLinearTime() throws {
    let rows = [String](repeating: "[1,2]", count: 100_000).joined(separator: ",")
    let text = "{\"legato\": 1, \"outputs\": [\"y\"], \"weights\": {\"w\": [\(rows)]}}"
    let model = try ModelDocument.decode(Array(text.utf8), file: "m")
    #expect(model.weights[0].written?.shape == [100_000, 2])
    #expect(model.weights[0].written?.numbers.count == 200_000)
  }

  @Test func namesAreLimited() {
    let name = String(repeating: "ä", count: 257)
    #expect(check("\"graph\": {\"\(name.dropLast())\": \"1\"},") == [])
    #expect(
      check("\"graph\":\n{\"\(name)\": \"1\"},")
        == ["m:2:2: the name '\(name.prefix(64))…' has 257 characters; at most 256 are allowed"])
  }

  @Test func errorsThatNobodyReadsAreCounted() {
    func unknown(_ count: Int) -> String {
      (0..<count).map { "\"x\(1000 + $0)\": 0,\n" }.joined()
    }
    #expect(check(unknown(256)).count == 256)
    #expect(check(unknown(257)).last == "m: one more error is left out")
    #expect(check(unknown(1256)).count == 257)
    #expect(check(unknown(1256)).last == "m: 1000 more errors are left out")
  }
}
