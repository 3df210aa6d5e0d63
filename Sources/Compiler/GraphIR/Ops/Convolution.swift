// SPDX-License-Identifier: Apache-2.0

/// How a convolution walks.
///
///     x       [batch…, in, n1, …, rest…]              y[o, p1, …] = bias[o] + Σ weight[o, i, k1, …] ·
///     weight  [out, in / groups, k1, …]                   x[i, p1 · stride1 + k1 · dilation1, …]
///     result  [batch…, out, p1, …, rest…]             over the channels i of o's group
package struct Convolution: Hashable, Sendable {
  package enum Axis: Hashable, Sendable {
    /// Over time, causal: it owns the earlier frames as state. Channels are the last fixed axis.
    case frames
    /// Over as many fixed axes as there are walks, of which this is the first; without padding. Channels are the axis
    /// before it.
    case fixed(Int)
  }

  /// The way along one axis.
  package struct Walk: Hashable, Sendable {
    package var kernelSize: Int
    package var dilation: Int
    package var stride: Int

    package init(kernelSize: Int, dilation: Int = 1, stride: Int = 1) {
      self.kernelSize = kernelSize
      self.dilation = dilation
      self.stride = stride
    }

    /// Positions from the first to the last that one output depends on, less one; 2^50 stands for more than that.
    package var span: Int {
      let (span, overflow) = (max(1, kernelSize) - 1).multipliedReportingOverflow(by: max(1, dilation))
      return overflow ? 1 << 50 : min(span, 1 << 50)
    }
  }

  package var axis: Axis
  /// One along frames, else one to three.
  package var walks: [Walk]
  package var groups: Int

  package static let mostWalks = 3

  package init(axis: Axis, walks: [Walk], groups: Int = 1) {
    self.axis = axis
    self.walks = walks
    self.groups = groups
  }

  /// A walk along one axis.
  package init(axis: Axis, kernelSize: Int, dilation: Int = 1, stride: Int = 1, groups: Int = 1) {
    self.init(
      axis: axis, walks: [Walk(kernelSize: kernelSize, dilation: dilation, stride: stride)], groups: groups)
  }

  /// The earlier frames that an output depends on: 0 along fixed axes.
  package var history: Int {
    switch axis {
    case .frames: walks[0].span
    case .fixed: 0
    }
  }

  /// The fixed axes that it walks along, each with its way; none along frames.
  package var fixedWalks: [(axis: Int, walk: Walk)] {
    switch axis {
    case .frames: []
    case .fixed(let first): walks.enumerated().map { (first + $0, $1) }
    }
  }

  /// The fixed axis of x that holds its channels.
  package func channelAxis(of x: Shape) -> Int {
    switch axis {
    case .frames: x.fixed.count - 1
    case .fixed(let axis): axis - 1
    }
  }

  /// "conv2d"
  package var name: String { "conv\(walks.count)d" }

  func resultShape(_ operands: [Shape]) throws(TypingError) -> Shape {
    let (x, weight) = (operands[0], operands[1])
    if axis == .frames, x.frames == nil {
      throw TypingError("\(name) along frames needs a value with frames; this one is \(x)")
    }
    let channelAxis = channelAxis(of: x)
    guard x.fixed.indices.contains(channelAxis), channelAxis + fixedWalks.count < x.fixed.count else {
      throw TypingError(
        "\(name) needs an axis of channels before \(walks.count == 1 ? "the one" : "those") it walks along; \(x) has none"
      )
    }
    let channels = x.fixed[channelAxis]
    guard groups >= 1, walks.allSatisfy({ min($0.dilation, $0.stride, $0.kernelSize) >= 1 }) else {
      throw TypingError("dilation, stride and groups must be at least 1")
    }
    guard walks.allSatisfy({ max($0.dilation, $0.stride, $0.kernelSize) <= Limits.extent }) else {
      throw TypingError("dilation, stride and kernel must be at most \(Limits.extent)")
    }
    guard channels % groups == 0 else {
      throw TypingError("\(channels) channels do not divide into \(groups) groups")
    }
    guard weight.frames == nil, weight.fixed.count == 2 + walks.count, weight.fixed[1] == channels / groups,
      weight.fixed[0] % groups == 0
    else {
      let kernel = walks.map { _ in "kernel" }.joined(separator: ", ")
      throw TypingError(
        "\(name) of \(x) in \(groups) group\(groups == 1 ? "" : "s") needs a weight "
          + "[out, \(channels / groups), \(kernel)]; this one is \(weight)")
    }
    for (walk, taps) in zip(walks, weight.fixed[2...]) where taps != walk.kernelSize {
      throw TypingError("the kernel has \(taps) taps, not \(walk.kernelSize)")
    }
    if operands.count > 2 { try checkBias(operands[2], channels: weight.fixed[0]) }
    var result = x.with(channelAxis, weight.fixed[0])
    if axis == .frames, walks[0].stride != 1 {
      throw TypingError("conv1d along frames has no stride; it is \(walks[0].stride)")
    }
    for (axis, walk) in fixedWalks {
      let extent = x.fixed[axis]
      guard extent > walk.span else {
        throw TypingError("a kernel that spans \(walk.span + 1) does not fit axis \(axis) of \(x)")
      }
      result = result.with(axis, (extent - walk.span - 1) / walk.stride + 1)
    }
    return result
  }
}
