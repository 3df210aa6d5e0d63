// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// Frames that are several of the stream apart, and movements that make several frames one, or one several.
extension Streaming {
  /// The frames since a value's last one: from 0 up to its hop.
  mutating func phase(of pace: Pace) throws(TypingError) -> ValueID {
    let late = ((pace.shift % pace.hop) + pace.hop) % pace.hop
    let key = Pace(hop: pace.hop, shift: late)
    if let known = phases[key] { return known }
    let result: ValueID
    if late == 0 {
      let counted = assembler.forward(TensorType(.frames))
      let next = try assembler.apply(.binary(.add), counted, assembler.literal(1))
      let isWithin = try assembler.apply(.binary(.less), next, assembler.literal(Float(pace.hop)))
      result = try assembler.apply(
        .delay(1), assembler.apply(.select, isWithin, next, assembler.literal(0)))
      assembler.bind(counted, to: result)
    } else {
      let whole = try phase(of: Pace(hop: pace.hop))
      let isBefore = try assembler.apply(.binary(.less), whole, assembler.literal(Float(late)))
      let rest = try assembler.apply(.binary(.add), whole, assembler.literal(Float(pace.hop - late)))
      let since = try assembler.apply(.binary(.subtract), whole, assembler.literal(Float(late)))
      result = try assembler.apply(.select, isBefore, rest, since)
    }
    phases[key] = result
    return result
  }

  /// The numbers of a value at all frames: each stays until the next one.
  mutating func held(_ timed: Timed) throws(TypingError) -> ValueID {
    guard timed.pace.hop > 1, hasFrames(timed.value) else { return timed.value }
    let isNew = try assembler.apply(.binary(.less), phase(of: timed.pace), assembler.literal(1))
    let held = assembler.forward(assembler.type(of: timed.value))
    let result = try assembler.apply(.select, isNew, timed.value, assembler.apply(.delay(1), held))
    assembler.bind(held, to: result)
    return result
  }

  /// The same numbers under other extents: the axis of time stays, or is split, or takes the one behind it in.
  ///
  ///     [8, 480]      →   [8, 160, 3]        three frames side by side: the hop is three times as long
  ///     [8, 160, 3]   →   [8, 480]           and one after the other
  mutating func regrouped(_ node: Node, _ x: Timed) throws(TypingError) -> Timed {
    let (shape, target, time) = (extents(node.operands[0]), extents(node.result), x.axis!)
    let (frames, behind) = (shape[time], shape[(time + 1)...].reduce(1, *))
    /// Axes of the result behind the same numbers as time.
    let axes = target.indices.filter { target[..<$0].reduce(1, *) == shape[..<time].reduce(1, *) }
    func rest(_ axis: Int) -> [Int] {
      var rest = target
      rest.remove(at: axis)
      return rest
    }
    if let axis = axes.first(where: { target[$0] == frames }) {
      return Timed(value: try reshaped(x.value, rest(axis)), axis: axis, pace: x.pace)
    }
    guard let axis = axes.first(where: { target[$0] > 1 }) else { throw Self.mixed }
    if frames.isMultiple(of: target[axis]) {
      let count = frames / target[axis]
      var split = try taps(x, count: count, apart: 1)
      split.pace.hop *= count
      return Timed(value: try reshaped(split.value, rest(axis)), axis: axis, pace: split.pace)
    }
    let count = target[axis] / frames
    guard target[axis].isMultiple(of: frames), behind.isMultiple(of: count) else { throw Self.mixed }
    // [before…, count, the rest of what is behind]
    let front = Array(shape[..<time])
    let whole = try reshaped(x.value, front + [count, behind / count])
    let sounding = soundingParts(of: node.operands[0], behind: time, count)
    var parts: [ValueID?] = []
    for part in 0..<count {
      guard sounding.contains(part) else {
        parts.append(nil)
        continue
      }
      let one = try assembler.apply(.slice(axis: time, start: part, count: 1), whole)
      parts.append(try reshaped(one, rest(axis)))
    }
    return try inTurn(parts, x.pace, axis: axis)
  }

  private static var mixed: TypingError { TypingError("frames that become one axis with others") }

  /// Of numbers side by side those that are not zeros which pad the axis behind time.
  private func soundingParts(of value: ValueID, behind time: Int, _ count: Int) -> Range<Int> {
    let node = source.definition(of: value)
    guard case .pad(axis: time + 1, let before, let after) = node.op, extents(value)[time + 1] == count else {
      return 0..<count
    }
    return before..<count - after
  }

  /// Frames that are picked by a list: every so many, or each so many times.
  mutating func picked(_ node: Node, _ x: Timed) throws(TypingError) -> Timed {
    guard case .weights(let id) = source.definition(of: node.operands[1]).op, source[id].shape.count == 1
    else { throw Self.listed }
    let frames = 0..<extents(node.operands[0])[x.axis!]
    let positions = source[id].values.compactMap { Int(exactly: $0) }.filter(frames.contains)
    guard positions.count == source[id].values.count, positions.count > 1 else { throw Self.listed }
    let step = positions[1] - positions[0]
    if step > 0, positions.enumerated().allSatisfy({ $1 == positions[0] + $0 * step }) {
      let shift = x.pace.shift + positions[0] * x.pace.hop
      return Timed(value: x.value, axis: x.axis, pace: Pace(hop: x.pace.hop * step, shift: shift))
    }
    guard let count = positions.firstIndex(of: 1), count > 1,
      positions.enumerated().allSatisfy({ $1 == $0 / count })
    else { throw Self.listed }
    return try inTurn(Array(repeating: x.value, count: count), x.pace, axis: x.axis!)
  }

  private static var listed: TypingError { TypingError("frames that are picked by their numbers") }

  /// Parts of each frame as frames of their own, one after the other.
  ///
  ///     frames of 4    a · · · b · · ·              parts a0, a1
  ///     frames of 2    a0 · a1 · b0 · b1 ·          a1 waits for two frames of the stream
  ///
  /// - Parameter parts: nil for zeros.
  private mutating func inTurn(
    _ parts: [ValueID?], _ pace: Pace, axis: Int
  ) throws(TypingError) -> Timed {
    guard pace.hop.isMultiple(of: parts.count) else {
      throw TypingError(
        "\(parts.count) frames for \(pace.hop == 1 ? "one that comes" : "\(pace.hop) that come") in")
    }
    let hop = pace.hop / parts.count
    var result = assembler.literal(0)
    for (row, part) in parts.enumerated().reversed() {
      guard let part else {
        guard row + 1 < parts.count, parts[(row + 1)...].contains(where: { $0 != nil }) else { continue }
        result = try choosing(assembler.literal(0), before: (row + 1) * hop, else: result, pace)
        continue
      }
      let late = row == 0 ? part : try assembler.apply(.delay(row * hop), part)
      result = row + 1 == parts.count ? late : try choosing(late, before: (row + 1) * hop, else: result, pace)
    }
    return Timed(value: result, axis: axis, pace: Pace(hop: hop, shift: pace.shift))
  }

  /// One value in the first so many frames since the last one of a pace, and then another.
  private mutating func choosing(
    _ first: ValueID, before frames: Int, else second: ValueID, _ pace: Pace
  ) throws(TypingError) -> ValueID {
    let isFirst = try assembler.apply(
      .binary(.less), phase(of: pace), assembler.literal(Float(frames)))
    return try assembler.apply(.select, isFirst, first, second)
  }
}
