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
/// it, and who reads the value behind the cycle reads it there. What makes a row for each position is part of the cycle.
extension KernelLowering {
  /// Lowers a graph of steps: cycles along axes, and what stands around them.
  ///
  /// A delay reads a slot of an earlier step: without its edge there is no cycle.
  func lowerSequences() {
    let components = graph.components(cuttingDelays: true)
    let cycles = components.map { graph.isCycle($0) ? try? SequenceCycle($0, in: graph) : nil }
    var rows = rowMakers(for: cycles, among: components)
    let taken = Set(rows.values.joined())
    for (index, component) in components.enumerated() {
      if let cycle = cycles[index] {
        lower(cycle, behind: rows.removeValue(forKey: index)?.reversed() ?? [])
      } else if !taken.contains(component[0]) {
        lower(component[0])
      }
    }
  }

  /// For each cycle the nodes in front of it that only it reads, at the position at hand, and whose numbers are many for
  /// those that they are made of, such as a row for each position of one number: those of a position are computed in the
  /// cycle, and need no memory. The last one comes first.
  private func rowMakers(for cycles: [SequenceCycle?], among components: [[NodeID]]) -> [Int: [NodeID]] {
    /// The cycles that nodes belong to, and their positions.
    var owners: [NodeID: (cycle: Int, positions: Int)] = [:]
    for (index, cycle) in cycles.enumerated() {
      guard let cycle, cycle.positions > 1 else { continue }
      for id in cycle.nodes { owners[id] = (index, cycle.positions) }
    }
    var makers: [Int: [NodeID]] = [:]
    let outputs = Set(graph.outputs.map(\.value))
    // Behind every node stand those that read it.
    for (index, component) in components.enumerated().reversed() where cycles[index] == nil {
      let value = graph[component[0]].result
      guard let users = users[value], let owner = owners[users[0]], !outputs.contains(value),
        !isBlock(value), makesRows(graph[component[0]], owner.positions),
        users.allSatisfy({ id in
          owners[id]?.cycle == owner.cycle
            && graph[id].operands.indices.allSatisfy { operand in
              graph[id].operands[operand] != value
                || graph[id].hasPositions(operand, owner.positions, in: graph)
            }
        })
      else { continue }
      owners[component[0]] = owner
      makers[owner.cycle, default: []].append(component[0])
    }
    return makers
  }

  private func makesRows(_ node: Node, _ positions: Int) -> Bool {
    guard case .elementwise = node.op.kind else { return false }
    let shape = graph.shape(of: node.result)
    return shape.fixed.first == positions
      && node.operands.allSatisfy { graph.shape(of: $0).count < shape.count }
  }

  private func lower(_ cycle: SequenceCycle, behind rows: [NodeID]) {
    // Of a single position all that is shifted is zero.
    guard cycle.positions > 1 else { return cycle.nodes.forEach(lower) }
    for value in operands(of: rows + cycle.nodes) where !graph.definition(of: value).op.isLiteral {
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
      let computed = cycle.nodes.filter { if case .shift = graph[$0].op { false } else { true } }
      for id in foldsFirst(rows + computed) {
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
    // Who reads it behind the cycle finds it there, too: it is stored once.
    storage[.rows]!.merge(pasts) { $1 }
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
