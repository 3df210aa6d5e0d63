// SPDX-License-Identifier: Apache-2.0

import Glibc
import GraphIR
import LLVMText
import Testing

/// A function of the emitter, what it should be, and where to look closely.
struct MathFunction: Sendable, CustomTestStringConvertible {
  let name: String
  let accuracy: MathAccuracy
  /// Where half of a sweep's arguments lie; the other half is spread over all floats.
  let band: ClosedRange<Float>
  /// 1 or 2 operands.
  let operands: Int
  let emit: @Sendable (FunctionBuilder, Lanes, Lanes) -> Lanes
  let exact: @Sendable (Double, Double) -> Double

  var testDescription: String { name }

  private static func unary(
    _ name: String, _ accuracy: MathAccuracy, _ band: ClosedRange<Float>,
    _ emit: @escaping @Sendable (FunctionBuilder, Lanes) -> Lanes,
    _ exact: @escaping @Sendable (Double) -> Double
  ) -> MathFunction {
    MathFunction(
      name: name, accuracy: accuracy, band: band, operands: 1,
      emit: { builder, x, _ in emit(builder, x) }, exact: { x, _ in exact(x) })
  }

  static let all: [MathFunction] = [
    unary("tanh", .tanh, -10...10, { $0.tanh($1) }, { Glibc.tanh($0) }),
    unary("sigmoid", .sigmoid, -20...20, { $0.sigmoid($1) }, { 1 / (1 + Glibc.exp(-$0)) }),
    unary("exp", .exp, -105...90, { $0.exp($1) }, { Glibc.exp($0) }),
    unary("log", .log, 0...3, { $0.log($1) }, { Glibc.log($0) }),
    unary("sin", .sin, -30...30, { $0.sin($1) }, { Glibc.sin($0) }),
    unary("cos", .cos, -1e6...1e6, { $0.cos($1) }, { Glibc.cos($0) }),
    unary("tan", .tan, -100...100, { $0.tan($1) }, { Glibc.tan($0) }),
    unary("erf", .erf, -5...5, { $0.erf($1) }, { Glibc.erf($0) }),
    unary("sign", .sign, -1...1, { $0.sign($1) }, { $0 > 0 ? 1 : $0 < 0 ? -1 : $0 }),
    MathFunction(
      name: "atan2", accuracy: .atan2, band: -2...2, operands: 2, emit: { $0.atan2($1, $2) },
      exact: { Glibc.atan2($0, $1) }),
    MathFunction(
      name: "power", accuracy: .power, band: 0...20, operands: 2, emit: { $0.power($1, $2) },
      exact: { Glibc.pow($0, $1) }),
    MathFunction(
      name: "modulo", accuracy: .modulo, band: -100...100, operands: 2, emit: { $0.modulo($1, $2) },
      exact: { flooredRemainder($0, $1) }),
  ]

  static func named(_ name: String) -> MathFunction { all.first { $0.name == name }! }

  /// The exact meaning of `%`: `fmod` gives the remainder with the sign of the dividend.
  private static func flooredRemainder(_ x: Double, _ y: Double) -> Double {
    guard y.isFinite else { return .nan }
    let remainder = Glibc.fmod(x, y)
    return remainder != 0 && (remainder < 0) != (y < 0) ? remainder + y : remainder
  }
}
