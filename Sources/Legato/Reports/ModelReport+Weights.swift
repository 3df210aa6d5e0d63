// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import GraphPlanning
internal import ModelFiles
internal import NativeCode
internal import TensorFiles

extension ModelReport {
  /// An array of weights, and what it costs.
  package struct Weights: Encodable {
    package let name: String
    package let shape: [Int]
    /// The file that it comes from, and the type of its numbers and their bytes there; nil where the model has them.
    package let file, type: String?
    package let fileBytes: Int?
    /// In the order in which kernels read them; 0 where what is made of them ahead of time is all that is needed.
    package let programBytes: Int
    /// Products of each frame, or step, that its numbers go into.
    package let products: Int
  }
}

extension ModelReport.Weights {
  /// The arrays of a model, in its order.
  static func all(_ model: Model, _ compilation: Compilation) -> [Self] {
    let (graph, plan) = (compilation.compiled.graph, compilation.compiled.plan)
    let arrays = model.composed.composition.weights
    let known = Set(arrays.map(\.name))
    let (placed, multiplied) = (plan.kernelGraph.weights.bytes, graph.productsOfWeights)
    var costs: [String: (bytes: Int, products: Int)] = [:]
    for (row, weights) in graph.weights.enumerated() {
      let name = original(of: weights.name, among: known)
      costs[name, default: (0, 0)].bytes += placed[ObjectIdentifier(weights.values)] ?? 0
      costs[name, default: (0, 0)].products += multiplied[WeightsID(row)] ?? 0
    }
    return arrays.map { array in
      let (origin, cost) = (array.loaded.origin, costs[array.name] ?? (0, 0))
      return Self(
        name: array.name, shape: shape(of: array.loaded, at: graph.sampleRate), file: origin?.file,
        type: origin?.type, fileBytes: origin?.bytes,
        programBytes: cost.bytes, products: cost.products)
    }
  }

  /// The shape that expressions see: of a sound, that of its taps.
  private static func shape(of weights: LoadedWeights, at rate: Double) -> [Int] {
    switch weights.content {
    case .numbers(let shape, _): return shape
    case .sound(let response):
      guard let taps = try? response.taps(at: rate) else {
        preconditionFailure("a response that was compiled has no taps")
      }
      return taps.shape
    }
  }

  /// The array of a model that one of the graph was made of: "room" of "room, last tap first" or "room[0..<2]".
  private static func original(of name: String, among known: Set<String>) -> String {
    var name = Substring(name)
    while !known.contains(String(name)), let end = name.lastIndex(where: { $0 == "[" || $0 == "," }) {
      name = name[..<end]
    }
    return String(name)
  }
}
