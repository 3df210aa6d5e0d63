// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

extension AlgebraicRule {
  /// Rules of movements that move numbers twice, or not at all: exact.
  static let movements = [
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
    Self("concatenate([x]) → x", at: \.isMovement) { node, _, _ in
      guard case .concatenate = node.op, node.operands.count == 1 else { return nil }
      return .value(node.operands[0])
    },
    // What something else uses is put together anyway.
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
    // What a number says can be said before: a slice moves above what feeds it.
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
}
