// SPDX-License-Identifier: Apache-2.0

import Foundation
import GraphIR
import ModelFiles
import Testing

/// Models made to exhaust the compiler: each is answered within seconds, even in a debug build.
@Suite(.timeLimit(.minutes(30))) struct ImporterLimitTests {
  private func messages(_ graph: [(String, String)], outputs: String = "y") -> [String] {
    let entries = graph.map { "\"\($0)\":\"\($1)\"" }.joined(separator: ",\n")
    let text =
      "{\"legato\": 1, \"inputs\": {\"x\": {\"shape\": [\"frames\"]}}, \"outputs\": [\"\(outputs)\"], \"graph\": {\n\(entries)}}"
    return ModelFilesTests.messages(about: Array(text.utf8), file: "m")
  }

  @Test(arguments: [false, true])
  func aLongChainOfEntriesIsFine(backwards: Bool) async {
    let chain = [("v0", "x * 2")] + (1..<15_000).map { ("v\($0)", "v\($0 - 1) + x") }
    let found = await onSmallStack {
      messages(backwards ? chain.reversed() : chain, outputs: "v14999")
    }
    #expect(found == [])
  }

  @Test func aLongCycleIsNamedInFewWords() async {
    let chain = (0..<15_000).map { ("v\($0)", "v\(($0 + 1) % 15_000) + x") }
    let found = await onSmallStack { messages(chain, outputs: "v0") }
    #expect(
      found == [
        "m:2:1: 'v0', 'v1', 'v2', 'v3', 'v4', 'v5', 'v6', 'v7' and 14992 more make a cycle without a delay; put delay(…, 1) into it"
      ])
    let delayed = [("v0", "delay(v1, 1) + x")] + chain.dropFirst()
    #expect(await onSmallStack { messages(delayed, outputs: "v0") } == [])
  }

  @Test func manyCyclesAreFine() {
    let chain = (0..<4_000).map { ("v\($0)", "delay(v\(($0 + 1) % 4_000), 1) + delay(v\($0), 2) + x") }
    #expect(messages(chain, outputs: "v0") == [])
  }

  @Test func tooManyNodesAreSaidOnce() {
    let sum = [String](repeating: "x", count: 70_000).joined(separator: "+")
    let found = messages([("y", sum), ("z", sum)])
    #expect(found.count == 1)
    #expect(found[0].hasSuffix(": the graph has more than 65536 nodes"))
    let signs = messages([("y", String(repeating: "-", count: 100_000) + "x")])
    #expect(signs.count == 1)
    #expect(signs[0].hasSuffix(": the graph has more than 65536 nodes"))
  }

  @Test func tooManyRowsAreSaidWhereTheyAre() {
    #expect(messages([("y", "broadcast(x, [4096])")]) == [])
    let sum = "sum(broadcast(x, [10000]))"
    #expect(messages([("y", sum)]) == [])
    let found = messages([("y", "broadcast(x, [2000000])")])
    #expect(found.count == 1)
    #expect(found[0].hasSuffix(": the output 'y' has 2000000 rows; 4096 are the most"), "\(found)")
    let together = messages(
      [("y", "broadcast(x, [2048])"), ("z", "broadcast(x, [2049])")], outputs: #"y", "z"#)
    #expect(together.count == 1)
    #expect(
      together[0].hasSuffix(": the output 'z' has 2049 rows, 4097 with those before it; 4096 are the most"),
      "\(together)")
    let text =
      #"{"legato": 1, "inputs": {"x": {"shape": [5000, "frames"]}}, "graph": {"y": "sum(x)"}, "outputs": ["y"]}"#
    #expect(
      ModelFilesTests.messages(about: Array(text.utf8), file: "m") == [
        "m:1:26: the input 'x' has 5000 rows; 4096 are the most"
      ])
  }

  @Test func tooManyTermsAreSaidOnce() {
    let sum = [String](repeating: "1", count: 400_000).joined(separator: "+")
    #expect(
      messages([("y", sum), ("z", sum)])
        == ["m:2:1: the expressions have 1599998 terms in all; 1048576 are the most"])
    #expect(
      messages([("y", [String](repeating: "1", count: 600_000).joined(separator: "+"))]).count == 1)
  }

  @Test func manyOperandsOfOneNodeAreLimited() {
    let parts = [String](repeating: "x", count: 70_000).joined(separator: ",")
    #expect(
      messages([("y", "concatenate([\(parts)])")])
        == ["m:2:6: concatenate takes at most 65536 parts; these are 70000"])
    for (function, count) in [("reshape", 500_000), ("broadcast", 50_000), ("transpose", 50_000)] {
      let ones = [String](repeating: "1", count: count).joined(separator: ",")
      #expect(
        messages([("y", "\(function)(x, [\(ones)])")])
          == ["m:2:6: the result would have \(count) axes; 8 are the most"])
    }
  }

  @Test func manyWrongNamesTakeLinearTime() {
    let entries = (0..<20_000).map { ("value\($0)", "valve\($0) + x") }
    let found = messages(entries, outputs: "x")
    #expect(found.count == 257)
    #expect(found[0] == "m:2:11: no value is called 'valve0'; did you mean 'value0'?")
    #expect(found[256] == "m: 19744 more errors are left out")
  }

  @Test func longNamesAreCutInMessages() {
    let name = String(repeating: "n", count: 1_000_000)
    let cut = String(repeating: "n", count: 64) + "…"
    #expect(messages([("y", name)]) == ["m:2:6: no value is called '\(cut)'"])
    #expect(messages([("y", "\(name)(x)")]) == ["m:2:6: no function is called '\(cut)'"])
    #expect(messages([("y", "'\(name)'")]) == ["m:2:6: there are no weights called '\(cut)'"])
    #expect(messages([("y", "x \(name)")]) == ["m:2:8: expected an operator or the end, found '\(cut)'"])
  }

  @Test func shapesThatGrowStopGrowing() {
    let cycles = (0..<500).map { ("v\($0)", "reshape(x, [1]) + pad(delay(v\($0), 1), 0, after: 1)") }
    let found = messages(cycles, outputs: "x")
    #expect(found == ["m:2:1: the shape of 'v0' grows each time around its cycle and has no end"])
  }

  @Test func aSmallStackIsEnough() async {
    func brackets(_ open: String, _ close: String, _ depth: Int = 256) -> String {
      String(repeating: open, count: depth) + "x" + String(repeating: close, count: depth)
    }
    let models = [
      ([("y", brackets("(", ")"))], []),
      ([("y", brackets("-(1 + 2 * (", "))", 128))], []),
      ([("y", brackets("tanh(", ")"))], []),
      ([("y", brackets("tanh(x: ", ")"))], []),
      ([("y", brackets("[", "]"))], ["m:2:6: a list is not a value; concatenate([…]) makes one of it"]),
      ([("y", brackets("(", ")", 257))], ["m:2:262: brackets nest deeper than 256 levels"]),
      ([("y", brackets("[", "]", 300_000))], ["m:2:262: brackets nest deeper than 256 levels"]),
    ]
    for (graph, expected) in models {
      let found = await onSmallStack { messages(graph) }
      #expect(found == expected, "\(graph[0].1.prefix(20))")
    }
  }

  /// The result of a closure on a thread with the stack of a worker, 512 KiB.
  private func onSmallStack(_ work: @escaping @Sendable () -> [String]) async -> [String] {
    await withCheckedContinuation { continuation in
      let thread = Thread { continuation.resume(returning: work()) }
      thread.stackSize = 512 << 10
      thread.start()
    }
  }
}
