// SPDX-License-Identifier: Apache-2.0

package import GraphIR

/// A cycle that is one map: rows side by side, each with its state of the last frames in registers.
///
/// Legal because a row reads only its own past: then a row's frames can be computed before another row's, and what it
/// reads of the last frames is what it has just computed. Where somebody else reads the history, too, each frame is
/// written.
package struct LoopSchedule: Sendable {
  /// A history that the map writes, and of which it reads the last frames.
  package struct Memory: Sendable {
    package var value: ValueID
    package var access: Access
    /// How many frames of it are remembered in registers.
    package var depth: Int
    /// The loads of it, each with its delay in frames.
    package var loads: [(value: ValueID, delay: Int)]
    /// Whether each frame has to be in memory.
    package var isWritten: Bool
  }

  /// The most frames back that registers remember.
  private static let deepest = Graph.leastSpan - 1
  /// The most rows side by side: as many as hide the latency of each.
  private static let mostRows = 8

  /// The map without what registers remember.
  package let map: MapKernel
  package let memories: [Memory]
  package let rowsAtOnce: Int

  /// nil where a cycle is not of this form.
  init?(_ cycle: CycleKernel, in scheduling: Scheduling) {
    guard let whole = Kernel.cycle(cycle).loop else { return nil }
    var map = whole.collapsed
    var memories: [Memory] = []
    for store in map.stores {
      let loads = map.loads.filter { $0.value.location == store.access.location }.sorted { $0.key < $1.key }
      switch store.access.location {
      case .buffer: guard loads.isEmpty else { return nil }
      case .history:
        let isAlone = map.stores.count { $0.access.location == store.access.location } == 1
        guard !loads.isEmpty else { continue }
        guard isAlone, loads.allSatisfy({ $0.value.readsThePast(of: store.access) }) else { return nil }
        guard let value = store.value, scheduling.isComputed(value, in: map) else { continue }
        let near = loads.filter { $0.value.delay <= Self.deepest }
        guard let depth = near.map(\.value.delay).max() else { continue }
        memories.append(
          Memory(
            value: value, access: store.access, depth: depth,
            loads: near.map { ($0.key, $0.value.delay) },
            isWritten: scheduling.readers[store.access.location, default: 0] > near.count))
      case .output, .input, .weights, .parameter: break
      }
    }
    for memory in memories {
      for load in memory.loads { map.loads[load.value] = nil }
      if !memory.isWritten { map.stores.removeAll { $0.access.location == memory.access.location } }
    }
    self.map = map
    self.memories = memories
    switch scheduling.goal {
    // As many as have room in registers for what they remember.
    case .speed:
      let remembered = max(1, memories.reduce(0) { $0 + $1.depth })
      rowsAtOnce = max(1, min(Self.mostRows, scheduling.target.vectorRegisters / 2 / remembered))
    case .size: rowsAtOnce = 1
    }
  }
}

extension Scheduling {
  /// Whether a map computes or loads a value in each frame.
  fileprivate func isComputed(_ value: ValueID, in map: MapKernel) -> Bool {
    guard !kernels.uniform.contains(value) else { return false }
    return map.loads[value] != nil || map.nodes.contains(kernels.graph[value].definition)
  }
}
