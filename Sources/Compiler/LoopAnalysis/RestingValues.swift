// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import GraphPasses

/// The numbers of values that are constant while parameters are settled, in double precision.
struct RestingValues {
  /// More numbers than a loop multiplies with.
  private static let mostNumbers = 4096

  private let graph: Graph
  private let settings: [Float]
  private var numbers: [Tensor<Double>?]
  private var parametersRead: [Set<Int>]

  /// - Parameters:
  ///   - order: The nodes outside of feedback, operands first.
  ///   - parameters: A value for each parameter of the graph.
  init(_ graph: Graph, of order: [NodeID], settingParameters parameters: [Float]) {
    (self.graph, settings) = (graph, parameters)
    numbers = [Tensor<Double>?](repeating: nil, count: graph.values.count)
    parametersRead = [Set<Int>](repeating: [], count: graph.values.count)
    for id in order {
      let node = graph[id]
      numbers[Int(node.result.index)] = value(of: node)
      parametersRead[Int(node.result.index)] = parametersRead(by: node)
    }
  }

  /// nil where a value is not constant.
  subscript(value: ValueID) -> Tensor<Double>? { numbers[Int(value.index)] }

  /// The parameters that a value becomes another one with.
  func parameters(of value: ValueID) -> Set<Int> { parametersRead[Int(value.index)] }

  private func parametersRead(by node: Node) -> Set<Int> {
    if case .parameter(let index) = node.op.given { return [index] }
    return node.operands.reduce(into: []) { $0.formUnion(parameters(of: $1)) }
  }

  private func value(of node: Node) -> Tensor<Double>? {
    let extents = graph.shape(of: node.result).fixed
    let operands = node.operands.compactMap { self[$0] }
    guard extents.reduce(1, *) <= Self.mostNumbers, operands.count == node.operands.count else { return nil }
    switch node.op.kind {
    case .given(.literal(let number)): return Tensor([], [Double(number)])
    case .given(.parameter(let index)): return Tensor([], [Double(settings[index])])
    case .given(.weights(let id)): return Tensor(extents, graph[id].values.map(Double.init))
    case .elementwise(let function): return Tensor(elementwise: operands, extents, function.evaluate)
    case .movement(let movement): return movement.rearranged(operands, into: extents, zero: 0) { $0 }
    case .reduction(.sum, let axis): return operands[0].reduced(along: axis, extents, from: 0, +)
    case .time:
      // A sample of a constant is the constant.
      if case .sampled = node.op.row.position { return operands[0] } else { return nil }
    case .given(.input), .reduction(.maximum, _), .layer, .contraction, .source: return nil
    }
  }
}
