// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestEquipment
import Testing

/// Networks over a stretch of sound, as effects: `Tests/ONNX/make-streamed.py` writes the one that is used.
@Suite("Command: --stream") struct StreamTests {
  private let tool: Tool

  init() throws {
    tool = try Tool()
    let network = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../../Compiler/ONNXFilesTests/reference/streamed.onnx")
    try tool.make("net.onnx", Array(Data(contentsOf: network)))
    var random = SplitMix(seed: 3)
    try Sound(samples: [(0..<500).map { _ in random.float(-1, 1) }]).write(tool.path("in.wav"))
  }

  private static let stream = ["--stream", "x", "--state", "h:hn"]

  @Test("a network renders as an effect, and as the model file that is made of it")
  func renders() throws {
    #expect(try tool.run(["process", "net.onnx", "in.wav", "net.wav"] + Self.stream).code == 0)
    let imported = try tool.run(["import", "net.onnx", "-o", "net.json"] + Self.stream)
    #expect(imported.code == 0 && imported.lines.count == 1, "\(imported.messages)")
    #expect(try tool.run("process", "net.json", "in.wav", "json.wav").code == 0)
    #expect(try tool.bytes("net.wav") == tool.bytes("json.wav"))
    let shown = try tool.run(["inspect", "net.onnx"] + Self.stream)
    #expect(shown.output.contains("[1, frames]"), "\(shown.output)")
  }

  @Test("what makes no stream is said, with what would")
  func refuses() throws {
    for (words, code, message) in [
      (
        ["process", "net.onnx", "in.wav", "out.wav"], 2,
        "process: 'net' executes steps; where 'x' is a stretch of sound, --stream x makes a stream of it"
      ),
      (
        ["process", "net.onnx", "in.wav", "out.wav", "--stream", "y"], 2,
        "process: --stream y: 'net' has no input 'y'; it has 'x' and 'h'"
      ),
      (
        ["import", "net.onnx", "--stream", "x"], 2,
        "import: --stream x: 'net' makes no stream of 'x': 'y', which depends on the input 'h' as well; where it is "
          + "remembered, a pair such as 'h:hn' says so"
      ),
    ] as [([String], Int32, String)] {
      let run = try tool.run(words)
      #expect(run.code == code && run.lines.count == 1 && run.messages.hasPrefix(message), "\(run.messages)")
    }
    #expect(try tool.files(in: ".").sorted() == ["in.wav", "net.onnx"])
  }
}
