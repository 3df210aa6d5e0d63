// SPDX-License-Identifier: Apache-2.0

extension Graph {
  /// The graph in canonical order: the post-order of a walk from the outputs, without dead nodes. Equal graphs become
  /// equal tables.
  package func canonical() -> Graph { canonicalRows().graph }

  /// The graph in canonical order, and the id of each remaining value there.
  package func canonicalRows() -> (graph: Graph, rows: [ValueID: ValueID]) {
    let order = nodesFromOutputs()
    var values: [ValueID: ValueID] = [:]
    values.reserveCapacity(order.count)
    for (row, node) in order.enumerated() { values[self[node].result] = ValueID(row) }

    var result = self
    result.nodes = []
    result.values = []
    for node in order {
      let old = self[node]
      _ = result.append(old.op, old.operands.map { values[$0]! }, type: self[old.result].type)
    }
    result.outputs = outputs.map { $0.showing(values[$0.value]!) }
    result.origins = Origins()
    result.origins.parameters = origins.parameters
    for (value, name) in origins.names { if let kept = values[value] { result.origins.names[kept] = name } }
    for (value, place) in origins.places {
      if let kept = values[value] { result.origins.places[kept] = place }
    }
    for (value, function) in origins.functions {
      if let kept = values[value] { result.origins.functions[kept] = function }
    }
    result.origins.warmed = Set(origins.warmed.compactMap { values[$0] })
    return (result, values)
  }

  /// The nodes that the outputs need, operands before users except around cycles.
  private func nodesFromOutputs() -> [NodeID] {
    var order: [NodeID] = []
    var seen = [Bool](repeating: false, count: nodes.count)
    var stack: [(node: NodeID, next: Int)] = []
    for output in outputs {
      let root = self[output.value].definition
      guard !seen[Int(root.index)] else { continue }
      seen[Int(root.index)] = true
      stack.append((root, 0))
      while let (node, next) = stack.last {
        let operands = self[node].operands
        guard next < operands.count else {
          order.append(node)
          stack.removeLast()
          continue
        }
        stack[stack.count - 1].next += 1
        let operand = self[operands[next]].definition
        if !seen[Int(operand.index)] {
          seen[Int(operand.index)] = true
          stack.append((operand, 0))
        }
      }
    }
    return order
  }

  /// The strongly connected components of the graph, each before those that use its values.
  ///
  /// A component of one node that does not use its own result is an ordinary node; any other is a cycle. Within a
  /// component the nodes stand in no particular order.
  ///
  /// - Parameter cut: leaves the edges from what is delayed out, so that what remains must be free of cycles, but for
  ///   those along an axis (`SequenceCycle`).
  package func components(cuttingDelays cut: Bool = false) -> [[NodeID]] {
    components(of: Array(nodeIDs), cuttingDelaysFrom: cut ? 0 : .max)
  }

  /// The strongly connected components among some of the nodes.
  ///
  /// - Parameters:
  ///   - least: leaves the edges into delays of so many frames and more out.
  ///   - shifts: leaves the edges into shifts out, too.
  package func components(
    of part: [NodeID], cuttingDelaysFrom least: Int, cuttingShifts shifts: Bool = false
  ) -> [[NodeID]] {
    func isCut(_ op: Op) -> Bool {
      if shifts, case .shift = op { return true }
      return op.leastDelay.map { op.isDelay && $0 >= least } ?? false
    }
    // Of a small part of a large graph only the part is looked at.
    let isWhole = part.elementsEqual(nodeIDs)
    let rows = isWhole ? nil : Dictionary(uniqueKeysWithValues: part.enumerated().map { ($1, $0) })
    return strongComponents(count: part.count) { row in
      let node = self[part[row]]
      return node.operands.dropFirst(isCut(node.op) ? 1 : 0).compactMap { operand in
        let definition = self[operand].definition
        return rows.map { $0[definition] } ?? Int(definition.index)
      }
    }.map { $0.map { part[$0] } }
  }

  /// The fewest frames at a time in which vectors gain more than their loops cost: shorter feedback goes frame by
  /// frame.
  package static let leastSpan = 4

  /// The loop of each node that reads its own result within a few frames, as a number.
  package func closeLoops() -> [NodeID: Int] {
    let isClose = nodes.contains { $0.op.leastDelay.map { $0 < Self.leastSpan } ?? false }
    guard isClose else { return [:] }
    var numbers: [NodeID: Int] = [:]
    for (number, component) in components(of: Array(nodeIDs), cuttingDelaysFrom: Self.leastSpan).enumerated()
    where component.count > 1 {
      for id in component { numbers[id] = number }
    }
    return numbers
  }

  /// Whether the component is a cycle: several nodes, or one that uses its own result.
  package func isCycle(_ component: [NodeID]) -> Bool {
    component.count > 1 || self[component[0]].operands.contains(self[component[0]].result)
  }
}
