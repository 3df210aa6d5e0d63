// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

extension ONNXOperator {
  /// Ops that go by the order of numbers, or along an axis one after the other.
  static let ordering: [String: ONNXOperator] = [
    "ArgMax": .init(single: { call throws(ONNXError) in try place(call, ofLargest: true) }),
    "ArgMin": .init(single: { call throws(ONNXError) in try place(call, ofLargest: false) }),
    "Hardmax": .init(
      single: { call throws(ONNXError) in
        try softmax(call) { x, axes throws(ONNXError) in
          let flat = try call.line(
            "flat",
            try call.reshape(
              x, x.shape[..<axes[0]] + [axes.reduce(1) { $0 * x.shape[$1] }] + x.shape[(axes.last! + 1)...]))
          let first = try firstLargest(flat, axis: axes[0], call)
          let positions = try call.positions(flat.shape[axes[0]], axis: axes[0], rank: flat.rank)
          return try call.reshape(
            .expression("\(try call.text(positions)) == \(try call.text(first))", x.element, flat.shape),
            x.shape)
        }
      }),
    "TopK": .init(largest),
    "CumSum": .init(single: sums),
  ]

  /// The position of the largest number along an axis, the axis kept as one.
  ///
  /// Where it is more than once, the largest of what counts backwards is the first of them.
  ///
  /// - Parameter order: what counts backwards, with -1 for positions that are not looked at.
  static func firstLargest(
    _ x: ONNXValue, axis: Int, isLast: Bool = false, order: ONNXValue? = nil, _ call: ONNXCall
  ) throws(ONNXError) -> ONNXValue {
    let extent = x.shape[axis]
    let text = try call.text(x)
    let largest = try call.keeping([axis], of: x, "maximum(\(text), axis: \(axis))")
    let array: ONNXValue
    if let order { array = order } else { array = try self.order(of: x, axis: axis, isLast: isLast, call) }
    let found = try call.keeping(
      [axis], of: x,
      "maximum(select(\(text) == \(try call.text(largest)), \(try call.text(array)), 0), axis: \(axis))")
    var result = isLast ? found : .expression("\(extent - 1) - \(try call.text(found))", .int64, found.shape)
    result.element = .int64
    return result
  }

  /// Positions of an axis, or what is left behind each of them.
  private static func order(
    of x: ONNXValue, axis: Int, isLast: Bool = false, _ call: ONNXCall
  ) throws(ONNXError) -> ONNXValue {
    let extent = x.shape[axis]
    var shape = Array(repeating: 1, count: x.rank)
    shape[axis] = extent
    return try call.array("order", shape, (0..<extent).map { Double(isLast ? $0 : extent - 1 - $0) })
  }

  private static func place(_ call: ONNXCall, ofLargest isLargest: Bool) throws(ONNXError) -> ONNXValue {
    var x = try call.operand(0)
    let axis = try ONNXCall.axis(try call.attributes.integer("axis", 0), rank: x.rank)
    if !isLargest { x = .expression("-\(try call.text(x))", x.element, x.shape) }
    let place = try firstLargest(
      try call.line("numbers", x), axis: axis, isLast: try call.attributes.flag("select_last_index"), call)
    guard try !call.attributes.flag("keepdims", true) else { return place }
    var shape = place.shape
    shape.remove(at: axis)
    return try call.reshape(place, shape)
  }

  /// The k largest, or smallest, one after the other: each is looked for among those that are left.
  private static func largest(_ call: ONNXCall) throws(ONNXError) -> [ONNXValue] {
    let x = try call.operand(0)
    let axis = try ONNXCall.axis(try call.attributes.integer("axis", -1), rank: x.rank)
    let k =
      call.has(1) ? Int(try call.constant(1, "k").integers.first ?? 0) : try call.attributes.integer("k", 0)
    let most = 32
    guard k >= 1, k <= x.shape[axis] else {
      throw ONNXError("k is \(k) for an axis of \(x.shape[axis])")
    }
    guard k <= most else { throw ONNXError("k is \(k); \(most) are the most") }
    let isLargest = try call.attributes.flag("largest", true)
    let text = try call.text(x)
    let positions = try call.text(try call.positions(x.shape[axis], axis: axis, rank: x.rank))
    var left = try call.line("left", isLargest ? x : .expression("-\(text)", x.element, x.shape))
    // Where infinities are left, what was found looks like them.
    var order = try order(of: x, axis: axis, call)
    var (values, places): ([ONNXValue], [ONNXValue]) = ([], [])
    for turn in 0..<k {
      let place = try call.line("place", try firstLargest(left, axis: axis, order: order, call))
      let found = "\(positions) == \(try call.text(place))"
      values.append(try call.keeping([axis], of: x, "sum(select(\(found), \(text), 0), axis: \(axis))"))
      places.append(place)
      guard turn < k - 1 else { break }
      left = try call.line(
        "left", .expression("select(\(found), -reciprocal(0), \(try call.text(left)))", x.element, x.shape))
      order = try call.line(
        "order", .expression("select(\(found), -1, \(try call.text(order)))", .float, x.shape))
    }
    return [try call.concatenate(values, axis: axis), try call.concatenate(places, axis: axis)]
  }

  /// Sums of all numbers up to each.
  private static func sums(_ call: ONNXCall) throws(ONNXError) -> ONNXValue {
    let x = try call.operand(0)
    let axis = try ONNXCall.axis(Int(try call.constant(1, "the axis").integers.first ?? 0), rank: x.rank)
    let isExclusive = try call.attributes.flag("exclusive")
    // Before the only number there is nothing.
    if isExclusive, x.shape[axis] == 1 {
      return try call.broadcast(ONNXValue(ONNXConstant(x.element, [], zeros: 1)), x.shape)
    }
    try ONNXCall.check(x.shape)
    let direction = try call.attributes.flag("reverse") ? ", direction: 'backward'" : ""
    let own = isExclusive ? ", own: 'excluded'" : ""
    return .expression(
      "cumsum(\(try call.text(x).unbracketed), axis: \(axis)\(direction)\(own))", x.element, x.shape)
  }
}
