// SPDX-License-Identifier: Apache-2.0

/// A formula in Swift that becomes nodes of a graph.
///
///     let g = Formula.tan(frequency * (.pi / sampleRate))
///     let y = try ((x - s) * (g / (1 + g)) + s).value(in: &graph)
///
/// Each part becomes one node, however often it is used; numbers become literals.
package final class Formula: ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral {
  private enum Content {
    case value(ValueID)
    case number(Double)
    case op(Op, [Formula])
  }

  private let content: Content
  /// The node's result once there is one.
  private var result: ValueID?

  private init(_ content: Content) { self.content = content }

  package convenience init(_ value: ValueID) { self.init(.value(value)) }
  package convenience init(_ number: Double) { self.init(.number(number)) }
  package convenience init(floatLiteral number: Double) { self.init(.number(number)) }
  package convenience init(integerLiteral number: Int) { self.init(.number(Double(number))) }
  package convenience init(_ op: Op, _ operands: Formula...) { self.init(.op(op, operands)) }

  /// The value that the formula is in a graph. A formula belongs to one graph.
  package func value(in graph: inout GraphAssembler) throws(TypingError) -> ValueID {
    if let result { return result }
    let value: ValueID
    switch content {
    case .value(let known): value = known
    case .number(let number): value = graph.literal(Float(number))
    case .op(let op, let operands):
      var values: [ValueID] = []
      for operand in operands { values.append(try operand.value(in: &graph)) }
      value = try graph.apply(op, values)
    }
    result = value
    return value
  }
}

extension Formula {
  package static func + (a: Formula, b: Formula) -> Formula { Formula(.binary(.add), a, b) }
  package static func - (a: Formula, b: Formula) -> Formula { Formula(.binary(.subtract), a, b) }
  package static func * (a: Formula, b: Formula) -> Formula { Formula(.binary(.multiply), a, b) }
  package static func / (a: Formula, b: Formula) -> Formula { Formula(.binary(.divide), a, b) }

  package static func min(_ a: Formula, _ b: Formula) -> Formula { Formula(.binary(.min), a, b) }
  package static func max(_ a: Formula, _ b: Formula) -> Formula { Formula(.binary(.max), a, b) }

  /// log(1 + exp(x)) without overflow, with its slope of a half at 0: there `max` hands the slope to its second operand, so
  /// that each order is taken once.
  package static func softplus(_ x: Formula) -> Formula {
    (.max(x, 0) + .max(0, x)) * 0.5 + Formula(.unary(.log), .exp(Formula(.unary(.negate), .abs(x))) + 1)
  }

  package static func abs(_ x: Formula) -> Formula { Formula(.unary(.abs), x) }
  package static func sqrt(_ x: Formula) -> Formula { Formula(.unary(.sqrt), x) }
  package static func exp(_ x: Formula) -> Formula { Formula(.unary(.exp), x) }
  package static func sin(_ x: Formula) -> Formula { Formula(.unary(.sin), x) }
  package static func tan(_ x: Formula) -> Formula { Formula(.unary(.tan), x) }
  package static func select(_ condition: Formula, _ a: Formula, _ b: Formula) -> Formula {
    Formula(.select, condition, a, b)
  }

  /// x of the frame (or step) before.
  package static func previous(_ x: ValueID) -> Formula { Formula(.delay(1), Formula(x)) }
}
