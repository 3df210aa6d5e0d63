// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

extension KernelLowering {
  /// The most that one map may cost: larger ones spill registers and take long to compile.
  private static let maximumMapCost = 190
  /// The most that a uniform value may cost to be computed anew in each kernel that uses it.
  private static let maximumInlineCost = 8
  /// How many kernels back a node looks for one to join: keeps lowering linear.
  private static let fusionReach = 16

  func lowerElementwise(_ id: NodeID) {
    let node = graph[id]
    guard !rates.uniform.contains(node.result) else { return lowerUniform(id) }
    let shape = graph.shape(of: node.result)
    let (position, draft): (Int, KernelDraft)
    if let host = host(of: id, shape) {
      (position, draft) = host
    } else {
      (position, draft) = (list(of: node.result).count, KernelDraft(mapOver: shape))
      append(draft, for: node.result)
    }
    add(id, to: draft)
    makers[node.result] = draft
    readyAt[node.result] = position + 1
  }

  /// The first map that can take a node, and its place in its list.
  private func host(of id: NodeID, _ shape: Shape) -> (Int, KernelDraft)? {
    guard fuses else { return nil }
    let node = graph[id]
    let list = list(of: node.result)
    let earliest = node.operands.map { earliestIndex(of: $0, for: node.result) }.max() ?? 0
    let candidates = max(earliest, list.count - Self.fusionReach)..<max(earliest, list.count)
    return candidates.first { canTake(id, list[$0], shape) }.map { ($0, list[$0]) }
  }

  private func canTake(_ id: NodeID, _ draft: KernelDraft, _ shape: Shape) -> Bool {
    draft.isMap && draft.shape == shape && !draft.nodes.isEmpty
      && draft.cost + cost(of: id) <= Self.maximumMapCost
  }

  /// What a node costs together with the uniform values that come along.
  private func cost(of id: NodeID) -> Int {
    graph[id].op.cost + graph[id].operands.reduce(0) { $0 + (inlineCosts[$1] ?? 0) }
  }

  /// The first kernel of its list in which the node of `user` can use a value.
  private func earliestIndex(of value: ValueID, for user: ValueID) -> Int {
    // What was computed for the block stands ready before the first kernel of a tile.
    if isBlock(value), !isBlock(user) { return 0 }
    // What comes from outside a cycle stands ready before its first kernel.
    if cycleDrafts != nil, !cycleValues.contains(value) { return 0 }
    if inlineCosts[value] != nil {
      let operands = graph.definition(of: value).operands
      return operands.map { earliestIndex(of: $0, for: user) }.max() ?? 0
    }
    let ready = readyAt[value] ?? 0
    // Within the map that computes it, a value of the same shape need not go through memory.
    return makers[value]?.shape == graph.shape(of: user) ? ready - 1 : ready
  }

  /// Adds a node to a map, with what it needs.
  func add(_ id: NodeID, to draft: KernelDraft) {
    let node = graph[id]
    for operand in node.operands { bring(operand, to: draft) }
    draft.append(id, cost: node.op.cost)
  }

  /// Makes a value available in a map: computed there, loaded, or written into the code.
  func bring(_ value: ValueID, to draft: KernelDraft) {
    let definition = graph[value].definition
    if draft.computes(definition) || draft.loads[value] != nil { return }
    if case .literal = graph[definition].op { return }
    if inlineCosts[value] != nil {
      add(definition, to: draft)
    } else {
      let strides = broadcastStrides(value, over: draft.shape)
      draft.load(value, access(place(value), strides: strides, inner: draft.space.inner))
    }
  }

  /// A uniform value that is dear gets a kernel of its own; another one is computed where it is used.
  private func lowerUniform(_ id: NodeID) {
    let value = graph[id].result
    let cost = cost(of: id)
    guard cost > Self.maximumInlineCost else {
      inlineCosts[value] = cost
      return
    }
    let draft = KernelDraft(mapOver: .frames)
    add(id, to: draft)
    append(draft, for: value)
    readyAt[value] = list(of: value).count
    makers[value] = draft
    _ = place(value)
    makers[value] = nil
  }
}
