// SPDX-License-Identifier: Apache-2.0

/// The reason why operands do not fit an op: one sentence for the person who wrote them.
package struct TypingError: Error, Hashable, Sendable, CustomStringConvertible {
  package var description: String

  package init(_ description: String) { self.description = description }
}

extension Op {
  /// The type of the result for operands of these types.
  ///
  /// The ops that stand for something given (`input`, `parameter`, `weights`) have the type that the graph
  /// declares; it is not asked for here.
  package func resultType(_ operands: [TensorType], clock: Clock) throws(TypingError) -> TensorType {
    precondition(operandCounts.contains(operands.count), "\(self) with \(operands.count) operands")
    let shapes = operands.map(\.shape)
    let result = try resultShape(shapes, clock: clock)
    try result.checkAsResult()
    return TensorType(result)
  }

  private func tooManyAxes(_ rank: Int) -> TypingError {
    TypingError("the result would have \(rank) axes; \(Limits.rank) are the most")
  }

  private func resultShape(_ operands: [Shape], clock: Clock) throws(TypingError) -> Shape {
    switch self {
    case .input, .parameter, .weights:
      preconditionFailure("the type of \(self) is declared by the graph")
    case .literal:
      return .scalar
    case .unary:
      return operands[0]
    case .binary, .select, .fma:
      var result = operands[0]
      for operand in operands.dropFirst() { result = try result.broadcasting(operand) }
      return result
    case .slice(let axis, let start, let count):
      let extent = try operands[0].extent(axis)
      let (end, overflow) = start.addingReportingOverflow(count)
      guard start >= 0, count >= 1, !overflow, end <= extent else {
        throw TypingError(
          "a slice of \(count) from \(start) does not fit axis \(axis) of \(operands[0]), which has \(extent)"
        )
      }
      return operands[0].with(axis, count)
    case .concatenate(let axis):
      return try concatenated(operands, axis: axis)
    case .reshape(let extents):
      guard extents.count <= Limits.rank else { throw tooManyAxes(extents.count) }
      guard let count = extents.product, count == operands[0].count else {
        throw TypingError(
          "\(operands[0]) has \(operands[0].count) numbers and cannot become \(Shape(extents).description)")
      }
      return Shape(extents, frames: operands[0].frames)
    case .transpose(let order):
      let fixed = operands[0].fixed
      guard order.count <= Limits.rank else { throw tooManyAxes(order.count) }
      guard order.sorted() == Array(fixed.indices) else {
        throw TypingError(
          "the order must name each of the \(fixed.count) fixed axes of \(operands[0]) once; it is \(order)")
      }
      return Shape(order.map { fixed[$0] }, frames: operands[0].frames)
    case .pad(let axis, let before, let after):
      let extent = try operands[0].extent(axis)
      guard (0...Limits.extent).contains(before), (0...Limits.extent).contains(after) else {
        throw TypingError("padding of \(before) and \(after) must lie in 0…\(Limits.extent)")
      }
      return operands[0].with(axis, extent + before + after)
    case .broadcast(let extents):
      guard extents.count <= Limits.rank else { throw tooManyAxes(extents.count) }
      let result = Shape(extents, frames: operands[0].frames)
      guard operands[0].broadcast(with: Shape(extents)) == result else {
        throw TypingError("\(operands[0]) does not stretch to \(result)")
      }
      return result
    case .gather(let axis):
      return try gathered(operands[0], by: operands[1], axis: axis)
    case .window(let window):
      return try window.resultShape(operands[0])
    case .shift(let axis, let by):
      _ = try operands[0].extent(axis)
      guard by != 0, (-Limits.extent...Limits.extent).contains(by) else {
        throw TypingError(
          "a shift is by 1 to \(Limits.extent) positions, or by as many less than none; it is \(by)")
      }
      return operands[0]
    case .sum(let axis, let ways):
      try checkWays(ways)
      _ = try operands[0].extent(axis)
      return operands[0].without(axis)
    case .maximum(let axis):
      _ = try operands[0].extent(axis)
      return operands[0].without(axis)
    case .dense(let axis, let ways):
      try checkWays(ways)
      return try denseShape(operands, axis: axis)
    case .convolution(let convolution):
      return try convolution.resultShape(operands)
    case .contraction(let ways):
      try checkWays(ways)
      return try contractedShape(operands[0], operands[1])
    case .delay(let count):
      let unit = clock == .stream ? "frame" : "step"
      guard count >= 1 else { throw TypingError("a delay must be at least 1 \(unit); it is \(count)") }
      guard count <= Limits.delay else {
        throw TypingError("a delay must be at most \(Limits.delay) \(unit)s; it is \(count)")
      }
      return clock == .stream ? Shape(operands[0].fixed, frames: operands[0].frames ?? .init()) : operands[0]
    case .tap(let tap):
      return try tap.resultShape(operands, clock: clock)
    case .lookahead(let count):
      try clock.checkStream("lookahead")
      guard operands[0].frames != nil else {
        throw TypingError("lookahead needs a value with frames; this one is \(operands[0])")
      }
      guard (0...Limits.delay).contains(count) else {
        throw TypingError("a lookahead must be 0 to \(Limits.delay) frames; it is \(count)")
      }
      return operands[0]
    case .control:
      try clock.checkStream("control")
      guard operands[0].fixed.isEmpty else {
        throw TypingError("control takes a value without channels; this one is \(operands[0])")
      }
      return .frames
    case .phasor:
      try clock.checkStream("phasor")
      guard operands[0].fixed.isEmpty else {
        throw TypingError("phasor takes a frequency without channels; this one is \(operands[0])")
      }
      return .frames
    case .noise(let seed):
      try clock.checkStream("noise")
      guard (0...Int(UInt32.max)).contains(seed) else {
        throw TypingError("the seed must lie in 0…\(UInt32.max); it is \(seed)")
      }
      return .frames
    }
  }

  private func concatenated(_ operands: [Shape], axis: Int) throws(TypingError) -> Shape {
    var result = operands[0]
    var extent = try result.extent(axis)
    for operand in operands.dropFirst() {
      let more = try operand.extent(axis)
      let frames = result.frames ?? operand.frames
      guard operand.with(axis, 1).fixed == result.with(axis, 1).fixed,
        (operand.frames ?? frames) == (result.frames ?? frames)
      else {
        throw TypingError(
          "\(result) and \(operand) differ in more than axis \(axis) and cannot be concatenated")
      }
      result.frames = frames
      extent += more
    }
    return result.with(axis, extent)
  }

  private func gathered(_ x: Shape, by index: Shape, axis: Int) throws(TypingError) -> Shape {
    _ = try x.extent(axis)
    guard x.frames == nil || index.frames == nil || x.frames == index.frames else {
      throw TypingError("\(x) and its index \(index) have other frames; both need the same, or one has none")
    }
    var fixed = x.fixed
    fixed.replaceSubrange(axis...axis, with: index.fixed)
    guard fixed.count <= Limits.rank else { throw tooManyAxes(fixed.count) }
    return Shape(fixed, frames: x.frames ?? index.frames)
  }

  private func contractedShape(_ x: Shape, _ y: Shape) throws(TypingError) -> Shape {
    guard x.fixed.count >= 2, y.fixed.count >= 2, x.fixed.last == y.fixed.last else {
      throw TypingError(
        "a contraction needs [batch…, m, k] and [batch…, n, k] with the same k; these are \(x) and \(y)")
    }
    let batches = [x, y].map { Shape(Array($0.fixed.dropLast(2)), frames: $0.frames) }
    guard var result = batches[0].broadcast(with: batches[1]) else {
      throw TypingError("the axes of \(x) and \(y) before the last two do not broadcast")
    }
    result.fixed += [x.fixed[x.fixed.count - 2], y.fixed[y.fixed.count - 2]]
    return result
  }

  private func denseShape(_ operands: [Shape], axis: Int) throws(TypingError) -> Shape {
    let (x, weight) = (operands[0], operands[1])
    let extent = try x.extent(axis)
    guard weight.frames == nil, weight.fixed.count == 2, weight.fixed[1] == extent else {
      throw TypingError(
        "dense over axis \(axis) of \(x) needs a weight [out, \(extent)]; this one is \(weight)")
    }
    if operands.count > 2 { try checkBias(operands[2], channels: weight.fixed[0]) }
    return x.with(axis, weight.fixed[0])
  }
}

private func checkWays(_ ways: Int) throws(TypingError) {
  guard (1...Limits.ways).contains(ways), ways.nonzeroBitCount == 1 else {
    throw TypingError("ways must be a power of two from 1 to \(Limits.ways); they are \(ways)")
  }
}

func checkBias(_ bias: Shape, channels: Int) throws(TypingError) {
  guard bias == Shape([channels]) else {
    throw TypingError("the bias must be [\(channels)]; it is \(bias)")
  }
}

extension Clock {
  /// Refuses to execute steps.
  func checkStream(_ what: String) throws(TypingError) {
    guard self == .stream else { throw TypingError("\(what) needs a stream; this graph executes steps") }
  }
}

extension Shape {
  /// Refuses a result that cannot be.
  func checkAsResult() throws(TypingError) {
    if let flaw { throw TypingError("the result \(flaw)") }
  }

  /// The shape that holds both.
  func broadcasting(_ other: Shape) throws(TypingError) -> Shape {
    guard let both = broadcast(with: other) else {
      throw TypingError("the shapes \(self) and \(other) do not broadcast")
    }
    return both
  }

  func extent(_ axis: Int) throws(TypingError) -> Int {
    guard fixed.indices.contains(axis) else {
      let axes = fixed.count == 1 ? "1 fixed axis" : "\(fixed.count) fixed axes"
      throw TypingError("\(self) has \(axes); there is no fixed axis \(axis)")
    }
    return fixed[axis]
  }

  package func with(_ axis: Int, _ extent: Int) -> Shape {
    var result = self
    result.fixed[axis] = extent
    return result
  }

  package func without(_ axis: Int) -> Shape {
    var result = self
    result.fixed.remove(at: axis)
    return result
  }
}
