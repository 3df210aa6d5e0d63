// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

extension KernelPass {
  /// Lets nodes in a cycle of columns come first that most has to wait for.
  ///
  ///     o = sigmoid(%8), f = sigmoid(%10), c = f * c₁, h = o * tanh(c)
  /// →
  ///     f = sigmoid(%10), c = f * c₁, o = sigmoid(%8), h = o * tanh(c)
  ///
  /// A column is a few vectors, and the next one waits for it: what counts is the longest way through its nodes. A
  /// processor divides one vector after the other, in the order in which it comes to them.
  ///
  /// Legal because a node stays behind its operands: the way from them to the end is longer than from it. No other
  /// kernel is a matter of latency.
  package static let criticalPath = KernelPass(
    name: "critical-path", summary: "computes first what a column waits for longest"
  ) { graph, context in
    let values = graph.graph
    func ordered(_ kernel: Kernel) -> Kernel {
      guard case .map(var map) = kernel, context.goal == .speed else { return kernel }
      map.order(in: values)
      guard kernel != .map(map), context.mayRewrite() else { return kernel }
      return .map(map)
    }
    graph = graph.replacing(
      kernels: graph.kernels.map { kernel in
        guard case .cycle(var cycle) = kernel, cycle.layout == .columns else { return kernel }
        cycle.kernels = cycle.kernels.map(ordered)
        return .cycle(cycle)
      })
  }
}

extension MapKernel {
  /// Sorts the nodes by the longest way to the last result.
  fileprivate mutating func order(in graph: Graph) {
    var ways: [ValueID: Int] = [:]
    for id in nodes.reversed() {
      let way = ways[graph[id].result, default: 0] + max(1, graph[id].op.cost)
      ways[graph[id].result] = way
      for operand in graph[id].operands { ways[operand] = max(ways[operand, default: 0], way) }
    }
    let places = Dictionary(uniqueKeysWithValues: nodes.enumerated().map { ($1, $0) })
    nodes.sort { a, b in
      (ways[graph[b].result]!, places[a]!) < (ways[graph[a].result]!, places[b]!)
    }
  }
}
