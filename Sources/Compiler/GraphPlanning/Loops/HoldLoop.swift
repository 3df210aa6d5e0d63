// SPDX-License-Identifier: Apache-2.0

package import GraphIR

/// A loop that is only a sample-and-hold: a number is taken where it is due, and held until the next one.
///
///     h = select(due, x, delay(h, 1))         or select(stays, delay(h, 1), x)
///
/// Nothing is computed of what is held, so that a frame need not wait for the one before it: what it holds is what was
/// taken last, however far back that is.
package struct HoldLoop: Sendable {
  package struct Hold: Sendable {
    /// The held value.
    package let value: ValueID
    /// The value that says where a number is taken.
    package let condition: ValueID
    /// Whether it is taken where the condition is 0.
    package let isInverted: Bool
    /// The value that is taken there.
    package let taken: ValueID
    /// The access that writes the held value's state.
    package let memory: Access
  }

  package let holds: [Hold]
  /// The other nodes and stores of the loop, which do not read held values.
  package let rest: MapKernel
  /// The stores of held values.
  package let stores: [(hold: Int, access: Access)]

  /// nil where a cycle is anything else.
  package init?(_ cycle: CycleKernel, in graph: Graph) {
    guard let map = Kernel.cycle(cycle).loop else { return nil }
    self.init(map.collapsed, in: graph)
  }

  init?(_ map: MapKernel, in graph: Graph) {
    var (rest, holds, feedback) = (map, [Hold](), Set<ValueID>())
    for store in map.stores {
      guard case .history = store.access.location else { continue }
      guard let (hold, past) = Self.hold(of: store, in: map, graph) else { return nil }
      holds.append(hold)
      feedback.formUnion([hold.value, past])
      rest.loads[past] = nil
    }
    rest.nodes.removeAll { feedback.contains(graph[$0].result) }
    rest.stores.removeAll { store in holds.contains { $0.value == store.value } }
    let asked =
      holds.flatMap { [$0.condition, $0.taken] } + rest.nodes.flatMap { graph[$0].operands }
      + rest.loads.values.compactMap(\.index?.value) + rest.stores.compactMap(\.value)
    guard !holds.isEmpty, feedback.isDisjoint(with: asked) else { return nil }
    self.holds = holds
    self.rest = rest
    stores = map.stores.compactMap { store in
      holds.firstIndex { $0.value == store.value }.map { ($0, store.access) }
    }
  }

  /// The hold that a history's store belongs to, and the value that loads the past; nil where it is none.
  private static func hold(of store: Store, in map: MapKernel, _ graph: Graph) -> (Hold, past: ValueID)? {
    let loads = map.loads.filter { $0.value.location == store.access.location }
    guard let value = store.value, let (past, access) = loads.first, loads.count == 1, access.delay == 1,
      access.readsThePast(of: store.access), map.nodes.contains(graph[value].definition),
      map.stores.count(where: { $0.access.location == store.access.location }) == 1
    else { return nil }
    let node = graph.definition(of: value)
    guard node.op == .select, let place = node.operands.dropFirst().firstIndex(of: past) else { return nil }
    let hold = Hold(
      value: value, condition: node.operands[0], isInverted: place == 1,
      taken: node.operands[place == 1 ? 2 : 1], memory: store.access)
    return (hold, past)
  }
}
