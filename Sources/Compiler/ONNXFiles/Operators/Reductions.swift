// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GraphIR

extension ONNXOperator {
  static let reductions: [String: ONNXOperator] = [
    "ReduceSum": reduction({ "sum(\($0), axis: \($1))" }, { $0.reduce(0, +) }),
    "ReduceMean": reduction({ "mean(\($0), axis: \($1))" }, { $0.reduce(0, +) / Double($0.count) }),
    "ReduceMax": reduction({ "maximum(\($0), axis: \($1))" }, { $0.max() ?? -.infinity }),
    // A largest zero is +0, and so is the least one then.
    "ReduceMin": reduction({ "(0 - maximum(-\($0), axis: \($1)))" }, { $0.min() ?? .infinity }),
    "ReduceL1": reduction({ "sum(abs(\($0)), axis: \($1))" }, { $0.reduce(0) { $0 + abs($1) } }),
    "ReduceL2": reduction(
      { "sqrt(sum(\($0) * \($0), axis: \($1)))" }, { $0.reduce(0) { $0 + $1 * $1 }.squareRoot() }),
    "ReduceSumSquare": reduction({ "sum(\($0) * \($0), axis: \($1))" }, { $0.reduce(0) { $0 + $1 * $1 } }),
    "ReduceLogSum": reduction({ "log(sum(\($0), axis: \($1)))" }, { log($0.reduce(0, +)) }),
    "ReduceLogSumExp": .init(single: logSumExp),
    "ReduceProd": .init(single: product),
    "Softmax": .init(
      single: { call throws(ONNXError) in
        try softmax(call) { x, axes throws(ONNXError) in
          if axes.count == 1 {
            return .expression(
              "softmax(\(try call.text(x).unbracketed), axis: \(axes[0]))", x.element, x.shape)
          }
          let flat = try call.reshape(x, x.shape[..<axes[0]] + [axes.reduce(1) { $0 * x.shape[$1] }])
          return try call.reshape(
            .expression("softmax(\(try call.text(flat).unbracketed))", x.element, flat.shape), x.shape)
        }
      }),
    "LogSoftmax": .init(
      single: { call throws(ONNXError) in
        try softmax(call) { x, axes throws(ONNXError) in
          let below = try call.text(try call.line("below", try fromLargest(x, axes, call)))
          let sum = try call.keeping(axes, of: x, "log(sum(exp(\(below)), axis: \(axes)))")
          return .expression("\(below) - \(try call.text(sum))", x.element, x.shape)
        }
      }),
  ]

  private static func reduction(
    _ text: @escaping @Sendable (_ x: String, _ axes: [Int]) -> String,
    _ number: @escaping @Sendable ([Double]) -> Double
  ) -> ONNXOperator {
    .init(
      single: { call throws(ONNXError) in
        let x = try call.operand(0)
        // Over no axes squares, sizes and logarithms are taken all the same.
        let axes = try reducedAxes(call, rank: x.rank) ?? []
        if let constant = x.constant, constant.count <= 1 << 16 {
          return try reduced(constant, axes, call, number)
        }
        var result = text(try call.text(x), axes)
        // Means, roots and logarithms of integers are integers.
        if ["ReduceMean", "ReduceL2", "ReduceLogSum"].contains(call.node.op) {
          result = x.element.whole(result)
        }
        if axes.isEmpty { return .expression(result, x.element, x.shape) }
        try ONNXCall.check(x.shape)
        return try finished(try call.keeping(axes, of: x, result), axes, call)
      })
  }

  /// The axes that go: attributes in older sets of ops, an operand in later ones; nil where nothing is done.
  private static func reducedAxes(_ call: ONNXCall, rank: Int) throws(ONNXError) -> [Int]? {
    let named = try call.integers("axes", orOperand: 1) ?? []
    guard named.isEmpty else { return try call.axes(named, rank: rank).sorted() }
    return try call.attributes.flag("noop_with_empty_axes") ? nil : Array(0..<rank)
  }

  /// The axes were kept as ones; they stay or go.
  private static func finished(_ kept: ONNXValue, _ axes: [Int], _ call: ONNXCall) throws(ONNXError)
    -> ONNXValue
  {
    guard try !call.attributes.flag("keepdims", true) else { return kept }
    return try call.reshape(kept, kept.shape.indices.filter { !axes.contains($0) }.map { kept.shape[$0] })
  }

  private static func reduced(
    _ x: ONNXConstant, _ axes: [Int], _ call: ONNXCall, _ number: ([Double]) -> Double
  ) throws(ONNXError) -> ONNXValue {
    let strides = x.shape.rowMajorStrides
    let rest = x.shape.indices.filter { !axes.contains($0) }
    let begins = StridedPositions(rest.map { x.shape[$0] }, rest.map { strides[$0] }).all
    let steps = StridedPositions(axes.map { x.shape[$0] }, axes.map { strides[$0] }).all
    let doubles = x.doubles
    var numbers = begins.map { begin in number(steps.map { doubles[begin + $0] }) }
    // Of no numbers the largest is the least that there is, and so on.
    if steps.isEmpty, x.element.kind != .floating {
      guard x.element.kind == .truth || numbers.allSatisfy(\.isFinite) else {
        throw ONNXError("the largest or smallest of no integers is not known")
      }
      numbers = numbers.map { min(max($0, 0), 1) }
    }
    let keeps = try call.attributes.flag("keepdims", true)
    let shape = keeps ? x.shape.indices.map { axes.contains($0) ? 1 : x.shape[$0] } : rest.map { x.shape[$0] }
    return ONNXValue(ONNXConstant(x.element, shape, computed: numbers))
  }

  private static func product(_ call: ONNXCall) throws(ONNXError) -> ONNXValue {
    let x = try call.operand(0)
    guard let axes = try reducedAxes(call, rank: x.rank) else { return x }
    if let constant = x.constant, constant.count <= 1 << 16 {
      return try reduced(constant, axes, call) { $0.reduce(1, *) }
    }
    let count = axes.reduce(1) { $0 * x.shape[$1] }
    let most = 64
    guard count <= most else { throw ONNXError("a product of \(count) numbers; \(most) are the most") }
    let rest = x.shape.indices.filter { !axes.contains($0) }
    let turned = try call.line(
      "factors", try call.reshape(try call.transpose(x, axes + rest), [count] + rest.map { x.shape[$0] }))
    let text = try call.text(turned)
    let factors = (0..<count).map { "slice(\(text), axis: 0, start: \($0))" }.joined(separator: " * ")
    return try finished(
      try call.reshape(
        .expression(factors, x.element, [1] + rest.map { x.shape[$0] }),
        x.shape.indices.map { axes.contains($0) ? 1 : x.shape[$0] }), axes, call)
  }

  private static func logSumExp(_ call: ONNXCall) throws(ONNXError) -> ONNXValue {
    let x = try call.operand(0)
    guard let axes = try reducedAxes(call, rank: x.rank), !axes.isEmpty else { return x }
    let text = try call.text(x)
    let largest = try call.text(
      try call.line(
        "largest",
        // An infinity less itself is no number; the largest float is one of a mask, and stays.
        try call.keeping(axes, of: x, "clamp(maximum(\(text), axis: \(axes)), -3.4028234e38, 3.4028234e38)")))
    let sum = try call.keeping(axes, of: x, "sum(exp(\(text) - \(largest)), axis: \(axes))")
    return try finished(
      .expression(x.element.whole("\(largest) + log(\(try call.text(sum)))"), x.element, sum.shape), axes,
      call)
  }

  // MARK: Softmax

  /// Over one axis; below version 13 over all axes from one on.
  static func softmax(
    _ call: ONNXCall, _ body: (_ x: ONNXValue, _ axes: [Int]) throws(ONNXError) -> ONNXValue
  ) throws(ONNXError) -> ONNXValue {
    let x = try call.operand(0)
    let isOld = call.opset < 13
    let number = try call.attributes.integer("axis", isOld ? 1 : -1)
    // A matrix of one column.
    if isOld, number == x.rank { throw ONNXError("there is no axis \(number) of \(x.rank)") }
    let axis = try ONNXCall.axis(number, rank: x.rank)
    return try body(x, isOld ? Array(axis..<x.rank) : [axis])
  }

  /// How far each number lies below the largest over some axes.
  private static func fromLargest(_ x: ONNXValue, _ axes: [Int], _ call: ONNXCall) throws(ONNXError)
    -> ONNXValue
  {
    let text = try call.text(x)
    let largest = try call.keeping(axes, of: x, "maximum(\(text.unbracketed), axis: \(axes))")
    return .expression("\(text) - \(try call.text(largest))", x.element, x.shape)
  }
}
