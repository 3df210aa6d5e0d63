// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// Several nodes in a row that are one op here: what ONNX has no op for, as files of ours say it, and other exporters.
///
///     Not(Equal(x, y))                      x != y
///     Mul(Sign(x), Floor(Abs(x)))           truncate(x)
///     Sub(x, Mul(y, Floor(Div(x, y))))      x % y
///     Where(Cast(x, to: bool), y, z)        select(x, y, z)
///     Gather(x, Cast(Clip(Floor(Where(IsNaN(i), 0, i)), 0, 63), to: int64))
///                                           gather(x, i), of an axis of 64 positions
///
/// The nodes in front stay for whoever reads them otherwise.
extension ONNXTranslator {
  /// An op in place of that of a node, nil for its own, and what goes into it.
  struct Idiom {
    var op: ONNXOperator?
    var operands: [ONNXValue?]
  }

  func idiom(
    _ node: ONNXNode, _ operands: [ONNXValue?], in scope: ONNXScope
  ) throws(ONNXError) -> Idiom? {
    guard node.domain.isEmpty else { return nil }
    /// The inputs of the node that makes a value, if it is so called and no function of the file.
    func inputs(_ op: String, _ name: String?, _ count: Int) -> [String]? {
      guard let maker = name.flatMap(scope.maker), maker.op == op, maker.domain.isEmpty,
        maker.inputs.count == count,
        model.functions[.init(domain: "", name: op, overload: maker.overload)] == nil
      else { return nil }
      return maker.inputs
    }
    func cast(_ name: String?, to element: ONNXElement) -> String? {
      guard case .integer(let number)? = name.flatMap(scope.maker)?.attributes["to"],
        number == element.rawValue
      else { return nil }
      return inputs("Cast", name, 1)?[0]
    }
    func elementwise(_ op: ONNXElementwise, _ names: [String]) throws(ONNXError) -> Idiom? {
      var values: [ONNXValue?] = []
      for name in names { values.append(try value(name, in: scope)) }
      guard values.allSatisfy({ $0 != nil }) else { return nil }
      return Idiom(op: ONNXOperator(single: op.translate), operands: values)
    }
    func isNumber(_ name: String, _ number: Double) throws(ONNXError) -> Bool {
      try value(name, in: scope)?.constant?.single == number
    }
    let areFloats = operands.allSatisfy { $0?.element.kind == .floating }

    switch node.op {
    case "Not":
      guard let pair = inputs("Equal", node.inputs.first, 2) else { return nil }
      return try elementwise(.unequal, pair)
    case "Mul":
      guard areFloats, node.inputs.count == 2, let signed = inputs("Sign", node.inputs[0], 1),
        let size = inputs("Floor", node.inputs[1], 1), inputs("Abs", size[0], 1) == signed
      else { return nil }
      return try elementwise(.truncated, signed)
    case "Sub":
      guard areFloats, node.inputs.count == 2, let product = inputs("Mul", node.inputs[1], 2),
        let turns = inputs("Floor", product[1], 1),
        inputs("Div", turns[0], 2) == [node.inputs[0], product[0]]
      else { return nil }
      return try elementwise(.remainder, [node.inputs[0], product[0]])
    case "Where":
      guard let name = cast(node.inputs.first, to: .bool), let x = try value(name, in: scope) else {
        return nil
      }
      return Idiom(operands: [x] + operands.dropFirst())
    case "Gather":
      guard operands.count == 2, let x = operands[0], let clip = cast(node.inputs[1], to: .int64),
        let kept = inputs("Clip", clip, 3), let floor = inputs("Floor", kept[0], 1),
        let chosen = inputs("Where", floor[0], 3), inputs("IsNaN", chosen[0], 1) == [chosen[2]],
        try isNumber(chosen[1], 0), try isNumber(kept[1], 0)
      else { return nil }
      var axis = 0
      if case .integer(let number)? = node.attributes["axis"] {
        axis = try ONNXCall.axis(Int(clamping: number), rank: x.rank)
      }
      guard axis < x.rank, try isNumber(kept[2], Double(x.shape[axis] - 1)),
        var index = try value(chosen[2], in: scope), index.constant == nil
      else { return nil }
      index.countsFromStart = true
      return Idiom(operands: [x, index])
    default: return nil
    }
  }
}
