// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// A kernel while lowering still adds to it.
final class KernelDraft {
  /// A kernel that is whole already, or nil for a map that is being filled.
  private let whole: Kernel?
  /// The kernels of a cycle, or nil.
  private let nested: [KernelDraft]?

  /// The loops of a map, and the shape of the values that it computes.
  let space: Space
  let shape: Shape
  private(set) var nodes: [NodeID] = []
  private(set) var loads: [ValueID: Access] = [:]
  private(set) var stores: [Store] = []
  /// What the nodes cost in vector instructions.
  private(set) var cost = 0
  private var computed: Set<NodeID> = []

  init(mapOver shape: Shape) {
    self.shape = shape
    space = Space(of: shape)
    (whole, nested) = (nil, nil)
  }

  init(_ kernel: Kernel) {
    (shape, space) = (.scalar, Space(of: .scalar))
    (whole, nested) = (kernel, nil)
  }

  init(cycle: [KernelDraft]) {
    (shape, space) = (.scalar, Space(of: .scalar))
    (whole, nested) = (nil, cycle)
  }

  var isMap: Bool { whole == nil && nested == nil }

  func computes(_ node: NodeID) -> Bool { computed.contains(node) }

  func append(_ node: NodeID, cost: Int) {
    nodes.append(node)
    computed.insert(node)
    self.cost += cost
  }

  func load(_ value: ValueID, _ access: Access) { loads[value] = access }

  func store(_ value: ValueID?, _ access: Access) { stores.append(Store(value, access)) }

  var kernel: Kernel {
    if let whole { return whole }
    if let nested { return .cycle(nested.map(\.kernel)) }
    return .map(MapKernel(space: space, nodes: nodes, loads: loads, stores: stores))
  }
}
