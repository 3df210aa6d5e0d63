// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// The same numbers at other places, of which other frames are some.
extension Streaming {
  mutating func moved(
    _ node: Node, _ movement: Op.Movement, _ operands: [Timed]
  ) throws(TypingError) -> Timed {
    var x = operands[0]
    let shape = extents(node.operands[0])
    let time = x.axis ?? -1
    func less(_ axis: Int) -> Int { Self.axis(axis, without: time) }
    func result(_ op: Op, axis: Int) throws(TypingError) -> Timed {
      Timed(value: try assembler.apply(op, x.value), axis: axis, pace: x.pace)
    }
    switch movement {
    case .slice(let axis, let start, let count):
      guard axis == time else {
        return try result(.slice(axis: less(axis), start: start, count: count), axis: time)
      }
      guard count > 1 || shape[axis] == 1 else { throw TypingError("the frame \(start) alone") }
      x.pace.shift += start * x.pace.hop
      return x
    case .concatenate(let axis):
      return try joined(node, axis)
    case .reshape:
      return try regrouped(node, x)
    case .transpose(let order):
      let axis = order.firstIndex(of: time)!
      return try result(.transpose(order.filter { $0 != time }.map(less)), axis: axis)
    case .pad(let axis, let before, let after):
      guard axis == time else {
        return try result(.pad(axis: less(axis), before: before, after: after), axis: time)
      }
      guard hasFrames(x.value) || isZero(node.operands[0]) else {
        throw TypingError("zeros around numbers that are the same at all frames")
      }
      // So a running sum is made; of a longer stretch it would have more parts.
      guard 2 * before <= shape[axis] else {
        throw TypingError(
          "\(before) zeros before \(shape[axis]) frames, which a longer stretch may have otherwise")
      }
      x = try silentBefore(x)
      x.pace.shift -= before * x.pace.hop
      return x
    case .broadcast:
      var target = extents(node.result)
      let axis = time + target.count - shape.count
      guard target.remove(at: axis) == shape[time] else { throw Self.overAll(node) }
      return try result(.broadcast(target), axis: axis)
    case .gather(let axis):
      return try gathered(node, operands, axis)
    case .window(var window):
      guard window.axis == time else {
        let axis = window.axis
        window.axis = less(axis)
        return try result(.window(window), axis: axis < time ? time + 1 : time)
      }
      x = try taps(x, count: window.size, apart: window.dilation)
      x.pace.hop *= window.hop
      return x
    case .shift(let axis, let by):
      guard axis == time else { return try result(.shift(axis: less(axis), by: by), axis: time) }
      guard by < 0 else {
        guard let pace = cyclePace else {
          x = try silentBefore(x)
          x.pace.shift -= by * x.pace.hop
          return x
        }
        let frames = by * pace.hop
        let earlier = Timed(value: try assembler.apply(.delay(frames), x.value), axis: time, pace: pace)
        guard pace.shift > 0 else { return earlier }
        return try beginning(earlier, at: pace.shift + frames, with: assembler.literal(0))
      }
      guard cyclePace == nil else { throw TypingError("a recurrent layer that begins with the last frame") }
      x.pace.shift -= by * x.pace.hop
      return x
    }
  }

  private mutating func joined(_ node: Node, _ axis: Int) throws(TypingError) -> Timed {
    let time = node.operands.lazy.compactMap { [values] in values[$0]?.axis }.first ?? 0
    guard axis == time else {
      var parts: [Timed] = []
      for value in node.operands {
        parts.append(try withoutTime(value, at: time, of: extents(node.result)[time]))
      }
      let (values, pace) = try aligned(parts)
      let own = Self.axis(axis, without: time)
      return Timed(value: try assembler.apply(.concatenate(axis: own), values), axis: time, pace: pace)
    }
    let sounding = node.operands.indices.filter { !isZero(node.operands[$0]) }
    guard !sounding.isEmpty else {
      var rest = extents(node.result)
      rest.remove(at: axis)
      return Timed(value: try filled(rest), axis: axis)
    }
    let place = sounding.first { operand(node.operands[$0]).axis != nil } ?? sounding[0]
    let others = node.operands.indices.filter { $0 != place }.map { number(of: node.operands[$0]) }
    guard others.allSatisfy({ $0 != nil }), Set(others[..<place]).count <= 1 else {
      throw TypingError("frames behind others than zeros")
    }
    var x = operand(node.operands[place])
    let before = node.operands[..<place].reduce(0) { $0 + extents($1)[axis] } * x.pace.hop
    if place > 0, let number = others[0], number != 0, hasFrames(x.value) {
      // The stream itself has zeros before its first frame: these numbers have to be in it.
      x = Timed(
        value: try waiting(x, for: before), axis: x.axis,
        pace: Pace(hop: x.pace.hop, shift: max(x.pace.shift, before)))
      // Beside numbers, the largest float is the same as an infinite one.
      let most = Double(Float.greatestFiniteMagnitude)
      let finite = Float(max(-most, min(most, number)))
      x = try beginning(x, at: x.pace.shift, with: assembler.literal(finite))
    } else {
      x = try silentBefore(x)
    }
    x.pace.shift -= before
    return x
  }

  /// The number that a value is everywhere; nil where it is none. Infinite ones are written as quotients, with a sign.
  private func number(of value: ValueID, within levels: Int = 4) -> Double? {
    if isZero(value) { return 0 }
    let node = source.definition(of: value)
    if let literal = node.op.literal { return Double(literal) }
    if case .broadcast = node.op { return number(of: node.operands[0], within: levels) }
    guard levels > 0, case .elementwise(let op) = node.op.kind else { return nil }
    let operands = node.operands.compactMap { number(of: $0, within: levels - 1) }
    return operands.count == node.operands.count ? op.evaluate(operands) : nil
  }

  private mutating func gathered(
    _ node: Node, _ operands: [Timed], _ axis: Int
  ) throws(TypingError) -> Timed {
    let (x, index) = (operands[0], operands[1])
    guard let time = x.axis else {
      let (values, pace) = try aligned(operands)
      return Timed(value: try assembler.apply(node.op, values), axis: axis + index.axis!, pace: pace)
    }
    guard index.axis == nil, axis != time else { return try picked(node, x) }
    let (values, pace) = try aligned(operands)
    let rank = extents(node.operands[1]).count
    return Timed(
      value: try assembler.apply(.gather(axis: Self.axis(axis, without: time)), values),
      axis: time < axis ? time : time + rank - 1, pace: pace)
  }

  /// So many frames of each side by side, the latest one last: one more axis, behind that of time.
  mutating func taps(_ x: Timed, count: Int, apart: Int) throws(TypingError) -> Timed {
    guard count <= Self.mostTaps else {
      throw TypingError("\(count) frames side by side; \(Self.mostTaps) are the most")
    }
    let apart = apart * x.pace.hop
    let x = try reaching(x, (count - 1) * apart)
    let axis = x.axis!
    var apart1 = assembler.shape(of: x.value)!.fixed
    apart1.insert(1, at: axis)
    var parts: [ValueID] = []
    for tap in (0..<count).reversed() {
      let late = tap == 0 ? x.value : try assembler.apply(.delay(tap * apart), x.value)
      parts.append(try reshaped(late, apart1))
    }
    let value = count == 1 ? parts[0] : try assembler.apply(.concatenate(axis: axis), parts)
    return Timed(
      value: value, axis: axis, pace: Pace(hop: x.pace.hop, shift: x.pace.shift + (count - 1) * apart))
  }

  static let mostTaps = 4096
}
