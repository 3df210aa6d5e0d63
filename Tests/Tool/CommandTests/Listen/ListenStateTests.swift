// SPDX-License-Identifier: Apache-2.0

import Foundation
import Legato
import TestEquipment
import Testing

/// `legato listen`: times, what is kept from one run to the next, and models that are ONNX files.
@Suite("Command: listen, times, states and ONNX files", .waits)
struct ListenStateTests {
  private let tool: Tool

  init() throws {
    tool = try Tool()
    try tool.make("sums.json", Self.sums)
    try tool.make("means.json", ListenTests.means)
    try tool.make("all.csv", "a\n1\n2\n3\n4\n5\n6\n")
    try tool.make("first.csv", "a\n1\n2\n3\n4\n")
    try tool.make("rest.csv", "a\n5\n6\n")
  }

  /// Both ways to remember: an output that is an input of the next window, and a delay.
  private static let sums = """
    { "legato": 1, "name": "Sums", "clock": "step", "sampleRate": 10,
      "inputs": { "x": { "shape": [2] }, "before": { "shape": [1] } },
      "graph": { "all": "sum(x, axis: 0)", "more": "before + reshape(all, [1])", "kept": "all + 0.5 * delay(kept, 1)",
                 "p": "concatenate([more, reshape(kept, [1])])" },
      "outputs": [{ "name": "p", "labels": ["the sum", "kept"] }, "more"],
      "listen": { "columns": ["a"], "hop": 2, "states": { "before": "more" } } }
    """

  private func lines(_ words: String...) throws -> [Substring] {
    let run = try tool.run(["listen"] + words + ["--format", "lines", "--quiet"])
    #expect(run.code == 0, "\(run.messages)")
    return run.output.split(separator: "\n")
  }

  @Test("answers have the times of the source, of what was missing as well")
  func times() throws {
    // A clock that does not begin at 0 and is a percent off, and a reading that is missing.
    let times = (0..<8).filter { $0 != 5 }.map { 1_700_000_000_000 + Int((Double($0) * 505).rounded()) }
    let rows = times.map { "\($0),1,0\n" }.joined()
    try tool.make("clock.csv", "t,a,b\n" + rows)
    #expect(
      try lines("means.json", "--csv", "clock.csv", "--time", "t:ms").map { $0.prefix(29) } == [
        "1700000000.000\t1700000001.005", "1700000001.010\t1700000002.015", "1700000002.020\t1700000003.025",
        "1700000003.030\t1700000004.035",
      ])
    let table = try tool.run("listen", "means.json", "--csv", "clock.csv", "--time", "t:ms")
    let begin = try #require(table.output.split(separator: "\n").first)
    #expect(begin.hasPrefix("         begin             end  label"), "\(begin)")
    let track = try tool.run(
      "listen", "means.json", "--csv", "clock.csv", "--time", "t:ms", "--format", "labels", "--quiet")
    #expect(track.output == "1700000000.000000\t1700000004.035000\tlow\n")
  }

  @Test("what is remembered goes from one run to the next by a file")
  func states() throws {
    let whole = try lines("sums.json", "--csv", "all.csv")
    let first = try tool.run("listen", "sums.json", "--csv", "first.csv", "--state-out", "s.npz")
    #expect(first.code == 0 && first.lines.last == "s.npz: before [1], kept [1]", "\(first.messages)")
    let file = try TensorArchive(contentsOf: tool.path("s.npz"))
    #expect(try file.names == ["before", "kept"] && file.tensor("before").values == [10])
    let rest = try lines("sums.json", "--csv", "rest.csv", "--state-in", "s.npz", "--state-out", "t.npz")
    #expect(
      rest.map { $0.split(separator: "\t").dropFirst(2) } == [whole[2].split(separator: "\t").dropFirst(2)])
    // The same file may be gone on with.
    _ = try lines("sums.json", "--csv", "rest.csv", "--state-in", "s.npz", "--state-out", "s.npz", "--force")
    #expect(try tool.bytes("s.npz") == tool.bytes("t.npz"))
    // What was remembered is gone on with: 1 + … + 4 of the first run, and 5 + 6.
    #expect(try TensorArchive(contentsOf: tool.path("t.npz")).tensor("before").values == [21])
  }

  @Test("states that do not fit are told in a line")
  func refusals() throws {
    try tool.make(
      "wide.npz", TensorArchive.npz([("before", Tensor([1, 2, 3]))]))
    try tool.make("other.npz", TensorArchive.npz([("befor", Tensor([1]))]))
    try tool.make("bare.npy", Tensor([1]).npy)
    let cases: [(String, Int32, String)] = [
      (
        "sums.json --csv all.csv --state-in wide.npz", 2,
        "listen: --state-in wide.npz: the state 'before' is [1], and is given [3]"
      ),
      (
        "sums.json --csv all.csv --state-in other.npz", 2,
        "listen: --state-in other.npz: no state is called 'befor'; did you mean 'before'?"
      ),
      (
        "sums.json --csv all.csv --state-in bare.npy", 2,
        "listen: --state-in bare.npy: no tensor of the file has a name; the model remembers 'before' and 'kept'"
      ),
      ("sums.json --csv all.csv --state-in none.npz", 1, "none.npz: no such file"),
      (
        "sums.json --csv all.csv --state-in other.npz --recording a", 2,
        "listen: --state-in is for one recording; with each of --recording the model begins anew"
      ),
      (
        "sums.json --csv all.csv --state-out s.npy", 2,
        "listen: --state-out takes a file whose name ends in .npz, not 's.npy'"
      ),
      (
        "sums.json --csv all.csv --state-out s.npz -o s.npz", 1,
        "s.npz: is the place of two results; name another file for one"
      ),
      (
        "sums.json --csv all.csv --state-out wide.npz", 1, "wide.npz: the file exists; --force replaces it"
      ),
      (
        "means.json --csv all.csv --state-out s.npz", 2,
        "listen: --state-out: the model remembers nothing from window to window"
      ),
    ]
    let before = try tool.names
    for (line, code, message) in cases {
      let run = try tool.run(["listen"] + line.split(separator: " ").map(String.init))
      #expect(run.code == code && run.lines.last == message, "\(run.messages)")
      #expect(run.output.isEmpty && run.lines.count == 1)
    }
    #expect(try tool.names == before)
  }

  @Test("an ONNX file that was exported listens as its model does, without an option")
  func exported() throws {
    #expect(try tool.run("export", "sums.json", "-o", "sums.onnx").code == 0)
    let own = try lines("sums.json", "--csv", "all.csv")
    #expect(own.count == 3)
    #expect(try lines("sums.onnx", "--csv", "all.csv") == own)
    // So does what is made of it.
    #expect(try tool.run("import", "sums.onnx", "-o", "again.json").code == 0)
    #expect(try lines("again.json", "--csv", "all.csv") == own)
    #expect(try tool.run("export", "means.json", "-o", "means.onnx").code == 0)
    try tool.make("two.csv", "b,a\n1,2\n3,4\n")
    #expect(
      try lines("means.onnx", "--csv", "two.csv") == lines("means.json", "--csv", "two.csv"),
      "columns are named")
    #expect(try tool.bytes("means.onnx").contains(Data("prediction_window\u{12}\u{01}2".utf8)))
    // Notes that mean nothing are none.
    let text = try tool.bytes("means.onnx")
    var damaged = text
    for word in ["\"low\", \"high\"", "\"sampleRate\": 2"] {
      let place = try #require(text.firstRange(of: Data(word.utf8)))
      damaged.replaceSubrange(place, with: Data(String(repeating: "{", count: word.utf8.count).utf8))
    }
    try tool.make("damaged.onnx", Array(damaged))
    let run = try tool.run("listen", "damaged.onnx", "--csv", "two.csv")
    #expect(run.code == 2 && run.lines.last?.contains("--rate does") == true, "\(run.messages)")
  }
}
