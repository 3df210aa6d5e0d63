// SPDX-License-Identifier: Apache-2.0

import Foundation
import Legato
import TestEquipment
import Testing

@Suite("Command: export", .waits)
struct ExportTests {
  private let tool: Tool

  init() throws {
    tool = try Tool()
    try StepModels.make(in: tool)
    try tool.make(
      "echo.json",
      Array(
        """
        { "legato": 1, "name": "Echo", "inputs": { "src": { "shape": ["channels", "frames"] } },
          "parameters": { "gain": { "default": 0.5, "minimum": 0, "maximum": 1 } },
          "graph": { "dst": "src + gain * delay(dst, 3)" }, "outputs": ["dst"] }
        """.utf8))
  }

  @Test("an effect becomes a model of one block, which runs block after block")
  func block() throws {
    let words = ["export", "echo.json", "--bind", "channels=1", "--block", "4"]
    let run = try tool.run(words + ["--set", "gain=0.25"])
    #expect(run.code == 0, "\(run.messages)")
    #expect(run.lines.last == "echo.onnx: dst_out of a step is dst_in of the next, [3, 1]")
    try tool.make("x.npy", Tensor(shape: [2, 1, 4], values: [1, 0, 0, 0, 0, 0, 0, 0]).npy)
    let steps = try tool.run("run", "echo.onnx", "--input", "x.npy", "-o", "y.npy")
    #expect(steps.code == 0, "\(steps.messages)")
    let y = try Tensor(contentsOf: tool.path("y.npy"))
    #expect(y == (try Tensor(shape: [2, 1, 4], values: [1, 0, 0, 0.25, 0, 0, 0.0625, 0])))
    try tool.make(
      "late.json",
      """
      { "legato": 1, "inputs": { "x": { "shape": [2, "frames"] } }, "graph": { "y": "delay(x, 3)" }, "outputs": ["y"] }
      """)
    let usual = try tool.run("export", "late.json", "-o", "usual.onnx")
    #expect(usual.code == 0)
    let shown = try tool.run("run", "usual.onnx")
    #expect(shown.output.contains("[2, 128]"), "\(shown.output)")
  }

  @Test("what does not fit is said, and nothing is written")
  func refusals() throws {
    let rows: [([String], String)] = [
      (["echo.json"], "nothing says how long the axis 'channels' is; --bind channels=N does"),
      (["sums.json", "--block", "4"], "--block goes with effects; 'Sums' is a model of steps"),
      (
        ["echo.json", "--bind", "channels=1", "--block", "0"], "--block takes a whole number from 1 to 65536"
      ),
    ]
    for (words, message) in rows {
      let run = try tool.run(["export"] + words + ["-o", "none.onnx"])
      #expect(run.code == 2 && run.messages.contains(message), "\(run.messages)")
      #expect(!FileManager.default.fileExists(atPath: tool.path("none.onnx")))
    }
  }

  @Test("--bind batch=N runs several examples at once")
  func batch() throws {
    try tool.make("two.npy", Tensor(shape: [2, 2], values: [1, 10, 2, 20]).npy)
    try tool.make("one.npy", Tensor(shape: [2], values: [1, 2]).npy)
    let run = try tool.run(
      "run", "sums.json", "--bind", "batch=2", "--input", "x=two.npy", "--input", "scale=one.npy", "-o",
      "out.npz")
    #expect(run.code == 0, "\(run.messages)")
    let total = try Tensor(contentsOf: tool.path("out.npz"), named: "total")
    #expect(total == (try Tensor(shape: [2, 2], values: [1, 10, 4, 40])))
    let wrong = try tool.run(
      "run", "sums.json", "--bind", "batch=3", "--input", "x=two.npy", "--input", "scale=one.npy")
    #expect(wrong.code == 2 || wrong.code == 1)
    #expect(wrong.messages.contains("the input 'x' takes [3, 2], and is given [2, 2]"), "\(wrong.messages)")
  }
}
