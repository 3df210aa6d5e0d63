// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// Sums of products, of each frame alone or of several.
extension Streaming {
  mutating func layered(
    _ node: Node, _ layer: Op.Layer, _ operands: [Timed]
  ) throws(TypingError) -> Timed {
    let time = operands[0].axis!
    let weights = operands.dropFirst().map(\.value)
    guard layer.channelAxis(of: source.shape(of: node.operands[0])) != time else {
      throw Self.overAll(node)
    }
    switch layer {
    case .dense(let axis, let ways):
      let (values, pace) = try aligned([operands[0]])
      let own = Self.axis(axis, without: time)
      return Timed(
        value: try assembler.apply(.dense(axis: own, ways: ways), values + weights), axis: time, pace: pace)
    case .convolution(let convolution):
      return try convolved(operands[0], weights, convolution)
    }
  }

  private mutating func convolved(
    _ x: Timed, _ weights: [ValueID], _ convolution: Convolution
  ) throws(TypingError) -> Timed {
    let time = x.axis!
    guard case .fixed(let first) = convolution.axis else {
      preconditionFailure("a graph of steps has no frames")
    }
    guard let place = convolution.fixedWalks.firstIndex(where: { $0.axis == time }) else {
      let (values, pace) = try aligned([x])
      var own = convolution
      own.axis = .fixed(first < time ? first : first - 1)
      return Timed(value: try assembler.apply(.convolution(own), values + weights), axis: time, pace: pace)
    }
    let walk = convolution.walks[place]
    guard convolution.walks.count == 1 else {
      return try convolved(x, weights, convolution, alongTimeToo: place)
    }
    let span = walk.span * x.pace.hop
    let whole = try reaching(x, span)
    // Channels are the last axis before the frames.
    let rank = assembler.shape(of: whole.value)!.fixed.count
    let channels = first - 1
    var order = Array(0..<rank)
    order.append(order.remove(at: channels))
    let isLast = channels == rank - 1
    let turned = isLast ? whole.value : try assembler.apply(.transpose(order), whole.value)
    var own = convolution
    own.axis = .frames
    own.walks[0] = .init(kernelSize: walk.kernelSize, dilation: walk.dilation * x.pace.hop)
    let result = try assembler.apply(.convolution(own), [turned] + weights)
    let back = order.indices.map { order.firstIndex(of: $0)! }
    return Timed(
      value: isLast ? result : try assembler.apply(.transpose(back), result), axis: time,
      pace: Pace(hop: x.pace.hop * walk.stride, shift: whole.pace.shift + span))
  }

  /// A convolution along time and other axes: the frames that it reads become channels.
  ///
  ///     x [in, height, frames]    →    [in · taps, height, frames], each channel with its taps
  private mutating func convolved(
    _ x: Timed, _ weights: [ValueID], _ convolution: Convolution, alongTimeToo place: Int
  ) throws(TypingError) -> Timed {
    let time = x.axis!
    let walk = convolution.walks[place]
    guard case .fixed(let first) = convolution.axis else { preconditionFailure("it is along fixed axes") }
    let stacked = try taps(x, count: walk.kernelSize, apart: walk.dilation)
    // [batch…, in, …, taps, …]: the taps come to stand behind the channels.
    let shape = assembler.shape(of: stacked.value)!.fixed
    var order = Array(shape.indices)
    order.insert(order.remove(at: time), at: first)
    var rest = order.map { shape[$0] }
    let beside = rest.remove(at: first)
    rest[first - 1] *= beside
    let turned = try assembler.apply(.transpose(order), stacked.value)
    let channels = try reshaped(turned, rest)
    // [out, in, kernel…] likewise.
    let kernel = assembler.shape(of: weights[0])!.fixed
    var kernelOrder = Array(kernel.indices)
    kernelOrder.insert(kernelOrder.remove(at: 2 + place), at: 2)
    var kernelRest = kernelOrder.map { kernel[$0] }
    kernelRest[1] *= kernelRest.remove(at: 2)
    let weight = try reshaped(
      try assembler.apply(.transpose(kernelOrder), weights[0]), kernelRest)
    var own = convolution
    own.walks.remove(at: place)
    let result = try assembler.apply(.convolution(own), [channels, weight] + weights.dropFirst())
    return Timed(
      value: result, axis: time,
      pace: Pace(hop: stacked.pace.hop * walk.stride, shift: stacked.pace.shift))
  }

  /// Products of two operands `[batch…, m, k]` and `[batch…, n, k]`.
  mutating func contracted(_ node: Node, _ ways: Int) throws(TypingError) -> Timed {
    let rank = extents(node.result).count
    let axes = node.operands.map { value in
      operand(value).axis.map { $0 + rank - extents(value).count }
    }
    guard !axes.contains(rank - 1) else { throw Self.overAll(node) }
    guard !axes.contains(rank - 2) else {
      // Of rows or columns that are frames, each is a matrix of one.
      guard axes.compactMap({ $0 }).count == 1 else { throw Self.pairwise }
      var operands = node.operands.map { operand($0) }
      let row = axes[0] == nil ? 1 : 0
      var one = assembler.shape(of: operands[row].value)!.fixed
      one.insert(1, at: one.count - 1)
      operands[row].value = try reshaped(operands[row].value, one)
      let (values, pace) = try aligned(operands)
      let result = try assembler.apply(.contraction(ways: ways), values)
      var rest = assembler.shape(of: result)!.fixed
      rest.remove(at: rest.count - 2 + row)
      return Timed(value: try reshaped(result, rest), axis: rank - 2 + row, pace: pace)
    }
    guard Set(axes.compactMap { $0 }).count == 1, let axis = axes.compactMap({ $0 }).first else {
      throw Self.pairwise
    }
    var operands: [Timed] = []
    for value in node.operands {
      operands.append(
        try withoutTime(value, at: axis - (rank - extents(value).count), of: extents(node.result)[axis]))
    }
    let (values, pace) = try aligned(operands)
    return Timed(value: try assembler.apply(.contraction(ways: ways), values), axis: axis, pace: pace)
  }

  /// x for something that reads so many later frames: it waits where that would still end before the first one.
  mutating func reaching(_ x: Timed, _ span: Int) throws(TypingError) -> Timed {
    guard x.pace.shift + span < 0 else { return x }
    return Timed(
      value: try waiting(x, for: -span), axis: x.axis, pace: Pace(hop: x.pace.hop, shift: -span))
  }
}
