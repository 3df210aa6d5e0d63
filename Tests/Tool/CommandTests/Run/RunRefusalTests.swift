// SPDX-License-Identifier: Apache-2.0

import Foundation
import Legato
import TestEquipment
import Testing

/// A request that `run` cannot meet is refused in one line, and nothing is written.
@Suite("Command: run, refused", .waits)
struct RunRefusalTests {
  private let tool: Tool

  init() throws {
    tool = try Tool()
    try StepModels.make(in: tool)
    try tool.make("text.npy", "no array")
    try tool.make("stream.json", TestModels.mono)
    try tool.make("other.npz", TensorArchive.npz([("a", Tensor(1)), ("b", Tensor(1))]))
  }

  private static let rows: [(line: String, code: Int32, message: String)] = [
    ("", 2, "run: MODEL is missing; see --help"),
    (
      "stream.json --input x.npy", 2,
      "run: 'Test' works on frames of a stream (stream.json:1:44); legato process renders sound through it"
    ),
    (
      "sums.json --state h:hn", 1,
      "sums.json: what is remembered can be said of ONNX files only; a model file says it with delay"
    ),
    ("sums.json --steps 0", 2, "run: --steps takes a whole number from 1 to 1000000000, not '0'"),
    (
      "sums.json --bind time", 2,
      "run: --bind takes NAME=N, such as time=10, NAME=[2,3] or NAME=FILE, not 'time'"
    ),
    (
      "sums.json --bind time=0", 2,
      "run: --bind time=0: an axis has one position or more"
    ),
    ("rows.json --bind time=1 --bind time=2", 2, "run: --bind time=2: 'time' is bound twice"),
    ("rows.json --bind tim=1", 2, "run: no axis is called 'tim'; did you mean 'time'?"),
    ("sums.json --bind time=1", 2, "run: no axis is called 'time'; all axes have numbers"),
    (
      "rows.json --input x.npy --bind time=2", 2,
      "run: the axis 'time' of the input 'x' has 3, and 2 as is asked for"
    ),
    (
      "sums.json --input x.npy", 2,
      "run: --input x.npy: the model has the inputs 'x' and 'scale'; say which is meant: --input x=x.npy"
    ),
    (
      "sums.json --input other.npz", 2,
      "run: --input other.npz: no tensor of the file is called as one of the inputs 'x' and 'scale'"
    ),
    (
      "sums.json --input scael=half.npy", 2,
      "run: --input scael=half.npy: no input is called 'scael'; did you mean 'scale'?"
    ),
    ("sums.json --input in.npz --input x=x.npy", 2, "run: --input x=x.npy: the input 'x' is given twice"),
    (
      "sums.json --input x=x.npy", 2,
      "run: the input 'scale' is missing, which takes []; --input scale=FILE gives it"
    ),
    (
      "sums.json --input x=half.npy --input scale=half.npy", 2,
      "run: the input 'x' takes [2], and is given []"
    ),
    ("sums.json --input in.npz --steps 4", 2, "run: the input 'x' is given 3 steps, where 4 steps should be"),
    ("sums.json --input none.npy", 1, "none.npy: no such file"),
    ("sums.json --input x=none.npz:x", 1, "none.npz:x: no such file"),
    ("sums.json --input x=in.npz:y", 1, "in.npz: the file has no tensor 'y'; it has 'x', 'scale' and 'more'"),
    ("sums.json --input x=other.npz", 1, "other.npz: the file has 'a' and 'b'; say which"),
    (
      "sums.json --input x=text.npy", 1,
      "text.npy: the file is no file of arrays; those of NumPy (.npy, .npz) and safetensors are read"
    ),
    ("ticks.json --input x.npy", 2, "run: --input x.npy: the model has no inputs"),
    (
      "sums.json --input in.npz -o out.txt", 2,
      "run: --output takes a file whose name ends in .npy or .npz, not 'out.txt'"
    ),
    (
      "sums.json --input in.npz -o out.npy", 2,
      "run: --output out.npy: the model has the outputs 'total' and 'squared'; name an .npz for all of them, or say which is "
        + "meant: --output total=out.npy"
    ),
    (
      "sums.json --input in.npz -o total=o.npy -o squared=./o.npy", 2,
      "run: --output names './o.npy' twice; each file is written once"
    ),
    (
      "sums.json --input in.npz -o in.npz", 2,
      "run: 'in.npz' is what the result is made of; name another file"
    ),
    ("sums.json --input in.npz -o other.npz", 1, "other.npz: the file exists; --force replaces it"),
    ("sums.json --input in.npz -o none/out.npz", 1, "none: no such folder"),
    (
      "rows.json --input x.npy -o x=out.npy", 2,
      "run: --output x=out.npy: no output is called 'x'; there is 'y'"
    ),
    ("rows.json --input a=b.npy", 2, "run: --input a=b.npy: no input is called 'a'; there is 'x'"),
    ("rows.json --input ./a=b.npy", 1, "./a=b.npy: no such file"),
    ("sums.json -o out.npz", 2, "run: the input 'x' is missing, which takes [2]; --input x=FILE gives it"),
    ("sums.json --input in.npz --force", 2, "run: --force is of use with --output FILE only"),
    ("sums.json --input in.npz --tolerance 1", 2, "run: --tolerance goes with --expect FILE"),
    (
      "sums.json --input in.npz --expect total=in.npz:x --tolerance -1", 2,
      "run: --tolerance takes a number from 0 on, such as 1e-6, not '-1'"
    ),
    (
      "sums.json --input in.npz --expect other.npz", 2,
      "run: --expect other.npz: no tensor of the file is called as one of the outputs 'total' and 'squared'"
    ),
    ("sums.json --input in.npz --set gain=9", 2, "run: --set gain=9: out of range; gain takes 0 to 4"),
    ("none.json", 1, "none.json: no such file"),
  ]

  @Test(arguments: rows.indices) func refused(row: Int) throws {
    let (line, code, message) = Self.rows[row]
    let before = try tool.names
    let run = try tool.run(["run"] + line.split(separator: " ").map(String.init))
    #expect(run.code == code && run.output.isEmpty, "\(run.messages)")
    #expect(run.lines.last?.hasPrefix(message) == true, "\(run.messages)")
    #expect(
      run.lines.count { !$0.contains(" for 'x'") && !$0.contains(" for 'scale'") } == 1, "\(run.messages)")
    #expect(try tool.names == before)
  }

  @Test("an axis that no array says is asked for")
  func openAxis() throws {
    try tool.make(
      "open.json",
      """
      { "legato": 1, "name": "Open", "clock": "step", "inputs": { "x": { "shape": ["a"] }, "y": { "shape": ["b"] } },
        "graph": { "z": "sum(x, axis: 0) + sum(y, axis: 0)" }, "outputs": ["z"] }
      """)
    let run = try tool.run("run", "open.json", "--input", "x=x.npy")
    #expect(
      run.code == 2
        && run.lines == ["run: the input 'y' is missing, which takes [b]; --input y=FILE gives it"])
  }
}
