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
      Timed(value: try assembler.apply(op, x.value), axis: axis, shift: x.shift)
    }
    switch movement {
    case .slice(let axis, let start, let count):
      guard axis == time else {
        return try result(.slice(axis: less(axis), start: start, count: count), axis: time)
      }
      guard count > 1 || shape[axis] == 1 else { throw TypingError("the frame \(start) alone") }
      x.shift += start
      return x
    case .concatenate(let axis):
      return try joined(node, axis)
    case .reshape:
      let target = extents(node.result)
      let (before, behind) = (shape[..<time].reduce(1, *), shape[(time + 1)...].reduce(1, *))
      guard
        let axis = target.indices.first(where: {
          target[$0] == shape[time] && target[..<$0].reduce(1, *) == before
            && target[($0 + 1)...].reduce(1, *) == behind
        })
      else { throw TypingError("frames that become one axis with others") }
      var rest = target
      rest.remove(at: axis)
      return Timed(value: try reshaped(x.value, rest), axis: axis, shift: x.shift)
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
      x.shift -= before
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
      guard window.hop == 1 else { throw Self.skipping(window.hop) }
      return try taps(x, count: window.size, apart: window.dilation)
    case .shift(let axis, let by):
      guard axis == time else { return try result(.shift(axis: less(axis), by: by), axis: time) }
      guard by < 0 else {
        guard let shift = cycleShift else {
          x = try silentBefore(x)
          x.shift -= by
          return x
        }
        let earlier = Timed(value: try assembler.apply(.delay(by), x.value), axis: time, shift: shift)
        guard shift > 0 else { return earlier }
        return try beginning(earlier, at: shift + by, with: assembler.literal(0))
      }
      guard cycleShift == nil else { throw TypingError("a recurrent layer that begins with the last frame") }
      x.shift -= by
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
      let (values, shift) = try aligned(parts)
      let own = Self.axis(axis, without: time)
      return Timed(value: try assembler.apply(.concatenate(axis: own), values), axis: time, shift: shift)
    }
    let sounding = node.operands.indices.filter { !isZero(node.operands[$0]) }
    guard !sounding.isEmpty else {
      var rest = extents(node.result)
      rest.remove(at: axis)
      return Timed(value: try filled(rest), axis: axis)
    }
    guard sounding.count == 1 else { throw TypingError("frames behind others than zeros") }
    var x = operand(node.operands[sounding[0]])
    x = try silentBefore(x)
    for value in node.operands[..<sounding[0]] { x.shift -= extents(value)[axis] }
    return x
  }

  private mutating func gathered(
    _ node: Node, _ operands: [Timed], _ axis: Int
  ) throws(TypingError) -> Timed {
    let (x, index) = (operands[0], operands[1])
    guard let time = x.axis else {
      let (values, shift) = try aligned(operands)
      return Timed(value: try assembler.apply(node.op, values), axis: axis + index.axis!, shift: shift)
    }
    guard index.axis == nil, axis != time else {
      throw TypingError("frames that are picked by their numbers")
    }
    let (values, shift) = try aligned(operands)
    let rank = extents(node.operands[1]).count
    return Timed(
      value: try assembler.apply(.gather(axis: Self.axis(axis, without: time)), values),
      axis: time < axis ? time : time + rank - 1, shift: shift)
  }

  /// So many frames of each side by side, the latest one last: one more axis, behind that of time.
  mutating func taps(_ x: Timed, count: Int, apart: Int) throws(TypingError) -> Timed {
    guard count <= Self.mostTaps else {
      throw TypingError("\(count) frames side by side; \(Self.mostTaps) are the most")
    }
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
    return Timed(value: value, axis: axis, shift: x.shift + (count - 1) * apart)
  }

  private static let mostTaps = 4096
}
