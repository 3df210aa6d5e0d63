// SPDX-License-Identifier: Apache-2.0

internal import Foundation

extension ONNXOperator {
  /// Ops of numbers with attributes, or with any number of operands.
  static let arithmetic: [String: ONNXOperator] = [
    "Sum": .init(single: { call throws(ONNXError) in try folded(call, ONNXElementwise.all["Add"]!) }),
    "Mean": .init(
      single: { call throws(ONNXError) in
        let sum = try folded(call, ONNXElementwise.all["Add"]!)
        let count = ONNXValue(ONNXConstant(sum.element, [], .doubles([Double(call.operands.count)])))
        return try ONNXElementwise.all["Div"]!.apply([sum, count], call)
      }),
    "Min": .init(single: { call throws(ONNXError) in try folded(call, ONNXElementwise.minimum) }),
    "Max": .init(single: { call throws(ONNXError) in try folded(call, ONNXElementwise.maximum) }),
    "Pow": .init(single: power),
    "Mod": .init(single: modulo),
    "Clip": .init(single: clip),
    "Where": .init(single: choice),
    "IsInf": .init(single: infinite),
  ]

  /// One op after the other over all operands.
  private static func folded(_ call: ONNXCall, _ op: ONNXElementwise) throws(ONNXError) -> ONNXValue {
    var result = try call.operand(0)
    for index in call.operands.indices.dropFirst() {
      result = try op.apply([result, try call.operand(index)], call)
    }
    return result
  }

  private static func power(_ call: ONNXCall) throws(ONNXError) -> ONNXValue {
    let (x, y) = (try call.operand(0), try call.operand(1))
    let isInteger = x.element.kind == .integer
    let op: ONNXElementwise
    let isWhole = y.element.kind == .integer
    let isOfShape = x.shape.stretched(with: y.shape) == x.shape
    switch y.constant?.single {
    case 2 where x.constant == nil && isOfShape:
      op = ONNXElementwise(2, .wrapped, { "\($0[0]) * \($0[0])" }, { $0[0] * $0[0] })
    case 0.5 where !isInteger && isOfShape: op = ONNXElementwise(2, { "sqrt(\($0[0]))" }, { pow($0[0], 0.5) })
    default:
      op = ONNXElementwise(
        2, .wrapped, { "pow(\($0[0]), \($0[1]))" }, { pow($0[0], $0[1]) },
        // By a number that may have a fraction it loses its own, as far as floats tell it from a whole number.
        integerText: { x in
          let power = "pow(\(x[0]), \(x[1]))"
          guard !isWhole else { return "round(\(power))" }
          let isNear = "abs(\(power) - round(\(power))) <= 5e-7 * abs(\(power))"
          return "select(\(isNear), round(\(power)), truncate(\(power)))"
        })
    }
    return try op.apply([x, y], call)
  }

  private static func modulo(_ call: ONNXCall) throws(ONNXError) -> ONNXValue {
    let (x, y) = (try call.operand(0), try call.operand(1))
    // The sign is that of y, or with fmod that of x.
    let isFmod = try call.attributes.flag("fmod")
    guard isFmod || x.element.kind == .integer || call.opset >= 28 else {
      throw ONNXError("numbers with fractions need fmod = 1 below version 28")
    }
    let op =
      isFmod
      ? ONNXElementwise(
        2,
        {
          "select((abs(\($0[1])) == reciprocal(0)) * (abs(\($0[0])) < reciprocal(0)), \($0[0]), "
            + "\($0[0]) - \($0[1]) * truncate(\($0[0]) / \($0[1])))"
        }, { fmod($0[0], $0[1]) },
        integer: { $0[1] == 0 ? nil : $0[1] == -1 ? 0 : $0[0] % $0[1] })
      : ONNXElementwise(
        2,
        { x in
          // Of an infinite y the quotient is 0, or -1.
          "select((abs(\(x[1])) == reciprocal(0)) * (abs(\(x[0])) < reciprocal(0)), "
            + "select(\(x[0]) * \(x[1]) < 0, \(x[1]), \(x[0])), \(x[0]) % \(x[1]))"
        },
        {
          $0[1].isInfinite && $0[0].isFinite
            ? ($0[0] * $0[1] < 0 ? $0[1] : $0[0]) : $0[0] - $0[1] * ($0[0] / $0[1]).rounded(.down)
        },
        integer: {
          guard $0[1] != 0 else { return nil }
          let rest = $0[1] == -1 ? 0 : $0[0] % $0[1]
          return rest != 0 && (rest < 0) != ($0[1] < 0) ? rest + $0[1] : rest
        }, integerText: { "\($0[0]) % \($0[1])" })
    return try op.apply([x, y], call)
  }

  /// Bounds are attributes below version 11, and operands from then on.
  private static func clip(_ call: ONNXCall) throws(ONNXError) -> ONNXValue {
    var x = try call.operand(0)
    func bound(_ name: String, _ index: Int) throws(ONNXError) -> ONNXValue? {
      if let value = call.optional(index) { return try call.reshape(value, []) }
      guard call.opset < 11, let number = try call.attributes.float(name), abs(number) < 3.4e38 else {
        return nil
      }
      return ONNXValue(ONNXConstant(x.element, [], .doubles([number])))
    }
    let (low, high) = (try bound("min", 1), try bound("max", 2))
    if let low { x = try ONNXElementwise.maximum.apply([x, low], call) }
    if let high { x = try ONNXElementwise.minimum.apply([x, high], call) }
    return x
  }

  private static func choice(_ call: ONNXCall) throws(ONNXError) -> ONNXValue {
    let (condition, a, b) = (try call.operand(0), try call.operand(1), try call.operand(2))
    let op = ONNXElementwise(
      3, { "select(\($0[2]), \($0[0]), \($0[1]))" }, { $0[2] != 0 ? $0[0] : $0[1] },
      integer: { $0[2] != 0 ? $0[0] : $0[1] })
    return try op.apply([a, b, condition], call)
  }

  private static func infinite(_ call: ONNXCall) throws(ONNXError) -> ONNXValue {
    let positive = try call.attributes.flag("detect_positive", true)
    let negative = try call.attributes.flag("detect_negative", true)
    let op = ONNXElementwise(
      1, .truth,
      { x in
        switch (positive, negative) {
        case (true, true): "abs(\(x[0])) == reciprocal(0)"
        case (true, false): "\(x[0]) == reciprocal(0)"
        case (false, true): "\(x[0]) == -reciprocal(0)"
        case (false, false): "\(x[0]) * 0 == reciprocal(0)"
        }
      }, { ($0[0] == .infinity && positive) || ($0[0] == -.infinity && negative) ? 1 : 0 })
    return try op.apply([try call.operand(0)], call)
  }
}
