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

  /// Numbers are spread, and what they are spread over is added: a convolution with the weight turned around over x with
  /// zeros between its numbers.
  ///
  ///     x  a b c, stride 2, kernel 3  →  0 0 a 0 b 0 c 0 0  →  convolution with w2 w1 w0
  private static func transposed(_ call: ONNXCall) throws(ONNXError) -> ONNXValue {
    var x = try call.operand(0)
    let weight = try call.constant(1, "the weight")
    guard x.rank >= 3, weight.shape.count == x.rank else {
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
      let place = 2 + axis
      if stride > 1 {
        var apart = x.shape
        apart.insert(1, at: place + 1)
        let one = try call.pad(try call.reshape(x, apart), axis: place + 1, 0, stride - 1)
        apart.remove(at: place + 1)
        apart[place] *= stride
        x = try call.slice(
          try call.reshape(one, apart), axis: place, start: 0, count: (space[axis] - 1) * stride + 1)
      }
      x = try call.pad(x, axis: place, span, span + extra[axis] + grown)
      guard before >= 0, after >= 0, before + after < x.shape[place] - span else {
        throw ONNXError("pads of \(before) and \(after) leave nothing of axis \(place)")
      }
      x = try call.slice(x, axis: place, start: before, count: x.shape[place] - before - after)
    }
    try call.source.take(weight.count)
    return try call.convolution(
      x, ONNXValue(weight.turnedAround(groups: groups)), bias: call.optional(2), isPadded: true)
  }
}

extension ONNXConstant {
  /// A weight [in, out / groups, k …] as [out, in / groups, k …], each kernel from its end on.
  fileprivate func turnedAround(groups: Int) -> ONNXConstant {
    let (inner, channels) = (shape[0] / groups, shape[1])
    let taps = shape[2...].reduce(1, *)
    var positions: [Int] = []
    positions.reserveCapacity(count)
    for group in 0..<groups {
      for channel in 0..<channels {
        for row in 0..<inner {
          let begin = ((group * inner + row) * channels + channel) * taps
          for tap in 0..<taps { positions.append(begin + taps - 1 - tap) }
        }
      }
    }
    var result = gathered([groups * channels, inner] + shape[2...], positions)
    result.name = name.map { "\($0).turned" }
    return result
  }
}

extension ONNXCall {
  /// - Parameter isPadded: whether pads and strides have been seen to.
  func convolution(
    _ x: ONNXValue, _ weight: ONNXValue, bias: ONNXValue?, isPadded: Bool = false
  ) throws(ONNXError) -> ONNXValue {
    guard x.rank >= 3, weight.rank == x.rank else {
      throw ONNXError("a weight \(weight.shape) does not fit \(x.shape)")
    }
    let space = Array(x.shape[2...])
    let groups = try attributes.integer("group", 1)
    var window = try SlidingWindow(self, space: space, kernel: Array(weight.shape[2...]))
    if isPadded {
      window.strides = space.map { _ in 1 }
      (window.before, window.after) = (space.map { _ in 0 }, space.map { _ in 0 })
    }
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
    for (name, list) in [("dilation", window.dilations), ("stride", window.strides)]
    where list.contains(where: { $0 != 1 }) {
      arguments.append("\(name): \(isOne ? "\(list[0])" : "\(list)")")
    }
    if groups > 1 { arguments.append("groups: \(groups)") }
    if isOne { arguments.append("padding: 'valid'") }
    return .expression("conv\(space.count)d(\(arguments.joined(separator: ", ")))", x.element, shape)
  }
}
