// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

extension ONNXOperator {
  static let convolutions: [String: ONNXOperator] = [
    "Conv": .init(
      single: { call throws(ONNXError) in
        try call.convolution(try call.operand(0), try call.operand(1), bias: call.optional(2))
      }),
    "ConvTranspose": .init(single: transposed),
  ]

  /// Numbers are spread, and what they are spread over is added: of that a part is the result.
  private static func transposed(_ call: ONNXCall) throws(ONNXError) -> ONNXValue {
    var x = try call.operand(0)
    let weight = try call.operand(1)
    guard x.rank >= 3, weight.rank == x.rank else {
      throw ONNXError("a weight \(weight.shape) does not fit \(x.shape)")
    }
    let space = Array(x.shape[2...])
    let groups = try call.attributes.integer("group", 1)
    let window = try SlidingWindow(call, space: space, kernel: Array(weight.shape[2...]))
    guard groups >= 1, weight.shape[0] == x.shape[1], weight.shape[0] % groups == 0 else {
      throw ONNXError("a weight \(weight.shape) in \(groups) groups does not fit \(x.shape)")
    }
    let extra = try call.attributes.integers("output_padding") ?? space.map { _ in 0 }
    let shape = try call.attributes.integers("output_shape")
    guard extra.count == space.count, extra.allSatisfy({ (0...1 << 24).contains($0) }),
      shape.map({ $0.count == space.count && $0.allSatisfy((1...1 << 24).contains) }) ?? true
    else { throw ONNXError("output_padding or output_shape do not fit \(space.count) axes") }
    let mode = try call.attributes.text("auto_pad", "NOTSET")
    var parts: [(start: Int, count: Int)] = []
    var whole = [x.shape[0], groups * weight.shape[1]]
    for axis in space.indices {
      let (stride, span) = (window.strides[axis], window.span(axis))
      let full = (space[axis] - 1) * stride + span + 1 + extra[axis]
      var (before, after, grown) = (window.before[axis], window.after[axis], 0)
      let wanted = shape?[axis] ?? (mode.hasPrefix("SAME") ? space[axis] * stride : nil)
      if let wanted {
        // What is wanted beyond the whole is zeros behind it.
        grown = max(0, wanted - full)
        let all = full + grown - wanted
        before = mode == "SAME_UPPER" ? all / 2 : all - all / 2
        after = all - before
      }
      guard before >= 0, after >= 0, before + after < full + grown else {
        throw ONNXError("pads of \(before) and \(after) leave nothing of axis \(2 + axis)")
      }
      parts.append((before, full + grown - before - after))
      // The zeros behind the whole are those of zeros behind x.
      let missing = before + parts[axis].count - full + extra[axis]
      x = try call.pad(x, axis: 2 + axis, 0, max(0, (missing + stride - 1) / stride))
      whole.append((x.shape[2 + axis] - 1) * stride + span + 1)
    }
    try ONNXCall.check(whole)
    var arguments = [
      try call.text(x).unbracketed, "weight: \(try call.text(weight).unbracketed)",
    ]
    if let bias = call.optional(2) {
      guard bias.shape == [whole[1]] else {
        throw ONNXError("a bias \(bias.shape) for \(whole[1]) channels")
      }
      arguments.append("bias: \(try call.text(bias).unbracketed)")
    }
    arguments += ["axis: 2"] + window.arguments
    if groups > 1 { arguments.append("groups: \(groups)") }
    arguments.append("padding: 'full'")
    x = .expression("convTranspose(\(arguments.joined(separator: ", ")))", x.element, whole)
    for (axis, part) in parts.enumerated() {
      x = try call.slice(x, axis: 2 + axis, start: part.start, count: part.count)
    }
    return x
  }
}

extension SlidingWindow {
  /// Dilations and strides as a call says them: one number where there is one axis, and those that are 1 not at all.
  fileprivate var arguments: [String] {
    [("dilation", dilations), ("stride", strides)].compactMap { name, list in
      guard list.contains(where: { $0 != 1 }) else { return nil }
      return "\(name): \(list.count == 1 ? "\(list[0])" : "\(list)")"
    }
  }
}

extension ONNXCall {
  func convolution(_ x: ONNXValue, _ weight: ONNXValue, bias: ONNXValue?) throws(ONNXError) -> ONNXValue {
    guard x.rank >= 3, weight.rank == x.rank else {
      throw ONNXError("a weight \(weight.shape) does not fit \(x.shape)")
    }
    let space = Array(x.shape[2...])
    let groups = try attributes.integer("group", 1)
    let window = try SlidingWindow(self, space: space, kernel: Array(weight.shape[2...]))
    guard groups >= 1, x.shape[1] % groups == 0, weight.shape[1] == x.shape[1] / groups,
      weight.shape[0] % groups == 0
    else { throw ONNXError("a weight \(weight.shape) in \(groups) groups does not fit \(x.shape)") }
    if let bias, bias.shape != [weight.shape[0]] {
      throw ONNXError("a bias \(bias.shape) for \(weight.shape[0]) channels")
    }
    var (padded, shape) = (x, [x.shape[0], weight.shape[0]])
    for axis in space.indices {
      shape.append(try window.count(axis, space[axis]))
      padded = try pad(padded, axis: 2 + axis, window.before[axis], window.after[axis])
    }
    try Self.check(shape)
    let isOne = space.count == 1
    var arguments = [try text(padded).unbracketed, "weight: \(try text(weight).unbracketed)"]
    if let bias { arguments.append("bias: \(try text(bias).unbracketed)") }
    if isOne { arguments.append("axis: 2") }
    arguments += window.arguments
    if groups > 1 { arguments.append("groups: \(groups)") }
    if isOne { arguments.append("padding: 'valid'") }
    return .expression("conv\(space.count)d(\(arguments.joined(separator: ", ")))", x.element, shape)
  }
}
