// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

extension KernelLowering {
  /// The most that a uniform value may cost to be computed anew in each kernel that uses it.
  private static let maximumInlineCost = 8

  /// A node element by element: a map over its shape, or of one number where it depends on held samples only. A uniform
  /// value that is cheap gets no kernel, unless a loop uses it.
  func lowerElementwise(_ id: NodeID) {
    let value = graph[id].result
    if rates.uniform.contains(value) {
      let cost = graph[id].operands.reduce(graph[id].op.cost) { $0 + (inlineCosts[$1] ?? 0) }
      guard cost > Self.maximumInlineCost || numbersOfLoops.contains(value) else {
        inlineCosts[value] = cost
        return
      }
    }
    let shape = rates.held.contains(value) ? .scalar : loopShape(of: value)
    var map = MapKernel(over: shape)
    add(id, to: &map, over: shape)
    let result = access(
      makeStorage(for: value, isRows: rates.held.contains(value) ? false : nil),
      strides: shape.fixed.rowMajorStrides,
      inner: map.space.inner)
    map.stores = [Store(value, result)]
    append(.map(map), for: value)
  }

  /// Adds a node to a map over a shape, with what it needs.
  private func add(_ id: NodeID, to map: inout MapKernel, over shape: Shape) {
    let node = graph[id]
    for operand in node.operands { bring(operand, to: &map, over: shape) }
    map.nodes.append(id)
  }

  /// Makes a value available in a map over a shape: computed there, loaded, or written into the code.
  func bring(_ value: ValueID, to map: inout MapKernel, over shape: Shape) {
    let definition = graph[value].definition
    if map.loads[value] != nil || map.nodes.contains(definition) { return }
    if graph[definition].op.isLiteral { return }
    if inlineCosts[value] != nil, layout == .rows {
      add(definition, to: &map, over: shape)
    } else {
      let strides = broadcastStrides(value, over: shape)
      map.loads[value] = access(place(value), strides: strides, inner: map.space.inner)
    }
  }
}
