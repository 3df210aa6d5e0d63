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
      let row = workspace(multiply(place, layout.pitch, of: ring), base, ring)
      // Each number has a place of its own in the ring.
      if access.index != nil { return row }
      let mask = number(layout.capacity - 1, of: ring)
      return builder.address(row, floats: builder.define("and i64 \(past(access, indices)), \(mask)"))
    case .columns:
      let slot = builder.define("and i64 \(past(access, indices)), \(number(layout.capacity - 1, of: ring))")
      return builder.address(workspace(multiply(slot, layout.pitch, of: ring), base, ring), floats: place)
    }
  }

  /// The position so many frames earlier as the loops of an access say.
  private func past(_ access: Access, _ indices: [String]) -> String {
    var constant = access.delay
    var past = stretch.position
    for (index, stride) in zip(indices, access.delayStrides) where stride != 0 {
      if let known = Int(index) {
        constant += known * stride
      } else {
        let further = builder.define("mul i64 \(index), \(builder.leftOpen(stride, of: access.location))")
        past = builder.define("sub i64 \(past), \(further)")
      }
    }
    return builder.define("sub i64 \(past), \(builder.leftOpen(constant, of: access.location))")
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

  func add(_ a: String, _ b: Int) -> String {
    if b == 0 { return a }
    return Int(a).map { String($0 + b) } ?? builder.define("add i64 \(a), \(b)")
  }

  func multiply(_ a: String, _ b: Int) -> String {
    if b == 1 { return a }
    return Int(a).map { String($0 * b) } ?? builder.define("mul i64 \(a), \(b)")
  }
}
