// SPDX-License-Identifier: Apache-2.0

import Foundation
import Legato
import TestEquipment
import Testing

@Suite("Command: run", .waits)
struct RunTests {
  private let tool: Tool

  init() throws {
    tool = try Tool()
    try StepModels.make(in: tool)
  }

  private func tensor(_ file: String, _ name: String? = nil) throws -> Tensor {
    try Tensor(contentsOf: tool.path(file), named: name)
  }

  @Test("steps go one after the other, and outputs are stacked")
  func steps() throws {
    let run = try tool.run(
      "run", "sums.json", "--input", "x=x.npy", "--input", "scale=half.npy", "-o", "out.npz")
    #expect(run.code == 0 && run.output.isEmpty, "\(run.messages)")
    #expect(
      run.lines == [
        "x.npy: 3 steps of [2] for 'x'", "half.npy: [] for 'scale', the same in each step",
        "out.npz: total [3, 2], squared [3, 2]",
      ])
    #expect(try tensor("out.npz", "total") == Tensor(shape: [3, 2], values: [0.5, 5, 1.5, 15, 3, 30]))
    #expect(try tensor("out.npz", "squared").values == [0.25, 25, 2.25, 225, 9, 900])
  }

  @Test("an archive gives all inputs, parameters are turned, and the first steps taken")
  func archive() throws {
    let words = [
      "run", "sums.json", "--input", "in.npz", "--set", "gain=2", "--steps", "2", "-o", "total=total.npy",
    ]
    let run = try tool.run(words)
    #expect(run.code == 0, "\(run.messages)")
    #expect(run.lines.first == "in.npz: 2 steps of [2] for 'x', of 3")
    #expect(try tensor("total.npy") == Tensor(shape: [2, 2], values: [2, 20, 6, 60]))
    let quiet = try tool.run(words + ["--force", "--quiet", "-o", "squared=squared.npy"])
    #expect(quiet.code == 0 && quiet.messages.isEmpty && quiet.output.isEmpty)
    #expect(try tensor("squared.npy").values == [4, 400, 36, 3600])
  }

  @Test("an entry that is called otherwise, and a file that has colons in its name")
  func entries() throws {
    for input in ["scale=in.npz:more", "scale=a:b.npz:more", "scale=a:b.npz"] {
      try tool.make("a:b.npz", TensorArchive.npz([("more", Tensor(7))]))
      let run = try tool.run("run", "sums.json", "--input", "x=in.npz", "--input", input, "--json", "--quiet")
      #expect(run.code == 0, "\(run.messages)")
      let report = try JSONDecoder().decode(Report.self, from: Data(run.output.utf8))
      #expect(report.steps == 3 && report.outputs[0].values == [7, 70, 21, 210, 42, 420], "\(input)")
      #expect(report.outputs.map(\.name) == ["total", "squared"] && report.outputs[1].shape == [3, 2])
    }
  }

  private struct Report: Decodable {
    struct Output: Decodable {
      let name: String, shape: [Int], values: [Float?]?
    }
    let model: String, steps: Int, outputs: [Output]
  }

  @Test("shapes of arrays bind axes, and one input needs no name")
  func binding() throws {
    let run = try tool.run("run", "rows.json", "--input", "x.npy")
    #expect(run.code == 0 && run.messages.isEmpty, "\(run.messages)")
    #expect(run.output == "  y  [3]  11 22 33\n")
    try Tensor(shape: [2, 1, 2], values: [1, 2, 3, 4]).write(to: tool.path("two.npy"))
    let two = try tool.run("run", "rows.json", "--input", "two.npy", "--bind", "time=1")
    #expect(two.output == "  y  [2, 1]  3 7\n" && two.lines == ["two.npy: 2 steps of [1, 2] for 'x'"])
  }

  /// `data [6]` in the shape that the input `shape` says.
  private static let reshape =
    "CAgSADpSChkKBGRhdGEKBXNoYXBlEgF5IgdSZXNoYXBlEgFnWhIKBGRhdGESCgoICAESBAoCCAZaEwoFc2hhcGUSCgoICAcSBAoCCAJiCQoBeRIE"
    + "CgIIAUIECgAQDQ=="

  @Test("lists and files stand in place of inputs on which shapes depend")
  func constants() throws {
    try #require(Data(base64Encoded: Self.reshape)).write(to: URL(filePath: tool.path("reshape.onnx")))
    try Tensor([1, 2, 3, 4, 5, 6]).write(to: tool.path("six.npy"))
    try Tensor([3, -1]).write(to: tool.path("s.npy"))
    let words = ["run", "reshape.onnx", "--input", "six.npy"]
    for (shape, output) in [("[2,-1]", "[2, 3]"), ("s.npy", "[3, 2]"), ("[-1, 6]", "[1, 6]")] {
      let run = try tool.run(words + ["--bind", "shape=\(shape)"])
      #expect(run.code == 0 && run.output == "  y  \(output)  1 2 3 4 5 6\n", "\(run.messages)")
    }
    let shown = try tool.run("run", "reshape.onnx", "--bind", "shape=[2,3]")
    #expect(
      shown.output.hasSuffix("  legato run reshape.onnx --bind shape=[2,3] --input data=FILE\n"),
      "\(shown.output)")
    let named = try tool.run(words)
    #expect(
      named.code == 1 && named.messages.contains("--bind shape=[…] puts numbers in place of"),
      "\(named.messages)")
    for (value, code, message) in [
      (
        "[2,x]", 2,
        "run: --bind shape=[2,x]: numbers between commas are needed, such as [2,-1]; what has more axes is in a file"
      ),
      ("none.npy", 1, "none.npy: no such file"),
      ("[1]", 1, "reshape.onnx: the input 'shape' has the shape [2], and what stands in its place [1]"),
      ("6", 1, "reshape.onnx: the input 'shape' has the shape [2], and what stands in its place [1]"),
    ] as [(String, Int32, String)] {
      let run = try tool.run(words + ["--bind", "shape=\(value)"])
      #expect(run.code == code && run.lines == [message], "\(run.messages)")
    }
    let other = try tool.run("run", "rows.json", "--input", "x.npy", "--bind", "x=[1]")
    #expect(
      other.code == 1 && other.lines == ["rows.json: numbers can stand in place of inputs of ONNX files only"]
    )
  }

  @Test("what has no inputs is run at once, and large outputs are printed by their first numbers")
  func noInputs() throws {
    #expect(try tool.run("run", "ticks.json").output == "  n  []  1\n")
    #expect(try tool.run("run", "ticks.json", "--steps", "9").output == "  n  [9]  1 2 3 4 5 6 7 8 …\n")
    let large = try tool.run("run", "ticks.json", "--steps", "4097", "--json")
    let report = try JSONDecoder().decode(Report.self, from: Data(large.output.utf8))
    #expect(report.outputs[0].shape == [4097] && report.outputs[0].values == nil)
  }

  @Test("without inputs it says what goes in, comes out and is remembered")
  func interface() throws {
    let run = try tool.run("run", "sums.json")
    #expect(run.code == 0 && run.messages.isEmpty)
    #expect(
      run.output == """
        Sums

        inputs
          x      [2]  float32  What is summed.
          scale  []   float32

        outputs
          total    [2]  float32
          squared  [2]  float32

        state, steps in front
          total  [1, 2]  float32

        run it
          legato run sums.json --input x=FILE --input scale=FILE

        """)
    let open = try tool.run("run", "rows.json").output
    #expect(open.contains("  x  [time, 2]  float32\n") && open.contains("\n  y  "))
    #expect(open.contains("  time  as long as in the arrays that are given, or --bind time=N\n"))
    #expect(try tool.run("run", "rows.json", "--bind", "time=4").output.contains("  y  [4]  float32\n"))
    struct Interface: Decodable {
      struct Port: Decodable {
        let name: String
      }
      let inputs, outputs: [Port], state: [Port]?, open: [String]
    }
    let json = try JSONDecoder().decode(
      Interface.self, from: Data(tool.run("run", "rows.json", "--json").output.utf8))
    #expect(json.inputs.map(\.name) == ["x"] && json.outputs.map(\.name) == ["y"] && json.open == ["time"])
    #expect(json.state == nil)
  }

  // MARK: Checks

  @Test("what is expected is compared, with a line for each output that differs")
  func expectation() throws {
    let golden = [
      ("total", try Tensor(shape: [3, 2], values: [1, 10, 3, 30.5, 6, 60.25])),
      ("squared", try Tensor(shape: [3, 2], values: [1, 100, 9, 900, 36, .nan])),
    ]
    try tool.make("golden.npz", TensorArchive.npz(golden.map { (name: $0.0, tensor: $0.1) }))
    let words = ["run", "sums.json", "--input", "in.npz", "-o", "out.npz", "--quiet", "--force"]
    let run = try tool.run(words + ["--expect", "golden.npz"])
    #expect(run.code == 4 && run.output.isEmpty)
    #expect(
      run.lines == [
        "sums.json: 'total' differs from golden.npz: 2 of 6 numbers by more than 1e-05, the most at [1, 1]: 30, not 30.5 "
          + "(0.5 apart)",
        "sums.json: 'squared' differs from golden.npz: 1 of 6 numbers by more than 1e-05, the most at [2, 1]: 3600, not "
          + "nan (inf apart)",
      ])
    #expect(try tensor("out.npz", "total").values == [1, 10, 3, 30, 6, 60])
    let near = try tool.run(words + ["--expect", "total=golden.npz", "--tolerance", "0.5"])
    #expect(near.code == 0 && near.messages.isEmpty)
    let said = try tool.run("run", "rows.json", "--input", "x.npy", "--expect", "y=x.npy")
    #expect(said.code == 4 && said.lines == ["rows.json: 'y' is [3], and x.npy expects [3, 2]"])
    let itself = try tool.run("run", "sums.json", "--input", "in.npz", "--expect", "out.npz", "--json")
    #expect(itself.lines.last == "sums.json: 'total' and 'squared' are as expected, within 1e-05")
  }

  @Test("the first number that is not finite is found, with its step")
  func nonFinite() throws {
    try Tensor(shape: [2, 2], values: [1, 2, 3, 0]).write(to: tool.path("zero.npy"))
    let words = ["run", "reciprocals.json", "--input", "zero.npy", "-o", "out.npy"]
    let run = try tool.run(words + ["--check", "non-finite"])
    #expect(run.code == 4, "\(run.messages)")
    #expect(
      run.lines.last == "reciprocals.json:2:20: 'y' = 1 / x is inf at step 1, position [1], where x is 0")
    #expect(try !tool.names.contains("out.npy"))
    #expect(try tool.run(words).code == 0)
    #expect(try tensor("out.npy").values == [1, 0.5, 1 / 3, .infinity])
    let json = try tool.run("run", "reciprocals.json", "--input", "zero.npy", "--json", "--quiet")
    #expect(json.output.contains("null") && json.code == 0)
  }
}
