// SPDX-License-Identifier: Apache-2.0

internal import Foundation

extension ONNXOperator {
  static let pooling: [String: ONNXOperator] = [
    "MaxPool": .init(
      single: { call throws(ONNXError) in
        try call.refuse(1, "positions")
        let x = try call.operand(0)
        return try pool("maxPool", x, try poolWindow(call, x), padding: -.infinity, call)
      }),
    "AveragePool": .init(single: average),
    "LpPool": .init(
      single: { call throws(ONNXError) in
        let p = try call.attributes.integer("p", 2)
        let x = try call.operand(0)
        guard p >= 1 else { throw ONNXError("a norm of order \(p)") }
        let powers = try call.line("powers", .expression(power(try call.text(x), p), x.element, x.shape))
        let sums = try pooled(powers, try poolWindow(call, x), padding: 0, call) { "sum(\($0), axis: \($1))" }
        return .expression(root(try call.text(sums), p), x.element, sums.shape)
      }),
    "GlobalMaxPool": global { call, x, axes throws(ONNXError) in "maximum(\(x), axis: \(axes))" },
    "GlobalAveragePool": global { call, x, axes throws(ONNXError) in "mean(\(x), axis: \(axes))" },
    "GlobalLpPool": global { call, x, axes throws(ONNXError) in
      let p = try call.attributes.integer("p", 2)
      return root("sum(\(power(x, p)), axis: \(axes))", p)
    },
  ]

  private static func poolWindow(_ call: ONNXCall, _ x: ONNXValue) throws(ONNXError) -> SlidingWindow {
    guard x.rank >= 3, let kernel = try call.attributes.integers("kernel_shape") else {
      throw ONNXError("it needs the attribute 'kernel_shape', and an input of 3 axes or more")
    }
    let space = Array(x.shape[2...])
    var window = try SlidingWindow(call, space: space, kernel: kernel)
    if try call.attributes.flag("ceil_mode") { try window.roundUp(space) }
    return window
  }

  /// A pool of the catalogue, over padded axes.
  private static func pool(
    _ function: String, _ x: ONNXValue, _ window: SlidingWindow, padding: Double, _ call: ONNXCall
  ) throws(ONNXError) -> ONNXValue {
    var (padded, shape) = (x, x.shape)
    for axis in window.kernel.indices {
      shape[2 + axis] = try window.count(axis, x.shape[2 + axis])
      padded = try call.pad(padded, axis: 2 + axis, window.before[axis], window.after[axis], with: padding)
    }
    var arguments = [try call.text(padded).unbracketed, "size: \(window.kernel)"]
    if window.strides != window.kernel { arguments.append("stride: \(window.strides)") }
    if window.dilations.contains(where: { $0 > 1 }) { arguments.append("dilation: \(window.dilations)") }
    return .expression("\(function)(\(arguments.joined(separator: ", ")))", x.element, shape)
  }

  /// Axis by axis: the numbers of a place side by side, and one of them all.
  private static func pooled(
    _ x: ONNXValue, _ window: SlidingWindow, padding: Double, _ call: ONNXCall,
    _ reduction: (_ x: String, _ axis: Int) -> String
  ) throws(ONNXError) -> ONNXValue {
    var result = x
    for axis in window.kernel.indices {
      let place = 2 + axis
      var shape = result.shape
      shape[place] = try window.count(axis, shape[place])
      let padded = try call.pad(result, axis: place, window.before[axis], window.after[axis], with: padding)
      if window.kernel[axis] == 1, window.strides[axis] == 1 {
        result = padded
        continue
      }
      var arguments = [try call.text(padded).unbracketed, "axis: \(place)", "size: \(window.kernel[axis])"]
      if window.strides[axis] > 1 { arguments.append("hop: \(window.strides[axis])") }
      if window.dilations[axis] > 1 { arguments.append("dilation: \(window.dilations[axis])") }
      result = .expression(
        reduction("windows(\(arguments.joined(separator: ", ")))", place + 1), x.element, shape)
    }
    return result
  }

  /// Sums, divided by how many numbers of x, or of what is padded by the attribute, each has.
  private static func average(_ call: ONNXCall) throws(ONNXError) -> ONNXValue {
    let x = try call.operand(0)
    let window = try poolWindow(call, x)
    let space = Array(x.shape[2...])
    let includesPads = try call.attributes.flag("count_include_pad")
    var counts: [[Double]] = []
    for axis in space.indices {
      let behind = window.after[axis] - window.added[axis]
      let valid = includesPads ? -window.before[axis]..<space[axis] + behind : 0..<space[axis]
      counts.append(
        (0..<(try window.count(axis, space[axis]))).map { place in
          let begin = place * window.strides[axis] - window.before[axis]
          return Double(
            (0..<window.kernel[axis]).count { valid.contains(begin + $0 * window.dilations[axis]) })
        })
    }
    if zip(counts, window.kernel).allSatisfy({ counts, size in counts.allSatisfy { $0 == Double(size) } }) {
      return try pool("averagePool", x, window, padding: 0, call)
    }
    let sums = try pooled(x, window, padding: 0, call) { "sum(\($0), axis: \($1))" }
    let divisor = try call.array(
      "counts", counts.map(\.count),
      counts.reduce([1.0]) { rows, axis in rows.flatMap { row in axis.map { row * $0 } } })
    return .expression("\(try call.text(sums)) / \(try call.text(divisor))", x.element, sums.shape)
  }

  private static func global(
    _ text: @escaping @Sendable (ONNXCall, _ x: String, _ axes: [Int]) throws(ONNXError) -> String
  ) -> ONNXOperator {
    .init(
      single: { call throws(ONNXError) in
        let x = try call.operand(0)
        guard x.rank >= 3 else { throw ONNXError("it takes an input of 3 axes or more, not \(x.shape)") }
        let axes = Array(2..<x.rank)
        let shape = x.shape[..<2] + axes.map { _ in 1 }
        let result = ONNXValue.expression(
          try text(call, try call.text(x), axes), x.element, Array(x.shape[..<2]))
        return try call.reshape(result, Array(shape))
      })
  }

  static func power(_ x: String, _ p: Int) -> String {
    switch p {
    case 1: "abs(\(x))"
    case 2: "\(x) * \(x)"
    default: "pow(abs(\(x)), \(p))"
    }
  }

  static func root(_ x: String, _ p: Int) -> String {
    switch p {
    case 1: x
    case 2: "sqrt(\(x.unbracketed))"
    default: "pow(\(x.unbracketed), \(ONNXCall.text(1 / Double(p))))"
    }
  }
}
