// SPDX-License-Identifier: Apache-2.0

import Foundation
import Legato
import ModelFiles
import TestEquipment
import Testing

/// A small network beside checkpoints that are written here.
@Suite struct CheckpointTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    // Of Clip the bounds are left out, of the loss the second output.
    let nodes = [
      ONNXBytes.node("MatMul", ["x", "w"], ["m"]), ONNXBytes.node("Clip", ["m", "", ""], ["scores"]),
      ONNXBytes.node("SoftmaxCrossEntropyLoss", ["scores", "labels"], ["onnx::loss::8", ""]),
    ]
    let inputs = [
      ONNXBytes.port("x", ["1", "3"]), ONNXBytes.port("labels", ["1"]), ONNXBytes.port("w", ["3", "2"]),
    ]
    let graph = ONNXBytes.graph(nodes, inputs: inputs, outputs: ["onnx::loss::8"])
    try Data(ONNXBytes.model(graph)).write(to: URL(filePath: folder("eval_model.onnx")))
  }

  /// The model beside a checkpoint of one tensor.
  private func model(name: String = "w", shape: [Int] = [3, 2], learns: Bool) throws -> Model {
    let tensor: [Int: FlatBytes] = [
      0: .text(name), 2: .numbers(shape), 3: .number(1),
      4: .bytes([UInt8](repeating: 0, count: 4 * shape.reduce(1, *))),
    ]
    let state: [Int: FlatBytes] = [learns ? 0 : 1: .tables([tensor])]
    try Data(FlatBytes.buffer("ODTC", [1: .table(state)])).write(to: URL(filePath: folder("checkpoint")))
    return try Model(contentsOf: folder.path)
  }

  @Test("an output without a name makes no input that is left out") func absence() throws {
    let model = try model(learns: true)
    #expect(model.inputs.map(\.name) == ["x"] && model.outputs == ["scores"])
    #expect(model.training?.loss?.expression == "crossEntropy(scores, labels)")
    #expect(model.training?.trainable == ["w.T"])
  }

  @Test("where no weights learn, nothing is said of learning, and that is told") func frozen() throws {
    let model = try model(learns: false)
    #expect(model.inputs.map(\.name) == ["x"] && model.outputs == ["scores"] && model.training == nil)
    let note = try #require(model.noteOnImport)
    #expect(note.contains("no weights learn; frozen: w; not read: how it learns, as no weights do"))
  }

  @Test("names and shapes are bounded: tensors may share one") func bounds() throws {
    for (name, shape, count, most) in [
      (String(repeating: "w", count: 1025), [3, 2], 1025, 1024), ("w", [3, 2, 1, 1, 1, 1, 1, 1, 1], 9, 8),
    ] {
      let error = #expect(throws: ModelError.self) { try model(name: name, shape: shape, learns: true) }
      #expect(
        "\(error!)".hasSuffix(
          "the file 'checkpoint' has a list of \(count) elements; \(most) are the most there"))
    }
  }
}
