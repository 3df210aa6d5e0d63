// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestEquipment
import Testing

@Suite("Benchmark: usage", .waits)
struct BenchUsageTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test(
    "wrong usage is one line and status 2",
    arguments: [
      (["--fast"], "no option is called '--fast'; see --help"),
      (["bitcrusher"], "'bitcrusher' is one too many; expected options only"),
      (["--filter"], "--filter TEXT lacks its value; see --help"),
      (["--json="], "--json FILE lacks its value; see --help"),
      (["--filter="], "--filter TEXT lacks its value; see --help"),
      (["--quick=yes"], "--quick takes no value"),
      (["--processor", "one"], "--processor takes a whole number from 0 to 2147483647, not 'one'"),
      (["--processor", "-1"], "--processor takes a whole number from 0 to 2147483647, not '-1'"),
      (["--processor", "100000"], "--processor 100000: Invalid argument"),
      (["--force"], "--force is of use with --json FILE or --plot FILE only"),
      (["--peers", "a.json"], "--peers is of use with --plot FILE only"),
      (["--json", "a", "--plot", "a"], "--json and --plot name the same file"),
      (["--json", "-"], "--json takes a file: the table goes to standard output"),
      (
        ["--within-callgrind", "x86-64"], "--within-callgrind is what legato-bench asks of itself in valgrind"
      ),
      (["--filter=sillyness"], "no row that can be measured here has 'sillyness' in its name"),
    ])
  func wrongUsage(words: [String], message: String) throws {
    let run = try runBench(words, in: folder)
    #expect(run.code == 2)
    #expect(run.lines == ["legato-bench: \(message)"])
  }

  @Test("help needs nothing", arguments: ["--help", "-h"])
  func help(word: String) throws {
    let run = try runBench([word], in: folder, environment: ["LEGATO_LLVM": "/nonexistent"])
    #expect(run.code == 0 && run.messages.isEmpty)
    for option in ["--filter", "--quick", "--json", "--force", "--processor", "--self-test", "-h, --help"] {
      #expect(run.output.contains("\n  \(option)"), "\(option)")
    }
  }

  @Test("what cannot be written is said before anything is measured")
  func places() throws {
    try folder.make("figures.json", "mine")
    let existing = try runBench(["--json", "figures.json"], in: folder)
    #expect(existing.code == 1 && existing.output.isEmpty)
    #expect(existing.lines == ["legato-bench: figures.json: the file exists; --force replaces it"])
    #expect(try folder.text("figures.json") == "mine")
    let picture = try runBench(["--plot", "figures.json"], in: folder)
    #expect(picture.code == 1 && picture.lines == existing.lines)
    let nowhere = try runBench(["--json", "none/figures.json"], in: folder)
    #expect(nowhere.code == 1 && nowhere.output.isEmpty)
    #expect(nowhere.lines == ["legato-bench: none: no such folder"])
  }

  @Test("figures and what they were measured on are written as JSON")
  func json() throws {
    try folder.make("figures.json", "old")
    let words = ["--quick", "--filter", "empty graph", "--json", "figures.json", "--force"]
    let run = try runBench(words, in: folder)
    #expect(run.code == 0 && run.messages.isEmpty, "\(run.messages)")
    let data = Data(try folder.text("figures.json").utf8)
    let root = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    let machine = try #require(root["machine"] as? [String: Any])
    for key in ["processor", "target", "llvm", "clockNanoseconds", "loadBefore", "loadAfter", "systemCalls"] {
      #expect(machine[key] != nil, "\(key)")
    }
    let figures = try #require(root["figures"] as? [[String: Any]])
    #expect(figures.count == 2)
    let first = try #require(figures.first)
    let bar = try #require((first["bars"] as? [[String: Any]])?.first)
    #expect(bar["promise"] as? String == "≤ 25.00 ns" && bar["isKept"] is Bool)
    let watched = try #require(first["watched"] as? [String: Any])
    #expect(watched["executes"] as? Int == 64)
    for key in ["heapCalls", "frees", "locks", "minorFaults"] { #expect(watched[key] as? Int == 0, "\(key)") }
    // Never 0 where nobody has counted.
    let isCounted = machine["systemCalls"] as? String == "counted"
    #expect(watched["systemCalls"] as? Int == (isCounted ? 0 : nil))
  }
}
