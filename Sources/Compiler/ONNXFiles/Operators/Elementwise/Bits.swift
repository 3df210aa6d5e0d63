// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// Ops on the bits of integers, which are floats when a model runs.
///
/// Constants have all their bits. While a model runs, integers of up to 16 bits are taken apart, bit by bit; those of 32 and
/// 64 are refused, as only 24 of their bits are exact. Shifts are products with powers of two.
extension ONNXOperator {
  static let bits: [String: ONNXOperator] = [
    "BitwiseAnd": bitwise { ($0 & $1, "\($2) * \($3)") },
    "BitwiseOr": bitwise { ($0 | $1, "max(\($2), \($3))") },
    "BitwiseXor": bitwise { ($0 ^ $1, "abs(\($2) - \($3))") },
    "BitwiseNot": .init(
      single: { call throws(ONNXError) in
        let x = try call.operand(0)
        try check(x, mayBeWide: true)
        // In two's complement all numbers and their opposites add up to -1; without a sign, to the largest.
        let wide = x.element == .uint32 ? 0xFFFF_FFFF : -1
        let sum = x.element.isUnsigned ? x.element.smallRange?.upperBound ?? wide : -1
        let op = ONNXElementwise(
          1, { "\(sum) - \($0[0])" }, { Double(sum) - $0[0] }, integer: { Int64(sum) - $0[0] })
        return try op.apply([x], call)
      }),
    "BitShift": .init(
      single: { call throws(ONNXError) in
        let (x, count) = (try call.operand(0), try call.operand(1))
        guard x.element.isUnsigned, count.element.isUnsigned else {
          throw ONNXError("it shifts unsigned integers")
        }
        switch try call.attributes.text("direction", "") {
        case "RIGHT":
          let op = ONNXElementwise(
            2, { "floor(\($0[0]) * pow(2, -\($0[1])))" },
            { ($0[0] / (0..<Int($0[1])).reduce(1) { x, _ in 2 * x }).rounded(.down) },
            integer: {
              (0..<64).contains($0[1]) ? Int64(bitPattern: UInt64(bitPattern: $0[0]) >> UInt64($0[1])) : 0
            })
          return try op.apply([x, count], call)
        case "LEFT":
          let op = ONNXElementwise(
            2, .wrapped, { "\($0[0]) * pow(2, \($0[1]))" },
            { $0[0] * (0..<Int($0[1])).reduce(1) { x, _ in 2 * x } },
            integer: { (0..<64).contains($0[1]) ? $0[0] << $0[1] : 0 })
          try check(x, mayBeWide: false)
          return try op.apply([x, count], call)
        case let other: throw call.unknown("direction", other, ["LEFT", "RIGHT"])
        }
      }),
  ]

  /// An op of two numbers of each bit: what it makes of integers, and how expressions say it of bits 0 and 1.
  private static func bitwise(
    _ op: @escaping @Sendable (Int64, Int64, String, String) -> (Int64, String)
  ) -> ONNXOperator {
    .init(single: { call throws(ONNXError) in
      let (x, y) = (try call.operand(0), try call.operand(1))
      for value in [x, y] { try check(value, mayBeWide: false) }
      let width = x.element.width.map { 8 * $0 } ?? 4
      // Negative numbers have the bits of those that are a whole range larger.
      @Sendable func bit(_ x: String, _ index: Int) -> String {
        "floor(\(x) * \(ONNXCall.text(1 / Double(1 << index)))) % 2"
      }
      let all = ONNXElementwise(
        2, .wrapped,
        { operands in
          (0..<width).map { index in
            let own = op(0, 0, "(\(bit(operands[0], index)))", "(\(bit(operands[1], index)))").1
            return index == 0 ? own : "\(1 << index) * (\(own))"
          }.joined(separator: " + ")
        }, { Double(op(Int64($0[0]), Int64($0[1]), "", "").0) }, integer: { op($0[0], $0[1], "", "").0 })
      let lines = try [x, y].enumerated().map { row, value throws(ONNXError) in
        try call.line("bits\(row)", value)
      }
      return try all.apply(lines, call)
    })
  }

  /// Refuses what has no bits, or more than are exact.
  private static func check(_ x: ONNXValue, mayBeWide: Bool) throws(ONNXError) {
    guard x.element.kind == .integer else { throw ONNXError("it takes integers") }
    guard x.constant == nil, x.element.smallRange == nil, !mayBeWide || x.element.isUnsigned else { return }
    throw ONNXError(
      "integers of 32 and 64 bits are exact below 2^24 while a model runs, and have no further bits then")
  }
}
