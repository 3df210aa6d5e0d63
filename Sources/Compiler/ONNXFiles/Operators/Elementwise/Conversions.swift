// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

extension ONNXOperator {
  /// Ops that leave numbers as they are, or bring them to another kind.
  static let conversions: [String: ONNXOperator] = [
    "Identity": .init(single: { call throws(ONNXError) in try call.operand(0) }),
    "Dropout": .init(dropout),
    "Cast": .init(
      single: { call throws(ONNXError) in
        guard let element = try call.attributes.element("to") else {
          throw ONNXError("the attribute 'to' is missing")
        }
        return try converted(try call.operand(0), to: element, call)
      }),
    "CastLike": .init(
      single: { call throws(ONNXError) in
        try converted(try call.operand(0), to: try call.operand(1).element, call)
      }),
  ]

  /// Without training nothing is left out.
  private static func dropout(_ call: ONNXCall) throws(ONNXError) -> [ONNXValue] {
    let x = try call.operand(0)
    if call.has(2), try call.constant(2, "'training_mode'").single != 0 {
      let ratio = call.has(1) ? try call.constant(1, "'ratio'").single : 0.5
      guard ratio == 0 else { throw ONNXError("training is not known: what it leaves out is random") }
    }
    guard call.wants(1) else { return [x] }
    let mask = ONNXValue(ONNXConstant(.bool, [], .integers([1])))
    return [x, try call.broadcast(mask, x.shape)]
  }

  /// The numbers as another kind of them. Floats stay floats of 32 bits, whatever they are called.
  static func converted(_ x: ONNXValue, to element: ONNXElement, _ call: ONNXCall) throws(ONNXError)
    -> ONNXValue
  {
    if var constant = x.constant {
      let isExact = [.float, .double, constant.element].contains(element)
      constant.element = element
      switch element.kind {
      case .floating:
        switch constant.content {
        case .floats(let numbers):
          // Learned numbers that are of this kind are not copied.
          guard !isExact else { break }
          constant.content = .floats(Numbers(numbers.map { Float(element.rounding(Double($0))) }))
        case .doubles, .integers:
          constant.content = .doubles(constant.doubles.map(element.rounding))
        }
      case .integer: constant.content = .integers(constant.integers.map(element.wrapping))
      case .truth: constant.content = .integers(constant.doubles.map { $0 != 0 ? 1 : 0 })
      case .unknown: break
      }
      return ONNXValue(constant)
    }
    var result = x
    result.element = element
    switch (x.element.kind, element.kind) {
    case (.floating, .integer):
      return .expression("truncate(\(try call.text(x).unbracketed))", element, x.shape)
    case (.floating, .truth), (.integer, .truth):
      return .expression("\(try call.text(x)) != 0", element, x.shape)
    case (.integer, .integer):
      guard let range = element.smallRange, x.element.smallRange.map({ !range.contains($0) }) ?? true else {
        return result
      }
      let text = try call.text(x)
      return .expression(
        range.lowerBound == 0
          ? "\(text) % \(range.count)"
          : "(\(text) + \(range.count / 2)) % \(range.count) - \(range.count / 2)",
        element, x.shape)
    case (.truth, _), (_, .floating), (.unknown, _), (_, .unknown): return result
    }
  }
}

extension ClosedRange<Int> {
  fileprivate func contains(_ other: ClosedRange<Int>) -> Bool {
    lowerBound <= other.lowerBound && other.upperBound <= upperBound
  }
}
