// SPDX-License-Identifier: Apache-2.0

import GraphIR
import TestEquipment

/// Recurrent cells: cycles with folds, in which each frame (or step, or position) needs all channels of the one before it.
extension GraphGenerator {
  /// Some cells in a row, of several kinds, from any value.
  mutating func cells(from x: ValueID) throws -> ValueID {
    guard !isStream || hasFrames(x) else { throw TypingError("no frames") }
    let count = assembler.shape(of: x)!.count
    let divisors = (2...max(2, count)).filter { count.isMultiple(of: $0) && $0 <= 12 }
    positions = isStream || divisors.isEmpty || random.chance() ? nil : random.pick(divisors)
    isBackward = random.chance()
    let rest = count / (positions ?? 1)
    var result = try assembler.apply(.reshape(positions.map { [$0, rest] } ?? [rest]), x)
    for _ in 0..<1 + random.below(3) {
      let units = random.pick([1, 2, 3, 5, 8, 17, 24])
      result =
        switch random.below(5) {
        case 0: try plain(result, units)
        case 1: try gated(result, units)
        case 2: try normed(result, units)
        case 3: try mutual(result, units)
        default: try convolved(result, units)
        }
      if random.chance(0.3) { pool.append(result) }
    }
    return result
  }

  /// The axis of a cell's channels.
  private var channelAxis: Int { positions == nil ? 0 : 1 }

  /// `h = tanh(W x + U past(h) + b)`.
  private mutating func plain(_ x: ValueID, _ units: Int) throws -> ValueID {
    let past = try past(units)
    let sum = try assembler.apply(.binary(.add), dense(x, units), dense(past.value, units, hasBias: true))
    let result = try assembler.apply(.unary(random.pick([.tanh, .sin])), sum)
    assembler.bind(past.of, to: result)
    return result
  }

  /// Four gates, and a state beside the result.
  private mutating func gated(_ x: ValueID, _ units: Int) throws -> ValueID {
    let (past, state) = (try past(units), try past(units))
    let gates = try assembler.apply(.binary(.add), dense(x, 4 * units), dense(past.value, 4 * units))
    func gate(_ index: Int, _ op: UnaryOp) throws -> ValueID {
      try assembler.apply(
        .unary(op), assembler.apply(.slice(axis: channelAxis, start: index * units, count: units), gates))
    }
    let kept = try assembler.apply(.binary(.multiply), gate(1, .sigmoid), state.value)
    let taken = try assembler.apply(.binary(.multiply), gate(0, .sigmoid), gate(2, .tanh))
    let next = try assembler.apply(.binary(.add), kept, taken)
    let result = try assembler.apply(
      .binary(.multiply), gate(3, .sigmoid), assembler.apply(.unary(.tanh), next))
    assembler.bind(state.of, to: next)
    assembler.bind(past.of, to: result)
    if random.chance(0.3) { pool.append(random.chance() ? next : past.value) }
    return result
  }

  /// A cell whose feedback is without a mean and of one size.
  private mutating func normed(_ x: ValueID, _ units: Int) throws -> ValueID {
    let past = try past(units)
    let share = assembler.literal(1 / Float(units))
    func mean(_ value: ValueID) throws -> ValueID {
      let sum = try assembler.apply(.sum(axis: channelAxis), value)
      let kept = try positions.map { count in try assembler.apply(.reshape([count, 1]), sum) } ?? sum
      return try assembler.apply(.binary(.multiply), kept, share)
    }
    let centred = try assembler.apply(.binary(.subtract), past.value, mean(past.value))
    let square = try assembler.apply(.binary(.multiply), centred, centred)
    let size = try assembler.apply(
      .unary(.sqrt), assembler.apply(.binary(.add), mean(square), assembler.literal(0.5)))
    let normed = try assembler.apply(.binary(.divide), centred, size)
    let result = try assembler.apply(
      .unary(.tanh), assembler.apply(.binary(.add), dense(x, units), dense(normed, units)))
    assembler.bind(past.of, to: result)
    return result
  }

  /// Two cells that read each other, one of them at once.
  private mutating func mutual(_ x: ValueID, _ units: Int) throws -> ValueID {
    let (first, second) = (try past(units), try past(units))
    let one = try assembler.apply(
      .unary(.tanh), assembler.apply(.binary(.add), dense(x, units), dense(second.value, units)))
    let both = try assembler.apply(.binary(.add), dense(one, units), dense(first.value, units))
    let other = try assembler.apply(.unary(.sigmoid), both)
    assembler.bind(first.of, to: one)
    assembler.bind(second.of, to: other)
    return random.chance() ? other : one
  }

  /// A convolution of what came before, over frames where there are any.
  private mutating func convolved(_ x: ValueID, _ units: Int) throws -> ValueID {
    guard isStream else { return try plain(x, units) }
    let past = try past(units)
    let (taps, dilation) = (1 + random.below(3), 1 + random.below(2))
    let convolution = Convolution(axis: .frames, kernelSize: taps, dilation: dilation)
    let fed = try assembler.apply(
      .convolution(convolution), past.value, weights([units, units, taps], scale: 0.5 / Double(units)))
    let result = try assembler.apply(.unary(.tanh), assembler.apply(.binary(.add), dense(x, units), fed))
    assembler.bind(past.of, to: result)
    return result
  }

  /// A value that is bound later, some frames (or positions) ago.
  private mutating func past(_ units: Int) throws -> (of: ValueID, value: ValueID) {
    if let positions {
      let back = assembler.forward(TensorType(Shape([positions, units])))
      let by = random.pick([1, 1, 2, 5])
      return (back, try assembler.apply(.shift(axis: 0, by: isBackward ? -by : by), back))
    }
    let back = assembler.forward(TensorType(Shape([units], frames: isStream ? .init() : nil)))
    return (back, try assembler.apply(.delay(random.pick([1, 1, 1, 2, 5, 9])), back))
  }

  private mutating func dense(_ x: ValueID, _ units: Int, hasBias: Bool = false) throws -> ValueID {
    let inputs = assembler.shape(of: x)!.fixed[channelAxis]
    let weight = weights([units, inputs], scale: 0.8 / Double(inputs))
    let bias = hasBias ? [weights([units], scale: 0.2)] : []
    return try assembler.apply(.dense(axis: channelAxis), [x, weight] + bias)
  }
}
