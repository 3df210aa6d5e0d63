// SPDX-License-Identifier: Apache-2.0

/// A kernel that computes nothing: one place into another of the same layout.
struct Copy {
  let space: Space
  let load: Access
  let store: Access

  init?(_ kernel: Kernel?) {
    guard case .map(let map) = kernel, !map.isTurn, map.nodes.isEmpty, map.stores.count == 1,
      map.loads.count == 1,
      let load = map.loads.first, load.key == map.stores[0].value, load.value.index == nil
    else { return nil }
    (space, self.load, store) = (map.space, load.value, map.stores[0].access)
  }
}
