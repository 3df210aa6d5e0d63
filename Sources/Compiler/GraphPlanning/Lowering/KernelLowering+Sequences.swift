// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// Cycles along the first axis of their values: all kernels for one position, then for the next.
///
///     h = tanh(x + dense(shifted(h, axis: 0, by: 1), 'u'))        h [160, 24]
/// →
///     buffer 1, position -1 ← 0
///     cycle, 160 positions one by one
///       buffer 0 ← x + dense of buffer 1, a position before
///       buffer 2 ← tanh(buffer 0)
///       buffer 1 ← buffer 2
///
/// What is shifted has a buffer of its own, with room for the positions beyond the edge, so that a shift is another place in
/// it.
extension KernelLowering {
  func lowerSequence(_ cycle: SequenceCycle) {
    // Of a single position all that is shifted is zero.
    guard cycle.positions > 1 else { return cycle.nodes.forEach(lower) }
    for value in operands(of: cycle.nodes) where !graph.definition(of: value).op.isLiteral {
      if inlineCosts[value] == nil { _ = place(value) }
    }
    var reaches: [ValueID: Int] = [:]
    for id in cycle.nodes {
      guard case .shift(_, let by) = graph[id].op else { continue }
      reaches[graph[id].operands[0], default: 0] = max(reaches[graph[id].operands[0]] ?? 0, abs(by))
    }
    var pasts: [ValueID: Storage] = [:]
    for (value, reach) in reaches.sorted(by: { $0.key < $1.key }) {
      pasts[value] = makePast(of: value, reach, cycle)
    }
    for id in cycle.nodes {
      guard case .shift(_, let by) = graph[id].op, var past = pasts[graph[id].operands[0]] else { continue }
      past.offset -= by * numbersOfPosition(graph[id].operands[0], cycle)
      storage[.rows]![graph[id].result] = past
    }
    let own = Set(cycle.nodes)
    for id in cycle.nodes {
      guard case .layer(.dense) = graph[id].op.kind else { continue }
      let weight = graph[id].operands[1]
      if !own.contains(graph[weight].definition) { turnWeight(weight) }
    }
    let positions = CycleKernel.Positions(count: cycle.positions, isBackward: cycle.isBackward)
    appendCycle(span: 1, positions: positions) {
      for id in cycle.nodes {
        if case .shift = graph[id].op { continue }
        lower(id)
        let value = graph[id].result
        if let past = pasts[value] { put(value, into: past) }
      }
      // A shift of a shift.
      for id in cycle.nodes {
        guard case .shift = graph[id].op, let past = pasts[graph[id].result] else { continue }
        put(graph[id].result, into: past)
      }
    }
  }

  private func numbersOfPosition(_ value: ValueID, _ cycle: SequenceCycle) -> Int {
    graph.shape(of: value).count / cycle.positions
  }

  /// A buffer for a value with room beyond the edge that it is read from, which holds zeros; the place of its positions.
  private func makePast(of value: ValueID, _ reach: Int, _ cycle: SequenceCycle) -> Storage {
    let shape = graph.shape(of: value)
    let each = numbersOfPosition(value, cycle)
    var past = Storage(
      location: .buffer(allocate(.elements(shape.count + reach * each), .tile)), isRows: false)
    var edge = shape
    edge.fixed[0] = reach
    var zeros = MapKernel(over: edge)
    zeros.stores = [
      Store(
        nil,
        access(
          past, offset: cycle.isBackward ? shape.count : 0, strides: edge.fixed.rowMajorStrides,
          inner: zeros.space.inner))
    ]
    append(.map(zeros))
    past.offset = cycle.isBackward ? 0 : reach * each
    return past
  }

  private func put(_ value: ValueID, into past: Storage) {
    let shape = graph.shape(of: value)
    var map = MapKernel(over: shape)
    bring(value, to: &map, over: shape)
    map.stores = [Store(value, access(past, strides: shape.fixed.rowMajorStrides, inner: map.space.inner))]
    append(.map(map))
  }
}
