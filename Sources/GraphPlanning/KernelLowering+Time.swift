// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// What crosses blocks: delays, histories and held samples.
extension KernelLowering {
  func lowerDelay(_ node: Node, _ count: Int) {
    var past = remember(node.operands[0], count)
    past.delay = count
    storage[node.result] = past
    readyAt[node.result] = readyIndexOfHistory(of: node.operands[0])
  }

  func lowerControl(_ id: NodeID) {
    let node = graph[id]
    let source = node.operands[0]
    let held = allocate(.elements(1), .state)
    let access = access(place(source), strides: [], inner: .frames)
    append(
      KernelDraft(.sample(SampleKernel(node: id, source: access, held: held))), for: node.result)
    storage[node.result] = Storage(location: .buffer(held), isRows: false)
    readyAt[node.result] = list(of: node.result).count
  }

  /// The history of a value, at least so long; read with a delay of its whole length.
  func remember(_ value: ValueID, _ length: Int) -> Storage {
    let isStream = graph.clock == .stream
    let id: HistoryID
    if let known = historyOf[value] {
      id = known
      histories[id.index].length = max(histories[id.index].length, length)
    } else {
      id = HistoryID(histories.count)
      histories.append(.init(value: value, width: graph.shape(of: value).count, length: length))
      historyOf[value] = id
      let isGiven = graph.definition(of: value).op.isLeaf
      let isComputed =
        isGiven || storage[value] != nil || makers[value] != nil || inlineCosts[value] != nil
      if isComputed { feedHistory(of: value) } else { awaited.insert(value) }
    }
    return Storage(location: .history(id), delay: length, isRows: isStream)
  }

  /// Lets the present frames of a value go into its history: from the map that computes it, or by a copy.
  func feedHistory(of value: ValueID) {
    let shape = Shape(graph.shape(of: value).fixed, frames: graph.clock == .stream ? .init() : nil)
    let history = Storage(location: .history(historyOf[value]!), isRows: graph.clock == .stream)
    let strides = rowMajor(shape.fixed)
    if let maker = makers[value], maker.shape == shape, !isBlock(value) {
      maker.store(value, access(history, strides: strides, inner: maker.space.inner))
      historyReadyAt[value] = readyAt[value]
    } else {
      let draft = KernelDraft(mapOver: shape)
      bring(value, to: draft)
      draft.store(value, access(history, strides: strides, inner: draft.space.inner))
      if cycleDrafts != nil {
        cycleDrafts!.append(draft)
      } else {
        drafts.append(draft)
      }
      historyReadyAt[value] = (cycleDrafts ?? drafts).count
    }
  }

  /// The first kernel that can read the history of a value.
  private func readyIndexOfHistory(of value: ValueID) -> Int {
    // Around a cycle, and in steps, a delay reads what was written before: it waits for nothing.
    if cycleDrafts != nil || graph.clock == .step { return 0 }
    return historyReadyAt[value] ?? 0
  }
}
