// SPDX-License-Identifier: Apache-2.0

extension ONNXOperator {
  /// Ops of numbers of few bits, computed in floats: their sums are exact below 2^24.
  static let quantization: [String: ONNXOperator] = [
    "QuantizeLinear": .init(
      single: { call throws(ONNXError) in
        let x = try call.operand(0)
        var element = try call.attributes.element("output_dtype")
        element = call.optional(2)?.element ?? element ?? .uint8
        return try call.quantized(x, try call.scale(1, for: x), try call.zero(2, for: x), element!)
      }),
    "DequantizeLinear": .init(
      single: { call throws(ONNXError) in
        let x = try call.operand(0)
        return try call.dequantized(x, try call.scale(1, for: x), try call.zero(2, for: x))
      }),
    "DynamicQuantizeLinear": .init(dynamic),
    "MatMulInteger": .init(
      single: { call throws(ONNXError) in
        let (x, y) = (try call.operand(0), try call.operand(1))
        let left = try call.centered(x, call.optional(2), rows: true)
        return try call.whole(try call.product(left, try call.centered(y, call.optional(3), rows: false)))
      }),
    "ConvInteger": .init(
      single: { call throws(ONNXError) in
        let (x, weight) = (try call.operand(0), try call.operand(1))
        let turned = try call.centered(weight, call.optional(3), channels: 0)
        return try call.whole(
          try call.convolution(try call.centered(x, call.optional(2), rows: true), turned, bias: nil))
      }),
    "QLinearMatMul": .init(
      single: { call throws(ONNXError) in
        let (x, y) = (try call.operand(0), try call.operand(3))
        let left = try call.times(
          try call.centered(x, call.optional(2), rows: true), try call.operand(1), rows: true)
        let right = try call.times(
          try call.centered(y, call.optional(5), rows: false), try call.operand(4), rows: false)
        let product = try call.line("product", try call.product(left, right))
        return try call.quantized(
          product, try call.scale(6, for: product), try call.zero(7, for: product),
          try call.operand(7).element)
      }),
    "QLinearConv": .init(single: convolution),
    // Weights [directions, in, gates] of 8 bits; what comes in, and the state, stay floats.
    "DynamicQuantizeLSTM": .init { call throws(ONNXError) in
      var lstm = call
      let (x, weight, recurrent) = (try call.operand(0), try call.operand(1), try call.operand(2))
      guard weight.rank == 3, recurrent.rank == 3, weight.shape[1] == x.shape.last,
        recurrent.shape[2] == 4 * recurrent.shape[1]
      else {
        throw ONNXError(
          "weights \(weight.shape) and \(recurrent.shape) do not fit \(x.shape): they are [directions, in, 4 * units] and "
            + "[directions, units, 4 * units]")
      }
      for (index, scale) in [(1, 8), (2, 10)] {
        lstm.operands[index] = try call.transpose(
          try call.dequantized(
            call.operand(index), matrixScales: call.operand(scale), call.optional(scale + 1)), [0, 2, 1])
      }
      return try lstm.recurrent(.lstm)
    },
  ]

  private static func convolution(_ call: ONNXCall) throws(ONNXError) -> ONNXValue {
    let (x, weight) = (try call.operand(0), try call.operand(3))
    guard weight.rank > 0 else { throw ONNXError("it takes a weight of channels, not \(weight.shape)") }
    let left = try call.times(
      try call.centered(x, call.optional(2), rows: true), try call.operand(1), rows: true)
    let right = try call.times(
      try call.centered(weight, call.optional(5), channels: 0), try call.operand(4), channels: 0)
    var bias = call.optional(8)
    if let whole = bias {
      // It counts in products of both scales.
      let scales = try ONNXElementwise.all["Mul"]!.apply(
        [try call.reshape(try call.operand(1), []), try call.flat(try call.operand(4))], call)
      var float = whole
      float.element = .float
      if case .constant(var constant) = float.content {
        constant.element = .float
        float.content = .constant(constant)
      }
      bias = try call.broadcast(
        try call.line("bias", try ONNXElementwise.all["Mul"]!.apply([float, scales], call)), [weight.shape[0]]
      )
    }
    let product = try call.line("product", try call.convolution(left, right, bias: bias))
    return try call.quantized(
      product, try call.scale(6, for: product), try call.zero(7, for: product), try call.operand(7).element)
  }

  /// To 8 bits, by the range of what is there, which holds 0.
  private static func dynamic(_ call: ONNXCall) throws(ONNXError) -> [ONNXValue] {
    let x = try call.operand(0)
    let text = try call.text(x)
    let high = try call.line("high", .expression("max(maximum(\(text)), 0)", .float, []))
    let low = try call.line("low", .expression("min(-maximum(-\(text)), 0)", .float, []))
    let (h, l) = (try call.text(high), try call.text(low))
    let scale = try call.line(
      "scale", .expression("select(\(h) == \(l), 1, (\(h) - \(l)) / 255)", .float, []))
    let s = try call.text(scale)
    let zero = try call.line("zero", .expression("clamp(round(-\(l) / \(s)), 0, 255)", .uint8, []))
    return [try call.quantized(x, scale, zero, .uint8), scale, zero]
  }
}

extension ONNXCall {
  /// A scale of the whole, or of the positions of an axis, in a shape that x stretches it by.
  func scale(_ index: Int, for x: ONNXValue) throws(ONNXError) -> ONNXValue {
    try along(try operand(index), x)
  }

  func zero(_ index: Int, for x: ONNXValue) throws(ONNXError) -> ONNXValue? {
    try optional(index).map { zero throws(ONNXError) in try along(zero, x) }
  }

  private func along(_ value: ONNXValue, _ x: ONNXValue) throws(ONNXError) -> ONNXValue {
    guard try attributes.integer("block_size", 0) == 0 else {
      throw ONNXError("scales of blocks are not known")
    }
    if value.count == 1 { return try reshape(value, []) }
    let axis = try Self.axis(try attributes.integer("axis", 1), rank: x.rank)
    guard value.shape == [x.shape[axis]] else {
      throw ONNXError("scales \(value.shape) for axis \(axis) of \(x.shape)")
    }
    return try reshape(value, value.shape + Array(repeating: 1, count: x.rank - axis - 1))
  }

  func quantized(_ x: ONNXValue, _ scale: ONNXValue, _ zero: ONNXValue?, _ element: ONNXElement)
    throws(ONNXError) -> ONNXValue
  {
    guard let range = element.smallRange else {
      throw ONNXError("numbers of this kind are not known as a result")
    }
    let offset = try zero.map { zero throws(ONNXError) in " + \(try text(zero))" } ?? ""
    return .expression(
      "clamp(round(\(try text(x)) / \(try text(scale)))\(offset), \(range.lowerBound), \(range.upperBound))",
      element, x.shape)
  }

  func dequantized(_ x: ONNXValue, _ scale: ONNXValue, _ zero: ONNXValue?) throws(ONNXError) -> ONNXValue {
    // A float rounds large integers here as in the format.
    let x = try ONNXOperator.converted(x, to: .float, self)
    guard let zero else { return .expression("\(try text(x)) * \(try text(scale))", .float, x.shape) }
    return .expression("(\(try text(x)) - \(try text(zero))) * \(try text(scale))", .float, x.shape)
  }

  /// The floats of a stack of matrices, with one scale a matrix or one for each of its columns: at once where they are
  /// constants.
  func dequantized(_ stack: ONNXValue, matrixScales scale: ONNXValue, _ zero: ONNXValue?) throws(ONNXError)
    -> ONNXValue
  {
    func spread(_ value: ONNXValue) throws(ONNXError) -> ONNXValue {
      let shapes = [[stack.shape[0]], [stack.shape[0], stack.shape[2]]]
      guard shapes.contains(value.shape) else {
        throw ONNXError(
          "scales or zero points \(value.shape) do not fit a weight \(stack.shape): they are \(shapes[0]) or \(shapes[1])"
        )
      }
      return try reshape(value, [stack.shape[0], 1, value.rank == 1 ? 1 : stack.shape[2]])
    }
    let centered = try combined("Sub", stack, zero, try zero.map(spread))
    return try combined("Mul", centered, scale, try spread(scale))
  }

  /// Numbers less what stands for 0: of the whole, or of rows or columns of a matrix.
  func centered(_ x: ONNXValue, _ zero: ONNXValue?, rows: Bool) throws(ONNXError) -> ONNXValue {
    try combined("Sub", x, zero, try zero.map { zero throws(ONNXError) in try spread(zero, x, rows: rows) })
  }

  func centered(_ x: ONNXValue, _ zero: ONNXValue?, channels axis: Int) throws(ONNXError) -> ONNXValue {
    try combined("Sub", x, zero, try zero.map { zero throws(ONNXError) in try spread(zero, x, axis: axis) })
  }

  func times(_ x: ONNXValue, _ scale: ONNXValue, rows: Bool) throws(ONNXError) -> ONNXValue {
    try combined("Mul", x, scale, try spread(scale, x, rows: rows))
  }

  func times(_ x: ONNXValue, _ scale: ONNXValue, channels axis: Int) throws(ONNXError) -> ONNXValue {
    try combined("Mul", x, scale, try spread(scale, x, axis: axis))
  }

  /// The numbers of an array along one axis; a single one stays what it is.
  func flat(_ x: ONNXValue) throws(ONNXError) -> ONNXValue { try reshape(x, x.count == 1 ? [] : [x.count]) }

  /// Sums of products of integers.
  func whole(_ x: ONNXValue) throws(ONNXError) -> ONNXValue {
    var result = x
    result.element = .int32
    return result
  }

  private func combined(
    _ op: String, _ x: ONNXValue, _ given: ONNXValue?, _ other: ONNXValue?
  ) throws(ONNXError) -> ONNXValue {
    // As floats, so that nothing begins again behind 8 bits.
    func float(_ value: ONNXValue) throws(ONNXError) -> ONNXValue {
      try ONNXOperator.converted(value, to: .float, self)
    }
    guard let other else { return try float(x) }
    return try ONNXElementwise.all[op]!.apply([try float(x), try float(other)], self)
  }

  private func spread(_ value: ONNXValue, _ x: ONNXValue, rows: Bool) throws(ONNXError) -> ONNXValue {
    if value.count == 1 { return try reshape(value, []) }
    // What has as many axes as x is stretched as it is.
    if value.rank == x.rank { return value }
    return try spread(value, x, axis: rows ? x.rank - 2 : x.rank - 1)
  }

  private func spread(_ value: ONNXValue, _ x: ONNXValue, axis: Int) throws(ONNXError) -> ONNXValue {
    if value.count == 1 { return try reshape(value, []) }
    guard axis >= 0, axis < x.rank, value.shape == [x.shape[axis]] else {
      throw ONNXError("\(value.shape) does not fit axis \(axis) of \(x.shape)")
    }
    return try reshape(value, value.shape + Array(repeating: 1, count: x.rank - axis - 1))
  }
}
