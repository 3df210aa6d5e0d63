// SPDX-License-Identifier: Apache-2.0

extension ONNXOperator {
  /// Ops that take values apart and join them.
  static let parts: [String: ONNXOperator] = [
    "Slice": .init(single: slice),
    "Split": .init(split),
    "Concat": .init(
      single: { call throws(ONNXError) in
        let parts = try call.operands.indices.map { index throws(ONNXError) in try call.operand(index) }
        guard let first = parts.first, let number = try call.attributes.integer("axis") else {
          throw ONNXError("it needs an input and the attribute 'axis'")
        }
        let axis = try ONNXCall.axis(number, rank: first.rank)
        let constants = parts.compactMap(\.constant)
        guard constants.count == parts.count else { return try call.concatenate(parts, axis: axis) }
        return ONNXValue(try joined(constants, axis: axis, call))
      }),
    "Pad": .init(single: pad),
    "Trilu": .init(
      single: { call throws(ONNXError) in
        let x = try call.operand(0)
        let k = call.has(1) ? try call.constant(1, "the diagonal").integers.first ?? 0 : 0
        let isUpper = try call.attributes.flag("upper", true)
        guard x.rank >= 2 else { throw ONNXError("it takes matrices, not \(x.shape)") }
        let (rows, columns) = (x.shape[x.rank - 2], x.shape[x.rank - 1])
        let mask = try call.array(
          "mask", [rows, columns],
          (0..<rows).flatMap { row in
            (0..<columns).map { column in
              let distance = Int64(column - row)
              return (isUpper ? distance >= k : distance <= k) ? 1.0 : 0
            }
          })
        let op = ONNXElementwise(
          2, { "select(\($0[1]), \($0[0]), 0)" }, { $0[1] != 0 ? $0[0] : 0 },
          integer: { $0[1] != 0 ? $0[0] : 0 })
        return try op.apply([x, mask], call)
      }),
  ]

  private static func joined(
    _ parts: [ONNXConstant], axis: Int, _ call: ONNXCall
  ) throws(ONNXError) -> ONNXConstant {
    var shape = parts[0].shape
    shape[axis] = 0
    for part in parts {
      guard part.shape.count == shape.count,
        shape.indices.allSatisfy({ $0 == axis || part.shape[$0] == shape[$0] })
      else { throw ONNXError("\(parts[0].shape) and \(part.shape) differ in more than axis \(axis)") }
      shape[axis] += part.shape[axis]
    }
    let count = try shape.numbers(of: "a constant")
    try call.source.take(count)
    let outer = shape[..<axis].reduce(1, *)
    func collected<Number>(_ lists: [[Number]]) -> [Number] {
      (0..<outer).flatMap { row in
        lists.flatMap { list in list[row * list.count / outer..<(row + 1) * list.count / outer] }
      }
    }
    let isInteger = parts[0].element.kind != .floating
    return ONNXConstant(
      parts[0].element, shape,
      isInteger ? .integers(collected(parts.map(\.integers))) : .doubles(collected(parts.map(\.doubles))))
  }

  /// Bounds are attributes below version 10, and operands with steps from then on.
  private static func slice(_ call: ONNXCall) throws(ONNXError) -> ONNXValue {
    var x = try call.operand(0)
    guard let starts = try call.integers("starts", orOperand: 1),
      let ends = try call.integers("ends", orOperand: 2),
      starts.count == ends.count
    else { throw ONNXError("it needs as many starts as ends") }
    let axes = try call.axes(try call.integers("axes", orOperand: 3) ?? Array(starts.indices), rank: x.rank)
    let steps = try call.integers(4, "the steps") ?? Array(repeating: 1, count: starts.count)
    guard axes.count == starts.count, steps.count == starts.count else {
      throw ONNXError("it needs as many axes and steps as starts")
    }
    for row in axes.indices {
      let (axis, step, extent) = (axes[row], steps[row], x.shape[axes[row]])
      guard step != 0, step > Int.min else { throw ONNXError("a step is \(step)") }
      func bound(_ number: Int) -> Int {
        let place = number < 0 ? max(number, -extent - 1) + extent : min(number, extent)
        return step > 0 ? min(max(place, 0), extent) : min(max(place, -1), extent - 1)
      }
      let (start, end) = (bound(starts[row]), bound(ends[row]))
      let way = step > 0 ? end - start : start - end
      let length = min(abs(step), extent + 1)
      let count = max(0, (way + length - 1) / length)
      if step == 1 || count <= 1 {
        x = try call.slice(x, axis: axis, start: count == 0 ? 0 : start, count: count)
      } else if step > 0, x.constant == nil {
        let stretch = try call.slice(x, axis: axis, start: start, count: (count - 1) * step + 1)
        x = try call.every(step, of: stretch, axis: axis)
      } else {
        x = try call.take(x, axis: axis, (0..<count).map { start + $0 * step })
      }
    }
    return x
  }

  private static func split(_ call: ONNXCall) throws(ONNXError) -> [ONNXValue] {
    let x = try call.operand(0)
    let axis = try ONNXCall.axis(try call.attributes.integer("axis", 0), rank: x.rank)
    let extent = x.shape[axis]
    var sizes: [Int]
    if let named = try call.integers("split", orOperand: 1) {
      sizes = named
    } else {
      // Equal parts, of which the last may be smaller.
      let count = try call.attributes.integer("num_outputs") ?? call.node.outputs.count
      guard (1...max(1, extent)).contains(count) else {
        throw ONNXError("\(extent) positions in \(count) parts")
      }
      let size = (extent + count - 1) / count
      sizes = (0..<count).map { min(size, extent - $0 * size) }
    }
    guard sizes.allSatisfy({ (0...extent).contains($0) }), sizes.count <= 4096, sizes.reduce(0, +) == extent,
      sizes.count == call.node.outputs.count
    else { throw ONNXError("\(extent) positions do not divide into \(sizes)") }
    var start = 0
    return try sizes.enumerated().map { row, size throws(ONNXError) in
      defer { start += size }
      return call.wants(row) ? try call.slice(x, axis: axis, start: start, count: size) : x
    }
  }
}

extension ONNXCall {
  /// Every n-th position of an axis, from the first on.
  func every(_ step: Int, of x: ONNXValue, axis: Int) throws(ONNXError) -> ONNXValue {
    var shape = x.shape
    shape[axis] = (shape[axis] - 1) / step + 1
    return .expression(
      "reshape(windows(\(try text(x).unbracketed), axis: \(axis), size: 1, hop: \(step)), \(shape))",
      x.element, shape)
  }
}
