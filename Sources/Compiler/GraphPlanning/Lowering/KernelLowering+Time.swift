// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// Lowering of state that crosses blocks: delays, histories and held samples.
extension KernelLowering {
  func lower(_ time: Op.Time, _ id: NodeID) {
    switch time {
    case .delay(let count): lowerDelay(graph[id], count)
    case .tap(let tap): lowerTap(graph[id], tap)
    case .lookahead: preconditionFailure("a graph is aligned before it is lowered")
    case .control: lowerControl(id)
    }
  }

  func lower(_ source: Op.Source, _ id: NodeID) {
    switch source {
    case .phasor: lowerPhasor(id)
    case .noise: lowerNoise(id)
    }
  }

  /// A delay: a copy from its operand's history.
  private func lowerDelay(_ node: Node, _ count: Int) {
    var past = remember(node.operands[0], count)
    past.delay = count
    let shape = loopShape(of: node.result)
    let strides = shape.fixed.rowMajorStrides
    var map = MapKernel(over: shape)
    map.loads[node.result] = access(past, strides: strides, inner: map.space.inner)
    let result = access(makeStorage(for: node.result), strides: strides, inner: map.space.inner)
    map.stores = [Store(node.result, result)]
    append(.map(map))
  }

  /// A delay by a signal: a read of its operand's history, each number at a delay of its own.
  private func lowerTap(_ node: Node, _ tap: Tap) {
    let shape = loopShape(of: node.result)
    var map = MapKernel(over: shape)
    bring(node.operands[1], to: &map, over: shape)
    var past = remember(node.operands[0], tap.maximum)
    past.delay = tap.minimum
    var read = access(past, strides: broadcastStrides(node.operands[0], over: shape), inner: .frames)
    read.index = Access.Index(value: node.operands[1], reach: .frames(tap))
    map.loads[node.result] = read
    let result = access(makeStorage(for: node.result), strides: shape.fixed.rowMajorStrides, inner: .frames)
    map.stores = [Store(node.result, result)]
    append(.map(map))
  }

  private func lowerPhasor(_ id: NodeID) {
    let node = graph[id]
    let held = allocate(.elements(1), .state)
    let source = access(place(node.operands[0]), strides: [], inner: .frames)
    let result = access(makeStorage(for: node.result), strides: [], inner: .frames)
    append(.sample(SampleKernel(node: id, source: source, held: held, result: result)))
  }

  private func lowerNoise(_ id: NodeID) {
    let value = graph[id].result
    var map = MapKernel(over: .frames)
    map.nodes = [id]
    map.stores = [Store(value, access(makeStorage(for: value), strides: [], inner: .frames))]
    append(.map(map))
  }

  private func lowerControl(_ id: NodeID) {
    let node = graph[id]
    let source = node.operands[0]
    let held = allocate(.elements(1), .state)
    let access = access(place(source), strides: [], inner: .frames)
    append(.sample(SampleKernel(node: id, source: access, held: held)))
    storage[.rows]![node.result] = Storage(location: .buffer(held), isRows: false)
  }

  /// The history of a value, at least so long, in the layout at hand; read with a delay of its whole length.
  func remember(_ value: ValueID, _ length: Int) -> Storage {
    let id: HistoryID
    if let known = historyOf[layout]![value] {
      id = known
      histories[id.index].length = max(histories[id.index].length, length)
    } else {
      id = HistoryID(histories.count)
      histories.append(
        .init(
          value: value, width: loopShape(of: value).count, length: length,
          layout: remembersRows ? .rows : .columns))
      historyOf[layout]![value] = id
      let isGiven = graph.definition(of: value).op.isLeaf
      if isGiven || knownPlace(value) != nil || inlineCosts[value] != nil {
        feedHistory(of: value)
      } else {
        awaited[layout]!.insert(value)
      }
    }
    return Storage(location: .history(id), delay: length, isRows: remembersRows)
  }

  private var remembersRows: Bool { graph.clock == .stream && layout == .rows }

  /// Writes the present frames of a value to its history: a copy.
  func feedHistory(of value: ValueID) {
    let shape = Shape(loopShape(of: value).fixed, frames: remembersRows ? .init() : nil)
    let history = Storage(location: .history(historyOf[layout]![value]!), isRows: remembersRows)
    var map = MapKernel(over: shape)
    bring(value, to: &map, over: shape)
    map.stores = [
      Store(value, access(history, strides: shape.fixed.rowMajorStrides, inner: map.space.inner))
    ]
    append(.map(map))
  }
}
