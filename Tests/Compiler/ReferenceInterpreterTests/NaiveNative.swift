// SPDX-License-Identifier: Apache-2.0

import Foundation
import GraphIR
import TestEquipment

/// Numbers that native code might compute: floats, denormals flushed, the least accurate functions that keep their
/// bounds, and chance wherever targets may differ.
struct NaiveNative {
  var random: SplitMix

  /// One frame of a graph of element-wise ops, its nodes operands first.
  mutating func run(_ graph: Graph, inputs: [Float]) -> [Float] {
    var results: [Float] = []
    for node in graph.nodes {
      let x = node.operands.map { results[Int($0.index)] }
      results.append(flushed(answer(node.op, x, inputs)))
    }
    return results
  }

  private mutating func answer(_ op: Op, _ x: [Float], _ inputs: [Float]) -> Float {
    switch op.kind {
    case .given(.input(let port)): inputs[port]
    case .given(.literal(let number)): number
    case .elementwise(.unary(let op)): unary(op, x[0])
    case .elementwise(.binary(let op)): binary(op, x[0], x[1])
    case .elementwise(.select): x[0] != 0 ? x[1] : x[2]
    case .elementwise(.fma): random.chance() ? x[2].addingProduct(x[0], x[1]) : flushed(x[0] * x[1]) + x[2]
    case .given, .movement, .reduction, .layer, .contraction, .time, .source:
      preconditionFailure("\(op) is not element-wise")
    }
  }

  private mutating func unary(_ op: UnaryOp, _ x: Float) -> Float {
    switch op {
    case .negate: return -x
    case .abs: return abs(x)
    case .sqrt: return x.squareRoot()
    case .floor: return x.rounded(.down)
    case .ceil: return x.rounded(.up)
    case .round: return x.rounded(.toNearestOrEven)
    case .truncate: return x.rounded(.towardZero)
    case .sign: return x > 0 ? 1 : x < 0 ? -1 : x
    case .tanh: return x == 0 ? x : limited(.tanh, op, x, from: x < 0 ? -1 : 0, to: x > 0 ? 1 : 0)
    case .erf: return x == 0 ? x : limited(.erf, op, x, from: x < 0 ? -1 : 0, to: x > 0 ? 1 : 0)
    case .sigmoid: return limited(.sigmoid, op, x, from: 0, to: 1)
    case .sin: return x == 0 ? x : limited(.sin, op, x, from: -1, to: 1)
    case .cos: return limited(.cos, op, x, from: -1, to: 1)
    case .exp: return near(op.evaluate(Double(x)), x, .exp)
    case .log: return near(op.evaluate(Double(x)), x, .log)
    case .tan: return near(op.evaluate(Double(x)), x, .tan)
    }
  }

  private mutating func binary(_ op: BinaryOp, _ x: Float, _ y: Float) -> Float {
    switch op {
    case .add: x + y
    case .subtract: x - y
    case .multiply: x * y
    case .divide: x / y
    case .modulo: near(Double(x) - Double(y) * (Double(x) / Double(y)).rounded(.down), x, MathAccuracy())
    case .less, .lessOrEqual, .greater, .greaterOrEqual, .equal, .notEqual, .min, .max:
      Float(op.evaluate(Double(x), Double(y)))
    case .pow where x == 1 || y == 0: 1
    case .pow: near(op.evaluate(Double(x), Double(y)), x, .power)
    case .atan2: near(op.evaluate(Double(x), Double(y)), x, .atan2)
    }
  }

  private mutating func limited(
    _ accuracy: MathAccuracy, _ op: UnaryOp, _ x: Float, from least: Float, to most: Float
  ) -> Float {
    let result = near(op.evaluate(Double(x)), x, accuracy)
    return result.isNaN ? result : min(max(result, least), most)
  }

  private mutating func near(_ exact: Double, _ x: Float, _ accuracy: MathAccuracy) -> Float {
    guard exact.isFinite, exact != 0 else { return Float(exact) }
    let radius = accuracy.radius(exact: exact, argument: Double(x))
    guard radius.isFinite else { return Float(exact) }
    let wrong = Float(exact + radius * (random.unit() * 2 - 1))
    return (Double(wrong) - exact).magnitude <= radius ? wrong : Float(exact)
  }

  private func flushed(_ x: Float) -> Float { x.magnitude < .leastNormalMagnitude ? x * 0 : x }
}
