// SPDX-License-Identifier: Apache-2.0

/// A formula in Swift that becomes nodes of a graph.
///
///     let g = Formula.tan(frequency * (.pi / sampleRate))
///     let y = try ((x - s) * (g / (1 + g)) + s).value(in: &graph)
///
/// Each part becomes one node, however often it is used; numbers become literals.
final class Formula: ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral {
  private enum Content {
    case value(ValueID)
    case number(Double)
    case op(Op, [Formula])
  }

  private let content: Content
  /// The node's result once there is one.
  private var result: ValueID?

  private init(_ content: Content) { self.content = content }

  convenience init(_ value: ValueID) { self.init(.value(value)) }
  convenience init(_ number: Double) { self.init(.number(number)) }
  convenience init(floatLiteral number: Double) { self.init(.number(number)) }
  convenience init(integerLiteral number: Int) { self.init(.number(Double(number))) }
  convenience init(_ op: Op, _ operands: Formula...) { self.init(.op(op, operands)) }

  /// The value that the formula is in a graph. A formula belongs to one graph.
  func value(in graph: inout GraphAssembler) throws(TypingError) -> ValueID {
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
  static func + (a: Formula, b: Formula) -> Formula { Formula(.binary(.add), a, b) }
  static func - (a: Formula, b: Formula) -> Formula { Formula(.binary(.subtract), a, b) }
  static func * (a: Formula, b: Formula) -> Formula { Formula(.binary(.multiply), a, b) }
  static func / (a: Formula, b: Formula) -> Formula { Formula(.binary(.divide), a, b) }

  static func min(_ a: Formula, _ b: Formula) -> Formula { Formula(.binary(.min), a, b) }
  static func max(_ a: Formula, _ b: Formula) -> Formula { Formula(.binary(.max), a, b) }
  static func abs(_ x: Formula) -> Formula { Formula(.unary(.abs), x) }
  static func sqrt(_ x: Formula) -> Formula { Formula(.unary(.sqrt), x) }
  static func exp(_ x: Formula) -> Formula { Formula(.unary(.exp), x) }
  static func sin(_ x: Formula) -> Formula { Formula(.unary(.sin), x) }
  static func tan(_ x: Formula) -> Formula { Formula(.unary(.tan), x) }
  static func select(_ condition: Formula, _ a: Formula, _ b: Formula) -> Formula {
    Formula(.select, condition, a, b)
  }

  /// x of the frame (or step) before.
  static func previous(_ x: ValueID) -> Formula { Formula(.delay(1), Formula(x)) }
}
