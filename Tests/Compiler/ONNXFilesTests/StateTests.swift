// SPDX-License-Identifier: Apache-2.0

import Foundation
import Legato
import Testing

/// Networks whose inputs are outputs of the step before, beside ONNX Runtime's numbers; `Tests/ONNX/make-streaming.py` writes
/// them down.
@Suite struct StateTests {
  private struct Reference: Decodable {
    let input: [Float]
    let output: [Double]
    let h: [Double]
  }

  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("reference")
  private static let network = folder.appendingPathComponent("streaming.onnx").path
  private static let states = ["h:hn", "c:cn"]

  @Test func statesGoOnFromStepToStep() throws {
    let reference = try JSONDecoder().decode(
      Reference.self, from: Data(contentsOf: Self.folder.appendingPathComponent("streaming.json")))
    let model = try Model(contentsOf: Self.network, extents: ["batch": 1], states: Self.states)
    #expect(model.inputs.map(\.name) == ["input"] && model.outputs == ["output", "hn", "cn"])
    var runner = try StepRunner(model.compilation())
    let windows = try Tensor(shape: [12, 1, 48], values: reference.input)
    for _ in 0..<2 {
      let results = try runner.run(["input": windows])
      for (made, wanted) in zip(results["output"]!.values, reference.output) {
        #expect(abs(Double(made) - wanted) < 1e-6)
      }
      for (made, wanted) in zip(results["hn"]!.values.suffix(6), reference.h) {
        #expect(abs(Double(made) - wanted) < 1e-6)
      }
      runner.reset()
    }
  }

  /// Axes that get their numbers later are those of states, too.
  @Test func axesAreBoundLater() throws {
    let model = try Model(contentsOf: Self.network, states: Self.states)
    #expect(model.symbols == ["batch"])
    let graph = try model.compilation(extents: ["batch": 3]).layout
    #expect(graph.inputs.map(\.shape) == [[3, 48]])
  }

  @Test(arguments: [
    (
      ["h:output"],
      "the input 'h', [1, 1, 6], cannot be the output 'output' of the step before, which is [1, 1]"
    ),
    (["h:nothing"], "the state 'h:nothing' is no INPUT:OUTPUT of the network"),
    (["hn"], "the state 'hn' is no INPUT:OUTPUT of the network, whose inputs are 'input', 'h', 'c'"),
    (["h:hn", "h:cn"], "the input 'h' is the state of two outputs"),
  ]) func mistakes(states: [String], message: String) {
    let error = #expect(throws: ModelError.self) {
      try Model(contentsOf: Self.network, extents: ["batch": 1], states: states)
    }
    #expect("\(error!)".contains(message), "\(error!)")
  }
}
