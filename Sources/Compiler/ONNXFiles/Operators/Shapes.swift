// SPDX-License-Identifier: Apache-2.0

extension ONNXOperator {
  /// Ops that give numbers other places and change none.
  static let shapes: [String: ONNXOperator] = [
    "Reshape": .init(single: reshape),
    "Flatten": .init(
      single: { call throws(ONNXError) in
        let x = try call.operand(0)
        let number = try call.attributes.integer("axis", 1)
        let axis = number < 0 ? number + x.rank : number
        guard (0...x.rank).contains(axis) else { throw ONNXError("there is no axis \(number) of \(x.rank)") }
        return try call.reshape(x, [x.shape[..<axis].reduce(1, *), x.shape[axis...].reduce(1, *)])
      }),
    "Squeeze": .init(
      single: { call throws(ONNXError) in
        let x = try call.operand(0)
        var axes = x.shape.indices.filter { x.shape[$0] == 1 }
        if let named = try call.integers("axes", orOperand: 1) { axes = try call.axes(named, rank: x.rank) }
        for axis in axes where x.shape[axis] != 1 {
          throw ONNXError("axis \(axis) of \(x.shape) has more than one position and cannot go")
        }
        return try call.reshape(x, x.shape.indices.filter { !axes.contains($0) }.map { x.shape[$0] })
      }),
    "Unsqueeze": .init(
      single: { call throws(ONNXError) in
        let x = try call.operand(0)
        let named = try call.integers("axes", orOperand: 1) ?? []
        let axes = try call.axes(named, rank: x.rank + named.count)
        var (shape, rest) = ([Int](), x.shape[...])
        for axis in 0..<x.rank + axes.count { shape.append(axes.contains(axis) ? 1 : rest.popFirst() ?? 1) }
        return try call.reshape(x, shape)
      }),
    "Transpose": .init(
      single: { call throws(ONNXError) in
        let x = try call.operand(0)
        return try call.transpose(x, try call.attributes.integers("perm") ?? x.shape.indices.reversed())
      }),
    "Expand": .init(
      single: { call throws(ONNXError) in
        let x = try call.operand(0)
        let wanted = try call.integers(1, "the shape") ?? []
        guard let shape = x.shape.stretched(with: wanted) else {
          throw ONNXError("\(x.shape) does not stretch to \(wanted)")
        }
        return try call.broadcast(x, shape)
      }),
    "Tile": .init(single: tile),
    "DepthToSpace": .init(single: depthToSpace),
    "SpaceToDepth": .init(single: spaceToDepth),
  ]

  private static func reshape(_ call: ONNXCall) throws(ONNXError) -> ONNXValue {
    let x = try call.operand(0)
    var shape = try call.integers(1, "the shape") ?? []
    let keepsZeros = try call.attributes.flag("allowzero")
    for axis in shape.indices where shape[axis] == 0 && !keepsZeros {
      guard axis < x.rank else {
        throw ONNXError("the shape \(shape) keeps axis \(axis), which \(x.shape) does not have")
      }
      shape[axis] = x.shape[axis]
    }
    let open = shape.indices.filter { shape[$0] == -1 }
    guard open.count <= 1 else { throw ONNXError("the shape \(shape) leaves two extents open") }
    if let axis = open.first {
      shape[axis] = 1
      guard let others = shape.numbers, others > 0, x.count % others == 0 else {
        throw ONNXError("\(x.shape) cannot become \(shape)")
      }
      shape[axis] = x.count / others
    }
    guard shape.numbers == x.count else { throw ONNXError("\(x.shape) cannot become \(shape)") }
    if let constant = x.constant { return ONNXValue(constant.reshaped(shape)) }
    return try call.reshape(x, shape)
  }

  private static func tile(_ call: ONNXCall) throws(ONNXError) -> ONNXValue {
    var x = try call.operand(0)
    let repeats = try call.integers(1, "how often") ?? []
    guard repeats.count == x.rank else {
      throw ONNXError("there are \(repeats.count) repeats for \(x.rank) axes")
    }
    for (axis, count) in repeats.enumerated() where count != 1 {
      var shape = x.shape
      shape.insert(1, at: axis)
      let one = try call.reshape(x, shape)
      shape[axis] = count
      try ONNXCall.check(shape)
      let many = try call.broadcast(one, shape)
      shape.remove(at: axis)
      shape[axis] *= count
      x = try call.reshape(many, shape)
    }
    return x
  }

  private static func depthToSpace(_ call: ONNXCall) throws(ONNXError) -> ONNXValue {
    let x = try call.operand(0)
    let size = try call.attributes.integer("blocksize", 0)
    guard x.rank == 4, (1...4096).contains(size), x.shape[1] % (size * size) == 0 else {
      throw ONNXError("the channels of \(x.shape) do not divide into squares of \(size)")
    }
    let (n, c, h, w) = (x.shape[0], x.shape[1] / (size * size), x.shape[2], x.shape[3])
    let mode = try call.attributes.text("mode", "DCR")
    let parts: ONNXValue
    switch mode {
    case "DCR":
      parts = try call.transpose(try call.reshape(x, [n, size, size, c, h, w]), [0, 3, 4, 1, 5, 2])
    case "CRD":
      parts = try call.transpose(try call.reshape(x, [n, c, size, size, h, w]), [0, 1, 4, 2, 5, 3])
    default: throw call.unknown("mode", mode, ["DCR", "CRD"])
    }
    return try call.reshape(parts, [n, c, h * size, w * size])
  }

  private static func spaceToDepth(_ call: ONNXCall) throws(ONNXError) -> ONNXValue {
    let x = try call.operand(0)
    let size = try call.attributes.integer("blocksize", 0)
    guard x.rank == 4, size >= 1, x.shape[2] % size == 0, x.shape[3] % size == 0 else {
      throw ONNXError("\(x.shape) does not divide into squares of \(size)")
    }
    let (n, c, h, w) = (x.shape[0], x.shape[1], x.shape[2] / size, x.shape[3] / size)
    let order: [Int]
    switch try call.attributes.text("mode", "DCR") {
    case "DCR": order = [0, 3, 5, 1, 2, 4]
    case "CRD": order = [0, 1, 3, 5, 2, 4]
    case let other: throw call.unknown("mode", other, ["DCR", "CRD"])
    }
    let parts = try call.reshape(x, [n, c, h, size, w, size])
    return try call.reshape(try call.transpose(parts, order), [n, c * size * size, h, w])
  }
}

extension ONNXCall {
  /// The axes that numbers name, each once.
  func axes(_ numbers: [Int], rank: Int) throws(ONNXError) -> [Int] {
    var axes: [Int] = []
    for number in numbers {
      let axis = try Self.axis(number, rank: rank)
      guard !axes.contains(axis) else { throw ONNXError("axis \(number) is named twice") }
      axes.append(axis)
    }
    return axes
  }

  /// The error of an attribute that chooses among words.
  func unknown(_ name: String, _ value: String, _ known: [String]) -> ONNXError {
    ONNXError("the attribute '\(name)' is '\(value.prefix(40))'; known are \(known.joined(separator: ", "))")
  }
}
