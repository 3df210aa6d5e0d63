// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// Checks that a plan keeps its promises, independently of how it was made.
package enum PlanVerifier {
  package static func violations(in plan: Plan) -> [String] {
    overlaps(in: plan) + misalignments(in: plan) + unsafeInPlace(in: plan) + unwrittenReads(in: plan)
  }

  /// No two areas that are in use together overlap.
  private static func overlaps(in plan: Plan) -> [String] {
    struct Area {
      var name: String
      var bytes: Range<Int>
      var kernels: ClosedRange<Int>
    }
    let layout = plan.layout
    let always = 0...max(0, plan.kernelGraph.kernels.count)
    var areas = [
      Area(
        name: "header",
        bytes: 0..<WorkspaceLayout.rampsOffset + plan.graph.parameters.count * WorkspaceLayout.rampBytes,
        kernels: always)
    ]
    for (index, history) in layout.histories.enumerated() {
      let offset = layout.historyOffsets[index]
      areas.append(Area(name: "history \(index)", bytes: offset..<offset + history.bytes, kernels: always))
    }
    for (index, buffer) in plan.kernelGraph.buffers.enumerated() {
      if buffer.lifetime == .tile, layout.liveRanges[index] == nil { continue }
      let offset = layout.bufferOffsets[index]
      areas.append(
        Area(
          name: "buffer \(index)", bytes: offset..<offset + buffer.bytes,
          kernels: buffer.lifetime == .tile ? layout.liveRanges[index]! : always))
    }
    var violations: [String] = []
    let sorted = areas.sorted { $0.bytes.lowerBound < $1.bytes.lowerBound }
    var open: [Area] = []
    for area in sorted {
      open.removeAll { $0.bytes.upperBound <= area.bytes.lowerBound }
      for other in open where other.kernels.overlaps(area.kernels) {
        violations.append("\(other.name) and \(area.name) overlap while both are in use")
      }
      if area.bytes.upperBound > layout.size { violations.append("\(area.name) lies outside the workspace") }
      open.append(area)
    }
    return violations
  }

  private static func misalignments(in plan: Plan) -> [String] {
    let offsets = plan.layout.historyOffsets + plan.layout.bufferOffsets
    return offsets.filter { $0 % 64 != 0 }.map { "an area begins at \($0), which is not a multiple of 64" }
  }

  private static func unsafeInPlace(in plan: Plan) -> [String] {
    plan.graph.inputs.indices.filter { index in
      plan.graph.outputs.indices.contains(index) && !InPlace.isHarmless(index, plan.kernelGraph.kernels)
    }.map { "input \($0) is read after output \($0) overwrote it" }
  }

  /// Every buffer of the arena is written before it is read.
  private static func unwrittenReads(in plan: Plan) -> [String] {
    var violations: [String] = []
    var written: Set<Int> = []
    for (position, kernel) in plan.kernelGraph.kernels.enumerated() {
      let (reads, writes) = kernel.accesses
      // Around a cycle the order within one kernel is that of the frames, which its own nesting settles.
      if case .cycle = kernel { written.formUnion(buffers(writes)) }
      for index in buffers(reads) where !written.contains(index) {
        guard plan.kernelGraph.buffers[index].lifetime == .tile else { continue }
        violations.append("kernel \(position) reads buffer \(index) before anything is written to it")
      }
      written.formUnion(buffers(writes))
    }
    return violations
  }

  private static func buffers(_ accesses: [Access]) -> Set<Int> {
    Set(accesses.compactMap { access in if case .buffer(let id) = access.location { id.index } else { nil } })
  }
}
