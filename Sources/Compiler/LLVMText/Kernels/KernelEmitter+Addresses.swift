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
      return builder.address("%weights", floats: opened(place, offset, access.location))
    case .parameter(let index):
      return ramp(index, .target)
    case .buffer(let id):
      let base = layout.bufferOffsets[id.index]
      switch plan.kernelGraph.buffers[id.index].extent {
      case .rows:
        let row = workspace(multiply(place, Plan.tileFrames * 4), base, access.location)
        return builder.address(row, floats: stretch.first)
      case .elements: return workspace(multiply(place, 4), base, access.location)
      case .columns(let count):
        let first = multiply(stretch.first, FrameLayout.columnPitch(count))
        return builder.address(workspace(multiply(place, 4), base, access.location), floats: first)
      }
    case .history(let id):
      return history(id, access, indices, place)
    }
  }

  /// An address so many bytes behind one in the workspace.
  private func workspace(_ place: String, _ base: Int, _ location: Location) -> String {
    builder.address("%workspace", bytes: opened(place, base, location))
  }

  /// The address of a number of a parameter's ramp.
  func ramp(_ parameter: Int, _ field: WorkspaceLayout.RampField) -> String {
    workspace("0", WorkspaceLayout.rampOffset(of: parameter, field), .parameter(parameter))
  }

  /// A place so far behind a base in which kernels of one form may differ.
  private func opened(_ place: String, _ base: Int, _ location: Location) -> String {
    if let known = Int(place) { return builder.leftOpen(base + known, of: location) }
    let base = builder.leftOpen(base, of: location)
    return base == "0" ? place : builder.define("add i64 \(place), \(base)")
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
    let ring = access.location
    switch plan.kernelGraph.histories[id.index].layout {
    case .rows:
      if let window = plan.layout.windowOffsets[id] { return self.window(window, access, indices) }
      let row = workspace(multiply(place, layout.pitch, of: ring), base, ring)
      // Each number has a place of its own in the ring.
      if access.index != nil { return row }
      return builder.address(row, floats: slot(id, access, indices))
    case .columns:
      let slot = slot(id, access, indices)
      return builder.address(workspace(multiply(slot, layout.pitch, of: ring), base, ring), floats: place)
    }
  }

  /// A frame in a window at an offset: its past, as long as the longest, and then the present tile.
  private func window(_ offset: Int, _ access: Access, _ indices: [String]) -> String {
    let pitch = HistoryLayout.windowPitch
    var constant = offset + 4 * (HistoryLayout.longestInWindow - access.delay) + pitch * access.offset
    var place: String?
    for (axis, index) in indices.enumerated() {
      let bytes = pitch * access.strides[axis] - 4 * access.delayStrides[axis]
      guard bytes != 0 else { continue }
      if let known = Int(index) {
        constant += known * bytes
      } else {
        let term = multiply(index, bytes, of: access, along: axis)
        place = place.map { builder.define("add i64 \($0), \(term)") } ?? term
      }
    }
    return workspace(place ?? "0", constant, access.location)
  }

  /// The slot of a ring in which the stretch's first frame stands, or the frame before it that the loops of an access say.
  func slot(_ id: HistoryID, _ access: Access, _ indices: [String]) -> String {
    let (layout, back, ring) = (plan.layout.histories[id.index], back(access, indices), access.location)
    guard layout.search == .head else {
      let frame = back.map { builder.define("sub i64 \(stretch.position), \($0)") } ?? stretch.position
      return builder.define("and i64 \(frame), \(number(layout.capacity - 1, of: ring))")
    }
    guard let offset = plan.layout.headOffsets[layout.capacity] else {
      preconditionFailure("a ring without a head")
    }
    let head = builder.define("load i64, ptr \(workspace("0", offset, ring)), align 8")
    guard let back else { return head }
    let slot = builder.define("sub i64 \(head), \(back)")
    let isBehind = builder.define("icmp slt i64 \(slot), 0")
    let wrapped = builder.define("add i64 \(slot), \(number(layout.capacity, of: ring))")
    return builder.define("select i1 \(isBehind), i64 \(wrapped), i64 \(slot)")
  }

  /// How many frames earlier the loops of an access say; nil: none.
  private func back(_ access: Access, _ indices: [String]) -> String? {
    var constant = access.delay
    var back: String?
    for (index, stride) in zip(indices, access.delayStrides) where stride != 0 {
      if let known = Int(index) {
        constant += known * stride
      } else {
        let further = builder.define("mul i64 \(index), \(builder.leftOpen(stride, of: access.location))")
        back = back.map { builder.define("add i64 \($0), \(further)") } ?? further
      }
    }
    guard let back else { return constant == 0 ? nil : builder.leftOpen(constant, of: access.location) }
    return builder.define("add i64 \(back), \(builder.leftOpen(constant, of: access.location))")
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

  /// A number that depends on how long a history is, in which kernels of one form may differ; elsewhere as it is.
  func number(_ number: Int, of location: Location) -> String {
    guard case .history = location, number != 0, schedule.isStraight else { return String(number) }
    return builder.leftOpen(number, of: location)
  }

  /// The index `a` times bytes from one row of a place to the next.
  func multiply(_ a: String, _ b: Int, of location: Location) -> String {
    if let known = Int(a) { return String(known * b) }
    return b == 1 ? a : builder.define("mul i64 \(a), \(number(b, of: location))")
  }

  /// The index `a` times bytes along an axis of an access.
  func multiply(_ a: String, _ b: Int, of access: Access, along axis: Int) -> String {
    if let known = Int(a) { return number(known * b, of: access, along: axis) }
    return b == 1 ? a : builder.define("mul i64 \(a), \(number(b, of: access, along: axis))")
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
