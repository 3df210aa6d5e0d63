// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

extension Pass {
  /// Drops weights that no node reads.
  ///
  ///     weights "w" [8, 2, 3]
  ///     weights "w[0..<2]" [2, 2, 3]
  ///     %1 = conv1d(%0, "w[0..<2]")
  /// →
  ///     weights "w[0..<2]" [2, 2, 3]
  ///     %1 = conv1d(%0, "w[0..<2]")
  ///
  /// Inputs and parameters stay: they are what callers know of the graph.
  package static let deadWeights = Pass(
    name: "dead-weights", summary: "drops weights that no node reads"
  ) { graph, context in
    let read = Set(graph.nodes.compactMap { $0.op.weights })
    var places: [WeightsID: WeightsID] = [:]
    var kept: [Weights] = []
    for index in graph.weights.indices {
      let id = WeightsID(index)
      guard read.contains(id) || !context.mayRewrite() else { continue }
      places[id] = WeightsID(kept.count)
      kept.append(graph[id])
    }
    for id in graph.nodeIDs {
      if let weights = graph[id].op.weights { graph[id].op = .weights(places[weights]!) }
    }
    graph.weights = kept
  }
}

extension Op {
  /// The weights that the node stands for.
  fileprivate var weights: WeightsID? {
    if case .weights(let id) = given { id } else { nil }
  }
}
