// SPDX-License-Identifier: Apache-2.0

internal import GraphPlanning

/// Writes a map: what is the same for all positions first, then the loops, stage by stage.
///
/// Where all that it reads and writes stands in the workspace, the last vector is a whole one, as in `FoldEmission`.
struct MapEmission {
  private let emitter: KernelEmitter
  private let map: MapKernel

  init(_ emitter: KernelEmitter, _ map: MapKernel) {
    self.emitter = emitter
    self.map = map.collapsed
  }

  func emit() {
    let accesses = map.stores.map(\.access) + map.loads.values.filter { $0.innerStride != 0 }
    let vectors = map.vectors(for: emitter.plan) { emitter.moves($0) }
    let body = MapBody(emitter, map)
    let counts = map.loads.values.contains { $0.index?.isCounted ?? false }
    let isWhole = !counts && accesses.allSatisfy(emitter.hasRoomBehindEnd)
    emitter.rounds(map.space.extents) { indices in
      let round = body.round(indices)
      emitter.inner(map.space, accesses, vectors: vectors, isWhole: isWhole) { body.compute(round, at: $0) }
    }
  }
}
