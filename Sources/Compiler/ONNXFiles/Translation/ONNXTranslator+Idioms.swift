// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// Several nodes in a row that are one op here: what ONNX has no op for, as files of ours say it, and other exporters.
///
///     Not(Equal(x, y))                   x != y            for all numbers, and for what is none
///     Mul(Sign(x), Floor(Abs(x)))        truncate(x)       exact both
///     Where(Cast(x, to: bool), y, z)     select(x, y, z)   a choice is by what is not 0
///     Gather(x, Cast(Clip(Floor(Where(IsNaN(i), 0, i)), 0, 63), to: int64))
///                                        gather(x, i)      of an axis of 64 positions, within which it keeps by itself
///     Sub(x, Mul(y, Floor(Div(x, y))))   x % y             in files of ours: the quotient is not rounded first
///
/// The values between stay for whoever reads them otherwise. Nodes count by the values that went into them, whatever is
/// called as these are by now.
extension ONNXTranslator {
  /// An op in place of that of a node, nil for its own, and what goes into it.
  struct Idiom {
    var op: ONNXOperator?
    var operands: [ONNXValue?]

    static func elementwise(_ op: ONNXElementwise, _ operands: [ONNXValue]) -> Idiom {
      Idiom(op: ONNXOperator(single: op.translate), operands: operands)
    }
  }

  func idiom(_ node: ONNXNode, _ operands: [ONNXValue?], in scope: ONNXScope) -> Idiom? {
    guard node.domain.isEmpty, operands.allSatisfy({ $0 != nil }) else { return nil }
    let last = Chain(
      value: nil, maker: ONNXScope.Maker(node: node, operands: operands), scope: scope)
    switch node.op {
    case "Not":
      guard let equal = last[0, "Equal", 2], let x = equal[0].value, let y = equal[1].value else {
        return nil
      }
      return .elementwise(.unequal, [x, y])
    case "Mul":
      guard let sign = last[0, "Sign", 1], let size = last[1, "Floor", 1]?[0, "Abs", 1],
        let x = sign[0].value, x.element.kind == .floating, sign[0].isSame(as: size[0])
      else { return nil }
      return .elementwise(.truncated, [x])
    case "Sub":
      guard model.isOurs, let product = last[1, "Mul", 2],
        let quotient = product[1, "Floor", 1]?[0, "Div", 2], quotient[0].isSame(as: last[0]),
        quotient[1].isSame(as: product[0]), let x = last[0].value, let y = product[0].value
      else { return nil }
      return .elementwise(.remainder, [x, y])
    case "Where":
      guard let x = last[0, "Cast", 1]?[0].value, x.constant == nil, x.shape == operands[0]?.shape,
        operands[0]?.element == .bool
      else { return nil }
      return Idiom(operands: [x] + operands.dropFirst())
    case "Gather":
      guard let kept = last[1, "Cast", 1]?[0, "Clip", 3], let x = operands[0],
        let chosen = kept[0, "Floor", 1]?[0, "Where", 3], let test = chosen[0, "IsNaN", 1],
        test[0].isSame(as: chosen[2]), chosen[1].number == 0, kept[1].number == 0,
        let axis = position(node, rank: x.rank), kept[2].number == Double(x.shape[axis] - 1),
        var index = chosen[2].value, index.constant == nil, index.shape == operands[1]?.shape,
        operands[1]?.element == .int64
      else { return nil }
      index.isKept = true
      return Idiom(operands: [x, index])
    default: return nil
    }
  }

  /// The axis that a node says; nil where there is none.
  private func position(_ node: ONNXNode, rank: Int) -> Int? {
    var axis = 0
    if case .integer(let number)? = node.attributes["axis"] { axis = Int(clamping: number) }
    if axis < 0 { axis += rank }
    return (0..<rank).contains(axis) ? axis : nil
  }

  /// A value with the node that made it, if it is one of the same graph.
  private struct Chain {
    let value: ONNXValue?
    let maker: ONNXScope.Maker?
    let scope: ONNXScope

    /// An operand of the node.
    subscript(index: Int) -> Chain {
      let name = maker?.node.inputs[index] ?? ""
      return Chain(value: maker?.operands[index], maker: scope.maker(of: name), scope: scope)
    }

    /// An operand of the node that a node of an op with so many operands made.
    subscript(index: Int, op: String, count: Int) -> Chain? {
      guard maker?.operands.indices.contains(index) == true else { return nil }
      let operand = self[index]
      guard let maker = operand.maker, maker.node.op == op, maker.node.domain.isEmpty,
        maker.operands.count == count, maker.operands.allSatisfy({ $0 != nil })
      else { return nil }
      return operand
    }

    /// Its only number, without axes.
    var number: Double? { value?.shape == [] ? value?.constant?.single : nil }

    /// Whether both are one value.
    func isSame(as other: Chain) -> Bool {
      guard case .named(let own)? = value?.content, case .named(let others)? = other.value?.content else {
        return false
      }
      return own == others
    }
  }
}
