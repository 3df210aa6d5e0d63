// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GraphIR

extension ONNXElementwise {
  /// The ops that are a formula of one, two or three numbers.
  static let all: [String: ONNXElementwise] = one.merging(two) { first, _ in first }.merging(comparisons) {
    first, _ in first
  }

  /// The area sine: near 0 the first terms of its series, since 1 + x loses what x has, and far away the logarithm of 2 x.
  private static func areaSine(of x: String) -> String {
    let square = "\(x) * \(x)"
    let near = "1 - \(square) * (1 / 6 - \(square) * (3 / 40 - \(square) * 15 / 336))"
    let far = "select(abs(\(x)) > 1e9, log(abs(\(x))) + log(2), log(abs(\(x)) + sqrt(\(square) + 1)))"
    return "(select(abs(\(x)) < 0.2, \(x) * (\(near)), sign(\(x)) * \(far)))"
  }

  private static let one: [String: ONNXElementwise] = [
    "Neg": .init(1, .lowered, { "-\($0[0])" }, { -$0[0] }, integer: { Int64(0).subtractingIfFits($0[0]) }),
    "Abs": call("abs", { abs($0) }),
    "Sign": .init(1, { "sign(\($0[0]))" }, { $0[0] > 0 ? 1 : $0[0] < 0 ? -1 : $0[0] }),
    "Sqrt": call("sqrt", { $0.squareRoot() }),
    "Reciprocal": .init(1, { "1 / \($0[0])" }, { 1 / $0[0] }),
    "Exp": call("exp", { exp($0) }),
    "Log": call("log", { log($0) }),
    "Sin": call("sin", { sin($0) }),
    "Cos": call("cos", { cos($0) }),
    "Tan": call("tan", { tan($0) }),
    "Asin": call("asin", { asin($0) }),
    "Acos": call("acos", { acos($0) }),
    "Atan": call("atan", { atan($0) }),
    "Sinh": call("sinh", { sinh($0) }),
    "Cosh": call("cosh", { cosh($0) }),
    "Tanh": call("tanh", { tanh($0) }),
    "Asinh": .init(1, { areaSine(of: $0[0]) }, { asinh($0[0]) }),
    "Acosh": .init(1, { "2 * \(areaSine(of: "sqrt((\($0[0]) - 1) * 0.5)"))" }, { acosh($0[0]) }),
    "Atanh": .init(
      1,
      { x in
        let (x, square) = (x[0], "\(x[0]) * \(x[0])")
        let near = "1 + \(square) * (1 / 3 + \(square) * (0.2 + \(square) * (1 / 7 + \(square) / 9)))"
        return "select(abs(\(x)) < 0.2, \(x) * (\(near)), 0.5 * log((1 + \(x)) / (1 - \(x))))"
      }, { atanh($0[0]) }),
    "Erf": call("erf", { erf($0) }),
    "Floor": call("floor", { $0.rounded(.down) }),
    "Ceil": call("ceil", { $0.rounded(.up) }),
    "Round": call("round", { $0.rounded(.toNearestOrEven) }),
    "Relu": call("relu", { max($0, 0) }),
    "Sigmoid": call("sigmoid", { 1 / (1 + exp(-$0)) }),
    "Softplus": call("softplus", { max($0, 0) + log1p(exp(-abs($0))) }),
    "Softsign": call("softsign", { $0 / (1 + abs($0)) }),
    "HardSwish": call("hardSwish", { $0 * min(max($0 / 6 + 0.5, 0), 1) }),
    "Mish": call("mish", { $0 * tanh(max($0, 0) + log1p(exp(-abs($0)))) }),
    "Not": .init(1, .truth, { "1 - \($0[0])" }, { 1 - $0[0] }),
    "IsNaN": .init(1, .truth, { "\($0[0]) != \($0[0])" }, { $0[0].isNaN ? 1 : 0 }),
  ]

  private static let two: [String: ONNXElementwise] = [
    "Add": .init(
      2, .wrapped, { "\($0[0]) + \($0[1])" }, { $0[0] + $0[1] }, integer: { $0[0].addingIfFits($0[1]) }),
    "Sub": .init(
      2, .lowered, { "\($0[0]) - \($0[1])" }, { $0[0] - $0[1] }, integer: { $0[0].subtractingIfFits($0[1]) }),
    "Mul": .init(
      2, .wrapped, { "\($0[0]) * \($0[1])" }, { $0[0] * $0[1] }, integer: { $0[0].multiplyingIfFits($0[1]) }),
    "Div": .init(
      2, { "\($0[0]) / \($0[1])" }, { $0[0] / $0[1] },
      integer: { $0[1] == 0 || ($0[1] == -1 && $0[0] == .min) ? nil : $0[0] / $0[1] },
      integerText: { "truncate(\($0[0]) / \($0[1]))" }),
    "And": .init(2, .truth, { "\($0[0]) * \($0[1])" }, { $0[0] * $0[1] }),
    "Or": .init(2, .truth, { "max(\($0[0]), \($0[1]))" }, { max($0[0], $0[1]) }),
    "Xor": .init(2, .truth, { "\($0[0]) != \($0[1])" }, { $0[0] != $0[1] ? 1 : 0 }),
  ]

  private static let comparisons: [String: ONNXElementwise] = [
    "Equal": comparison("==", { $0 == $1 }, { $0 == $1 }),
    "Less": comparison("<", { $0 < $1 }, { $0 < $1 }),
    "LessOrEqual": comparison("<=", { $0 <= $1 }, { $0 <= $1 }),
    "Greater": comparison(">", { $0 > $1 }, { $0 > $1 }),
    "GreaterOrEqual": comparison(">=", { $0 >= $1 }, { $0 >= $1 }),
  ]

  /// A function of the catalogue.
  private static func call(_ name: String, _ number: @escaping @Sendable (Double) -> Double)
    -> ONNXElementwise
  {
    .init(1, { "\(name)(\($0[0].unbracketed))" }, { number($0[0]) })
  }

  private static func comparison(
    _ sign: String, _ numbers: @escaping @Sendable (Double, Double) -> Bool,
    _ integers: @escaping @Sendable (Int64, Int64) -> Bool
  ) -> ONNXElementwise {
    .init(
      2, .truth, { "\($0[0]) \(sign) \($0[1])" }, { numbers($0[0], $0[1]) ? 1 : 0 },
      integer: { integers($0[0], $0[1]) ? 1 : 0 })
  }

  static let unequal = comparison("!=", { $0 != $1 }, { $0 != $1 })
  static let truncated = call("truncate", { $0.rounded(.towardZero) })
  static let remainder = ONNXElementwise(
    2, { "\($0[0]) % \($0[1])" }, { $0[0] - $0[1] * ($0[0] / $0[1]).rounded(.down) })
  static let minimum = ONNXElementwise(
    2, { "min(\($0[0]), \($0[1]))" }, { min($0[0], $0[1]) }, integer: { min($0[0], $0[1]) })
  static let maximum = ONNXElementwise(
    2, { "max(\($0[0]), \($0[1]))" }, { max($0[0], $0[1]) }, integer: { max($0[0], $0[1]) })
}

extension Int64 {
  fileprivate func addingIfFits(_ other: Int64) -> Int64? {
    let (result, overflow) = addingReportingOverflow(other)
    return overflow ? nil : result
  }

  fileprivate func subtractingIfFits(_ other: Int64) -> Int64? {
    let (result, overflow) = subtractingReportingOverflow(other)
    return overflow ? nil : result
  }

  fileprivate func multiplyingIfFits(_ other: Int64) -> Int64? {
    let (result, overflow) = multipliedReportingOverflow(by: other)
    return overflow ? nil : result
  }
}
