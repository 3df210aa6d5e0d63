// SPDX-License-Identifier: Apache-2.0

import Foundation
import Legato
import RealtimeCore
import TestEquipment
import Testing

/// Effects as ONNX files of one block: read again, block after block with what is remembered carried, they are the effect.
/// `Tests/ONNX/streams.py` tries the same in ONNX Runtime.
@Suite struct StreamExportTests {
  private static let frames = 16

  private static func model(
    _ graph: String, inputs: String = #""src": { "shape": [2, "frames"] }"#, outputs: String = "dst",
    more: String = ""
  ) throws -> Model {
    try Model(
      """
      { "legato": 1, "name": "Stream", \(more) "inputs": { \(inputs) },
        "parameters": { "gain": { "default": 0.5, "minimum": 0, "maximum": 2, "ramp": 0 } },
        "graph": { \(graph) }, "outputs": ["\(outputs)"] }
      """)
  }

  /// An effect of two channels, frame by frame, and the same block by block.
  private func compare(_ model: Model, frames: Int = frames, blocks: Int = 6, late: Int = 0) throws {
    let folder = try TemporaryFolder()
    let again = try Model(contentsOf: folder.make("net.onnx", model.onnx(block: frames)))
    #expect(again.inputs.map(\.name) == model.inputs.map(\.name))
    #expect(again.outputs == model.outputs)
    var runner = try StepRunner(again.compilation())
    let program = try model.compile(channels: 2)
    #expect(program.layout.latency == late)
    let all = frames * blocks
    var driver = try ContextDriver(program, frames: all)
    var random = SplitMix(seed: 23)
    let rows = program.layout.inputs.map(\.rows).reduce(0, +)
    let sound = (0..<rows).map { _ in
      (0..<all).map { $0 < 3 * all / 4 ? Float(random.below(2001) - 1000) / 1000 : 0 }
    }
    driver.inputs.fill(sound, from: 0, frames: all)
    driver.execute(all)
    let expected = (0..<2).map { driver.output($0, frames: all) }
    let largest = expected.joined().map(abs).max() ?? 0
    #expect(largest > 0.01)
    for block in 0..<blocks {
      let range = block * frames..<(block + 1) * frames
      var first = 0
      var given: [String: Tensor] = [:]
      for port in program.layout.inputs {
        let numbers = (first..<first + port.rows).flatMap { sound[$0][range] }
        given[port.name] = try Tensor(shape: port.shape + [frames], values: numbers)
        first += port.rows
      }
      let made = try #require(try runner.step(given)["dst"])
      #expect(made.shape == [2, frames])
      for (own, other) in zip(made.values, expected.flatMap { $0[range] }) {
        #expect(abs(own - other) <= 1e-6 * max(1, largest), "block \(block)")
      }
    }
  }

  @Test(arguments: [
    #""dst": "tanh(gain * src)""#,
    #""dst": "src + delay(src, 3) - delay(src, 40)""#,
    #""dst": "gain * src + 0.9 * delay(dst, 1)""#,
    #""dst": "src + 0.5 * delay(dst, 37)""#,
    #""low": "low1 + 0.1 * (src - low1)", "low1": "delay(low, 1)", "dst": "src - low + delay(low, 2)""#,
    #""dst": "biquad(src, 0.2, 0.3, 0.2, -0.6, 0.3)""#,
    #""dst": "delay(src, by: 10 + 9 * src, maximum: 20)""#,
    #""dst": "src * select(delay(1, 20), 1, gain)""#,
  ]) func isTheEffect(graph: String) throws { try compare(Self.model(graph)) }

  /// A delay by a signal in a cycle is one of the blocks before.
  @Test func loopsThroughADelayByASignal() throws {
    let model = try Self.model(
      #""dst": "gain * src + 0.5 * delay(dst, by: 30 + 9 * src, minimum: 20, maximum: 40)""#)
    try compare(model)
    let error = #expect(throws: ModelError.self) { try model.onnx(block: 21) }
    #expect("\(error!)".contains("of 20 frames at least, has steps of 20 frames at most"), "\(error!)")
  }

  /// Phases are counted, and do not drift.
  @Test func countsPhases() throws {
    try compare(Self.model(#""dst": "src * (0.5 + 0.5 * phasor(-1000 + 300 * gain))""#), blocks: 40)
    try compare(Self.model(#""dst": "src * phasor(3000 * sum(src, axis: 0))""#))
  }

  @Test func looksAhead() throws {
    try compare(Self.model(#""dst": "src + gain * lookahead(src, 5)""#), late: 5)
  }

  @Test func warmsUp() throws {
    try compare(Self.model(#""dst": "gain * src + 0.5 + 0.9 * delay(dst, 1)""#, more: #""prewarm": 32,"#))
  }

  @Test func holdsNumbers() throws {
    try compare(Self.model(#""dst": "src * (1 + control(sum(src * src, axis: 0)))""#), frames: 64)
  }

  @Test func convolves() throws {
    try compare(
      Self.model(
        #""dst": "conv1d(src, weight: 'w', dilation: 3)""#,
        more: #""weights": { "w": [[[1, 0.5], [0, 0.25]], [[0.5, 0], [-0.5, 1]]] },"#))
  }

  @Test(arguments: [frames, 128]) func hasRecurrentLayers(frames: Int) throws {
    try compare(
      Self.model(
        #""h": "tanh(dense(src, 'w', axis: 0) + dense(delay(h, 1), 'u', axis: 0))", "dst": "h""#,
        more: #""weights": { "w": [[1, 0.5], [0, 0.25]], "u": [[0.5, 0.1], [-0.5, 0.3]] },"#), frames: frames)
  }

  @Test(arguments: [
    (#""dst": "src + noise(1)""#, 16, "noise goes by the position in the stream"),
    (#""dst": "src * control(sum(src, axis: 0))""#, 16, "a block has a multiple of 64, not 16"),
  ]) func refusals(graph: String, frames: Int, message: String) throws {
    let model = try Self.model(graph)
    let error = #expect(throws: ModelError.self) { try model.onnx(block: frames) }
    #expect("\(error!)".contains("'Stream' cannot be exported as a block: "), "\(error!)")
    #expect("\(error!)".contains(message), "\(error!)")
    #expect(throws: ModelError.self) { try model.onnx() }
  }

  @Test func warmingUpIsWholeBlocks() throws {
    let model = try Self.model(#""dst": "src + 0.9 * delay(dst, 1)""#, more: #""prewarm": 30,"#)
    let error = #expect(throws: ModelError.self) { try model.onnx(block: 16) }
    #expect("\(error!)".contains("no whole blocks of 16; choose a block that divides them"), "\(error!)")
  }

  /// A cycle along positions of a step goes there and back, in either direction.
  @Test(arguments: [
    "tanh(0.5 * x + dense(shifted(h, axis: 0, by: 1), 'u'))",
    "tanh(0.5 * x + dense(shifted(h, axis: 0, by: -2), 'u') * select(x > 0, 1, 0.5))",
  ]) func sequences(h: String) throws {
    let model = try Model(
      """
      { "legato": 1, "name": "Sequence", "clock": "step", "inputs": { "x": { "shape": [9, 3] } },
        "weights": { "u": [[0.5, 0.1, 0], [-0.5, 0.3, 1], [0.25, 0, 0.5]] },
        "graph": { "h": "\(h)", "y": "h + sum(h, axis: 0)" }, "outputs": ["y", "h"] }
      """)
    let folder = try TemporaryFolder()
    let again = try Model(contentsOf: folder.make("net.onnx", model.onnx()))
    var first = try StepRunner(model.compilation())
    var second = try StepRunner(again.compilation())
    let x = try Tensor(shape: [9, 3], values: (0..<27).map { Float(($0 * 7919) % 17 - 8) / 8 })
    let (own, other) = (try first.step(["x": x]), try second.step(["x": x]))
    for (name, tensor) in own {
      #expect(zip(tensor.values, other[name]!.values).allSatisfy { abs($0 - $1) <= 1e-6 })
    }
  }
}
