// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// Values of which one frame of several is read: column by column, and the others are left out.
///
///     stage 0    rows        what comes in, and convolutions with a stride of it
///     stage 1    every 4th   what is behind that
///     stage 2    every 16th  …
///     stage 3    every 4th   and back
///
/// A stage has what does not wait for a later one. What reads earlier frames is in one stage with what it reads.
extension KernelLowering {
  /// The nodes of a stage, by the frames that are computed; nil for all.
  private typealias Stage = [SparseFrames.Every?: [NodeID]]

  func lowerSparsely(_ sparse: SparseFrames) {
    for stage in stages(of: sparse.nodes) {
      if let rows = stage[nil] { lowerComponents(of: rows.sorted(), within: Plan.tileFrames) }
      for every in stage.keys.compactMap(\.self).sorted() {
        guard let counter = sparse.counter(for: every) else {
          preconditionFailure("frames that nobody counts")
        }
        let condition = CycleKernel.Condition(
          value: counter, access: access(place(counter), strides: [], inner: .frames), hop: every.hop,
          phase: every.phase)
        lowerColumns(stage[every]!.sorted { cutOrder[$0]! < cutOrder[$1]! }, where: condition)
      }
    }
  }

  /// The stages, in which what adds nothing up goes along the frames after all: turning it costs more than it does.
  private func stages(of sparse: [NodeID: SparseFrames.Every]) -> [Stage] {
    var sparse = sparse
    while true {
      let stages = cut(sparse)
      let light = stages.flatMap(\.self).filter { $0.key != nil && !$0.value.contains(where: addsUp) }
      guard !light.isEmpty else { return stages }
      for id in light.flatMap(\.value) { sparse[id] = nil }
    }
  }

  private func addsUp(_ id: NodeID) -> Bool {
    switch graph[id].op.kind {
    case .reduction, .layer, .contraction: true
    case .given, .elementwise, .movement, .time, .source: false
    }
  }

  private func cut(_ sparse: [NodeID: SparseFrames.Every]) -> [Stage] {
    var places: [NodeID: Int] = [:]
    var stages: [Stage] = []
    for component in graph.components() {
      let (own, members) = (sparse[component[0]], Set(component))
      var place = 0
      // What has no frames is there before all stages.
      for operand in component.flatMap({ graph[$0].operands }) where graph.shape(of: operand).frames != nil {
        let definition = graph[operand].definition
        guard !members.contains(definition), !graph[definition].op.isLeaf else { continue }
        place = max(place, places[definition]! + (sparse[definition] == own ? 0 : 1))
      }
      while stages.count <= place { stages.append([:]) }
      for id in component {
        places[id] = place
        stages[place][own, default: []].append(id)
      }
    }
    return stages
  }
}
