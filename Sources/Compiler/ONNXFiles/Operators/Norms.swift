// SPDX-License-Identifier: Apache-2.0

extension ONNXOperator {
  static let norms: [String: ONNXOperator] = [
    "BatchNormalization": .init(batch),
    "InstanceNormalization": .init(
      single: { call throws(ONNXError) in
        let x = try call.operand(0)
        guard x.rank >= 3 else { throw ONNXError("it takes an input of 3 axes or more, not \(x.shape)") }
        let normal = try call.normalized(
          x, axes: Array(2..<x.rank), epsilon: try call.attributes.float("epsilon", 1e-5)
        ).value
        return try call.scaledAndShifted(normal, try call.operand(1), try call.operand(2), channels: 1)
      }),
    "LayerNormalization": .init(layer),
    "GroupNormalization": .init(single: group),
    "RMSNormalization": .init(
      single: { call throws(ONNXError) in
        let x = try call.operand(0)
        let first = try ONNXCall.axis(try call.attributes.integer("axis", -1), rank: x.rank)
        let epsilon = ONNXCall.text(try call.attributes.float("epsilon", 1e-5))
        let text = try call.text(x)
        let mean = try call.keeping(
          Array(first..<x.rank), of: x, "mean(\(text) * \(text), axis: \(Array(first..<x.rank)))")
        let normal = ONNXValue.expression(
          "\(text) / sqrt(\(try call.text(mean)) + \(epsilon))", x.element, x.shape)
        return try ONNXElementwise.all["Mul"]!.apply([normal, try call.operand(1)], call)
      }),
    "MeanVarianceNormalization": .init(
      single: { call throws(ONNXError) in
        let x = try call.operand(0)
        let axes = try call.axes(try call.attributes.integers("axes") ?? [0, 2, 3], rank: x.rank)
        guard !axes.isEmpty else { throw ONNXError("there are no axes to normalize over") }
        let text = try call.text(x)
        let mean = try call.text(
          try call.line("mean", try call.keeping(axes, of: x, "mean(\(text), axis: \(axes))")))
        let centered = try call.text(
          try call.line("centered", .expression("\(text) - \(mean)", x.element, x.shape)))
        let variance = try call.text(
          try call.keeping(axes, of: x, "mean(\(centered) * \(centered), axis: \(axes))"))
        return .expression("\(centered) / (sqrt(\(variance)) + 1e-9)", x.element, x.shape)
      }),
    "LpNormalization": .init(
      single: { call throws(ONNXError) in
        let x = try call.operand(0)
        let axis = try ONNXCall.axis(try call.attributes.integer("axis", -1), rank: x.rank)
        let p = try call.attributes.integer("p", 2)
        let text = try call.text(x)
        let sum = try call.keeping([axis], of: x, root("sum(\(power(text, p)), axis: \(axis))", p))
        let norm = try call.text(try call.line("norm", sum))
        // Nothing is nothing, however it is scaled.
        return .expression("\(text) / select(\(norm) == 0, 1, \(norm))", x.element, x.shape)
      }),
    "LRN": .init(single: localResponse),
  ]

  /// A multiplication and an addition for each channel; both are known where the statistics are.
  private static func batch(_ call: ONNXCall) throws(ONNXError) -> [ONNXValue] {
    guard try !call.attributes.flag("training_mode") else {
      throw ONNXError("training is not known; export it for inference")
    }
    if call.opset < 9, try !call.attributes.flag("spatial", true) {
      throw ONNXError("statistics of each place are not known")
    }
    let x = try call.operand(0)
    let epsilon = try call.attributes.float("epsilon", 1e-5)
    guard x.rank >= 2 else { throw ONNXError("it takes an input with an axis of channels, not \(x.shape)") }
    let given = try (1..<5).map { index throws(ONNXError) in try call.operand(index) }
    guard given.allSatisfy({ $0.shape == [x.shape[1]] }) else {
      throw ONNXError("it needs a scale, a bias, a mean and a variance for each of \(x.shape[1]) channels")
    }
    let known = given.compactMap { $0.constant?.doubles }
    let shape = [x.shape[1]] + Array(repeating: 1, count: x.rank - 2)
    if known.count == 4 {
      let scales = zip(known[0], known[3]).map { $0 / ($1 + epsilon).squareRoot() }
      let shifts = scales.indices.map { known[1][$0] - known[2][$0] * scales[$0] }
      let (scale, shift) = (try call.array("scale", shape, scales), try call.array("shift", shape, shifts))
      return [
        .expression(
          "\(try call.text(x)) * \(try call.text(scale)) + \(try call.text(shift))", x.element, x.shape)
      ]
    }
    let texts = try given.map { value throws(ONNXError) in try call.text(try call.reshape(value, shape)) }
    return [
      .expression(
        "(\(try call.text(x)) - \(texts[2])) / sqrt(\(texts[3]) + \(ONNXCall.text(epsilon))) * \(texts[0]) + \(texts[1])",
        x.element, x.shape)
    ]
  }

  private static func layer(_ call: ONNXCall) throws(ONNXError) -> [ONNXValue] {
    let x = try call.operand(0)
    let first = try ONNXCall.axis(try call.attributes.integer("axis", -1), rank: x.rank)
    let epsilon = try call.attributes.float("epsilon", 1e-5)
    let (scale, shift) = (try call.operand(1), call.optional(2))
    let rest = Array(x.shape[first...])
    // One axis with weights along it is what layerNorm is.
    if !call.wants(1), !call.wants(2), rest.count == 1, scale.shape == rest,
      shift.map({ $0.shape == rest }) ?? true
    {
      let bias =
        try shift.map { value throws(ONNXError) in ", bias: \(try call.text(value).unbracketed)" } ?? ""
      let text =
        "layerNorm(\(try call.text(x).unbracketed), weight: \(try call.text(scale).unbracketed)\(bias)"
      return [.expression("\(text), epsilon: \(ONNXCall.text(epsilon)))", x.element, x.shape)]
    }
    let (normal, mean, inverse) = try call.normalized(x, axes: Array(first..<x.rank), epsilon: epsilon)
    var result = try ONNXElementwise.all["Mul"]!.apply([normal, scale], call)
    if let shift { result = try ONNXElementwise.all["Add"]!.apply([result, shift], call) }
    guard result.shape == x.shape else { throw ONNXError("a scale \(scale.shape) does not fit \(x.shape)") }
    return [result, mean, inverse]
  }

  private static func group(_ call: ONNXCall) throws(ONNXError) -> ONNXValue {
    let x = try call.operand(0)
    let groups = try call.attributes.integer("num_groups", 0)
    guard x.rank >= 3, groups >= 1, x.shape[1] % groups == 0 else {
      throw ONNXError("the channels of \(x.shape) do not divide into \(groups) groups")
    }
    let count = x.shape[1] / groups
    let shape = [x.shape[0], groups, count] + x.shape[2...]
    try ONNXCall.check(shape)
    let parts = try call.line("groups", try call.reshape(x, shape))
    let normal = try call.normalized(
      parts, axes: Array(2..<shape.count), epsilon: try call.attributes.float("epsilon", 1e-5)
    ).value
    // Scales are of groups below version 21, and of channels from then on.
    let (scale, shift) = (try call.operand(1), try call.operand(2))
    guard scale.shape == [groups], groups != x.shape[1], call.opset < 21 else {
      return try call.scaledAndShifted(try call.reshape(normal, x.shape), scale, shift, channels: 1)
    }
    return try call.reshape(try call.scaledAndShifted(normal, scale, shift, channels: 1), x.shape)
  }

  private static func localResponse(_ call: ONNXCall) throws(ONNXError) -> ONNXValue {
    let x = try call.operand(0)
    let attributes = call.attributes
    let (alpha, beta) = (try attributes.float("alpha", 1e-4), try attributes.float("beta", 0.75))
    guard let size = try attributes.integer("size"), (1...1 << 16).contains(size), x.rank >= 2 else {
      throw ONNXError("it needs the attribute 'size', 1 or more")
    }
    let text = try call.text(x)
    let squares = try call.pad(
      .expression("\(text) * \(text)", x.element, x.shape), axis: 1, (size - 1) / 2, size / 2)
    let sum = "sum(windows(\(try call.text(squares).unbracketed), axis: 1, size: \(size)), axis: 2)"
    let (bias, factor) = (ONNXCall.text(try attributes.float("bias", 1)), ONNXCall.text(alpha / Double(size)))
    return .expression(
      "\(text) / pow(\(bias) + \(factor) * \(sum), \(ONNXCall.text(beta)))", x.element, x.shape)
  }
}

extension ONNXCall {
  /// What a reduction makes, with the axes kept as ones.
  func keeping(_ axes: [Int], of x: ONNXValue, _ text: String) throws(ONNXError) -> ONNXValue {
    let rest = x.shape.indices.filter { !axes.contains($0) }.map { x.shape[$0] }
    let kept = x.shape.indices.map { axes.contains($0) ? 1 : x.shape[$0] }
    return try reshape(.expression(text, x.element, rest), kept)
  }

  /// Numbers with a mean of 0 and a variance of 1 over axes; the mean; and 1 / the deviation.
  func normalized(
    _ x: ONNXValue, axes: [Int], epsilon: Double
  ) throws(ONNXError) -> (value: ONNXValue, mean: ONNXValue, inverse: ONNXValue) {
    guard !axes.isEmpty else { throw ONNXError("there are no axes to normalize over") }
    let text = try text(x)
    let mean = try line("mean", try keeping(axes, of: x, "mean(\(text.unbracketed), axis: \(axes))"))
    let centered = try line("centered", .expression("\(text) - \(try self.text(mean))", x.element, x.shape))
    let own = try self.text(centered)
    let variance = try keeping(axes, of: x, "mean(\(own) * \(own), axis: \(axes))")
    let inverse = try line(
      "scale",
      .expression("1 / sqrt(\(try self.text(variance)) + \(Self.text(epsilon)))", x.element, variance.shape))
    return (.expression("\(own) * \(try self.text(inverse))", x.element, x.shape), mean, inverse)
  }

  /// A scale and a shift for each channel.
  func scaledAndShifted(
    _ x: ONNXValue, _ scale: ONNXValue, _ shift: ONNXValue, channels: Int
  ) throws(ONNXError) -> ONNXValue {
    guard scale.shape == [x.shape[channels]], shift.shape == scale.shape else {
      throw ONNXError("a scale \(scale.shape) and a shift \(shift.shape) for \(x.shape[channels]) channels")
    }
    let shape = [x.shape[channels]] + Array(repeating: 1, count: x.rank - channels - 1)
    let (a, b) = (try text(try reshape(scale, shape)), try text(try reshape(shift, shape)))
    return .expression("\(try text(x)) * \(a) + \(b)", x.element, x.shape)
  }
}
