// SPDX-License-Identifier: Apache-2.0

import GraphIR
import TestEquipment

/// Nodes by chance; each of these may throw where no operand fits.
extension GraphGenerator {
  /// One more value, of an op or of something that people write.
  mutating func next() throws -> ValueID {
    switch random.below(looksAhead ? 34 : isStream ? 32 : 29) {
    case 0...3: try unary(any())
    case 4...8: try binary(any())
    case 9, 10: try ternary()
    case 11: try slice(any())
    case 12: try concatenate(any())
    case 13: try reshape(any())
    case 14: try transpose(any())
    case 15: try pad(any())
    case 16: try broadcast(any())
    case 17: try reduce(any())
    case 18: try dense(any())
    case 19: try convolution(any())
    case 20: try assembler.apply(.delay(delayLength()), any())
    case 26: try gather(any())
    case 27: try random.chance(0.3) ? shift(any()) : window(any())
    case 28: try contraction(any())
    case 29: try tap(any())
    case 30: try phasor()
    case 31: try assembler.apply(.noise(random.below(1000)))
    case 32, 33: try lookahead(any())
    case 21: try control()
    case 22: try composed(any())
    default: try cycle(from: any(), depth: 0)
    }
  }

  /// An operand, more often one of the latest.
  mutating func any() -> ValueID {
    random.chance(0.6) ? random.pick(Array(pool.suffix(4))) : random.pick(pool)
  }

  /// A second operand whose shape goes with the first one's.
  mutating func partner(of x: ValueID) -> ValueID {
    let shape = assembler.shape(of: x)!
    for _ in 0..<8 {
      let y = any()
      if let both = shape.broadcast(with: assembler.shape(of: y)!), both.count <= mostNumbers {
        return y
      }
    }
    if random.chance(0.4), let last = shape.fixed.last { return weights([random.chance() ? last : 1]) }
    return literal()
  }

  func small(_ op: Op, _ operands: ValueID...) throws -> Op {
    let type = try op.resultType(operands.map { assembler.type(of: $0)! }, clock: clock)
    guard type.shape.count <= mostNumbers, type.shape.rank <= 4 else { throw TypingError("too large") }
    return op
  }

  mutating func unary(_ x: ValueID) throws -> ValueID {
    let op = random.pick(UnaryOp.allCases)
    guard random.chance(0.8) else { return try assembler.apply(.unary(op), x) }
    // Mostly where the function is defined and does not explode.
    switch op {
    case .sqrt, .log:
      let magnitude = try assembler.apply(.unary(.abs), x)
      return try assembler.apply(
        .unary(op), assembler.apply(.binary(.add), magnitude, assembler.literal(0.1)))
    case .exp, .tan:
      return try assembler.apply(.unary(op), assembler.apply(.unary(.tanh), x))
    case .negate, .abs, .sin, .cos, .tanh, .sigmoid, .erf, .floor, .ceil, .round, .truncate, .sign:
      return try assembler.apply(.unary(op), x)
    }
  }

  mutating func binary(_ x: ValueID) throws -> ValueID {
    let op = random.chance(0.5) ? random.pick([.add, .multiply, .subtract]) : random.pick(BinaryOp.allCases)
    let y = partner(of: x)
    let operands = random.chance() ? [x, y] : [y, x]
    if op == .pow, random.chance(0.8) {
      let positive = try assembler.apply(.unary(.sigmoid), operands[0])
      return try assembler.apply(.binary(.pow), positive, assembler.apply(.unary(.tanh), operands[1]))
    }
    return try assembler.apply(.binary(op), operands)
  }

  mutating func ternary() throws -> ValueID {
    let x = any()
    let y = partner(of: x)
    let z = partner(of: random.chance() ? x : y)
    let op: Op = random.chance() ? .select : .fma
    _ = try small(op, x, y, z)
    return try assembler.apply(op, [x, y, z].shuffled(using: &random))
  }

  // MARK: Shapes

  mutating func axis(of x: ValueID) throws -> (axis: Int, extent: Int) {
    let fixed = assembler.shape(of: x)!.fixed
    guard !fixed.isEmpty else { throw TypingError("no axis") }
    let axis = random.below(fixed.count)
    return (axis, fixed[axis])
  }

  mutating func slice(_ x: ValueID) throws -> ValueID {
    let (axis, extent) = try axis(of: x)
    let start = random.below(extent)
    return try assembler.apply(.slice(axis: axis, start: start, count: 1 + random.below(extent - start)), x)
  }

  mutating func concatenate(_ x: ValueID) throws -> ValueID {
    let (axis, _) = try axis(of: x)
    let rest = assembler.shape(of: x)!.without(axis).fixed
    let others = pool.filter { value in
      let fixed = assembler.shape(of: value)!
      return fixed.fixed.count == rest.count + 1 && fixed.without(axis).fixed == rest
    }
    var parts = [x]
    for _ in 0..<(1 + random.below(2)) {
      if random.chance(0.2) {
        parts.append(weights(assembler.shape(of: x)!.with(axis, 1).fixed))
      } else {
        parts.append(random.pick(others))
      }
    }
    let op = Op.concatenate(axis: axis)
    let type = try op.resultType(parts.map { assembler.type(of: $0)! }, clock: clock)
    guard type.shape.count <= mostNumbers else { throw TypingError("too large") }
    return try assembler.apply(op, parts.shuffled(using: &random))
  }

  mutating func reshape(_ x: ValueID) throws -> ValueID {
    let count = assembler.shape(of: x)!.count
    let divisors = (1...count).filter { count.isMultiple(of: $0) }
    let first = random.pick(divisors)
    let shapes = [[count], [first, count / first], [1, count], [first, 1, count / first]]
    return try assembler.apply(.reshape(count == 1 && random.chance() ? [] : random.pick(shapes)), x)
  }

  mutating func transpose(_ x: ValueID) throws -> ValueID {
    let axes = Array(assembler.shape(of: x)!.fixed.indices)
    return try assembler.apply(.transpose(axes.shuffled(using: &random)), x)
  }

  mutating func pad(_ x: ValueID) throws -> ValueID {
    let axis = try axis(of: x).axis
    let op = Op.pad(axis: axis, before: random.below(3), after: random.below(3))
    return try assembler.apply(small(op, x), x)
  }

  mutating func broadcast(_ x: ValueID) throws -> ValueID {
    var extents = assembler.shape(of: x)!.fixed.map { $0 == 1 ? 1 + random.below(3) : $0 }
    if extents.count < 3, random.chance() { extents.insert(1 + random.below(3), at: 0) }
    return try assembler.apply(small(.broadcast(extents), x), x)
  }

  /// Positions by an index that lies within the axis mostly, or by weights, a number, or anything.
  mutating func gather(_ x: ValueID) throws -> ValueID {
    let table = random.chance(0.3) ? weights([1 + random.below(8), 1 + random.below(3)]) : x
    let (axis, extent) = try axis(of: table)
    let index: ValueID
    switch random.below(6) {
    case 0: index = weights([1 + random.below(3)], scale: Double(extent))
    case 1: index = assembler.literal(Float(random.below(extent + 2)) - 0.5)
    case 2: index = any()
    default:
      let sway = try assembler.apply(.unary(.sigmoid), any())
      index = try assembler.apply(.binary(.multiply), sway, assembler.literal(Float(extent)))
    }
    return try assembler.apply(small(.gather(axis: axis), table, index), table, index)
  }

  mutating func shift(_ x: ValueID) throws -> ValueID {
    let (axis, extent) = try axis(of: x)
    let by = (1 + random.below(extent + 1)) * (random.chance() ? 1 : -1)
    return try assembler.apply(.shift(axis: axis, by: by), x)
  }

  mutating func window(_ x: ValueID) throws -> ValueID {
    let (axis, extent) = try axis(of: x)
    let size = 1 + random.below(min(extent, 4))
    let most = size == 1 ? 2 : (extent - 1) / (size - 1)
    let op = Op.window(
      Window(
        axis: axis, size: size, hop: 1 + random.below(3), dilation: 1 + random.below(max(1, min(2, most)))))
    return try assembler.apply(small(op, x), x)
  }

  mutating func reduce(_ x: ValueID) throws -> ValueID {
    let (axis, extent) = try axis(of: x)
    let sum = Op.sum(axis: axis, ways: ways(ofTerms: extent))
    return try assembler.apply(random.chance(0.6) ? sum : .maximum(axis: axis), x)
  }

  // MARK: Layers and time

  mutating func dense(_ x: ValueID) throws -> ValueID {
    let (axis, extent) = try axis(of: x)
    let outputs = 1 + random.below(4)
    var operands = [x, weights([outputs, extent])]
    // Weights may be computed, too; they could not wait for what looks ahead.
    if !looksAhead, random.chance(0.2), let gain = controls.first(where: { !hasFrames($0) }) {
      operands[1] = try assembler.apply(.binary(.multiply), operands[1], gain)
    }
    if random.chance() { operands.append(weights([outputs])) }
    let type = try Op.dense(axis: axis).resultType(operands.map { assembler.type(of: $0)! }, clock: clock)
    guard type.shape.count <= mostNumbers else { throw TypingError("too large") }
    return try assembler.apply(.dense(axis: axis, ways: ways(ofTerms: extent)), operands)
  }

  /// Rows by rows of another value, or of weights.
  mutating func contraction(_ x: ValueID) throws -> ValueID {
    guard let terms = assembler.shape(of: x)!.fixed.last else { throw TypingError("no axis") }
    let rows = assembler.shape(of: x)!.fixed.count == 1 ? try assembler.apply(.reshape([1, terms]), x) : x
    let others = pool.filter { value in
      let fixed = assembler.shape(of: value)!.fixed
      return fixed.count >= 2 && fixed.last == terms
    }
    let other =
      others.isEmpty || random.chance(0.3)
      ? weights([1 + random.below(4), terms], scale: 1 / Double(terms)) : random.pick(others)
    let op = Op.contraction(ways: ways(ofTerms: terms))
    return try assembler.apply(small(op, rows, other), random.chance() ? [rows, other] : [other, rows])
  }

  /// One way or several, as the number of terms has it.
  private func ways(ofTerms extent: Int) -> Int { [1, 4, 1, 16, 2][extent % 5] }

  /// The same numbers as a plane of one channel.
  private mutating func plane(_ x: ValueID) throws -> ValueID {
    let count = assembler.shape(of: x)!.count
    let rows = random.pick((1...count).filter { count.isMultiple(of: $0) })
    return try assembler.apply(.reshape([1, rows, count / rows]), x)
  }

  mutating func convolution(_ source: ValueID, keepingChannels: Bool = false) throws -> ValueID {
    let alongFrames = hasFrames(source) && (keepingChannels || random.chance(0.6))
    let x = alongFrames || keepingChannels || random.chance() ? source : try plane(source)
    let shape = assembler.shape(of: x)!
    var convolution = Convolution(
      axis: .frames, kernelSize: 1 + random.below(4),
      dilation: random.pick([1, 1, 2, 3, alongFrames ? 70 : 1]))
    if !alongFrames {
      guard shape.fixed.count >= 2 else { throw TypingError("no channels") }
      let first = shape.fixed.count > 2 ? 1 : 1 + random.below(shape.fixed.count - 1)
      convolution.axis = .fixed(first)
      convolution.walks[0].stride = 1 + random.below(2)
      for axis in (first + 1)..<min(shape.fixed.count, first + Convolution.mostWalks) where random.chance() {
        guard axis == first + convolution.walks.count else { break }
        convolution.walks.append(
          .init(kernelSize: 1 + random.below(3), dilation: 1 + random.below(2), stride: 1 + random.below(2)))
      }
    }
    let axis = convolution.channelAxis(of: shape)
    guard shape.fixed.indices.contains(axis) else { throw TypingError("no channels") }
    let channels = shape.fixed[axis]
    convolution.groups = random.pick((1...channels).filter { channels.isMultiple(of: $0) })
    let outputs = keepingChannels ? channels : convolution.groups * (1 + random.below(2))
    let inputs = channels / convolution.groups
    let kernel = convolution.walks.map(\.kernelSize)
    let scale = 1 / Double(kernel.reduce(inputs, *))
    var operands = [x, weights([outputs, inputs] + kernel, scale: scale)]
    if random.chance() { operands.append(weights([outputs], scale: 0.3)) }
    let op = Op.convolution(convolution)
    let type = try op.resultType(operands.map { assembler.type(of: $0)! }, clock: clock)
    guard type.shape.count <= mostNumbers else { throw TypingError("too large") }
    return try assembler.apply(op, operands)
  }

  mutating func delayLength() -> Int {
    guard isStream else { return 1 + random.below(4) }
    return random.pick([
      1, 1, 2, 3, 63, 64, 65, 127, 128, 129, 1 + random.below(300), 300 + random.below(900),
    ])
  }

  /// A value of later frames, which no cycle may contain: feedback is chosen before.
  mutating func lookahead(_ x: ValueID) throws -> ValueID {
    try assembler.apply(.lookahead(random.pick([0, 1, 2, 5, 31, 63, 64, 65, 100, 128, 300])), x)
  }

  /// A delay by something that moves within its range.
  mutating func tap(_ x: ValueID) throws -> ValueID {
    let (minimum, span) = (random.pick([0, 0, 1, 5, 128, 200]), 1 + random.below(300))
    let sway = try assembler.apply(.unary(.tanh), partner(of: x))
    let amount = try assembler.apply(
      .binary(.add), assembler.apply(.binary(.multiply), sway, assembler.literal(Float(span) / 2)),
      assembler.literal(Float(minimum) + Float(span) / 2))
    let tap = Tap(
      minimum: minimum, maximum: minimum + span, interpolation: random.pick(Tap.Interpolation.allCases))
    return try assembler.apply(small(.tap(tap), x, amount), x, amount)
  }

  mutating func phasor() throws -> ValueID {
    var x = any()
    while !assembler.shape(of: x)!.fixed.isEmpty { x = try assembler.apply(.sum(axis: 0), x) }
    let frequency = try assembler.apply(
      .binary(.multiply), x, assembler.literal(random.pick([1, 100, 5000])))
    return try assembler.apply(.phasor, random.chance() ? frequency : assembler.literal(997))
  }

  mutating func control() throws -> ValueID {
    var x = random.chance(0.3) && !controls.isEmpty ? random.pick(controls) : any()
    while !assembler.shape(of: x)!.fixed.isEmpty { x = try assembler.apply(.sum(axis: 0), x) }
    return try assembler.apply(.control, x)
  }

  mutating func composed(_ x: ValueID) throws -> ValueID {
    let name = random.pick(["softmax", "gelu", "softplus", "elu", "leakyRelu", "mean", "hardTanh", "silu"])
    let function = Function.byName[name]!
    var arguments: [String: Call.Argument] = ["x": .value(x)]
    for slot in function.slots {
      if case .number(let number) = slot.standard { arguments[slot.name] = .number(number) }
    }
    if name == "softmax" { arguments["axis"] = .integer(try axis(of: x).axis) }
    return try function.build(&assembler, Call(arguments))
  }
}
