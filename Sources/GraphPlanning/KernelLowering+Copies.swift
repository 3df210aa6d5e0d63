// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// Data movement: every slice, reshape, concatenation and so on becomes an explicit copy, obviously right.
extension KernelLowering {
  func lowerSlice(_ node: Node, axis: Int, start: Int) {
    let strides = rowMajor(graph.shape(of: node.operands[0]).fixed)
    move(node, offset: start * strides[axis], strides: strides)
  }

  func lowerTransposition(_ node: Node, _ order: [Int]) {
    let strides = rowMajor(graph.shape(of: node.operands[0]).fixed)
    move(node, strides: order.map { strides[$0] })
  }

  func lowerBroadcast(_ node: Node) {
    move(node, strides: broadcastStrides(node.operands[0], over: graph.shape(of: node.result)))
  }

  func lowerReshape(_ node: Node) {
    let shape = graph.shape(of: node.result)
    let flat = Shape([shape.count], frames: shape.frames)
    let result = access(makeStorage(for: node.result), strides: [1], inner: Space(of: flat).inner)
    copy(node.operands[0], strides: [1], over: flat, to: result, of: node.result)
  }

  func lowerConcatenation(_ node: Node, axis: Int) {
    let strides = rowMajor(graph.shape(of: node.result).fixed)
    let storage = makeStorage(for: node.result)
    var position = 0
    for part in node.operands {
      var shape = graph.shape(of: part)
      let extent = shape.fixed[axis]
      shape.frames = graph.shape(of: node.result).frames
      let result = access(
        storage, offset: position * strides[axis], strides: strides, inner: Space(of: shape).inner)
      copy(part, strides: rowMajor(shape.fixed), over: shape, to: result, of: node.result)
      position += extent
    }
  }

  func lowerPadding(_ node: Node, axis: Int, before: Int) {
    let shape = graph.shape(of: node.result)
    let (inside, strides) = (graph.shape(of: node.operands[0]), rowMajor(shape.fixed))
    let storage = makeStorage(for: node.result)
    let zeros = KernelDraft(mapOver: shape)
    zeros.store(nil, access(storage, strides: strides, inner: zeros.space.inner))
    append(zeros, for: node.result)
    let result = access(
      storage, offset: before * strides[axis], strides: strides, inner: Space(of: inside).inner)
    copy(node.operands[0], strides: rowMajor(inside.fixed), over: inside, to: result, of: node.result)
  }

  /// Copies the operand into the result's own buffer.
  private func move(_ node: Node, offset: Int = 0, strides: [Int]) {
    let shape = graph.shape(of: node.result)
    let inner = Space(of: shape).inner
    let result = access(makeStorage(for: node.result), strides: rowMajor(shape.fixed), inner: inner)
    copy(node.operands[0], offset: offset, strides: strides, over: shape, to: result, of: node.result)
  }

  /// Appends a kernel that copies numbers of `source` to a place, in the list that `user` belongs to.
  func copy(
    _ source: ValueID, offset: Int = 0, strides: [Int], over shape: Shape, to result: Access,
    of user: ValueID
  ) {
    let draft = KernelDraft(mapOver: shape)
    if inlineCosts[source] != nil || graph.definition(of: source).op.isLiteral {
      bring(source, to: draft)
    } else {
      draft.load(source, access(place(source), offset: offset, strides: strides, inner: draft.space.inner))
    }
    draft.store(source, result)
    append(draft, for: user)
    readyAt[user] = list(of: user).count
  }
}
