// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// Functions of numbers. Where ONNX has none of a meaning it is composed:
///
///     truncate    Sign(x) · Floor(Abs(x))
///     x % y       x - y · Floor(x / y); Mod has the sign of x, or takes integers only
///     atan2       Atan of the quotient, and half a turn more where x is negative
///     !=          Not of Equal
///
/// Min, Max and ReduceMax hand a not-a-number on where ours pass it over.
extension ONNXTranslation {
  mutating func translate(_ op: UnaryOp, _ node: Node, as result: String) {
    let x = operand(node, 0)
    switch op {
    case .negate: emit("Neg", [x], as: result)
    case .abs: emit("Abs", [x], as: result)
    case .sqrt: emit("Sqrt", [x], as: result)
    case .exp: emit("Exp", [x], as: result)
    case .log: emit("Log", [x], as: result)
    case .sin: emit("Sin", [x], as: result)
    case .cos: emit("Cos", [x], as: result)
    case .tan: emit("Tan", [x], as: result)
    case .tanh: emit("Tanh", [x], as: result)
    case .sigmoid: emit("Sigmoid", [x], as: result)
    case .erf: emit("Erf", [x], as: result)
    case .floor: emit("Floor", [x], as: result)
    case .ceil: emit("Ceil", [x], as: result)
    case .round: emit("Round", [x], as: result)
    case .truncate:
      // An output of integers is what a cast leaves of it.
      if let element = own[node.result] {
        emit("Cast", [x], [ONNXAttribute("to", element.rawValue)], as: result)
      } else {
        emit("Mul", [emit("Sign", [x]), emit("Floor", [emit("Abs", [x])])], as: result)
      }
    case .sign: emit("Sign", [x], as: result)
    }
  }

  mutating func translate(_ op: BinaryOp, _ node: Node, as result: String) {
    let (x, y) = (operand(node, 0), operand(node, 1))
    switch op {
    case .add: emit("Add", [x, y], as: result)
    case .subtract: emit("Sub", [x, y], as: result)
    case .multiply: emit("Mul", [x, y], as: result)
    case .divide: emit("Div", [x, y], as: result)
    case .modulo:
      let turns = emit("Floor", [emit("Div", [x, y])])
      emit("Sub", [x, emit("Mul", [y, turns])], as: result)
    case .less: compare("Less", node, as: result)
    case .lessOrEqual: compare("LessOrEqual", node, as: result)
    case .greater: compare("Greater", node, as: result)
    case .greaterOrEqual: compare("GreaterOrEqual", node, as: result)
    case .equal: compare("Equal", node, as: result)
    case .notEqual: compare("Equal", node, isInverted: true, as: result)
    case .min: emit("Min", [x, y], as: result)
    case .max: emit("Max", [x, y], as: result)
    case .pow: emit("Pow", [x, y], as: result)
    case .atan2: angle(node, as: result)
    }
  }

  /// A comparison, which becomes a number where something reads it as one.
  private mutating func compare(
    _ type: String, _ node: Node, isInverted: Bool = false, as result: String
  ) {
    let isNumber = uses.asNumbers.contains(node.result)
    let truthName = isNumber ? nil : result
    let comparison = emit(type, [operand(node, 0), operand(node, 1)], as: isInverted ? nil : truthName)
    let truth = isInverted ? emit("Not", [comparison], as: truthName) : comparison
    if isNumber {
      emit("Cast", [truth], [ONNXAttribute("to", ONNXElement.float32.rawValue)], as: result)
    }
    truths[node.result] = truth
  }

  /// The angle of the point (x, y), from -π to π, where at most one of both is infinite.
  ///
  ///     x > 0    Atan(y / x)
  ///     x = 0    the same with the least number of its sign in place of x: a quarter of a turn, or 0 for y = 0
  ///     x < 0    Atan(y / x) ± π, as y has a sign; -0 has one, too
  private mutating func angle(_ node: Node, as result: String) {
    let (y, x) = (operand(node, 0), operand(node, 1))
    if let number = graph.definition(of: node.operands[1]).op.literal, number > 0 {
      emit("Atan", [number == 1 ? y : emit("Div", [y, x])], as: result)
      return
    }
    let isLeft = isNegative(x)
    let least = emit("Where", [isLeft, number(-.leastNormalMagnitude), number(.leastNormalMagnitude)])
    let divisor = emit("Where", [emit("Equal", [x, number(0)]), least, x])
    let angle = emit("Atan", [emit("Div", [y, divisor])])
    let halfTurn = emit("Where", [isNegative(y), number(-.pi), number(.pi)])
    emit("Where", [isLeft, emit("Add", [angle, halfTurn]), angle], as: result)
  }

  /// Whether a number has a sign: of -0 the reciprocal is -∞, of -∞ it is -0.
  private mutating func isNegative(_ x: String) -> String {
    emit("Less", [emit("Add", [x, emit("Reciprocal", [x])]), number(0)])
  }
}
