// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

extension ONNXOperator {
  /// Ops that read at positions that other values say.
  static let indices: [String: ONNXOperator] = [
    "Gather": .init(single: gather),
    "GatherElements": .init(single: gatherElements),
    "GatherND": .init(single: gatherND),
    "ScatterElements": .init(single: scatterElements),
    "Scatter": .init(single: scatterElements),
    "ScatterND": .init(single: scatterND),
    "OneHot": .init(single: oneHot),
    "Compress": .init(
      single: { call throws(ONNXError) in
        let chosen = try call.constant(1, "the condition").integers
        var x = try call.operand(0)
        var axis = 0
        if let number = try call.attributes.integer("axis") {
          axis = try ONNXCall.axis(number, rank: x.rank)
        } else {
          x = try call.reshape(x, [x.count])
        }
        let positions = chosen.indices.filter { chosen[$0] != 0 }
        guard positions.last ?? 0 < x.shape[axis] else {
          throw ONNXError("the condition is longer than axis \(axis)")
        }
        return try call.take(x, axis: axis, positions)
      }),
    "ReverseSequence": .init(single: reverseSequence),
  ]

  private static func gather(_ call: ONNXCall) throws(ONNXError) -> ONNXValue {
    let (x, index) = (try call.operand(0), try call.operand(1))
    let axis = try ONNXCall.axis(try call.attributes.integer("axis", 0), rank: x.rank)
    var shape = x.shape
    shape.replaceSubrange(axis...axis, with: index.shape)
    if let constant = index.constant {
      let positions = try call.positions(constant, within: x.shape[axis])
      guard positions.count > 1 || constant.count == 0 else {
        let one = try call.slice(x, axis: axis, start: positions[0], count: 1)
        return x.constant == nil ? try call.reshape(one, shape) : ONNXValue(one.constant!.reshaped(shape))
      }
      let part = try call.take(x, axis: axis, positions)
      return x.constant == nil ? try call.reshape(part, shape) : ONNXValue(part.constant!.reshaped(shape))
    }
    try ONNXCall.check(shape)
    let position = try call.text(try call.fromStart(index, within: x.shape[axis])).unbracketed
    return .expression(
      "gather(\(try call.text(x).unbracketed), \(position), axis: \(axis))", x.element, shape)
  }

  /// The position of each number in x, side by side: its own along all axes but one, and what the index says along that.
  private static func gatherElements(_ call: ONNXCall) throws(ONNXError) -> ONNXValue {
    let (x, index) = (try call.operand(0), try call.operand(1))
    let axis = try ONNXCall.axis(try call.attributes.integer("axis", 0), rank: x.rank)
    let others = try call.elementPositions(of: x, index.shape, axis: axis)
    let stride = x.shape.rowMajorStrides[axis]
    if let constant = index.constant {
      let along = try call.positions(constant, within: x.shape[axis])
      return try call.elements(zip(others, along).map { $0 + $1 * stride }, of: x, index.shape)
    }
    let base = try call.array("base", index.shape, others.map(Double.init))
    let along = try call.text(try call.fromStart(index, within: x.shape[axis]))
    let flat = try call.text(try call.reshape(x, [x.count]))
    return .expression(
      "gather(\(flat.unbracketed), \(try call.text(base)) + \(along) * \(stride))", x.element, index.shape)
  }

  private static func gatherND(_ call: ONNXCall) throws(ONNXError) -> ONNXValue {
    let (x, index) = (try call.operand(0), try call.operand(1))
    let batch = try call.attributes.integer("batch_dims", 0)
    guard let depth = index.shape.last, batch >= 0, batch < index.rank, batch + depth <= x.rank,
      x.shape.prefix(batch) == index.shape.prefix(batch)
    else {
      throw ONNXError("an index of \(index.shape) with \(batch) axes of batches does not fit \(x.shape)")
    }
    let strides = x.shape.rowMajorStrides
    let rest = Array(x.shape[(batch + depth)...])
    let size = rest.reduce(1, *)
    let shape = Array(index.shape.dropLast()) + rest
    try ONNXCall.check(shape)
    // Stretches of the rest are rows; the index says which.
    let rows = try call.reshape(x, [x.count / size, size])
    let count = index.shape.dropLast().reduce(1, *)
    let batches = StridedPositions(Array(x.shape[..<batch]), Array(strides[..<batch])).all
    let begins = (0..<count).map { batches[$0 / (count / batches.count)] / size }
    let steps = (0..<depth).map { strides[batch + $0] / size }
    if let constant = index.constant {
      let places = try call.coordinates(constant, depth: depth, within: Array(x.shape[batch..<batch + depth]))
      let positions = zip(begins, places).map { begin, place in
        begin + zip(place, steps).reduce(0) { $0 + $1.0 * $1.1 }
      }
      return try call.reshape(try call.take(rows, axis: 0, positions), shape)
    }
    let (extents, lengths) = (
      try call.array("extents", [depth], (0..<depth).map { Double(x.shape[batch + $0]) }),
      try call.array("strides", [depth], steps.map(Double.init))
    )
    let place = try call.line("place", index)
    let text = try call.text(place)
    let along = "select(\(text) < 0, \(text) + \(try call.text(extents)), \(text))"
    var position = "sum((\(along)) * \(try call.text(lengths)), axis: \(index.rank - 1))"
    if batch > 0 {
      position +=
        " + \(try call.text(try call.array("base", Array(index.shape.dropLast()), begins.map(Double.init))))"
    }
    let found = ONNXValue.expression(
      "gather(\(try call.text(rows).unbracketed), \(position), axis: 0)", x.element,
      Array(index.shape.dropLast()) + [size])
    return try call.reshape(found, shape)
  }

  private static func oneHot(_ call: ONNXCall) throws(ONNXError) -> ONNXValue {
    let index = try call.operand(0)
    let depth = Int(try call.constant(1, "the depth").integers.first ?? 0)
    let values = try call.operand(2)
    let axis = try ONNXCall.axis(try call.attributes.integer("axis", -1), rank: index.rank + 1)
    guard (1...Limits.extent).contains(depth), values.shape == [2] else {
      throw ONNXError("a depth of \(depth) with values of the shape \(values.shape)")
    }
    var shape = index.shape
    shape.insert(1, at: axis)
    let along = try call.reshape(try call.line("place", try call.fromStart(index, within: depth)), shape)
    let positions = try call.positions(depth, axis: axis, rank: shape.count)
    let (off, on) = (
      try call.slice(values, axis: 0, start: 0, count: 1), try call.slice(values, axis: 0, start: 1, count: 1)
    )
    let op = ONNXElementwise(
      4, { "select(\($0[2]) == \($0[3]), \($0[0]), \($0[1]))" }, { $0[2] == $0[3] ? $0[0] : $0[1] })
    var result = try op.apply([on, off, along, positions], call)
    result.element = values.element
    return result
  }

  private static func reverseSequence(_ call: ONNXCall) throws(ONNXError) -> ONNXValue {
    let (x, lengths) = (try call.operand(0), try call.operand(1))
    let (time, batch) = (
      try call.attributes.integer("time_axis", 0), try call.attributes.integer("batch_axis", 1)
    )
    guard x.rank >= 2, Set([time, batch]) == [0, 1], lengths.shape == [x.shape[batch]],
      lengths.constant?.integers.allSatisfy({ (0...Int64(x.shape[time])).contains($0) }) ?? true
    else {
      throw ONNXError("lengths of \(lengths.shape) along axis \(time) do not fit \(x.shape)")
    }
    return try call.reversed(x, lengths, time: time)
  }
}

extension ONNXCall {
  /// Positions of an axis that are known, of which negative ones count from the end.
  func positions(_ index: ONNXConstant, within extent: Int) throws(ONNXError) -> [Int] {
    try index.integers.map { number throws(ONNXError) in
      let position = number < 0 ? number + Int64(extent) : number
      guard (0..<Int64(extent)).contains(position) else {
        throw ONNXError("the index \(number) lies outside of an axis of \(extent)")
      }
      return Int(position)
    }
  }

  /// Rows of a matrix.
  func rows(_ index: ONNXValue, of x: ONNXValue) throws(ONNXError) -> ONNXValue {
    if let known = index.constant { return try take(x, axis: 0, try positions(known, within: x.shape[0])) }
    let shape = index.shape + x.shape.dropFirst()
    return .expression(
      "gather(\(try text(x).unbracketed), \(try text(index).unbracketed), axis: 0)", x.element, shape)
  }

  /// Each sequence from its end on, and what stands behind it in its place.
  ///
  /// - Parameters:
  ///   - x: [positions, batch, …], or the batch first where time is 1.
  ///   - lengths: [batch]
  func reversed(_ x: ONNXValue, _ lengths: ONNXValue, time: Int) throws(ONNXError) -> ONNXValue {
    let (count, strides) = (x.shape[0] * x.shape[1], time == 0 ? (x.shape[1], 1) : (1, x.shape[1]))
    func along(_ axis: Int, _ value: ONNXValue) throws(ONNXError) -> ONNXValue {
      try reshape(value, axis == 0 ? [value.count, 1] : [1, value.count])
    }
    let place = ONNXElementwise(
      3, { "select(\($0[0]) < \($0[1]), \($0[1]) - 1 - \($0[0]), \($0[0])) * \(strides.0) + \($0[2])" },
      { ($0[0] < $0[1] ? $0[1] - 1 - $0[0] : $0[0]) * Double(strides.0) + $0[2] })
    let begins = (0..<x.shape[1 - time]).map { $0 * strides.1 }
    let index = try place.apply(
      [
        try along(time, ONNXValue(ONNXConstant(Array(0..<x.shape[time])))), try along(1 - time, lengths),
        try along(1 - time, ONNXValue(ONNXConstant(begins))),
      ], self)
    let matrix = try reshape(x, [count, x.shape[2...].reduce(1, *)])
    return try reshape(try rows(try reshape(index, [count]), of: matrix), x.shape)
  }

  /// Positions that are computed, negative ones counted from the end.
  func fromStart(_ index: ONNXValue, within extent: Int) throws(ONNXError) -> ONNXValue {
    if let constant = index.constant {
      return ONNXValue(
        ONNXConstant(
          constant.element, constant.shape,
          .integers(constant.integers.map { $0 < 0 && $0 >= -Int64(extent) ? $0 + Int64(extent) : $0 })))
    }
    guard !index.element.isUnsigned, !index.isKept else { return index }
    let text = try text(try line("place", index))
    return .expression("select(\(text) < 0, \(text) + \(extent), \(text))", index.element, index.shape)
  }

  /// For each number of an index, the position in x of its own place along all axes but one.
  func elementPositions(of x: ONNXValue, _ shape: [Int], axis: Int) throws(ONNXError) -> [Int] {
    guard shape.count == x.rank,
      shape.indices.allSatisfy({ $0 == axis || shape[$0] <= x.shape[$0] })
    else { throw ONNXError("an index of \(shape) does not fit \(x.shape)") }
    try Self.check(shape)
    try source.take(shape.reduce(1, *))
    var strides = x.shape.rowMajorStrides
    strides[axis] = 0
    return StridedPositions(shape, strides).all
  }

  /// Numbers of x by their positions in it.
  func elements(_ positions: [Int], of x: ONNXValue, _ shape: [Int]) throws(ONNXError) -> ONNXValue {
    if let constant = x.constant { return ONNXValue(constant.gathered(shape, positions)) }
    return try reshape(try take(try reshape(x, [x.count]), axis: 0, positions), shape)
  }

  /// The places that rows of so many numbers mean.
  func coordinates(_ index: ONNXConstant, depth: Int, within extents: [Int]) throws(ONNXError) -> [[Int]] {
    let numbers = index.integers
    return try stride(from: 0, to: depth == 0 ? 0 : numbers.count, by: max(1, depth)).map {
      row throws(ONNXError) in
      try (0..<depth).map { axis throws(ONNXError) in
        let number = numbers[row + axis]
        let place = number < 0 ? number + Int64(extents[axis]) : number
        guard (0..<Int64(extents[axis])).contains(place) else {
          throw ONNXError("the index \(number) lies outside of an axis of \(extents[axis])")
        }
        return Int(place)
      }
    }
  }
}
