// SPDX-License-Identifier: Apache-2.0

import Foundation
import Legato
import TestEquipment
import Testing

/// Law 12: what is exported and imported again computes the same, step by step.
@Suite struct RoundTripTests {
  /// The models of `Tests/ONNX/export.py`, which compares their files with ONNX Runtime: shapes only.
  private struct Short: Decodable {
    let inputs: [String: [Int]]
    let weights: [String: [Int]]?
  }

  private static let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../ONNX/export-models.json")
  static let names: [String] = {
    let shorts = (try? JSONDecoder().decode([String: Short].self, from: Data(contentsOf: file))) ?? [:]
    return shorts.keys.sorted()
  }()

  @Test func thereAreModels() { #expect(Self.names.count > 20) }

  /// A model of the file, its weights drawn at random.
  static func model(_ name: String) throws -> Model {
    var random = SplitMix(seed: 12)
    func nested(_ shape: ArraySlice<Int>) -> Any {
      guard let first = shape.first else { return numbers(1, &random)[0] }
      return (0..<first).map { _ in nested(shape.dropFirst()) }
    }
    let data = try Data(contentsOf: Self.file)
    let all = try #require(try JSONSerialization.jsonObject(with: data) as? [String: [String: Any]])
    let short = try #require(try JSONDecoder().decode([String: Short].self, from: data)[name])
    var document = try #require(all[name])
    let graph = try #require(document["graph"] as? [String: Any])
    document["legato"] = 1
    document["name"] = name
    document["clock"] = document["clock"] ?? "step"
    document["outputs"] = document["outputs"] ?? graph.keys.sorted()
    document["inputs"] = short.inputs.mapValues { ["shape": $0] }
    // In one order in each run.
    document["weights"] = Dictionary(
      uniqueKeysWithValues: (short.weights ?? [:]).sorted { $0.key < $1.key }.map {
        ($0.key, nested($0.value[...]))
      })
    return try Model(String(decoding: JSONSerialization.data(withJSONObject: document), as: UTF8.self))
  }

  private static func numbers(_ count: Int, _ random: inout SplitMix) -> [Float] {
    (0..<count).map { _ in Float(random.below(4001) - 2000) / 1000 }
  }

  /// Ports whose names no expression can say are called as before, and keep their labels.
  @Test func portsKeepTheirNames() throws {
    let folder = try TemporaryFolder()
    let bytes =
      ONNXBytes.model(
        ONNXBytes.graph(
          [ONNXBytes.node("Relu", ["x:0"], ["158"]), ONNXBytes.node("Neg", ["x:0"], ["cumsum"])],
          inputs: [ONNXBytes.port("x:0", ["3"])], outputs: ["158", "cumsum"]))
      + ONNXBytes.field(
        14,
        ONNXBytes.field(1, "legato.model")
          + ONNXBytes.field(
            2, "{ \"outputs\": [{ \"name\": \"v158\", \"labels\": [\"a\", \"b\", \"c\"] }, \"cumsum_\"] }"))
    let model = try Model(contentsOf: folder.make("net.onnx", bytes))
    #expect(model.outputs == ["v158", "cumsum_"])
    let again = try Model(contentsOf: folder.make("again.onnx", model.onnx()))
    for model in [model, again] {
      #expect(model.labels(of: "v158") == ["a", "b", "c"] && model.labels(of: "cumsum_") == nil)
    }
    #expect(again.inputs.map(\.original) == ["x:0"])
    #expect(again.outputs.map { again.original(ofOutput: $0) } == ["158", "cumsum"])
  }

  @Test(arguments: names) func computesTheSame(name: String) throws {
    var random = SplitMix(seed: 13)
    let model = try Self.model(name)
    let folder = try TemporaryFolder()
    let exported = try model.onnx()
    let again = try Model(contentsOf: folder.make("net.onnx", exported))
    #expect(again.inputs.map(\.name).sorted() == model.inputs.map(\.name).sorted())
    #expect(again.outputs == model.outputs)
    var first = try StepRunner(model.compilation())
    var second = try StepRunner(again.compilation())
    let shapes = Dictionary(
      first.program.layout.inputs.map { ($0.name, $0.shape) }, uniquingKeysWith: { first, _ in first })
    for step in 0..<6 {
      var given: [String: Tensor] = [:]
      for (name, shape) in shapes.sorted(by: { $0.key < $1.key }) {
        given[name] = try Tensor(shape: shape, values: Self.numbers(shape.reduce(1, *), &random))
      }
      let (made, imported) = (try first.step(given), try second.step(given))
      for (name, tensor) in made {
        let other = try #require(imported[name])
        #expect(other.shape == tensor.shape)
        let largest = tensor.values.filter(\.isFinite).map(abs).max() ?? 0
        for (a, b) in zip(tensor.values, other.values) {
          #expect(
            a == b || a.isNaN && b.isNaN || abs(a - b) <= 1e-6 * max(1, largest), "\(name) in step \(step)")
        }
      }
    }
  }
}
