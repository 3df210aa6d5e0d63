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

  /// Numbers are spread, and what they are spread over is added. Each result meets only every so many taps: a convolution
  /// has an output for each phase of the stride, and those are put one after the other. Where phases would have different
  /// numbers of taps it is one over x with zeros between its numbers.
  ///
  ///     x  a b c, stride 2, kernel 4  →  0 a b c 0       →  with w2 w0 and with w3 w1  →  their results by turns
  ///     x  a b c, stride 2, kernel 3  →  0 0 a 0 b 0 c 0 0  →  with w2 w1 w0
  private static func transposed(_ call: ONNXCall) throws(ONNXError) -> ONNXValue {
    var x = try call.operand(0)
    let weight = try call.constant(1, "the weight")
    guard x.rank >= 3, weight.shape.count == x.rank else {
      throw ONNXError("a weight \(weight.shape) does not fit \(x.shape)")
    }
    let space = Array(x.shape[2...])
    let groups = try call.attributes.integer("group", 1)
    var window = try SlidingWindow(call, space: space, kernel: Array(weight.shape[2...]))
    guard groups >= 1, weight.shape[0] == x.shape[1], weight.shape[0] % groups == 0 else {
      throw ONNXError("a weight \(weight.shape) in \(groups) groups does not fit \(x.shape)")
    }
    let extra = try call.attributes.integers("output_padding") ?? space.map { _ in 0 }
    let shape = try call.attributes.integers("output_shape")
    guard extra.count == space.count, extra.allSatisfy({ (0...1 << 24).contains($0) }),
      shape.map({ $0.count == space.count && $0.allSatisfy((1...1 << 24).contains) }) ?? true
    else { throw ONNXError("output_padding or output_shape do not fit \(space.count) axes") }
    let mode = try call.attributes.text("auto_pad", "NOTSET")
    let (channels, isInPhases) = (groups * weight.shape[1], window.hasPhasesAlike)
    var inner = window.ofPhases
    var parts: [(start: Int, count: Int)] = []
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
      guard isInPhases else {
        x = try call.slice(
          try call.pad(
            try call.spread(x, axis: 2 + axis, stride), axis: 2 + axis, span, span + extra[axis] + grown),
          axis: 2 + axis, start: before, count: parts[axis].count + span)
        continue
      }
      let positions = max(space[axis] + inner.span(axis), (full + grown + stride - 1) / stride)
      (inner.before[axis], inner.after[axis]) = (inner.span(axis), positions - space[axis])
    }
    guard isInPhases else {
      window.strides = space.map { _ in 1 }
      (window.before, window.after) = (space.map { _ in 0 }, space.map { _ in 0 })
      try call.source.take(weight.count)
      return try call.convolution(
        x, ONNXValue(weight.inPhases(of: window, window, groups: groups)), bias: call.optional(2),
        window: window)
    }
    // No more than the kernel has taps.
    let phases = window.strides.reduce(1, *)
    try ONNXCall.check([phases * channels, weight.shape[0]] + inner.kernel)
    try call.source.take(phases * channels * weight.shape[0] / groups * inner.kernel.reduce(1, *))
    let bias = try call.optional(2).map { bias throws(ONNXError) in
      guard bias.shape == [channels] else {
        throw ONNXError("a bias \(bias.shape) for \(channels) channels")
      }
      let rows = try call.reshape(bias, [groups, 1, weight.shape[1]])
      return try call.reshape(
        try call.broadcast(rows, [groups, phases, weight.shape[1]]), [phases * channels])
    }
    x = try call.convolution(
      x, ONNXValue(weight.inPhases(of: window, inner, groups: groups)), bias: bias, window: inner)
    if phases > 1 {
      // [batch · groups, phases…, channels, positions…] → […, channels, positions, phases, positions, phases …]
      let (batch, rank, extents) = (x.shape[0], space.count, Array(x.shape[2...]))
      x = try call.reshape(x, [batch * groups] + window.strides + [weight.shape[1]] + extents)
      x = try call.transpose(x, [0, 1 + rank] + space.indices.flatMap { [2 + rank + $0, 1 + $0] })
      x = try call.reshape(x, [batch, channels] + zip(extents, window.strides).map { $0 * $1 })
    }
    for (axis, part) in parts.enumerated() {
      x = try call.slice(x, axis: 2 + axis, start: part.start, count: part.count)
    }
    return x
  }
}

extension ONNXCall {
  /// Numbers with so many less one zeros between them.
  fileprivate func spread(_ x: ONNXValue, axis: Int, _ stride: Int) throws(ONNXError) -> ONNXValue {
    guard stride > 1 else { return x }
    var apart = x.shape
    apart.insert(1, at: axis + 1)
    let one = try pad(try reshape(x, apart), axis: axis + 1, 0, stride - 1)
    apart.remove(at: axis + 1)
    apart[axis] *= stride
    return try slice(try reshape(one, apart), axis: axis, start: 0, count: (x.shape[axis] - 1) * stride + 1)
  }
}

extension SlidingWindow {
  /// Whether all phases of the strides of a transposed convolution meet as many taps: none would have zeros in their place,
  /// which make NaN of an infinite number.
  fileprivate var hasPhasesAlike: Bool {
    kernel.indices.allSatisfy { strides[$0] == 1 || (kernel[$0] % strides[$0] == 0 && dilations[$0] == 1) }
  }

  /// The taps that one phase of the strides of a transposed convolution meets, if all meet as many.
  fileprivate var ofPhases: SlidingWindow {
    var result = self
    for axis in kernel.indices { result.kernel[axis] /= strides[axis] }
    result.strides = strides.map { _ in 1 }
    return result
  }
}

extension ONNXConstant {
  /// A weight [in, out / groups, k …] as [groups · phases · out / groups, in / groups, taps …], each kernel from its end on.
  fileprivate func inPhases(
    of window: SlidingWindow, _ inner: SlidingWindow, groups: Int
  ) -> ONNXConstant {
    let (rows, channels) = (shape[0] / groups, shape[1])
    let size = window.kernel.reduce(1, *)
    // For each phase, and each tap of it, the place in the kernel.
    var places = [0]
    for axis in window.kernel.indices {
      // A phase of this axis is within those of the axes before, and so are its taps.
      let (stride, taps) = (window.strides[axis], inner.kernel[axis])
      let before = inner.kernel[..<axis].reduce(1, *)
      places = (0..<places.count / before * stride).flatMap { phase in
        (0..<before * taps).map { tap in
          places[phase / stride * before + tap / taps] * window.kernel[axis]
            + phase % stride + stride * (taps - 1 - tap % taps)
        }
      }
    }
    let taps = inner.kernel.reduce(1, *)
    let (numbers, phases) = (floats, places.count / taps)
    var turned: [Float] = []
    turned.reserveCapacity(groups * phases * channels * rows * taps)
    for group in 0..<groups {
      for phase in 0..<phases {
        for channel in 0..<channels {
          for row in 0..<rows {
            let begin = ((group * rows + row) * channels + channel) * size
            for place in places[phase * taps..<(phase + 1) * taps] { turned.append(numbers[begin + place]) }
          }
        }
      }
    }
    var result = ONNXConstant(
      element, [groups * phases * channels, rows] + inner.kernel, .floats(Numbers(turned)))
    result.name = name.map { "\($0).turned" }
    return result
  }
}

extension ONNXCall {
  /// - Parameter window: the way along x; nil: as the attributes say.
  func convolution(
    _ x: ONNXValue, _ weight: ONNXValue, bias: ONNXValue?, window given: SlidingWindow? = nil
  ) throws(ONNXError) -> ONNXValue {
    guard x.rank >= 3, weight.rank == x.rank else {
      throw ONNXError("a weight \(weight.shape) does not fit \(x.shape)")
    }
    let space = Array(x.shape[2...])
    let groups = try attributes.integer("group", 1)
    let window =
      if let given { given } else {
        try SlidingWindow(self, space: space, kernel: Array(weight.shape[2...]))
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
