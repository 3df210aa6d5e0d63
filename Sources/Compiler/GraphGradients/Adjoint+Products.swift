// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// Sums of products: by each factor they are sums of products with the other one.
extension Adjoint {
  mutating func contracted(_ wanted: [Bool]) throws(TypingError) -> [ValueID?] {
    let (x, y) = (node.operands[0], node.operands[1])
    // c [m, n]: x̄ = c y, with y [n, k] turned; ȳ = c turned, times x turned.
    let first = wanted[0] ? try assembler.apply(.contraction(), cotangent, turned(y)) : nil
    let second = wanted[1] ? try assembler.apply(.contraction(), turned(cotangent), turned(x)) : nil
    var flows: [ValueID?] = []
    for (operand, flow) in [first, second].enumerated() {
      flows.append(try flow.map { value throws(TypingError) in try folded(value, to: operandShape(operand)) })
    }
    return flows
  }

  /// The same matrices with rows and columns exchanged.
  private mutating func turned(_ value: ValueID) throws(TypingError) -> ValueID {
    let rank = fixed(value).count
    return try transposed(value, Array(0..<(rank - 2)) + [rank - 1, rank - 2])
  }

  mutating func dense(_ axis: Int, _ wanted: [Bool]) throws(TypingError) -> [ValueID?] {
    let weight = node.operands[1]
    // The sums of a position are all that there is to do until the next one.
    let ways = isInFeedback && operandShape(1)[1] <= Self.fewResults ? Self.waysInFeedback : 1
    var flows: [ValueID?] = [
      wanted[0] ? try assembler.apply(.dense(axis: axis, ways: ways), cotangent, turned(weight)) : nil
    ]
    // Sums of products over all that is no channel: [out, m] × [in, m].
    if wanted[1] {
      let (c, x) = (try rows(cotangent, axis), try rows(node.operands[0], axis))
      let (results, isThin) = (fixed(c)[0] * fixed(x)[0], min(fixed(c)[0], fixed(x)[0]) == 1)
      let ways = isThin ? Self.ways(fixed(c)[1], of: results) : 1
      flows.append(try assembler.apply(.contraction(ways: ways), c, x))
    } else {
      flows.append(nil)
    }
    if node.operands.count > 2 { flows.append(wanted[2] ? try sums(axis) : nil) }
    return flows
  }

  /// An axis as rows, all others as columns.
  private mutating func rows(_ value: ValueID, _ axis: Int) throws(TypingError) -> ValueID {
    let extents = fixed(value)
    let others = extents.indices.filter { $0 != axis }
    return try reshaped(
      transposed(value, [axis] + others), [extents[axis], extents.reduce(1, *) / extents[axis]])
  }

  /// The cotangent of a bias: the sum over all but the channels.
  private mutating func sums(_ axis: Int) throws(TypingError) -> ValueID {
    let extents = fixed(cotangent)
    let (batch, rest) = (extents[..<axis].reduce(1, *), extents[(axis + 1)...].reduce(1, *))
    var value = cotangent
    if rest > 1 {
      value = try assembler.apply(
        .sum(axis: 2, ways: Self.ways(rest)), reshaped(value, [batch, extents[axis], rest]))
    }
    return batch > 1
      ? try assembler.apply(
        .sum(axis: 0, ways: Self.ways(batch, of: extents[axis])), reshaped(value, [batch, extents[axis]]))
      : try reshaped(value, [extents[axis]])
  }

  /// Results side by side that are few for a position of a cycle, and the ways of their terms.
  private static let (fewResults, waysInFeedback) = (32, 4)

  /// The ways of so many terms: where results side by side are few, no term waits for the one before.
  private static func ways(_ terms: Int, of results: Int = 1) -> Int {
    terms < 64 || results >= 2 * Limits.ways ? 1 : Limits.ways
  }

  mutating func convolved(_ convolution: Convolution, _ wanted: [Bool]) throws(TypingError) -> [ValueID?] {
    guard case .fixed = convolution.axis else {
      throw TypingError("a convolution along frames has a gradient once frames are an axis")
    }
    var flows: [ValueID?] = [
      wanted[0] ? try backwards(convolution) : nil, wanted[1] ? try correlated(convolution) : nil,
    ]
    let axis = convolution.channelAxis(of: Shape(fixed(cotangent)))
    if node.operands.count > 2 { flows.append(wanted[2] ? try sums(axis) : nil) }
    return flows
  }

  /// The cotangent of x: a convolution of cotangents, a stride apart, with a kernel that is turned around.
  ///
  ///     weight [g out, in, k…]   →   [g in, out, k…], backwards
  private mutating func backwards(_ convolution: Convolution) throws(TypingError) -> ValueID {
    let (shape, groups) = (operandShape(1), convolution.groups)
    var c = cotangent
    for (axis, walk) in convolution.fixedWalks {
      let positions = fixed(c)[axis]
      c = try spread(c, axis, walk.stride)
      let reach = (positions - 1) * walk.stride + 1
      let after = operandShape(0)[axis] - reach
      c = try padded(try sliced(c, axis, 0, reach), axis, before: walk.span, after: after)
    }
    let (outputs, inputs, kernel) = (shape[0] / groups, shape[1], Array(shape[2...]))
    let split = try reshaped(node.operands[1], [groups, outputs, inputs] + kernel)
    let order = [0, 2, 1] + kernel.indices.map { $0 + 3 }
    var weight = try reshaped(transposed(split, order), [groups * inputs, outputs] + kernel)
    for (row, count) in kernel.enumerated() where count > 1 {
      let last = Formula(Double(count - 1)) - Formula(try assembler.positions(count))
      weight = try assembler.apply(.gather(axis: 2 + row), weight, last.value(in: &assembler))
    }
    var turned = convolution
    turned.walks = convolution.walks.map { .init(kernelSize: $0.kernelSize, dilation: $0.dilation) }
    return try assembler.apply(.convolution(turned), c, weight)
  }

  /// The cotangent of the weight: for each place of the kernel, sums of products with what stands there.
  ///
  ///     x          [batch…, g in, n…, rest…]   →   [batch, g, in, p · rest], for each place of the kernel
  ///     cotangent  [batch…, g out, p…, rest…]  →   [batch, g, out, p · rest]
  ///     weight     [g out, in, k…]             ←   the sums over batches of [batch, g, out, in], side by side
  private mutating func correlated(_ convolution: Convolution) throws(TypingError) -> ValueID {
    let (shape, groups, walks) = (operandShape(1), convolution.groups, convolution.fixedWalks)
    guard shape[2...].reduce(1, *) <= Self.mostPlaces else { return try correlatedAtOnce(convolution) }
    let channels = convolution.channelAxis(of: Shape(fixed(cotangent)))
    let batch = fixed(cotangent)[..<channels].reduce(1, *)
    let (outputs, inputs) = (shape[0] / groups, shape[1])
    let terms = fixed(cotangent).reduce(1, *) / (batch * shape[0])
    let c = try reshaped(cotangent, [batch, groups, outputs, terms])
    var windows = node.operands[0]
    for (axis, walk) in walks.reversed() {
      let window = Window(axis: axis, size: walk.kernelSize, hop: walk.stride, dilation: walk.dilation)
      windows = try assembler.apply(.window(window), windows)
    }
    let places = walks.map(\.walk.kernelSize).reduce([[]]) { all, size in
      all.flatMap { place in (0..<size).map { place + [$0] } }
    }
    let ways = outputs * inputs == 1 ? Self.ways(terms) : 1
    let sums = try places.map { place throws(TypingError) in
      var x = windows
      // Behind each axis that is walked along stands that of its kernel.
      for (row, (axis, _)) in walks.enumerated() { x = try sliced(x, axis + row + 1, place[row], 1) }
      x = try reshaped(x, [batch, groups, inputs, terms])
      var sums = try assembler.apply(.contraction(ways: ways), c, x)
      if batch > 1 { sums = try assembler.apply(.sum(axis: 0), sums) }
      return try reshaped(sums, [shape[0], inputs, 1])
    }
    let all = sums.count > 1 ? try assembler.apply(.concatenate(axis: 2), sums) : sums[0]
    return try reshaped(all, shape)
  }

  /// The places of a kernel that are worth a sum of their own each.
  private static let mostPlaces = 32

  /// The same of large kernels: one sum over windows, which are copied.
  ///
  ///     x          [batch…, g in, n…, rest…]   →   [g, in · k, batch · p · rest]
  ///     cotangent  [batch…, g out, p…, rest…]  →   [g, out, batch · p · rest]
  private mutating func correlatedAtOnce(_ convolution: Convolution) throws(TypingError) -> ValueID {
    let (shape, groups, walks) = (operandShape(1), convolution.groups, convolution.fixedWalks)
    let channels = convolution.channelAxis(of: Shape(fixed(cotangent)))
    let behind = channels + 1 + walks.count
    // Batches are one axis, and so is what stands behind; groups are one of their own. No axis is there for nothing.
    let hasGroups = groups > 1
    let first = hasGroups ? 3 : 2
    func flat(_ extents: [Int]) -> [Int] {
      let rest = extents[behind...].reduce(1, *)
      return [extents[..<channels].reduce(1, *)] + (hasGroups ? [groups] : []) + [extents[channels] / groups]
        + extents[(channels + 1)..<behind] + (rest > 1 ? [rest] : [])
    }
    let c = try reshaped(cotangent, flat(fixed(cotangent)))
    var x = try reshaped(node.operands[0], flat(operandShape(0)))
    for (row, (_, walk)) in walks.enumerated().reversed() {
      let window = Window(axis: first + row, size: walk.kernelSize, hop: walk.stride, dilation: walk.dilation)
      x = try assembler.apply(.window(window), x)
    }
    let own = Array(1..<first)
    let places = walks.indices.map { first + 2 * $0 }
    let ordered =
      own + places.map { $0 + 1 } + [0] + places + Array((first + 2 * walks.count)..<fixed(x).count)
    let (outputs, inputs) = (shape[0] / groups, shape[1] * shape[2...].reduce(1, *))
    let terms = fixed(cotangent).reduce(1, *) / shape[0]
    x = try reshaped(transposed(x, ordered), [groups, inputs, terms])
    let rows = try transposed(c, own + [0] + Array(first..<fixed(c).count))
    let sums = try assembler.apply(.contraction(), reshaped(rows, [groups, outputs, terms]), x)
    return try reshaped(sums, shape)
  }
}
