// SPDX-License-Identifier: Apache-2.0

import Foundation
import GraphIR
import GraphPasses
import Legato
import ONNXWriting
import TestEquipment
import Testing

/// Law 12 in structure: after all passes the graph of an exported file is the one that was exported where ONNX has words for
/// all of its ops, and what was imported once is exported and imported as it is.
@Suite struct EqualGraphTests {
  /// The models that come back as they went out.
  private static let equal: Set<String> = [
    "activations", "clock", "comparisons", "cycles", "delays", "parameters", "steps", "warm",
  ]

  /// The nodes of a graph after all passes, whatever values and arrays are called.
  static func nodes(_ model: Model) throws -> [String] {
    let graph = Pipeline().run(try model.graph(extents: [:], sampleRate: nil)).graph
    return graph.outputs.map { "\($0.name) = \($0.value.index)" }
      + graph.nodes.map { node in
        let op =
          if case .input(let port) = node.op {
            "input \(graph.inputs[port].name)"
          } else if case .weights(let id) = node.op { "weights \(graph[id].values.fingerprint)" } else {
            "\(node.op)"
          }
        return "\(op) \(node.operands.map(\.index)) \(graph.shape(of: node.result))"
      }
  }

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func again(_ file: [UInt8]) throws -> Model {
    // A model reads its file again where it let numbers go.
    try Model(contentsOf: folder.make("\(UUID().uuidString).onnx", file))
  }

  @Test func theListNamesModels() { #expect(Self.equal.isSubset(of: RoundTripTests.names)) }

  @Test(arguments: RoundTripTests.names) func comesBackAsItself(name: String) throws {
    let model = try RoundTripTests.model(name)
    let imported = try again(model.onnx())
    #expect(try (Self.nodes(model) == Self.nodes(imported)) == Self.equal.contains(name))
    let second = try again(imported.onnx())
    #expect(try Self.nodes(imported) == Self.nodes(second))
    // Nor does the file grow.
    let nodes = try [imported, second].map { try $0.onnxExport(extents: [:], settings: []).nodes }
    #expect(nodes[0] == nodes[1])
  }

  /// A past that a node without results reads is a state like any other.
  @Test func pastsThatNobodyNeeds() throws {
    let graph = ONNXBytes.graph(
      [
        ONNXBytes.node("Neg", ["x"], ["y"]), ONNXBytes.node("Unsqueeze", ["y", "axes"], ["y_out"]),
        ONNXBytes.node("Relu", ["y_in"], []), ONNXBytes.node("Abs", ["x"], ["z"]),
      ], tensors: [ONNXBytes.tensor("axes", [0])],
      inputs: [ONNXBytes.port("x", ["3"]), ONNXBytes.port("y_in", ["1", "3"])], outputs: ["z", "y_out"])
    let state = ONNXBytes.field(14, ONNXBytes.field(1, "legato.state.y_in") + ONNXBytes.field(2, "y_out"))
    var runner = try StepRunner(again(ONNXBytes.model(graph) + state).compilation())
    #expect(try runner.run(["x": Tensor([-1, 2, -3])])["z"]?.values == [1, 2, 3])
  }
}
