// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// Data movement: every slice, reshape, concatenation and so on becomes an explicit copy, obviously right.
///
/// A copy's load has the name of the value that it stores: within any kernel, a value is the same numbers wherever they
/// are read from.
extension KernelLowering {
  func lower(_ movement: Op.Movement, _ node: Node) {
    switch movement {
    case .slice(let axis, let start, _): lowerSlice(node, axis: axis, start: start)
    case .concatenate(let axis): lowerConcatenation(node, axis: axis)
    case .reshape: lowerReshape(node)
    case .transpose(let order): lowerTransposition(node, order)
    case .pad(let axis, let before, let after): lowerPadding(node, axis: axis, before: before, after: after)
    case .broadcast: lowerBroadcast(node)
    case .gather(let axis): lowerGather(node, axis: axis)
    case .shift(let axis, let by): lowerShift(node, axis: axis, by: by)
    case .window(let window):
      move(node, strides: window.strides(loopShape(of: node.operands[0]).fixed.rowMajorStrides))
    }
  }

  private func lowerSlice(_ node: Node, axis: Int, start: Int) {
    let strides = loopShape(of: node.operands[0]).fixed.rowMajorStrides
    move(node, offset: start * strides[axis], strides: strides)
  }

  private func lowerTransposition(_ node: Node, _ order: [Int]) {
    let strides = loopShape(of: node.operands[0]).fixed.rowMajorStrides
    move(node, strides: order.map { strides[$0] })
  }

  private func lowerBroadcast(_ node: Node) {
    move(node, strides: broadcastStrides(node.operands[0], over: loopShape(of: node.result)))
  }

  /// Each number from the position that the index says: a walk over the other axes of x, from where the index goes on.
  ///
  /// The caller's rows lie anywhere, and may be those of an output: they are copied first.
  private func lowerGather(_ node: Node, axis: Int) {
    let (x, index) = (node.operands[0], node.operands[1])
    let (shape, extents) = (loopShape(of: node.result), loopShape(of: x).fixed)
    let (strides, axes) = (extents.rowMajorStrides, loopShape(of: index).fixed)
    let source = placeInMemory(x)
    var map = MapKernel(over: shape)
    if axes.isEmpty {
      bring(index, to: &map, over: shape)
    } else {
      let rest = extents.count - axis - 1
      let own = [Int](repeating: 0, count: axis) + axes.rowMajorStrides + [Int](repeating: 0, count: rest)
      map.loads[index] = access(place(index), strides: own, inner: map.space.inner)
    }
    let others = strides[..<axis] + axes.map { _ in 0 } + strides[(axis + 1)...]
    var read = access(source, strides: Array(others), inner: map.space.inner)
    read.index = Access.Index(
      value: index, reach: .positions(count: extents[axis], stride: strides[axis]))
    map.loads[node.result] = read
    let result = access(
      makeStorage(for: node.result), strides: shape.fixed.rowMajorStrides, inner: map.space.inner)
    map.stores = [Store(node.result, result)]
    append(.map(map), for: node.result)
  }

  /// The place of a value in the workspace or the weights; of a copy where it is elsewhere.
  private func placeInMemory(_ value: ValueID) -> Storage {
    let source = place(value)
    switch source.location {
    case .buffer, .weights: return source
    case .input, .output, .parameter, .history: break
    }
    let shape = loopShape(of: value)
    let isRows = shape.frames != nil
    let key = HeldCopy(value: value, order: Array(shape.fixed.indices))
    if let known = heldCopies[key] { return known }
    let buffer = allocate(
      isRows ? .rows(shape.count) : .elements(shape.count), isBlock(value) ? .held : .tile)
    let copied = Storage(location: .buffer(buffer), isRows: isRows)
    var map = MapKernel(over: shape)
    bring(value, to: &map, over: shape)
    map.stores = [Store(value, access(copied, strides: shape.fixed.rowMajorStrides, inner: map.space.inner))]
    append(.map(map), for: value)
    if isBlock(value) { heldCopies[key] = copied }
    return copied
  }

  /// The same numbers in the same order.
  private func lowerReshape(_ node: Node) {
    move(node, strides: loopShape(of: node.result).fixed.rowMajorStrides)
  }

  private func lowerConcatenation(_ node: Node, axis: Int) {
    let strides = loopShape(of: node.result).fixed.rowMajorStrides
    let storage = makeStorage(for: node.result)
    var position = 0
    for part in node.operands {
      var shape = loopShape(of: part)
      shape.frames = loopShape(of: node.result).frames
      put(
        part, over: shape, offset: position * strides[axis], strides: strides, of: storage, for: node.result)
      position += shape.fixed[axis]
    }
  }

  /// Zeros before and after, and the operand between them: each number is written once.
  private func lowerPadding(_ node: Node, axis: Int, before: Int, after: Int) {
    let shape = loopShape(of: node.result)
    let strides = shape.fixed.rowMajorStrides
    let storage = makeStorage(for: node.result)
    var inside = loopShape(of: node.operands[0])
    inside.frames = shape.frames
    for (start, count) in [(0, before), (before + inside.fixed[axis], after)] where count > 0 {
      var border = shape
      border.fixed[axis] = count
      var zeros = MapKernel(over: border)
      let place = access(
        storage, offset: start * strides[axis], strides: strides, inner: zeros.space.inner)
      zeros.stores = [Store(nil, place)]
      append(.map(zeros), for: node.result)
    }
    put(
      node.operands[0], over: inside, offset: before * strides[axis], strides: strides, of: storage,
      for: node.result)
  }

  /// The positions that stay within the axis, and zeros where they leave it.
  private func lowerShift(_ node: Node, axis: Int, by: Int) {
    let shape = loopShape(of: node.result)
    let (strides, storage) = (shape.fixed.rowMajorStrides, makeStorage(for: node.result))
    let edge = min(abs(by), shape.fixed[axis])
    func part(_ count: Int) -> Shape {
      var part = shape
      part.fixed[axis] = count
      return part
    }
    let kept = shape.fixed[axis] - edge
    var zeros = MapKernel(over: part(edge))
    zeros.stores = [
      Store(
        nil,
        access(
          storage, offset: by > 0 ? 0 : kept * strides[axis], strides: strides, inner: zeros.space.inner))
    ]
    append(.map(zeros), for: node.result)
    guard kept > 0 else { return }
    let (x, own) = (node.operands[0], loopShape(of: node.operands[0]).fixed.rowMajorStrides)
    var map = MapKernel(over: part(kept))
    map.loads[node.result] = access(
      place(x), offset: by > 0 ? 0 : edge * own[axis], strides: own, inner: map.space.inner)
    map.stores = [
      Store(
        node.result,
        access(storage, offset: by > 0 ? edge * strides[axis] : 0, strides: strides, inner: map.space.inner))
    ]
    append(.map(map), for: node.result)
  }

  /// Copies a value as it is to a place in the storage of `user`.
  private func put(
    _ value: ValueID, over shape: Shape, offset: Int, strides: [Int], of storage: Storage, for user: ValueID
  ) {
    var map = MapKernel(over: shape)
    bring(value, to: &map, over: shape)
    let place = access(storage, offset: offset, strides: strides, inner: map.space.inner)
    map.stores = [Store(value, place)]
    append(.map(map), for: user)
  }

  /// Copies the operand into the result's own buffer; `strides` are the distances in the operand.
  private func move(_ node: Node, offset: Int = 0, strides: [Int]) {
    let (source, shape) = (node.operands[0], loopShape(of: node.result))
    var map = MapKernel(over: shape)
    let result = access(
      makeStorage(for: node.result), strides: shape.fixed.rowMajorStrides, inner: map.space.inner)
    if (inlineCosts[source] != nil && layout == .rows) || graph.definition(of: source).op.isLiteral {
      // One number wherever it is read.
      bring(source, to: &map, over: shape)
      map.stores = [Store(source, result)]
    } else {
      map.loads[node.result] = access(
        place(source), offset: offset, strides: strides, inner: map.space.inner)
      map.stores = [Store(node.result, result)]
    }
    append(.map(map), for: node.result)
  }
}
