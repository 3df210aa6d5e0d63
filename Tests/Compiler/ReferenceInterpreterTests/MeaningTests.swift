// SPDX-License-Identifier: Apache-2.0

import Foundation
import GraphIR
import ReferenceInterpreter
import Testing

@Suite struct MeaningTests {
  struct Case: Sendable, CustomStringConvertible {
    var expression: String
    var a: Float
    var b: Float
    var expected: Float

    init(_ expression: String, _ a: Float, _ b: Float, _ expected: Float) {
      (self.expression, self.a, self.b, self.expected) = (expression, a, b, expected)
    }

    init(_ expression: String, _ a: Float, _ expected: Float) { self.init(expression, a, 0, expected) }

    var description: String { "\(expression) at \(a), \(b) is \(expected)" }
  }

  static let inf = Float.infinity
  static let denormal = Float.leastNonzeroMagnitude

  /// Native code has one answer only.
  static let certain: [Case] = [
    Case("a + b", 1.5, 2, 3.5), Case("a + b", inf, -inf, .nan), Case("a + b", inf, 1, inf),
    Case("a - b", 1, 3, -2), Case("a - b", inf, inf, .nan),
    Case("a * b", 0.5, -3, -1.5), Case("a * b", 0, inf, .nan), Case("a * b", 1e38, 1e38, inf),
    Case("a * b", -1e38, 1e38, -inf), Case("a * a", -3, 9),
    Case("a / b", 3, 2, 1.5), Case("a / b", 1, 0, inf), Case("a / b", 1, -0.0, -inf),
    Case("a / b", 0, 0, .nan),
    Case("a / b", 1, denormal, inf), Case("a / b", 1, -denormal, -inf), Case("a / b", denormal, 1, 0),
    Case("a % b", 7, 3, 1), Case("a % b", -7, 3, 2), Case("a % b", 7, -3, -2), Case("a % b", 5.5, 2.5, 0.5),
    Case("a % b", 1, 0, .nan), Case("a % b", inf, 2, .nan), Case("a % b", 5, inf, .nan),
    Case("a % b", 6, 3, 0),
    Case("a < b", 1, 2, 1), Case("a < b", 2, 2, 0), Case("a < b", .nan, 2, 0), Case("a <= b", 2, 2, 1),
    Case("a > b", 2, 1, 1), Case("a > b", 1, 2, 0), Case("a >= b", 2, 2, 1), Case("a >= b", 1, .nan, 0),
    Case("a == b", 2, 2, 1), Case("a == b", 2, 3, 0), Case("a == b", .nan, .nan, 0),
    Case("a == b", 0, -0.0, 1),
    Case("a == b", denormal, 0, 1), Case("a != b", 2, 3, 1), Case("a != b", 2, 2, 0),
    Case("a != b", .nan, .nan, 1), Case("a < b", -inf, inf, 1),
    Case("min(a, b)", 1, 2, 1), Case("min(a, b)", .nan, 2, 2), Case("min(a, b)", 1, .nan, 1),
    Case("min(a, b)", .nan, .nan, .nan), Case("max(a, b)", 1, 2, 2), Case("max(a, b)", .nan, -2, -2),
    Case("max(a, b)", -inf, .nan, -inf), Case("clamp(a, -1, 1)", 5, 1), Case("clamp(a, -1, 1)", .nan, -1),
    Case("limit(a, 2)", 5, 2), Case("limit(a, 2)", -inf, -2), Case("limit(a, 2)", .nan, 0),
    Case("limit(a, b)", -1, 2, -1), Case("limit(a, b)", 5, 0, 0), Case("limit(a, b)", -5, 0, 0),
    Case("limit(a, b)", 5, -1, 0), Case("limit(a, b)", -inf, -inf, 0), Case("limit(a, b)", 5, .nan, 0),
    Case("limit(a, b)", .nan, 0, 0),
    Case("negate(a)", 2, -2), Case("negate(a)", inf, -inf), Case("abs(a)", -2.5, 2.5),
    Case("abs(a)", -inf, inf),
    Case("abs(a)", .nan, .nan), Case("1 / abs(a)", -0.0, inf), Case("1 / negate(a)", 0, -inf),
    Case("sqrt(a)", 9, 3), Case("sqrt(a)", -1, .nan), Case("sqrt(a)", inf, inf),
    Case("1 / sqrt(a)", -0.0, -inf),
    Case("floor(a)", -1.5, -2), Case("floor(a)", 2.5, 2), Case("ceil(a)", -1.5, -1), Case("ceil(a)", 2.25, 3),
    Case("1 / ceil(a)", -0.5, -inf), Case("floor(a)", inf, inf), Case("floor(a)", .nan, .nan),
    Case("round(a)", 0.5, 0), Case("round(a)", 1.5, 2), Case("round(a)", 2.5, 2), Case("round(a)", -1.5, -2),
    Case("truncate(a)", -1.75, -1), Case("truncate(a)", 1.75, 1), Case("sign(a)", -3, -1),
    Case("sign(a)", 0, 0),
    Case("1 / sign(a)", -0.0, -inf), Case("sign(a)", inf, 1), Case("sign(a)", .nan, .nan),
    Case("sign(a)", denormal, 0), Case("select(a, b, 7)", 1, 5, 5), Case("select(a, b, 7)", 0, 5, 7),
    Case("select(a, b, 7)", -0.0, 5, 7), Case("select(a, b, 7)", denormal, 5, 7),
    Case("fma(a, b, 1)", 2, 3, 7), Case("fma(a, b, 1)", inf, 0, .nan), Case("fma(a, 2, b)", 1e38, -inf, -inf),
    Case("fma(a, b, 0 / 0)", 1e38, 1e38, .nan),
    Case("exp(a)", inf, inf), Case("exp(a)", -inf, 0), Case("exp(a)", 89, inf), Case("exp(a)", .nan, .nan),
    Case("log(a)", 0, -inf), Case("log(a)", denormal, -inf), Case("log(a)", -1, .nan),
    Case("log(a)", inf, inf),
    Case("log(a)", -inf, .nan), Case("log(a)", 1, 0), Case("sin(a)", 0, 0), Case("sin(a)", inf, .nan),
    Case("cos(a)", -inf, .nan), Case("tan(a)", inf, .nan), Case("tanh(a)", 0, 0),
    Case("1 / tanh(a)", -0.0, -inf),
    Case("tanh(a)", .nan, .nan), Case("erf(a)", 0, 0), Case("sigmoid(a)", .nan, .nan),
    Case("pow(a, b)", -2, 0.5, .nan), Case("pow(a, b)", 0, -1, inf), Case("pow(a, b)", 1e30, 2, inf),
    Case("pow(a, b)", inf, -1, 0), Case("atan2(a, b)", 0, 1, 0), Case("atan2(a, b)", .nan, 1, .nan),
    Case("relu(a)", -3, 0), Case("relu(a)", 3, 3), Case("leakyRelu(a)", 4, 4), Case("hardTanh(a)", -3, -1),
    Case("celu(a)", .nan, .nan), Case("celu(a)", 2, 2), Case("celu(a, 2)", -inf, -2),
    Case("elu(a)", .nan, .nan), Case("elu(a)", 2, 2), Case("elu(a)", -inf, -1), Case("asin(a)", 1.0001, .nan),
    Case("acos(a)", -1.0001, .nan), Case("acos(a)", 1, 0), Case("asin(a)", .nan, .nan),
    Case("log2(a)", 0, -inf),
    Case("log10(a)", -1, .nan), Case("log2(a)", 1, 0), Case("cosh(a)", -inf, inf),
    Case("sinh(a)", -inf, -inf),
    Case("sinh(a)", .nan, .nan), Case("sinh(a)", 90, inf), Case("sinh(a)", 0, 0),
    Case("1 / sinh(a)", -0.0, -inf), Case("gainToDecibels(a)", 0, -inf), Case("gainToDecibels(a)", -1, .nan),
    Case("decibelsToGain(a)", -inf, 0), Case("noteToFrequency(a)", -inf, 0),
    Case("softsign(a)", 1, 0.5), Case("reciprocal(a)", 4, 0.25), Case("reciprocal(a)", -0.0, -inf),
  ]

  @Test(arguments: certain)
  func edgeCasesHaveOneAnswer(test: Case) throws {
    let found = try estimate(test.expression, a: test.a, b: test.b)
    #expect(found.low == found.high || found.isNaN, "\(found)")
    #expect(found.contains(test.expected), "\(found)")
    #expect(!found.contains(test.expected.isNaN ? 0 : .nan))
    if test.expected.isFinite {
      #expect(!found.contains(test.expected + 0.001))
      #expect(found.radius == 0)
    }
    #expect(!found.sitsOnJump)
  }

  /// The meanings in the table of functions, in words of the language; of what is no number, too.
  @Test(arguments: ["relu", "leakyRelu", "elu", "celu"], [.nan, -inf, -1.5, 0, 2])
  func theTableSaysWhatIsComputed(name: String, a: Float) throws {
    let function = try #require(Function.all.first { $0.name == name })
    var meaning = function.meaning
    if let place = meaning.firstRange(of: " where "), let other = meaning.firstRange(of: ", else ") {
      let (value, condition) = (meaning[..<place.lowerBound], meaning[place.upperBound..<other.lowerBound])
      meaning = "select(\(condition), \(value), \(meaning[other.upperBound...]))"
    }
    meaning.replace(#/\bx\b/#, with: "a")
    meaning.replace(#/\balpha\b/#, with: "1")
    meaning.replace(#/\bslope\b/#, with: "0.01")
    let (said, found) = try (estimate(meaning, a: a), estimate(name + "(a)", a: a))
    let isSame = said.isNaN && found.isNaN || said.value == found.value
    #expect(isSame || abs(said.value - found.value) < 1e-6, "\(meaning)")
  }

  /// Native code may round, and approximates: a value, and how near it must come.
  static let near: [(expression: String, a: Float, b: Float, value: Double, error: Double)] = [
    ("a + b", 1, 0x1p-24, 1 + 0x1p-24, 7e-8),
    ("a * b", 1.1, 1.3, Double(Float(1.1)) * Double(Float(1.3)), 9e-8),
    ("a / b", 1, 3, 1.0 / 3, 2.1e-8),
    ("sqrt(a)", 2, 0, 2.0.squareRoot(), 9e-8),
    ("exp(a)", 1, 0, M_E, 6e-7),
    ("exp(a)", -50, 0, Foundation.exp(-50), 5e-29),
    ("log(a)", 10, 0, Foundation.log(10), 5e-7),
    ("sin(a)", 1, 0, Foundation.sin(1), 2.1e-7),
    ("cos(a)", 100, 0, Foundation.cos(100), 2.1e-7),
    ("tan(a)", 1.5, 0, Foundation.tan(1.5), 7e-6),
    ("tanh(a)", 0.5, 0, Foundation.tanh(0.5), 3.1e-7),
    ("sigmoid(a)", -2, 0, 1 / (1 + Foundation.exp(2)), 3.1e-7),
    ("erf(a)", 0.75, 0, Foundation.erf(0.75), 3.1e-7),
    ("pow(a, b)", 2, 0.5, 2.0.squareRoot(), 5e-7),
    ("pow(a, b)", -2, 3, -8, 3e-6),
    ("atan2(a, b)", -1, -1, -0.75 * .pi, 1e-6),
    ("atan2(a, b)", 0, -1, .pi, 1e-6),
    ("gelu(a)", 1, 0, 0.5 * (1 + Foundation.erf(0.5.squareRoot())), 1e-6),
    ("silu(a)", 2, 0, 2 / (1 + Foundation.exp(-2)), 1e-6),
    ("elu(a)", -1, 0, Foundation.exp(-1) - 1, 3e-7),
    ("cosh(a)", 0, 0, 1, 1e-6),
    ("asin(a)", 0.5, 0, .pi / 6, 4e-7),
    ("noteToFrequency(a)", 81, 0, 880, 3e-4),
    ("softplus(a)", 1, 0, Foundation.log(1 + M_E), 1e-6),
    ("a % b", -1e-9, 0.2, Double(Float(0.2)) - Double(Float(1e-9)), 2e-8),
  ]

  @Test(arguments: near.indices)
  func functionsAreNear(index: Int) throws {
    let test = Self.near[index]
    let found = try estimate(test.expression, a: test.a, b: test.b)
    #expect((found.value - test.value).magnitude <= 1e-7 * test.value.magnitude)
    #expect(found.low <= test.value && test.value <= found.high, "\(found)")
    #expect(found.radius <= test.error && found.radius > 0, "\(test.expression): \(found.radius)")
    #expect(found.contains(Float(test.value)))
    #expect(!found.contains(Float(test.value + 3 * test.error)))
  }

  @Test func whatUnderflowsMayBeZero() throws {
    let product = try estimate("a * b", a: 1e-20, b: 1e-20)
    #expect(product.contains(0) && product.contains(.leastNonzeroMagnitude) && !product.contains(2e-38))
    let faint = try estimate("exp(a)", a: -95)
    #expect(faint.contains(0) && !faint.contains(2e-38))
    #expect(try estimate("1 / (a * b)", a: 1e-20, b: 1e-20).contains(.infinity))
  }

  @Test func whatOverflowsAtTheEdgeMayBeEither() throws {
    let edge = try estimate("a * b + 0", a: .greatestFiniteMagnitude, b: 1 + 0x1p-23)
    #expect(edge.contains(.infinity) && !edge.contains(1))
    let fused = try estimate("fma(a, b, c)", a: 1e38, b: 10, c: -3e38)
    #expect(fused.contains(.infinity) && !fused.contains(.nan))
    let back = try estimate("fma(a, b, c)", a: 1e38, b: 4, c: -3e38)
    #expect(back.contains(.infinity) && back.contains(1e38))
    #expect(back.radius == .infinity)
    let infinite = try estimate("fma(a, b, c)", a: 1e38, b: 1e38, c: -.infinity)
    #expect(infinite.contains(.nan) && infinite.contains(-.infinity) && !infinite.contains(1))
  }
}
