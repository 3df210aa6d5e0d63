// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

extension AlgebraicRule {
  /// Rules of movements that move numbers twice, or not at all: exact.
  static let movements = idleMovements + otherMovements

  /// Those of axes alone.
  static let idleMovements = [
    Self("reshape(x) → x, in the shape of x", at: \.isMovement) { node, graph, _ in
      guard case .reshape(let extents) = node.op, graph.shape(of: node.operands[0]).fixed == extents else {
        return nil
      }
      return .value(node.operands[0])
    },
    Self("reshape(reshape(x)) → reshape(x)", at: \.isMovement) { node, graph, _ in
      let inner = graph.definition(of: node.operands[0])
      guard case .reshape = node.op, case .reshape = inner.op else { return nil }
      return .apply(node.op, [.value(inner.operands[0])])
    },
    Self("transpose(x) → x, in the order of x", at: \.isMovement) { node, graph, _ in
      guard case .transpose(let order) = node.op, order == Array(order.indices) else { return nil }
      return .value(node.operands[0])
    },
    Self("transpose(transpose(x)) → transpose(x)", at: \.isMovement) { node, graph, _ in
      let inner = graph.definition(of: node.operands[0])
      guard case .transpose(let outer) = node.op, case .transpose(let first) = inner.op else { return nil }
      return .apply(.transpose(outer.map { first[$0] }), [.value(inner.operands[0])])
    },
  ]

  private static let otherMovements = [
    Self("slice(x) → x, of all of x", at: \.isMovement) { node, graph, _ in
      guard case .slice(let axis, _, let count) = node.op,
        graph.shape(of: node.operands[0]).fixed[axis] == count
      else { return nil }
      return .value(node.operands[0])
    },
    Self("slice(slice(x)) → slice(x), of one axis", at: \.isMovement) { node, graph, _ in
      let inner = graph.definition(of: node.operands[0])
      guard case .slice(let axis, let start, let count) = node.op,
        case .slice(axis, let first, _) = inner.op
      else { return nil }
      return .apply(.slice(axis: axis, start: first + start, count: count), [.value(inner.operands[0])])
    },
    // Parts of weights cost nothing: what is stretched over them, such as the gates of a layer with one input, is computed
    // where it is read, and never stored.
    Self("slice(x * 'w') → x * slice('w'), and so on, where x is stretched along the axis", at: \.isMovement)
    {
      node, graph, _ in
      guard graph.definition(of: node.operands[0]).op.isElementwise else { return nil }
      return part(of: node.operands[0], node.op, in: graph)
    },
    Self("concatenate([x]) → x", at: \.isMovement) { node, _, _ in
      guard case .concatenate = node.op, node.operands.count == 1 else { return nil }
      return .value(node.operands[0])
    },
    // A list that something else uses is put together anyway.
    Self("concatenate([concatenate([x, y]), z]) → concatenate([x, y, z]), of one axis", at: \.isMovement) {
      node, graph, uses in
      guard case .concatenate(let axis) = node.op else { return nil }
      let parts = node.operands.map { part in
        let inner = graph.definition(of: part)
        return inner.op == .concatenate(axis: axis) && uses[Int(part.index)] == 1 ? inner.operands : [part]
      }
      guard parts.contains(where: { $0.count > 1 }) else { return nil }
      return .apply(node.op, parts.joined().map { .value($0) })
    },
    Self("pad(x) → x, by nothing", at: \.isMovement) { node, _, _ in
      guard case .pad(_, 0, 0) = node.op else { return nil }
      return .value(node.operands[0])
    },
    Self("pad(pad(x)) → pad(x), of one axis", at: \.isMovement) { node, graph, _ in
      let inner = graph.definition(of: node.operands[0])
      guard case .pad(let axis, let before, let after) = node.op,
        case .pad(axis, let innerBefore, let innerAfter) = inner.op
      else { return nil }
      return .apply(
        .pad(axis: axis, before: before + innerBefore, after: after + innerAfter), [.value(inner.operands[0])]
      )
    },
    Self("broadcast(x) → x, to the shape of x", at: \.isMovement) { node, graph, _ in
      guard case .broadcast(let extents) = node.op, graph.shape(of: node.operands[0]).fixed == extents else {
        return nil
      }
      return .value(node.operands[0])
    },
    Self("broadcast(broadcast(x)) → broadcast(x)", at: \.isMovement) { node, graph, _ in
      let inner = graph.definition(of: node.operands[0])
      guard case .broadcast = node.op, case .broadcast = inner.op else { return nil }
      return .apply(node.op, [.value(inner.operands[0])])
    },
    // An index that is a number is known before: a slice moves above what feeds it.
    Self("gather(x, 3) → the slice of x at 3", at: \.isMovement) { node, graph, _ in
      guard case .gather(let axis) = node.op, let index = graph.literal(node.operands[1]) else { return nil }
      let shape = graph.shape(of: node.operands[0])
      let position = Op.position(Double(index), of: shape.fixed[axis])
      let slice = Replacement.apply(
        .slice(axis: axis, start: position, count: 1), [.value(node.operands[0])])
      return .apply(.reshape(shape.without(axis).fixed), [slice])
    },
    // Whoever uses a stretched value element by element stretches it himself. Another type is no replacement.
    Self("broadcast(x) + y → x + y, and so on, where y has the shape", at: \.isElementwise) {
      node, graph, _ in
      let place = node.operands.firstIndex { operand in
        if case .broadcast = graph.definition(of: operand).op { true } else { false }
      }
      guard let place else { return nil }
      var operands = node.operands
      operands[place] = graph.definition(of: operands[place]).operands[0]
      return .apply(node.op, operands.map { .value($0) })
    },
    // Of a delay that something else uses there would be two histories, the second one longer.
    Self("delay(delay(x, a), b) → delay(x, a + b)", at: \.isDelay) { node, graph, uses in
      let inner = graph.definition(of: node.operands[0])
      guard case .delay(let count) = node.op, case .delay(let first) = inner.op,
        uses[Int(node.operands[0].index)] == 1, first + count <= Limits.delay,
        inner.operands[0] != node.result
      else { return nil }
      return .apply(.delay(first + count), [.value(inner.operands[0])])
    },
  ]
  /// A slice of weights, of what is stretched over them, and of what elements of such make; nil of anything else.
  private static func part(of value: ValueID, _ slice: Op, in graph: Graph) -> Replacement? {
    guard case .slice(let axis, _, _) = slice else { return nil }
    let (node, fixed) = (graph.definition(of: value), graph.shape(of: value).fixed)
    if fixed.isEmpty || fixed[axis] == 1 { return .value(value) }
    if graph.isWeights(value) { return .apply(slice, [.value(value)]) }
    guard node.op.isElementwise,
      node.operands.allSatisfy({ [0, fixed.count].contains(graph.shape(of: $0).fixed.count) })
    else { return nil }
    let parts = node.operands.compactMap { part(of: $0, slice, in: graph) }
    return parts.count == node.operands.count ? .apply(node.op, parts) : nil
  }
}

extension Graph {
  /// Whether a value is an array of weights, in its own shape or in another.
  fileprivate func isWeights(_ value: ValueID) -> Bool {
    let node = definition(of: value)
    return switch node.op {
    case .weights: true
    case .reshape: isWeights(node.operands[0])
    case _: false
    }
  }
}
