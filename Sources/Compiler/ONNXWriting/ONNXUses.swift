// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// The uses of a graph's values, where ONNX makes a difference.
struct ONNXUses {
  /// The values that are remembered, each with the steps of its longest delay, in the order of the delays.
  private(set) var remembered: [(value: ValueID, length: Int)] = []
  /// Values that something reads as numbers; of others only it is asked whether they are 0.
  private(set) var asNumbers: Set<ValueID>
  /// Matrices of weights that are nothing but the right ones of products.
  private(set) var transposed: Set<WeightsID> = []

  init(_ graph: Graph, _ elements: ONNXElements) {
    func weights(_ value: ValueID) -> WeightsID? {
      if case .weights(let id) = graph.definition(of: value).op { id } else { nil }
    }
    asNumbers = Set(graph.outputs.filter { elements.outputs[$0.name] ?? .float32 == .float32 }.map(\.value))
    var otherwise = Set(graph.outputs.map(\.value).compactMap(weights))
    var rows: [ValueID: Int] = [:]
    for node in graph.nodes {
      for (index, operand) in node.operands.enumerated() {
        if node.op != .select || index > 0 { asNumbers.insert(operand) }
        guard let id = weights(operand) else { continue }
        if node.op.isRightMatrix(index), graph[id].shape.count == 2 {
          transposed.insert(id)
        } else {
          otherwise.insert(id)
        }
      }
      guard case .delay(let length) = node.op else { continue }
      let value = node.operands[0]
      if let row = rows[value] {
        remembered[row].length = max(remembered[row].length, length)
      } else {
        rows[value] = remembered.count
        remembered.append((value, length))
      }
    }
    transposed.subtract(otherwise)
    // Values that go into a graph within a node go there as numbers.
    for cycle in graph.components(cuttingDelays: true) where graph.isCycle(cycle) {
      for node in cycle { asNumbers.formUnion(graph[node].operands) }
    }
  }
}

extension Op {
  /// Whether an operand is the right one of a product of matrices, and lies in rows of what is summed.
  fileprivate func isRightMatrix(_ operand: Int) -> Bool {
    guard operand == 1 else { return false }
    return switch kind {
    case .layer(.dense), .contraction: true
    case .given, .elementwise, .movement, .reduction, .layer(.convolution), .time, .source: false
    }
  }
}
