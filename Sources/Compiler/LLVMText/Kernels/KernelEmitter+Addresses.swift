// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import GraphPlanning

/// The addresses of an access.
extension KernelEmitter {
  /// The address of the first element of an access in a round; rows of frames begin at the stretch.
  func address(_ access: Access, _ indices: [String]) -> String {
    let place = sum(access.offset, zip(indices, access.strides))
    let layout = plan.layout
    switch access.location {
    case .input(let index): return port("%inputs", firstRow: plan.inputRows[index], place)
    case .output(let index): return port("%outputs", firstRow: plan.outputRows[index], place)
    case .weights(let offset):
      return builder.address("%weights", floats: add(place, offset))
    case .parameter(let index):
      return builder.workspace(WorkspaceLayout.rampOffset(of: index, .target))
    case .buffer(let id):
      let base = layout.bufferOffsets[id.index]
      switch plan.kernelGraph.buffers[id.index].extent {
      case .rows:
        let row = workspace(multiply(place, Plan.tileFrames * 4), base)
        return builder.address(row, floats: stretch.first)
      case .elements: return workspace(multiply(place, 4), base)
      case .columns(let count):
        let first = multiply(stretch.first, FrameLayout.columnPitch(count))
        return builder.address(workspace(multiply(place, 4), base), floats: first)
      }
    case .history(let id):
      return history(id, access, indices, place)
    }
  }

  /// An address so many bytes behind one in the workspace.
  private func workspace(_ place: String, _ base: Int) -> String {
    if let bytes = Int(place) { return builder.workspace(base + bytes) }
    return builder.address("%workspace", bytes: add(place, base))
  }

  /// The beginning of a row of the caller's memory, or a place in its one row of elements.
  private func port(_ table: String, firstRow: Int, _ place: String) -> String {
    let isStream = graph.clock == .stream
    let number = isStream ? add(place, firstRow) : String(firstRow)
    let row = builder.define("getelementptr ptr, ptr \(table), i64 \(number)")
    let beginning = builder.define("load ptr, ptr \(row), align 8")
    return builder.address(beginning, floats: isStream ? stretch.done : place)
  }

  private func history(_ id: HistoryID, _ access: Access, _ indices: [String], _ place: String) -> String {
    let (layout, base) = (plan.layout.histories[id.index], plan.layout.historyOffsets[id.index])
    let delay = sum(access.delay, zip(indices, access.delayStrides))
    switch plan.kernelGraph.histories[id.index].layout {
    case .rows:
      let row = add(multiply(place, layout.pitch), base)
      // Each number has a place of its own in the ring.
      if access.index != nil { return builder.address("%workspace", bytes: row) }
      let past = builder.define("sub i64 \(stretch.position), \(delay)")
      let offset = builder.define("and i64 \(past), \(layout.capacity - 1)")
      return builder.address(builder.address("%workspace", bytes: row), floats: offset)
    case .columns:
      let past = builder.define("sub i64 \(stretch.position), \(delay)")
      let slot = builder.define("and i64 \(past), \(layout.capacity - 1)")
      let bytes = add(multiply(slot, layout.pitch), base)
      return builder.address(builder.address("%workspace", bytes: bytes), floats: place)
    }
  }

  /// `offset` plus each index times its stride; a constant where it can be one.
  private func sum(_ offset: Int, _ terms: some Sequence<(String, Int)>) -> String {
    var constant = offset
    var variable: String?
    for (index, stride) in terms where stride != 0 {
      if let known = Int(index) {
        constant += known * stride
      } else {
        let term = multiply(index, stride)
        variable = variable.map { builder.define("add i64 \($0), \(term)") } ?? term
      }
    }
    return variable.map { add($0, constant) } ?? String(constant)
  }

  func add(_ a: String, _ b: Int) -> String {
    if b == 0 { return a }
    return Int(a).map { String($0 + b) } ?? builder.define("add i64 \(a), \(b)")
  }

  func multiply(_ a: String, _ b: Int) -> String {
    if b == 1 { return a }
    return Int(a).map { String($0 * b) } ?? builder.define("mul i64 \(a), \(b)")
  }
}
