// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// The form of one loop that goes frame by frame, by which equal loops are found.
///
///     h = delay(y, 1), y = fma(c, h, x)        remembers y, of a form: fma(number, what is remembered, stream)
///
/// A value's form is its expression, down to numbers that are constant along the frames, streams, and the loop's state.
/// Loops are of one form where the expressions of their states are; what else they compute may differ.
///
/// A filter that is written as a loop is found as one that has a name: `biquad`, `onePole` and the others are composed
/// of the same ops when a graph is built, and where the arithmetic is the same, so is the code. Another arithmetic of
/// the same filter (a direct form, say) rounds in other places, so that it stays what it is, and is as fast as its own
/// latency allows.
struct LoopForm {
  /// State that only the loop itself reads: a value's last frames.
  struct Memory {
    var value: ValueID
    var access: Access
    /// The delay of each load, in frames.
    var loads: [ValueID: Int]
    var depth: Int
    fileprivate(set) var form: UInt64 = 0
  }

  let map: MapKernel
  /// The states, in an order that is the same for all loops of the form.
  private(set) var memories: [Memory] = []
  private(set) var forms: [ValueID: UInt64] = [:]
  private let graph: Graph
  private let uniform: Set<ValueID>

  /// nil where a loop computes from anything but streams, numbers and its own state.
  ///
  /// - Parameters:
  ///   - frames: The most that it goes through at a time, where it may also write what is read again only behind
  ///     them; nil: it may not.
  ///   - readsAlone: whether no other kernel reads a place.
  init?(_ map: MapKernel, in kernels: KernelGraph, frames: Int?, readsAlone: (Location) -> Bool) {
    (graph, uniform) = (kernels.graph, kernels.uniform)
    self.map = map.collapsed
    guard map.space.inner == .frames, self.map.space.extents.count <= 1 else { return nil }
    for store in self.map.stores {
      guard case .history = store.access.location else { continue }
      if let frames, isRead(store, onlyAfter: frames) { continue }
      guard let memory = memory(of: store), readsAlone(store.access.location) else { return nil }
      memories.append(memory)
    }
    guard !memories.isEmpty, areLoadsPlain, areNodesPlain else { return nil }
    // What is remembered is told apart by what becomes of it, in as many frames as there are memories.
    for _ in memories.indices { findForms() }
    memories.sort { $0.form < $1.form }
  }

  /// Whether a value is one number for all frames while parameters are settled.
  func isNumber(_ value: ValueID) -> Bool {
    uniform.contains(value) || graph.definition(of: value).op.isLiteral || map.loads[value]?.innerStride == 0
  }

  /// Whether a number is the same in all rows.
  func isSameInRows(_ number: ValueID) -> Bool {
    map.loads[number]?.strides.allSatisfy { $0 == 0 } ?? true
  }

  /// The operands of a node in an order that is the same for all nodes of its form.
  func operands(of node: Node) -> [ValueID] {
    let form = { (value: ValueID) in forms[value] ?? 0 }
    guard node.op.commutes, form(node.operands[1]) < form(node.operands[0]) else { return node.operands }
    return [node.operands[1], node.operands[0]] + node.operands.dropFirst(2)
  }

  // MARK: What is asked of a loop

  private func memory(of store: Store) -> Memory? {
    guard let value = store.value, !isNumber(value),
      map.loads[value] != nil || map.nodes.contains(graph[value].definition),
      map.stores.count(where: { $0.access.location == store.access.location }) == 1
    else { return nil }
    let loads = map.loads.filter { $0.value.location == store.access.location }
    guard let depth = loads.values.map(\.delay).max(), depth < Graph.leastSpan,
      loads.values.allSatisfy({ $0.readsThePast(of: store.access) })
    else { return nil }
    return Memory(value: value, access: store.access, loads: loads.mapValues(\.delay), depth: depth)
  }

  private func isRead(_ store: Store, onlyAfter frames: Int) -> Bool {
    map.loads.values.allSatisfy { $0.location != store.access.location || $0.delay >= frames }
  }

  private var areLoadsPlain: Bool {
    map.loads.values.allSatisfy { access in
      access.index == nil && access.delayStrides.allSatisfy { $0 == 0 }
    }
  }

  /// Whether all that is computed frame by frame is computed element by element, and of something that is not written
  /// in the model.
  private var areNodesPlain: Bool {
    map.nodes.allSatisfy { id in
      let node = graph[id]
      return uniform.contains(node.result)
        || (node.op.isElementwise && !node.operands.allSatisfy { graph.definition(of: $0).op.isLiteral })
    }
  }

  // MARK: Forms

  private mutating func findForms() {
    forms = [:]
    for value in map.loads.keys { forms[value] = Self.form("stream") }
    for memory in memories {
      for (value, back) in memory.loads { forms[value] = Self.form("memory", [memory.form, UInt64(back)]) }
    }
    let numbers = map.nodes.flatMap { graph[$0].operands } + map.loads.keys
    for value in numbers where isNumber(value) { forms[value] = Self.form("number") }
    for id in map.nodes where !uniform.contains(graph[id].result) {
      let node = graph[id]
      forms[node.result] = Self.form(node.op.shortName, operands(of: node).map { forms[$0] ?? 0 })
    }
    for index in memories.indices { memories[index].form = forms[memories[index].value] ?? 0 }
  }

  /// A hash that is the same in each run, so that the code is.
  private static func form(_ name: String, _ parts: [UInt64] = []) -> UInt64 {
    let bits = (name.utf8.map(UInt64.init) + parts).fingerprint
    return bits ^ (bits >> 29)
  }
}
