// SPDX-License-Identifier: Apache-2.0

package import GraphIR

extension Graph {
  /// The graph of steps without the first positions of an axis that no output depends on: those of a warm-up, of which a
  /// layer needs the fewer the nearer it is to the outputs.
  ///
  ///     x [16] ─ pad 2, kernel 3 ─▶ [16] ─ pad 2, kernel 3 ─▶ [16] ─ slice from 4 ─▶ [12]
  ///     x [16] ───────── kernel 3 ─▶ [14] ───────── kernel 3 ─▶ [12]
  ///
  /// What is in a cycle, or goes into one, is computed from the first position on.
  package func trimmed() -> Graph {
    var trimming = Trimming(canonical())
    return trimming.graph()
  }
}

/// The walk back from the outputs that finds what is needed, and the one forwards that leaves out the rest.
private struct Trimming {
  /// The positions of a value that are needed: those from one on along an axis, or all, from 0 on.
  private struct Need: Equatable {
    var axis = 0
    var first = 0
    static let all = Need()
  }

  private let source: Graph
  private var result: Graph
  /// By the row of a value.
  private var needs: [Need?]

  init(_ source: Graph) {
    self.source = source
    result = source
    needs = Array(repeating: nil, count: source.values.count)
    let cycles = Set(source.components().filter(source.isCycle).joined())
    for node in cycles { join(.all, of: source[node].result) }
    for output in source.outputs { join(.all, of: output.value) }
    // Users first, but in cycles, which need all.
    for row in source.nodes.indices.reversed() {
      let node = source.nodes[row]
      var operands = operandNeeds(of: node, for: need(of: node.result))
      if operands == nil {
        join(.all, of: node.result)
        operands = operandNeeds(of: node, for: .all)
      }
      for (operand, need) in zip(node.operands, operands ?? node.operands.map { _ in .all }) {
        join(need, of: operand)
      }
    }
  }

  private func need(of value: ValueID) -> Need { needs[Int(value.index)] ?? .all }

  private mutating func join(_ other: Need, of value: ValueID) {
    let row = Int(value.index)
    let own = needs[row] ?? other
    needs[row] = own.axis == other.axis ? Need(axis: own.axis, first: min(own.first, other.first)) : .all
  }

  /// What a node needs of its operands for its positions from one on; nil where it makes all positions, or none.
  private func operandNeeds(of node: Node, for need: Need) -> [Need]? {
    let (axis, first) = (need.axis, need.first)
    let extents = node.operands.map { source.shape(of: $0).fixed }
    func operand(axis: Int, first: Int) -> [Need] {
      [Need(axis: axis, first: first)] + node.operands.dropFirst().map { _ in .all }
    }
    switch node.op.kind {
    case .elementwise, .movement(.broadcast):
      let result = source.shape(of: node.result).fixed
      return extents.map { own in
        let place = axis - (result.count - own.count)
        return own.indices.contains(place) && own[place] == result[axis]
          ? Need(axis: place, first: first) : .all
      }
    case .movement(.slice(let other, let start, _)):
      if other == axis { return operand(axis: axis, first: start + first) }
      return operand(axis: first == 0 ? other : axis, first: first == 0 ? start : first)
    case .movement(.pad(axis, let before, _)):
      guard first < before + extents[0][axis] else { return nil }
      return operand(axis: axis, first: max(0, first - before))
    case .movement(.shift(axis, let by)):
      return by >= 0 && by < extents[0][axis] ? operand(axis: axis, first: max(0, first - by)) : nil
    case .movement(.pad(_, _, _)), .movement(.shift(_, _)):
      return [need]
    case .movement(.concatenate(let other)):
      return other == axis ? nil : node.operands.map { _ in need }
    case .movement(.transpose(let order)):
      return order.isEmpty ? nil : operand(axis: order[axis], first: first)
    case .reduction(_, let reduced):
      return extents[0].count == 1 ? nil : operand(axis: axis < reduced ? axis : axis + 1, first: first)
    case .layer(.dense(let other, _)):
      return other == axis ? nil : operand(axis: axis, first: first)
    case .layer(.convolution(let convolution)):
      guard case .fixed(let walked) = convolution.axis, axis != walked - 1 else { return nil }
      let walks = walked..<walked + convolution.walks.count
      guard !walks.contains(axis) || convolution.walks[axis - walked].stride == 1 else { return nil }
      return operand(axis: axis, first: first)
    case .given, .movement(.reshape), .movement(.gather), .movement(.window), .contraction, .time, .source:
      return nil
    }
  }

  mutating func graph() -> Graph {
    for (row, node) in source.nodes.enumerated() {
      let own = need(of: node.result)
      guard let needs = operandNeeds(of: node, for: own) else { continue }
      if own.first > 0 {
        result.values[Int(node.result.index)].type.shape.fixed[own.axis] -= own.first
      }
      let extents = result.shape(of: node.result).fixed
      var (op, operands) = (node.op, node.operands)
      switch node.op {
      case .slice(let axis, _, _) where own.axis == axis || own.first == 0:
        op = .slice(axis: axis, start: start(needs[0], in: operands[0]), count: extents[axis])
      case .shift(own.axis, let by) where own.first >= by && own.first > 0:
        op = .slice(axis: own.axis, start: start(needs[0], in: operands[0]), count: extents[own.axis])
      case .shift(own.axis, let by) where own.first > 0:
        let part = slice(operands[0], axis: own.axis, start: 0, count: extents[own.axis] - (by - own.first))
        (op, operands) = (.pad(axis: own.axis, before: by - own.first, after: 0), [part])
      case .pad(own.axis, let before, let after):
        op = .pad(axis: own.axis, before: max(0, before - own.first), after: after)
        operands = starting(operands, at: needs)
      case .broadcast:
        op = .broadcast(extents)
        operands = starting(operands, at: needs)
      default:
        operands = starting(operands, at: needs)
      }
      result.nodes[row].op = op
      result.nodes[row].operands = operands
    }
    return result.canonical()
  }

  /// Operands from the positions on from which they are needed, which may be behind those from which they are computed.
  private mutating func starting(_ operands: [ValueID], at needs: [Need]) -> [ValueID] {
    zip(operands, needs).map { operand, need in
      let start = start(need, in: operand)
      guard start > 0 else { return operand }
      let extent = result.shape(of: operand).fixed[need.axis]
      return slice(operand, axis: need.axis, start: start, count: extent - start)
    }
  }

  /// Where positions that are needed begin in what is computed of a value.
  private func start(_ need: Need, in value: ValueID) -> Int {
    let given = self.need(of: value)
    return need.first - (given.axis == need.axis ? given.first : 0)
  }

  private mutating func slice(_ value: ValueID, axis: Int, start: Int, count: Int) -> ValueID {
    var type = result[value].type
    type.shape.fixed[axis] = count
    return result.append(.slice(axis: axis, start: start, count: count), [value], type: type)
  }
}
