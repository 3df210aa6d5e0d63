// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

extension ONNXTranslation {
  /// Says an op in nodes of ONNX, the last of which makes the tensor `result`.
  ///
  /// What the ways of a sum are is left out: ONNX says nothing of the order in which terms are added.
  mutating func translate(_ node: Node, as result: String) {
    switch node.op {
    case .input, .parameter, .literal, .weights:
      preconditionFailure("\(node.op) has a tensor where it is used")
    case .unary(let op): translate(op, node, as: result)
    case .binary(let op): translate(op, node, as: result)
    case .select:
      emit("Where", [condition(node.operands[0]), operand(node, 1), operand(node, 2)], as: result)
    case .fma:
      let product = emit("Mul", [operand(node, 0), operand(node, 1)])
      emit("Add", [product, operand(node, 2)], as: result)

    case .slice(let axis, let start, let count):
      let range = [integers([start]), integers([start + count]), integers([axis])]
      emit("Slice", [operand(node, 0)] + range, as: result)
    case .concatenate(let axis):
      var parts: [String] = []
      for part in node.operands { parts.append(tensor(part)) }
      emit("Concat", parts, [ONNXAttribute("axis", axis)], as: result)
    case .reshape(let extents):
      emit("Reshape", [operand(node, 0), integers(extents)], as: result)
    case .transpose(let order):
      emit("Transpose", [operand(node, 0)], [ONNXAttribute("perm", order)], as: result)
    case .pad(let axis, let before, let after):
      let rank = graph.shape(of: node.result).fixed.count
      var pads = [Int](repeating: 0, count: 2 * rank)
      (pads[axis], pads[rank + axis]) = (before, after)
      emit("Pad", [operand(node, 0), integers(pads)], as: result)
    case .broadcast(let extents):
      emit("Expand", [operand(node, 0), integers(extents)], as: result)
    case .gather(let axis):
      let indices = positions(node.operands[1], of: graph.shape(of: node.operands[0]).fixed[axis])
      emit("Gather", [operand(node, 0), indices], [ONNXAttribute("axis", axis)], as: result)
    case .window(let window):
      let positions = graph.shape(of: node.result).fixed[window.axis]
      let places = (0..<positions).flatMap { position in
        (0..<window.size).map { position * window.hop + $0 * window.dilation }
      }
      emit(
        "Gather", [operand(node, 0), integers(places, extents: [positions, window.size])],
        [ONNXAttribute("axis", window.axis)], as: result)

    case .shift(let axis, let by):
      let extents = graph.shape(of: node.result).fixed
      guard abs(by) < extents[axis] else {
        emit("Expand", [number(0), integers(extents)], as: result)
        break
      }
      // A pad below zero cuts off.
      var pads = [Int](repeating: 0, count: 2 * extents.count)
      (pads[axis], pads[extents.count + axis]) = (by, -by)
      emit("Pad", [operand(node, 0), integers(pads)], as: result)

    case .sum(let axis, _):
      emit(
        "ReduceSum", [operand(node, 0), integers([axis])], [ONNXAttribute("keepdims", 0)], as: result)
    case .maximum(let axis):
      emit(
        "ReduceMax", [operand(node, 0)], [ONNXAttribute("axes", [axis]), ONNXAttribute("keepdims", 0)],
        as: result)

    case .dense(let axis, _): dense(node, axis: axis, as: result)
    case .convolution(let convolution): self.convolution(node, convolution, as: result)
    case .contraction:
      emit("MatMul", [operand(node, 0), transposed(node.operands[1])], as: result)

    case .delay(let count):
      let state = state(of: node.operands[0])
      guard !state.isAlone else {
        emit("Reshape", [state.input, integers(state.extents)], as: result)
        break
      }
      let place = integers([state.length - count], extents: [])
      emit("Gather", [state.input, place], [ONNXAttribute("axis", 0)], as: result)

    case .tap, .lookahead, .control, .phasor, .noise:
      preconditionFailure("\(node.op) is of streams")
    }
  }

  /// Whether a value is not 0. A not-a-number is not.
  private mutating func condition(_ value: ValueID) -> String {
    if let truth = truths[value] { return truth }
    return emit("Cast", [tensor(value)], [ONNXAttribute("to", ONNXElement.bool.rawValue)])
  }

  /// The positions that an index says: rounded down and kept within an axis, 0 for what is no number.
  private mutating func positions(_ index: ValueID, of count: Int) -> String {
    let extents = graph.shape(of: index).fixed
    func known(_ numbers: some Sequence<Float>) -> [Int] {
      numbers.map { Op.position(Double($0), of: count) }
    }
    switch graph.definition(of: index).op.given {
    case .literal(let number): return integers(known([number]), extents: extents)
    case .weights(let id): return integers(known(graph[id].values), extents: extents)
    case .input, .parameter, nil: break
    }
    let given = tensor(index)
    let isNoNumber = emit("IsNaN", [given])
    let whole = emit("Floor", [emit("Where", [isNoNumber, number(0), given])])
    let kept = emit("Clip", [whole, number(0), number(Float(count - 1))])
    return emit("Cast", [kept], [ONNXAttribute("to", ONNXElement.int64.rawValue)])
  }
}
