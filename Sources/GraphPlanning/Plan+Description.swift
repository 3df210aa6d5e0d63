// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// A plan as people read it: the steps with their operands' places, then the memory map.
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
    append("when a stepped parameter has changed", kernelGraph.blockKernels, to: &lines)
    if let settling = kernelGraph.settling {
      append("when the last ramp has landed", [.map(settling)], to: &lines)
    }
    append(graph.clock == .stream ? "for each tile" : "for each step", kernelGraph.kernels, to: &lines)
    lines.append("memory")
    lines += memory.map { "  " + $0 }
    return lines.joined(separator: "\n") + "\n"
  }

  private func append(_ title: String, _ kernels: [Kernel], to lines: inout [String]) {
    guard !kernels.isEmpty else { return }
    lines.append(title)
    for (index, kernel) in kernels.enumerated() {
      lines += describe(kernel).enumerated().map { row, line in
        row == 0 ? "  \(index): \(line)" : "     \(line)"
      }
    }
    lines.append("")
  }

  private func describe(_ kernel: Kernel) -> [String] {
    switch kernel {
    case .map(let map): return ["map over \(extents(map.space))"] + body(of: map)
    case .fold(let fold):
      let reduced = fold.reduced.map(String.init).joined(separator: " × ")
      return [
        "fold over \(extents(fold.space)), reducing \(reduced)",
        "  \(describe(fold.node)) from \(fold.operands.map(place).joined(separator: ", "))",
      ] + body(of: fold.epilogue)
    case .sample(let sample):
      return ["sample", "  \(describe(sample.node)) from \(place(sample.source))"]
    case .cycle(let nested):
      return ["cycle, frame by frame"] + nested.flatMap(describe).map { "  " + $0 }
    }
  }

  /// Loads, nodes and stores, a line each.
  private func body(of map: MapKernel) -> [String] {
    let loads = map.loads.sorted { $0.key < $1.key }.map { "load \(name($0.key)) from \(place($0.value))" }
    let stores = map.stores.map { store in
      "store \(store.value.map(name) ?? "0") to \(place(store.access))"
    }
    return (loads + map.nodes.map(describe) + stores).map { "  " + $0 }
  }

  private func describe(_ id: NodeID) -> String {
    let node = graph[id]
    return "\(name(node.result)) = \(node.op.shortName)(\(node.operands.map(name).joined(separator: ", ")))"
  }

  private func extents(_ space: Space) -> String {
    let inner =
      switch space.inner {
      case .frames: "frames"
      case .count(let count): String(count)
      }
    return (space.extents.map(String.init) + [inner]).joined(separator: " × ")
  }

  private func name(_ value: ValueID) -> String {
    switch graph.definition(of: value).op {
    case .input(let index): graph.inputs[index].name
    case .parameter(let index): graph.parameters[index].name
    case .weights(let id): "\"\(graph[id].name)\""
    case .literal(let number): "\(number)"
    case .unary, .binary, .select, .fma, .slice, .concatenate, .reshape, .transpose, .pad, .broadcast,
      .sum, .maximum, .dense, .convolution, .delay, .control:
      graph.origins.names[value] ?? "%\(value.index)"
    }
  }

  private func place(_ access: Access) -> String {
    switch access.location {
    case .input(let index): "input \(graph.inputs[index].name)"
    case .output(let index): "output \(graph.outputs[index].name)"
    case .buffer(let id): "buffer \(id.index)"
    case .weights(let offset): "weights \(offset)"
    case .parameter(let index): "parameter \(graph.parameters[index].name)"
    case .history(let id):
      access.delay > 0 ? "history \(id.index), \(access.delay) back" : "history \(id.index)"
    }
  }

  private var memory: [String] {
    var rows: [(offset: Int, text: String)] = [(0, row(0, WorkspaceLayout.rampsOffset, "header"))]
    if !graph.parameters.isEmpty {
      let bytes = graph.parameters.count * WorkspaceLayout.rampBytes
      rows.append(
        (WorkspaceLayout.rampsOffset, row(WorkspaceLayout.rampsOffset, bytes, "ramps of parameters")))
    }
    for (index, history) in layout.histories.enumerated() {
      let (offset, value) = (layout.historyOffsets[index], kernelGraph.histories[index])
      let text = "history \(index): \(name(value.value)), \(value.length) back"
      rows.append((offset, row(offset, history.bytes, text)))
    }
    for (index, buffer) in kernelGraph.buffers.enumerated() {
      let offset = layout.bufferOffsets[index]
      let extent =
        switch buffer.extent {
        case .rows(let count): "\(count) rows of frames"
        case .elements(let count): "\(count) numbers"
        }
      switch buffer.lifetime {
      case .tile:
        guard let range = layout.liveRanges[index] else { continue }
        let live =
          range.count == 1 ? "in \(range.lowerBound)" : "from \(range.lowerBound) to \(range.upperBound)"
        rows.append((offset, row(offset, buffer.bytes, "buffer \(index): \(extent), \(live)")))
      case .held: rows.append((offset, row(offset, buffer.bytes, "buffer \(index): \(extent), held")))
      case .state: rows.append((offset, row(offset, buffer.bytes, "buffer \(index): \(extent), state")))
      }
    }
    return rows.sorted { $0.offset < $1.offset }.map(\.text) + [
      "\(layout.size) bytes, of them \(layout.stateRange.count) state; weights \(kernelGraph.weights.count * 4)"
    ]
  }

  private func row(_ offset: Int, _ bytes: Int, _ text: String) -> String {
    let (offset, bytes) = (String(offset), String(bytes))
    return String(repeating: " ", count: max(0, 8 - offset.count)) + offset
      + String(repeating: " ", count: max(0, 8 - bytes.count)) + bytes + "  " + text
  }
}
