// SPDX-License-Identifier: Apache-2.0

internal import GraphPlanning

/// Writes a map: what is the same for all positions first, then the loops, stage by stage.
struct MapEmission {
  private let emitter: KernelEmitter
  private let map: MapKernel
  private let stages: Stages

  init(_ emitter: KernelEmitter, _ map: MapKernel, _ stages: Stages) {
    self.emitter = emitter
    self.map = map
    self.stages = stages
  }

  func emit() {
    let body = MapBody(emitter, map)
    emitter.rounds(of: map.space) { indices in
      let round = body.round(indices)
      emitter.inner(map.space, stages) { body.compute(round, at: $0) }
    }
  }
}
