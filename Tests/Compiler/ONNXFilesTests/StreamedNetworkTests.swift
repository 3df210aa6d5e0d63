// SPDX-License-Identifier: Apache-2.0

import Foundation
import Legato
import RealtimeCore
import TestEquipment
import Testing

/// Networks over a stretch of sound as streams, beside ONNX Runtime's numbers of the whole; `Tests/ONNX/make-streamed.py`
/// writes them down.
@Suite struct StreamedNetworkTests {
  private struct Reference: Decodable {
    let x: [Float]
    let y: [Float]
  }

  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("reference")
  private static let network = folder.appendingPathComponent("streamed.onnx").path

  private func compare(_ model: Model, with name: String, latency: Int) throws {
    #expect(model.inputs.map(\.name) == ["x"] && model.outputs == ["y"])
    let reference = try JSONDecoder().decode(
      Reference.self, from: Data(contentsOf: Self.folder.appendingPathComponent("\(name).json")))
    let program = try model.compile()
    #expect(program.layout.latency == latency)
    let frames = reference.x.count
    var driver = try ContextDriver(program, frames: frames)
    driver.inputs.fill([reference.x], from: 0, frames: frames)
    driver.execute(frames)
    // The zeros behind the end, of which the last frames know, have not come yet.
    for (made, wanted) in zip(driver.output(0, frames: frames).dropFirst(latency), reference.y) {
      #expect(abs(made - wanted) < 1e-6)
    }
  }

  @Test func computesTheWhole() throws {
    let network = try Model(contentsOf: Self.network)
    for input in ["x", "x:time", "x:2"] {
      let stream = try network.streaming(input, states: ["h:hn"])
      try compare(stream, with: "streamed", latency: 2)
      #expect(stream.noteOnImport == nil)
    }
    // As a model file with its weights it is the same.
    let (text, weights) = try network.streaming("x", states: ["h:hn"]).imported(weightsIn: "net.safetensors")
    let folder = try TemporaryFolder()
    try folder.make("net.safetensors", weights)
    try compare(
      Model(contentsOf: folder.make("net.json", Array(text.utf8))), with: "streamed", latency: 2)
  }

  /// Groups of frames that are as long as they are: of 441 a stretch is looked at that they divide, and of 11 it has to be
  /// said.
  @Test func groupsOfFrames() throws {
    func network(_ count: Int) -> [UInt8] {
      ONNXBytes.model(
        [
          ONNXBytes.node("Reshape", ["x", "groups"], ["g"], name: "split"),
          ONNXBytes.node("ReduceSum", ["g", "last"], ["s"], name: "sum"),
          ONNXBytes.node("Add", ["g", "s"], ["h"]),
          ONNXBytes.node("Reshape", ["h", "whole"], ["y"], name: "join"),
        ],
        tensors: [
          ONNXBytes.tensor("groups", [1, 1, -1, count]), ONNXBytes.tensor("last", [3]),
          ONNXBytes.tensor("whole", [1, 1, -1]),
        ], axes: ["1", "1", "t"])
    }
    let folder = try TemporaryFolder()
    let stream = try Model(contentsOf: folder.make("net.onnx", network(441))).streaming("x")
    let program = try stream.compile()
    #expect(program.layout.latency == 440)
    var driver = try ContextDriver(program, frames: 1323)
    let x = (0..<1323).map { Float($0 / 441 + 1) }
    driver.inputs.fill([x], from: 0, frames: 1323)
    driver.execute(1323)
    #expect(Array(driver.output(0, frames: 1323).dropFirst(440)) == x.prefix(883).map { $0 + 441 * $0 })

    let odd = try Model(contentsOf: folder.make("odd.onnx", network(11)))
    #expect {
      try odd.streaming("x")
    } throws: { error in
      let text = "\(error)"
      return text.contains("node 'split' (Reshape)") && text.contains("11")
        && text.contains("tried with 30720 frames for 't', and with 141120") && text.contains("--bind t=N")
    }
    #expect(try odd.streaming("x:2", extents: ["t": 110]).executesStream)
  }

  @Test func computesTheWholeOfStrides() throws {
    let network = try Model(contentsOf: Self.folder.appendingPathComponent("strided.onnx").path)
    let stream = try network.streaming("x")
    try compare(stream, with: "strided", latency: 7)
    let (text, weights) = try stream.imported(weightsIn: "net.safetensors")
    let folder = try TemporaryFolder()
    try folder.make("net.safetensors", weights)
    try compare(
      Model(contentsOf: folder.make("net.json", Array(text.utf8))), with: "strided", latency: 7)
  }

  @Test(arguments: [
    ("z", [], "'streamed' has no input 'z'; it has 'x' and 'h'"),
    ("x:1", ["h:hn"], "streamed.onnx: axes without numbers: 'time' of 'x'"),
    ("x:3", [], "'x' is [batch, 1, time], and has no axis '3'"),
    ("x", ["h:h"], "'h:h' is no input and output of 'streamed', such as h:hn"),
    ("x", [], "the input 'h' as well; where it is remembered, a pair such as 'h:hn' says so"),
  ]) func mistakes(input: String, states: [String], message: String) throws {
    let network = try Model(contentsOf: Self.network)
    let error = #expect(throws: RequestError.self) { try network.streaming(input, states: states) }
    #expect("\(error!)".contains(message), "\(error!)")
  }
}
