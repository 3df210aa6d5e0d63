// SPDX-License-Identifier: Apache-2.0

import Foundation
import Legato
import TestEquipment
import Testing

/// Comparisons, checks and missing inputs of `run`, before it runs, and as it does.
@Suite("Command: run, checked", .waits)
struct RunCheckTests {
  private let tool: Tool

  init() throws {
    tool = try Tool()
    try StepModels.make(in: tool)
  }

  @Test("what is looked at for numbers that are not finite warms up as what runs does")
  func warmedUp() throws {
    // After three steps of 1.25 n is 3.75, and 5 in the first one.
    try tool.make(
      "warm.json",
      """
      { "legato": 1, "name": "Warm", "prewarm": 3, "inputs": { "x": { "shape": [2] } },
        "parameters": { "g": { "default": 1, "minimum": 0, "maximum": 4 } },
        "graph": { "n": "g + delay(n, 1)", "y": "x / (n - 5)" }, "outputs": ["y", "n"] }
      """)
    try Tensor([1, 2]).write(to: tool.path("two.npy"))
    let words = ["run", "warm.json", "--input", "two.npy", "--check", "non-finite"]
    let run = try tool.run(words + ["--set", "g=1.25"])
    #expect(run.code == 4 && run.output.isEmpty)
    #expect(run.messages.contains("'y' = x / (n - 5) is inf at step 0, position [0]"), "\(run.messages)")
    #expect(try tool.run(words).code == 0)
  }

  @Test("of another shape is said before anything is run, and so is what no output is called")
  func shapes() throws {
    let wanted = try Tensor(shape: [3, 1], values: [1, 2, 3])
    let golden = [(name: "total", tensor: wanted), (name: "squared", tensor: wanted)]
    try tool.make("shapes.npz", TensorArchive.npz(golden))
    let words = ["run", "sums.json", "--input", "in.npz", "-o", "out.npz"]
    let run = try tool.run(words + ["--expect", "shapes.npz"])
    #expect(run.code == 4)
    #expect(
      run.lines == [
        "sums.json: 'total' is [3, 2], and shapes.npz expects [3, 1]",
        "sums.json: 'squared' is [3, 2], and shapes.npz expects [3, 1]",
      ])
    #expect(try !tool.names.contains("out.npz"))

    try tool.make("more.npz", TensorArchive.npz(golden + [(name: "totl", tensor: wanted)]))
    let more = try tool.run(words + ["--expect", "more.npz"])
    #expect(more.code == 2 && more.messages.contains("the file has 'totl', and no output is called so"))

    let sums = try Tensor(shape: [3, 2], values: [1, 10, 3, 30, 6, 60])
    try tool.make("part.npz", TensorArchive.npz([(name: "total", tensor: sums)]))
    let part = try tool.run(words + ["--expect", "part.npz"])
    #expect(part.code == 0, "\(part.messages)")
    #expect(part.lines.contains("sums.json: 'squared' is not compared"), "\(part.messages)")
  }

  @Test("files that are compared with, or that name labels, are not replaced")
  func sources() throws {
    let sums = try Tensor(shape: [3, 2], values: [1, 10, 3, 30, 6, 60])
    try tool.make("golden.npz", TensorArchive.npz([(name: "total", tensor: sums)]))
    let before = try tool.bytes("golden.npz")
    let run = try tool.run(
      "run", "sums.json", "--input", "in.npz", "-o", "golden.npz", "--force", "--expect", "golden.npz")
    #expect(run.code == 2)
    #expect(run.messages.contains("'golden.npz' is what the result is made of"), "\(run.messages)")
    #expect(try tool.bytes("golden.npz") == before)
    try tool.make("names.npz", "low\nhigh\n")
    let labels = try tool.run(
      "run", "sums.json", "--input", "in.npz", "-o", "names.npz", "--force", "--top", "1", "--labels",
      "total=names.npz")
    #expect(labels.code == 2)
    #expect(labels.messages.contains("'names.npz' is what the result is made of"), "\(labels.messages)")
  }

  @Test(
    "work that is asked for is not put off for want of an input",
    arguments: [["--steps", "2"], ["--check", "non-finite"], ["--expect", "x.npy"]])
  func missing(words: [String]) throws {
    let run = try tool.run(["run", "rows.json"] + words)
    #expect(run.code == 2 && run.output.isEmpty)
    #expect(
      run.lines == ["run: the input 'x' is missing, which takes [time, 2]; --input x=FILE gives it"])
  }

  @Test("labels of the largest numbers: what is no number comes last, and is null")
  func top() throws {
    try tool.make(
      "labels.json",
      """
      { "legato": 1, "name": "Labels", "clock": "step", "inputs": { "x": { "shape": [3] } },
        "graph": { "y": "x * 1" }, "outputs": [{ "name": "y", "labels": ["a", "b", "c"] }] }
      """)
    try Tensor([.nan, -.infinity, 2]).write(to: tool.path("edges.npy"))
    let words = ["run", "labels.json", "--input", "edges.npy", "--top", "3"]
    let run = try tool.run(words + ["--json", "--quiet"])
    #expect(run.code == 0, "\(run.messages)")
    let whole = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
    let outputs = whole?["outputs"] as? [[String: Any]]
    let rows = try #require(outputs?[0]["top"] as? [[[String: Any]]])
    #expect(rows[0].map { $0["label"] as? String } == ["c", "b", "a"])
    #expect(rows[0].map { $0["value"] is NSNull } == [false, true, true])
  }

  @Test("a file that is at fault is named, and no array goes by halves")
  func faults() throws {
    try Tensor(shape: [0, 2], values: []).write(to: tool.path("empty.npy"))
    try tool.make("cut.jpg", [0xFF, 0xD8, 0xFF, 0xE0] + [UInt8](repeating: 0, count: 16))
    let rows: [(words: [String], code: Int32, message: String)] = [
      (
        ["--input", "empty.npy"], 1,
        "empty.npy: the array for the input 'x' is [0, 2], which has no numbers"
      ),
      (["--input", "x="], 2, "run: --input x=: a file is missing behind the equals sign"),
      (
        ["--input", "x.npy", "-o", "y=.npy"], 2,
        "run: --output takes a file whose name ends in .npy or .npz, not '.npy'"
      ),
      (["--input", "cut.jpg", "--image", "grey"], 1, "cut.jpg: the file is damaged: "),
    ]
    for (words, code, message) in rows {
      let run = try tool.run(["run", "rows.json"] + words)
      #expect(run.code == code && run.lines.last?.hasPrefix(message) == true, "\(run.messages)")
    }
    #expect(try !tool.names.contains(".npy"))
  }
}
