// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// A plan as people read it: the steps with their operands' places, the memory map and when its buffers are in
/// use, and what a frame costs.
extension Plan: CustomStringConvertible {
  package var description: String {
    var lines = [
      "plan \(graph.name) for \(target.cpu), vectors of \(target.lanes) floats",
      tileAlignment == 0
        ? "tiles of at most \(Plan.tileFrames) frames"
        : "tiles of at most \(Plan.tileFrames) frames, ending at multiples of \(tileAlignment)",
      "",
    ]
    if graph.clock == .step { lines[1] = "one step at a time" }
    lines += [kernelGraph.description, "schedules"]
    lines += ScheduleText(schedules: schedules).lines.map { "  " + $0 } + [""]
    lines.append("memory")
    lines += memory.map { "  " + $0 }
    let picture = ArenaPicture(self).lines
    if !picture.isEmpty { lines += ["", "buffers in use"] + picture.map { "  " + $0 } }
    lines += ["", cost]
    return lines.joined(separator: "\n") + "\n"
  }

  /// The cost of a frame or step: FLOPs, bytes moved, latency.
  private var cost: String {
    let unit = graph.clock == .stream ? "frame" : "step"
    let statistics = KernelStatistics(kernelGraph)
    return "each \(unit): \(graph.flopsPerFrame) FLOPs, \(statistics.bytesMoved) bytes moved; "
      + "latency \(latency) \(latency == 1 ? unit : unit + "s")"
  }

  private var memory: [String] {
    var rows: [(offset: Int, text: String)] = [(0, row(0, WorkspaceLayout.rampsOffset, "header"))]
    if !graph.parameters.isEmpty {
      let bytes = graph.parameters.count * WorkspaceLayout.rampBytes
      rows.append(
        (WorkspaceLayout.rampsOffset, row(WorkspaceLayout.rampsOffset, bytes, "ramps of parameters")))
    }
    if !layout.countsRange.isEmpty {
      let (offset, bytes) = (layout.countsRange.lowerBound, layout.countsRange.count)
      rows.append((offset, row(offset, bytes, "counts of delays by a signal")))
    }
    if !layout.headOffsets.isEmpty {
      let offset = layout.countsRange.upperBound
      rows.append(
        (offset, row(offset, layout.headOffsets.count * WorkspaceLayout.headBytes, "heads of rings")))
    }
    for (index, history) in layout.histories.enumerated() {
      let (offset, value) = (layout.historyOffsets[index], kernelGraph.histories[index])
      let text = "history \(index): \(KernelText(kernelGraph).name(value.value)), \(value.length) back"
      rows.append((offset, row(offset, history.bytes, text)))
      let id = HistoryID(index)
      if let window = layout.windowOffsets[id], let live = live(.history(id)), let move = layout.pastMoves[id]
      {
        let text = "window \(index): history \(index), \(live), moved on before \(move)"
        rows.append((window, row(window, history.windowBytes, text)))
      }
    }
    for (index, buffer) in kernelGraph.buffers.enumerated() {
      let offset = layout.bufferOffsets[index]
      let extent =
        switch buffer.extent {
        case .rows(let count): "\(count) rows of frames"
        case .elements(let count): "\(count) numbers"
        case .columns(let count): "columns of \(count)"
        }
      switch buffer.lifetime {
      case .tile:
        guard let live = live(.buffer(BufferID(index))) else { continue }
        rows.append((offset, row(offset, buffer.bytes, "buffer \(index): \(extent), \(live)")))
      case .held: rows.append((offset, row(offset, buffer.bytes, "buffer \(index): \(extent), held")))
      case .state: rows.append((offset, row(offset, buffer.bytes, "buffer \(index): \(extent), state")))
      }
    }
    return rows.sorted { $0.offset < $1.offset }.map(\.text) + [
      "\(layout.size) bytes, of them \(layout.stateRange.count) state; weights \(kernelGraph.weights.count * 4)"
    ]
  }

  /// The kernels in which a place of the arena is in use; nil where it is none.
  private func live(_ place: Location) -> String? {
    layout.liveRanges[place].map { range in
      range.count == 1 ? "in \(range.lowerBound)" : "from \(range.lowerBound) to \(range.upperBound)"
    }
  }

  private func row(_ offset: Int, _ bytes: Int, _ text: String) -> String {
    let (offset, bytes) = (String(offset), String(bytes))
    return String(repeating: " ", count: max(0, 8 - offset.count)) + offset
      + String(repeating: " ", count: max(0, 8 - bytes.count)) + bytes + "  " + text
  }
}
