// SPDX-License-Identifier: Apache-2.0

import GraphIR
import TestEquipment

/// Cycles through delays: single, nested and coupled, with layers and samples inside.
extension GraphGenerator {
  /// A value with feedback: `y = tanh(x + gain * f(delay(y)))`.
  mutating func cycle(from x: ValueID, depth: Int) throws -> ValueID {
    guard !isStream || hasFrames(x) else { throw TypingError("no frames") }
    if depth == 0, recurs, random.chance(0.4) { return try cells(from: x) }
    if depth == 0, random.chance(0.2) { return try coupledCycles(from: x) }
    if depth == 0, random.chance(0.2) { return try chainedCycles(from: x) }
    let back = assembler.forward(assembler.type(of: x))
    let past = try assembler.apply(.delay(delayLength()), back)
    var fed = past
    for _ in 0..<random.below(4) {
      // From here on nothing may throw, or what the cycle begins with would never be bound.
      guard let next = try? keepingShape(fed, depth) else { continue }
      if assembler.type(of: next) == assembler.type(of: x) { fed = next }
    }
    let result = try limited(x, fed)
    assembler.bind(back, to: result)
    if random.chance(0.4) { pool.append(past) }
    if random.chance(0.4) { pool.append(fed) }
    return result
  }

  /// Loops of one form, each behind the one before it; now and then something else reads one of them.
  private mutating func chainedCycles(from x: ValueID) throws -> ValueID {
    let delay = 1 + random.below(3)
    var result = x
    for _ in 0..<2 + random.below(7) {
      let back = assembler.forward(assembler.type(of: x))
      let past = try assembler.apply(.delay(delay), back)
      let kept = try assembler.apply(
        .binary(.multiply), past, assembler.literal(random.pick([0.5, -0.7, 0.9])))
      let fresh = try assembler.apply(.binary(.multiply), result, assembler.literal(0.1))
      let next = try assembler.apply(.binary(.add), fresh, kept)
      assembler.bind(back, to: next)
      result = random.chance(0.3) ? try assembler.apply(.binary(.subtract), result, next) : next
      if random.chance(0.05) { pool.append(result) }
    }
    return result
  }

  /// Two values that feed each other.
  private mutating func coupledCycles(from x: ValueID) throws -> ValueID {
    let backs = [assembler.forward(assembler.type(of: x)), assembler.forward(assembler.type(of: x))]
    for index in 0..<2 {
      let past = try assembler.apply(.delay(delayLength()), backs[1 - index])
      let result = try limited(x, try assembler.apply(.unary(index == 0 ? .sin : .tanh), past))
      assembler.bind(backs[index], to: result)
      if index == 0 {
        pool.append(result)
      } else {
        return result
      }
    }
    return x
  }

  /// `x + gain * fed`, which never grows beyond a limit.
  private mutating func limited(_ x: ValueID, _ fed: ValueID) throws -> ValueID {
    let gain = assembler.literal(random.pick([0.3, 0.45, 0.6, -0.5]))
    let sum = try assembler.apply(.binary(.add), assembler.apply(.binary(.multiply), fed, gain), x)
    guard random.chance() else { return try assembler.apply(.unary(.tanh), sum) }
    return try assembler.clamp(sum, assembler.literal(-2), assembler.literal(2))
  }

  /// Something of the same type, computed within a cycle.
  private mutating func keepingShape(_ x: ValueID, _ depth: Int) throws -> ValueID {
    let shape = assembler.shape(of: x)!
    switch random.below(9) {
    case 0:
      return try assembler.apply(.unary(random.pick([.tanh, .sin, .abs, .round, .negate, .floor])), x)
    case 1:
      return try assembler.apply(.binary(.multiply), x, weights(shape.fixed.suffix(1)))
    case 2:
      return try convolution(x, keepingChannels: true)
    case 3:
      guard isStream else { throw TypingError("no stream") }
      var row = x
      while !assembler.shape(of: row)!.fixed.isEmpty { row = try assembler.apply(.sum(axis: 0), row) }
      let held = try assembler.apply(.control, row)
      return try assembler.apply(.binary(.multiply), x, assembler.apply(.unary(.tanh), held))
    case 4:
      guard depth < 2 else { throw TypingError("deep enough") }
      return try cycle(from: x, depth: depth + 1)
    case 5:
      if isStream, random.chance(0.4) {
        let least = random.chance() ? 1 : delayLength()
        let tap = Tap(
          minimum: least, maximum: least + delayLength(),
          interpolation: random.pick([.linear, .cubic, .none]))
        return try assembler.apply(.tap(tap), x, assembler.literal(Float(tap.maximum) * 0.75))
      }
      return try assembler.apply(.delay(delayLength()), x)
    case 6:
      guard let last = shape.fixed.last, last > 1 else { throw TypingError("nothing to turn") }
      let axis = shape.fixed.count - 1
      let tail = try assembler.apply(.slice(axis: axis, start: 1, count: last - 1), x)
      let head = try assembler.apply(.slice(axis: axis, start: 0, count: 1), x)
      return try assembler.apply(.concatenate(axis: axis), tail, head)
    case 7:
      guard shape.fixed.count > 0 else { throw TypingError("nothing to mix") }
      return try assembler.apply(.dense(axis: 0), x, weights([shape.fixed[0], shape.fixed[0]], scale: 0.5))
    default:
      let y = partner(of: x)
      guard shape.broadcast(with: assembler.shape(of: y)!) == shape else { throw TypingError("grows") }
      return try assembler.apply(.binary(random.pick([.multiply, .add, .max, .min, .subtract])), x, y)
    }
  }
}
