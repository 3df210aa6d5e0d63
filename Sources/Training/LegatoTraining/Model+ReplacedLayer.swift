// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
public import Legato

/// A network whose last layer tells other classes apart: what is known of pictures or sounds goes on to be used.
extension Model {
  /// This model with a layer of another size, which begins with random weights.
  ///
  ///     classifier.weight [1000, 512], classifier.bias [1000]
  ///     →  replacing(layer: "classifier", count: 2)
  ///     classifier.weight [2, 512],    classifier.bias [2]
  ///
  /// The numbers are even within ±1 / √512, as those of `Trainer.initializeLayers`. Outputs that have other numbers than before
  /// lose their labels. Where weight and bias have names that have nothing in common, such as `onnx::MatMul_12.T` and
  /// `head.bias`, either one names the layer: the bias is what is added to the weight's product.
  ///
  /// - Parameters:
  ///   - layer: what the names of its arrays begin with, before a point, or that of its only one.
  ///   - count: how many numbers it makes.
  ///   - extents: a number for each of the model's symbols.
  ///   - seed: says the random weights.
  /// - Returns: the model, and the names of the arrays of the layer.
  /// - Throws: `TrainingError.task` where there is no such layer of a weight and perhaps a bias, or where the model does not
  ///   fit together with the other size; `ModelError` for a model that is none.
  public func replacing(
    layer: String, count: Int, extents: [String: Int] = [:], seed: UInt64 = 1
  ) throws -> (model: Model, arrays: [String]) {
    let graph = try graph(extents: extents, sampleRate: nil)
    let own = Set(try ownWeights(in: graph, extents: extents))
    let arrays = graph.weights.filter { own.contains($0.name) }
    let named = arrays.filter { $0.name == layer || $0.name.hasPrefix(layer + ".") }
    let found = named.count == 1 ? Self.layer(of: named[0], in: graph, among: arrays) : named
    guard !found.isEmpty else {
      throw TrainingError.task("\(name): \(Self.unknown(layer, arrays.map(\.name)))")
    }
    let (weights, biases) = (found.filter { $0.shape.count > 1 }, found.filter { $0.shape.count == 1 })
    guard weights.count == 1, biases.count <= 1, found.count == weights.count + biases.count else {
      let names = found.map { "\(quoted($0.name)) \(Shape($0.shape))" }.joined(separator: ", ")
      throw TrainingError.task(
        "\(name): \(quoted(layer)) has \(names); a layer that is replaced has a weight and perhaps a bias, "
          + "called alike, such as head.weight and head.bias, or the bias is added to the weight's product")
    }
    let (weight, old) = (weights[0], weights[0].shape[0])
    guard biases.allSatisfy({ $0.shape[0] == old }) else {
      throw TrainingError.task("\(name): \(quoted(layer)) has a bias that is not as long as its weight")
    }
    for array in found {
      if let flaw = Shape([count] + array.shape.dropFirst()).flaw {
        throw TrainingError.task("\(name): \(quoted(array.name)) \(flaw)")
      }
    }
    let inputs = weight.values.count / old
    let resized = Self.arrays(found, count: count, bound: 1 / Double(inputs).squareRoot(), seed)
    func misfit(_ reason: String) -> TrainingError {
      .task("\(name): \(quoted(layer)) cannot make \(count) numbers: \(reason)")
    }
    do throws(ModelError) {
      var model = try replacing(resized)
      // Names of as many numbers as there were fit no longer.
      for name in outputs { model = try model.labelled(name, nil) }
      let made = try model.graph(extents: extents, sampleRate: nil)
      let changed = Set(
        zip(made.outputs, graph.outputs).filter { new, before in
          made.shape(of: new.value).fixed.last == count && graph.shape(of: before.value).fixed.last == old
        }.map(\.0.name))
      for name in outputs where !changed.contains(name) { model = try model.labelled(name, labels(of: name)) }
      if !changed.isEmpty { return (model, resized.map(\.name)) }
    } catch {
      guard case .invalid(let problems) = error else { throw error }
      throw misfit(problems[0].description)
    }
    throw misfit("no output has as many along its last axis then: it is not the last layer")
  }

  /// The weight and the bias of a layer of which one is known; that one alone where there is no other.
  ///
  ///     d = dense(c, 'onnx::MatMul_12.T'); scores = 'head.bias' + d
  private static func layer(
    of known: GraphIR.Weights, in graph: Graph, among own: [GraphIR.Weights]
  ) -> [GraphIR.Weights] {
    func array(_ value: ValueID) -> GraphIR.Weights? {
      guard case .weights(let id) = graph.definition(of: value).op else { return nil }
      return own.first { $0.name == graph[id].name }
    }
    func weight(_ node: Node) -> GraphIR.Weights? {
      guard case .layer = node.op.kind else { return nil }
      return array(node.operands[1])
    }
    for node in graph.nodes {
      let pairs =
        node.op == .binary(.add)
        ? [(node.operands[0], node.operands[1]), (node.operands[1], node.operands[0])].map { bias, product in
          (weight(graph.definition(of: product)), array(bias))
        } : node.operands.count == 3 ? [(weight(node), array(node.operands[2]))] : []
      for case (let weight?, let bias?) in pairs
      where [weight.name, bias.name].contains(known.name) && bias.shape == [weight.shape[0]] {
        return [weight, bias]
      }
    }
    return [known]
  }

  /// The arrays of a layer in another size, along their first axis.
  private static func arrays(
    _ found: [GraphIR.Weights], count: Int, bound: Double, _ seed: UInt64
  ) -> [GraphIR.Weights] {
    var numbers = SeededNumbers(seed: seed &* 0xD1B5_4A32_D192_ED03)
    return found.map { array in
      let shape = [count] + array.shape.dropFirst()
      let values = (0..<shape.reduce(1, *)).map { _ in Float(numbers.uniform(bound)) }
      return GraphIR.Weights(name: array.name, shape: shape, values: Numbers(values))
    }
  }

  private static func unknown(_ layer: String, _ arrays: [String]) -> String {
    var layers: [String] = []
    for array in arrays {
      let name = array.lastIndex(of: ".").map { String(array[..<$0]) } ?? array
      if !layers.contains(name) { layers.append(name) }
    }
    guard !layers.isEmpty else { return "the model has no weights of its own" }
    let known = nearestName(to: layer, among: layers).map { "did you mean \(quoted($0))?" }
    return "no layer is called \(quoted(layer)); "
      + (known ?? "there are \(layers.suffix(8).map { quoted($0) }.joined(separator: ", "))")
  }
}
