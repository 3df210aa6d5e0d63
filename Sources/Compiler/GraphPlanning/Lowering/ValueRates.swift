// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// The rates of values: constant, block, uniform or frame.
struct ValueRates {
  /// Values that depend on stepped parameters, array parameters and constants only.
  private(set) var block: Set<ValueID> = []
  /// Values of frame rate without fixed axes that depend, without state, on parameters only.
  private(set) var uniform: Set<ValueID> = []
  /// Values of frame rate without fixed axes that depend, without other state, on samples that are held: one number in
  /// each tile, which begins wherever a sample is taken.
  private(set) var held: Set<ValueID> = []

  init(_ graph: Graph) {
    for component in graph.components() {
      guard !graph.isCycle(component) else { continue }
      let node = graph[component[0]]
      if isBlock(node, in: graph) { block.insert(node.result) }
      if isUniform(node, in: graph) { uniform.insert(node.result) }
      if isHeld(node, in: graph) { held.insert(node.result) }
    }
  }

  private func isBlock(_ node: Node, in graph: Graph) -> Bool {
    guard !graph.beginsFrames(node) else { return false }
    return node.op.isLeaf
      ? graph.shape(of: node.result).frames == nil : node.operands.allSatisfy(block.contains)
  }

  private func isUniform(_ node: Node, in graph: Graph) -> Bool {
    guard graph.shape(of: node.result) == .frames else { return false }
    if node.op.isParameter { return true }
    guard node.op.isElementwise else { return false }
    return node.operands.allSatisfy { uniform.contains($0) || isBlockNumber($0, in: graph) }
  }

  private func isHeld(_ node: Node, in graph: Graph) -> Bool {
    guard graph.shape(of: node.result) == .frames else { return false }
    if case .sampled = node.op.row.position { return true }
    guard node.op.isElementwise else { return false }
    return node.operands.allSatisfy { held.contains($0) || isBlockNumber($0, in: graph) }
  }

  private func isBlockNumber(_ value: ValueID, in graph: Graph) -> Bool {
    block.contains(value) && graph.shape(of: value) == .scalar
  }
}
