// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import GraphPasses

/// What values are while parameters stand at some values, in double precision, where they stand still then.
struct RestingValues {
  /// More numbers than a loop multiplies with.
  private static let mostNumbers = 4096

  private let graph: Graph
  private let settings: [Float]
  private var numbers: [Tensor<Double>?]
  private var heardParameters: [Set<Int>]

  /// - Parameters:
  ///   - order: The nodes that do not hear themselves, operands first.
  ///   - parameters: A value for each parameter of the graph.
  init(_ graph: Graph, of order: [NodeID], settingParameters parameters: [Float]) {
    (self.graph, settings) = (graph, parameters)
    numbers = [Tensor<Double>?](repeating: nil, count: graph.values.count)
    heardParameters = [Set<Int>](repeating: [], count: graph.values.count)
    for id in order {
      let node = graph[id]
      numbers[Int(node.result.index)] = value(of: node)
      heardParameters[Int(node.result.index)] = heard(by: node)
    }
  }

  /// nil where a value does not stand still.
  subscript(value: ValueID) -> Tensor<Double>? { numbers[Int(value.index)] }

  /// The parameters that a value becomes another one with.
  func parameters(of value: ValueID) -> Set<Int> { heardParameters[Int(value.index)] }

  private func heard(by node: Node) -> Set<Int> {
    if case .parameter(let index) = node.op { return [index] }
    return node.operands.reduce(into: []) { $0.formUnion(parameters(of: $1)) }
  }

  private func value(of node: Node) -> Tensor<Double>? {
    let extents = graph.shape(of: node.result).fixed
    let operands = node.operands.compactMap { self[$0] }
    guard extents.reduce(1, *) <= Self.mostNumbers, operands.count == node.operands.count else { return nil }
    switch node.op {
    case .literal(let number): return Tensor([], [Double(number)])
    case .parameter(let index): return Tensor([], [Double(settings[index])])
    case .weights(let id): return Tensor(extents, graph[id].values.map(Double.init))
    case .unary(let op): return Tensor(elementwise: operands, extents) { op.evaluate($0[0]) }
    case .binary(let op): return Tensor(elementwise: operands, extents) { op.evaluate($0[0], $0[1]) }
    case .select: return Tensor(elementwise: operands, extents) { $0[0] != 0 ? $0[1] : $0[2] }
    case .fma: return Tensor(elementwise: operands, extents) { $0[2].addingProduct($0[0], $0[1]) }
    case .slice, .concatenate, .reshape, .transpose, .pad, .broadcast:
      return node.op.rearranged(operands, into: extents, zero: 0)
    case .sum(let axis): return operands[0].reduced(along: axis, extents, from: 0, +)
    case .control: return operands[0]
    case .input, .maximum, .dense, .convolution, .delay, .tap, .lookahead, .phasor, .noise: return nil
    }
  }
}
