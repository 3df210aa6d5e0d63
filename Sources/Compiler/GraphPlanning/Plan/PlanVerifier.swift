// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// Checks that a plan keeps its promises, independently of how it was made.
package enum PlanVerifier {
  package static func violations(in plan: Plan) -> [String] {
    violations(in: plan.kernelGraph, laidOut: plan.layout, framesBeside: plan.schedules.framesBeside)
      + ScheduleVerifier.violations(in: plan)
      + lateSamples(in: plan.kernelGraph, tilesEndAt: plan.tileAlignment)
  }

  /// - Parameter framesBeside: The most frames beside rows of the arena that kernels read.
  package static func violations(
    in graph: KernelGraph, laidOut layout: WorkspaceLayout, framesBeside: Int = 0
  ) -> [String] {
    KernelVerifier.violations(in: graph) + overlaps(in: graph, layout) + misalignments(in: layout)
      + missingRoom(in: layout, framesBeside) + HistoryVerifier.violations(in: graph, laidOut: layout)
  }

  /// Violations of the law that samples are constant within a tile.
  ///
  /// Samples are taken where a tile begins.
  ///
  /// - Parameter alignment: The frames of which a tile ends at a multiple; 0 where it ends anywhere.
  package static func lateSamples(in graph: KernelGraph, tilesEndAt alignment: Int) -> [String] {
    let takesSamples = graph.kernels.flatMap(\.leaves).contains { kernel in
      // For those behind it.
      if case .sample(let sample) = kernel { sample.result == nil } else { false }
    }
    guard takesSamples || !graph.held.isEmpty, alignment == 0 || !Op.controlFrames.isMultiple(of: alignment)
    else { return [] }
    return ["samples are taken within tiles, which end at multiples of \(alignment)"]
  }

  /// Wavefronts read beside rows of the arena, in both directions.
  private static func missingRoom(in layout: WorkspaceLayout, _ framesBeside: Int) -> [String] {
    let bytes = 4 * framesBeside
    guard layout.arenaRange.lowerBound < bytes || layout.size - layout.arenaRange.upperBound < bytes else {
      return []
    }
    return ["there is no room for the \(bytes) bytes beside the arena that wavefronts read"]
  }

  /// No two areas that are in use together overlap.
  private static func overlaps(in graph: KernelGraph, _ layout: WorkspaceLayout) -> [String] {
    struct Area {
      var name: String
      /// Its place in the arena; nil outside of it.
      var place: Location?
      var bytes: Range<Int>
      var kernels: ClosedRange<Int>
    }
    let always = 0...max(0, graph.kernels.count)
    let uses = uses(of: graph)
    var areas = [
      Area(
        name: "header",
        bytes: 0..<WorkspaceLayout.rampsOffset + graph.graph.parameters.count * WorkspaceLayout.rampBytes,
        kernels: always),
      Area(name: "counts", bytes: layout.countsRange, kernels: always),
    ]
    for (capacity, offset) in layout.headOffsets {
      let bytes = offset..<offset + WorkspaceLayout.headBytes
      areas.append(Area(name: "head of \(capacity)", bytes: bytes, kernels: always))
    }
    for (index, history) in layout.histories.enumerated() {
      let offset = layout.historyOffsets[index]
      areas.append(Area(name: "history \(index)", bytes: offset..<offset + history.bytes, kernels: always))
      let place = Location.history(HistoryID(index))
      if let window = layout.windowOffsets[HistoryID(index)], let kernels = uses[place] {
        areas.append(
          Area(
            name: "window \(index)", place: place, bytes: window..<window + history.windowBytes,
            kernels: kernels))
      }
    }
    for (index, buffer) in graph.buffers.enumerated() {
      let offset = layout.bufferOffsets[index]
      let place = Location.buffer(BufferID(index))
      guard let kernels = buffer.lifetime == .tile ? uses[place] : always else { continue }
      areas.append(
        Area(name: "buffer \(index)", place: place, bytes: offset..<offset + buffer.bytes, kernels: kernels))
    }
    var violations: [String] = []
    for area in areas where area.bytes.upperBound > layout.size {
      violations.append("\(area.name) lies outside the workspace")
    }
    var beginning = [[Area]](repeating: [], count: always.count)
    var ending = beginning
    for area in areas {
      beginning[area.kernels.lowerBound].append(area)
      ending[area.kernels.upperBound].append(area)
    }
    // What is in use at a kernel, in the order of memory: as long as it is disjoint, only neighbours can overlap.
    var inUse: [Area] = []
    func place(of area: Area) -> Int {
      inUse.partitioningIndex(where: { $0.bytes.lowerBound >= area.bytes.lowerBound })
    }
    /// Whether an area ends where another one begins that is written in its memory number by number. What it is longer
    /// by must be free, as any other memory.
    func isContinued(_ old: Area, by area: Area, at position: Int) -> Bool {
      guard let input = old.place, let result = area.place, input.liesLike(result),
        old.kernels.upperBound == position, old.bytes.lowerBound == area.bytes.lowerBound
      else { return false }
      return graph.kernels[position].goesInStep(reading: input, writing: result)
    }
    for position in always {
      for area in beginning[position] where !area.bytes.isEmpty {
        let first = place(of: area)
        if first < inUse.count, isContinued(inUse[first], by: area, at: position) { inUse.remove(at: first) }
        let place = place(of: area)
        // By their numbers: a slice would keep the array in use, and inserting into it would copy it.
        let neighbours = max(0, place - 1)..<min(inUse.count, place + 1)
        if let other = neighbours.first(where: { inUse[$0].bytes.overlaps(area.bytes) }) {
          violations.append("\(inUse[other].name) and \(area.name) overlap while both are in use")
        } else {
          inUse.insert(area, at: place)
        }
      }
      for area in ending[position] {
        let place = place(of: area)
        if place < inUse.count, inUse[place].name == area.name { inUse.remove(at: place) }
      }
    }
    return violations
  }

  /// The first and the last kernel that each place is used by.
  private static func uses(of graph: KernelGraph) -> [Location: ClosedRange<Int>] {
    var uses: [Location: ClosedRange<Int>] = [:]
    for (position, kernel) in graph.kernels.enumerated() {
      let (reads, writes) = kernel.accesses
      for place in Set((reads + writes).map(\.location)) {
        uses[place] = (uses[place]?.lowerBound ?? position)...position
      }
    }
    return uses
  }

  private static func misalignments(in layout: WorkspaceLayout) -> [String] {
    let offsets = layout.historyOffsets + layout.bufferOffsets + layout.windowOffsets.values
    return offsets.filter { $0 % 64 != 0 }.map { "an area begins at \($0), which is not a multiple of 64" }
  }
}
