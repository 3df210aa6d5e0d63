// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// Values that depend on parameters only, and are computed once when the last ramp has landed.
extension KernelLowering {
  /// The buffers for uniform values that kernels use while parameters are settled.
  func settledPlaces(of kernels: [Kernel]) -> [ValueID: BufferID] {
    var places: [ValueID: BufferID] = [:]
    func hold(_ value: ValueID) {
      guard rates.uniform.contains(value), !graph.definition(of: value).op.isLeaf, places[value] == nil else {
        return
      }
      places[value] = allocate(.elements(1), .held)
    }
    func visit(_ kernel: Kernel) {
      switch kernel {
      case .map(let map):
        for id in map.nodes where !rates.uniform.contains(graph[id].result) {
          graph[id].operands.forEach(hold)
        }
        map.loads.values.compactMap(\.index?.value).forEach(hold)
        map.stores.compactMap(\.value).forEach(hold)
      case .fold(let fold):
        visit(.map(fold.epilogue))
      case .cycle(let cycle):
        cycle.kernels.forEach(visit)
      case .sample:
        break
      }
    }
    kernels.forEach(visit)
    return places
  }

  /// Computes those numbers from the targets of parameters, and all that they depend on.
  func settlingKernel(for places: [ValueID: BufferID]) -> MapKernel? {
    guard !places.isEmpty else { return nil }
    var needed = Set(places.keys)
    for id in cutOrder.keys.sorted(by: { cutOrder[$0]! > cutOrder[$1]! }) {
      guard needed.contains(graph[id].result) else { continue }
      needed.formUnion(graph[id].operands.filter(rates.uniform.contains))
    }
    var map = MapKernel(over: .scalar)
    var computed: Set<NodeID> = []
    for value in needed.sorted(by: { cutOrder[graph[$0].definition]! < cutOrder[graph[$1].definition]! }) {
      let definition = graph[value].definition
      guard !graph[definition].op.isLeaf else { continue }
      for operand in graph[definition].operands where !computed.contains(graph[operand].definition) {
        guard !graph.definition(of: operand).op.isLiteral else { continue }
        map.loads[operand] = access(place(operand), strides: [], inner: map.space.inner)
      }
      map.nodes.append(definition)
      computed.insert(definition)
      if let place = places[value] {
        map.stores.append(Store(value, Access(.buffer(place), strides: [], innerStride: 0)))
      }
    }
    return map
  }
}
