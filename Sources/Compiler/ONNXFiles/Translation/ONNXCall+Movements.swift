// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// Moving numbers: of constants at once, else as an expression.
extension ONNXCall {
  /// The same numbers under another shape.
  func reshape(_ x: ONNXValue, _ shape: [Int]) throws(ONNXError) -> ONNXValue {
    try Self.check(shape)
    if x.shape == shape { return x }
    guard x.count == shape.reduce(1, *) else {
      throw ONNXError("\(x.shape) has \(counted(x.count, "number")), and cannot become \(shape)")
    }
    if let constant = x.constant { return ONNXValue(constant.reshaped(shape)) }
    return .expression("reshape(\(try text(x).unbracketed), \(shape))", x.element, shape)
  }

  /// Fixed axis i becomes what was axis order[i].
  func transpose(_ x: ONNXValue, _ order: [Int]) throws(ONNXError) -> ONNXValue {
    guard order.sorted() == Array(x.shape.indices) else {
      throw ONNXError("the order of axes is \(order), and the input is \(x.shape)")
    }
    if order == Array(x.shape.indices) { return x }
    if let constant = x.constant { return ONNXValue(try source.transpose(constant, order)) }
    return .expression(
      "transpose(\(try text(x).unbracketed), \(order))", x.element, order.map { x.shape[$0] })
  }

  /// The positions start ..< start + count of an axis; none of them are a constant without numbers.
  func slice(_ x: ONNXValue, axis: Int, start: Int, count: Int) throws(ONNXError) -> ONNXValue {
    var shape = x.shape
    guard start >= 0, count >= 0, start + count <= shape[axis] else {
      throw ONNXError("positions \(start) to \(start + count) do not fit axis \(axis) of \(x.shape)")
    }
    if count == shape[axis] { return x }
    shape[axis] = count
    if count == 0 { return ONNXValue(ONNXConstant(x.element, shape, .floats([]))) }
    if let constant = x.constant {
      try source.take(shape.reduce(1, *))
      let strides = x.shape.rowMajorStrides
      return ONNXValue(try constant.strided(shape, strides, from: start * strides[axis]))
    }
    try Self.check(shape)
    return .expression(
      "slice(\(try text(x).unbracketed), axis: \(axis), start: \(start), count: \(count))", x.element, shape)
  }

  /// The positions of an axis that are listed.
  func take(_ x: ONNXValue, axis: Int, _ positions: [Int]) throws(ONNXError) -> ONNXValue {
    if positions == Array(0..<x.shape[axis]) { return x }
    var shape = x.shape
    shape[axis] = positions.count
    if let constant = x.constant {
      try source.take(shape.reduce(1, *))
      let inner = x.shape[(axis + 1)...].reduce(1, *)
      let outer = StridedPositions([x.shape[..<axis].reduce(1, *)], [inner * x.shape[axis]]).all
      let all = outer.flatMap { first in
        positions.flatMap { position in (0..<inner).map { first + position * inner + $0 } }
      }
      return ONNXValue(constant.gathered(shape, all))
    }
    try Self.check(shape)
    let index = try array("index", [positions.count], positions.map(Double.init))
    return .expression(
      "gather(\(try text(x).unbracketed), \(try text(index)), axis: \(axis))", x.element, shape)
  }

  /// The parts one after the other along an axis.
  func concatenate(_ parts: [ONNXValue], axis: Int) throws(ONNXError) -> ONNXValue {
    // What has no numbers adds none.
    let parts = parts.count > 1 ? parts.filter { $0.count > 0 } : parts
    guard let first = parts.first else { throw ONNXError("there is nothing to join") }
    let axis = try Self.axis(axis, rank: first.rank)
    for part in parts {
      guard part.rank == first.rank,
        part.shape.indices.allSatisfy({ $0 == axis || part.shape[$0] == first.shape[$0] })
      else { throw ONNXError("\(first.shape) and \(part.shape) differ in more than axis \(axis)") }
    }
    var shape = first.shape
    shape[axis] = parts.reduce(0) { $0 + $1.shape[axis] }
    if parts.count == 1 { return first }
    try Self.check(shape)
    let texts = try parts.map { part throws(ONNXError) in try text(part).unbracketed }
    return .expression("concatenate([\(texts.joined(separator: ", "))], axis: \(axis))", first.element, shape)
  }

  /// A value stretched to a shape.
  func broadcast(_ x: ONNXValue, _ shape: [Int]) throws(ONNXError) -> ONNXValue {
    if x.shape == shape { return x }
    guard x.shape.stretched(with: shape) == shape else {
      throw ONNXError("\(x.shape) is not stretched to \(shape)")
    }
    if let constant = x.constant, let count = shape.numbers {
      try source.take(count)
      return ONNXValue(try constant.strided(shape, constant.shape.stridesStretched(to: shape)))
    }
    try Self.check(shape)
    return .expression("broadcast(\(try text(x).unbracketed), \(shape))", x.element, shape)
  }

  /// Refuses a shape that no value of a running program has.
  static func check(_ shape: [Int]) throws(ONNXError) {
    guard try shape.numbers(of: "a value") > 0 else {
      throw ONNXError(
        "a value would have the shape \(shape), which has no numbers; every extent must be at least 1")
    }
  }

  /// The axis that a number means; negative ones count from the last.
  static func axis(_ number: Int, rank: Int) throws(ONNXError) -> Int {
    let axis = number < 0 ? number + rank : number
    guard (0..<rank).contains(axis) else {
      throw ONNXError("there is no axis \(number) of \(rank)")
    }
    return axis
  }
}

extension [Int] {
  /// The strides at which a shape is read so that it seems stretched to another; 0 where it is.
  func stridesStretched(to shape: [Int]) -> [Int] {
    let own = rowMajorStrides
    let missing = shape.count - count
    return shape.indices.map { $0 < missing || self[$0 - missing] == 1 ? 0 : own[$0 - missing] }
  }

  /// The shape that holds both, after NumPy's rule; nil where there is none.
  func stretched(with other: [Int]) -> [Int]? {
    var result: [Int] = []
    for back in 1...Swift.max(1, count, other.count) where back <= Swift.max(count, other.count) {
      let a = back <= count ? self[count - back] : 1
      let b = back <= other.count ? other[other.count - back] : 1
      guard a == b || a == 1 || b == 1 else { return nil }
      result.append(a == 1 ? b : a)
    }
    return result.reversed()
  }
}
