// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// The rest of a node of which a region of the result is wanted.
struct Narrowing: Equatable {
  /// The region that the node computes: all that is wanted, and more where it cannot compute less.
  var region: Region
  /// The op with its attributes for the region; nil where the result is what it reads, as it is.
  var op: Op?
  /// The region that the node reads of each operand; nil where it reads nothing of it.
  var reads: [Region?]
  /// The reason why it computes more than is wanted, as the end of a sentence.
  var obstacle: String?
}

extension Op {
  /// The regions that the op has to compute and to read for a region of its result.
  ///
  ///     wanted  ──▶  region ⊇ wanted  ──▶  reads
  ///
  ///     tanh, +          the same positions; the only one of an axis that is stretched
  ///     convolution      rows of its weights; a window of `span` positions more along a fixed axis
  ///     dense            rows of its weights and bias
  ///     concatenation    the parts that the region touches
  ///     gather           of x all of its axis, whatever the index says; the positions of the index
  ///     window           from the first number of the first stretch to the last one of the last
  ///     contraction      rows of both
  ///     sum, maximum     all of the axis that goes
  ///     reshape          rows that begin and end at the same number on both sides
  ///
  /// Each number of the region is computed of the same numbers in the same order as without narrowing, and has the
  /// same bits. A node of which all is wanted stays as it is and reads all; only a slice reads less.
  func narrowed(to wanted: Region, _ operands: [Shape], _ result: Shape) -> Narrowing {
    let wholes = operands.map { Region(whole: $0) }
    switch kind {
    case .given(.input), .given(.parameter), .given(.literal):
      return Narrowing(region: Region(whole: result), op: self, reads: [])
    case .given(.weights):
      return Narrowing(region: wanted, op: self, reads: [])
    case .movement(.slice(let axis, let start, _)):
      let read = wanted.with(axis, wanted.ranges[axis].moved(by: start))
      return Narrowing(region: wanted, op: nil, reads: [read])
    case _ where wanted.isWhole(of: result):
      return Narrowing(region: wanted, op: self, reads: wholes)
    case .elementwise, .time, .source:
      return Narrowing(region: wanted, op: self, reads: operands.map { stretched(wanted, onto: $0) })
    case .movement(.broadcast):
      let read = stretched(wanted, onto: operands[0])
      return Narrowing(
        region: wanted, op: read.extents == wanted.extents ? nil : .broadcast(wanted.extents), reads: [read])
    case .movement(.concatenate(let axis)):
      return concatenation(of: operands, along: axis, wanted, hasFrames: result.frames != nil)
    case .movement(.reshape):
      return reshaped(wanted, operands[0], result)
    case .movement(.transpose(let order)):
      var read = wholes[0]
      for (axis, source) in order.enumerated() { read.ranges[source] = wanted.ranges[axis] }
      return Narrowing(region: wanted, op: self, reads: [read])
    case .movement(.pad(let axis, let before, _)):
      return padded(wanted, operands[0], along: axis, before: before)
    case .movement(.gather(let axis)):
      return gathered(wanted, operands[0], operands[1], axis: axis)
    case .movement(.window(let window)):
      return window.narrowed(to: wanted)
    case .movement(.shift(let axis, _)):
      let whole = wanted.with(axis, 0..<operands[0].fixed[axis])
      return Narrowing(
        region: whole, op: self, reads: [whole],
        obstacle: whole == wanted ? nil : "a shift reads other positions")
    case .reduction(_, let axis):
      var read = wanted
      read.ranges.insert(0..<operands[0].fixed[axis], at: axis)
      return Narrowing(region: wanted, op: self, reads: [read])
    case .layer(.dense(let axis, _)):
      let rows = wanted.ranges[axis]
      let reads = [
        wanted.with(axis, 0..<operands[0].fixed[axis]), wholes[1].with(0, rows), Region([rows]),
      ]
      return Narrowing(region: wanted, op: self, reads: Array(reads.prefix(operands.count)))
    case .layer(.convolution(let convolution)):
      return convolution.narrowed(to: wanted, operands, result)
    case .contraction:
      let last = wanted.ranges.count - 1
      let reads = zip(operands, [last - 1, last]).map { operand, axis in
        let batch = stretched(
          Region(Array(wanted.ranges[..<(last - 1)])), onto: Shape(Array(operand.fixed.dropLast(2))))
        return Region(batch.ranges + [wanted.ranges[axis], 0..<operand.fixed.last!])
      }
      return Narrowing(region: wanted, op: self, reads: reads)
    }
  }
}

extension Window {
  fileprivate func narrowed(to wanted: Region) -> Narrowing {
    let (positions, numbers) = (wanted.ranges[axis], wanted.ranges[axis + 1])
    var read = wanted
    read.ranges.remove(at: axis + 1)
    read.ranges[axis] =
      positions.lowerBound * hop + numbers.lowerBound * dilation..<(positions.upperBound - 1) * hop
      + (numbers.upperBound - 1) * dilation + 1
    var op = self
    op.size = numbers.count
    return Narrowing(region: wanted, op: .window(op), reads: [read])
  }
}

/// The positions of an operand that broadcasting brings to a region.
private func stretched(_ region: Region, onto operand: Shape) -> Region {
  let missing = region.ranges.count - operand.fixed.count
  return Region(
    operand.fixed.indices.map { operand.fixed[$0] == 1 ? 0..<1 : region.ranges[$0 + missing] })
}

private func concatenation(
  of operands: [Shape], along axis: Int, _ wanted: Region, hasFrames: Bool
) -> Narrowing {
  var places: [Range<Int>] = []
  for operand in operands {
    let start = places.last?.upperBound ?? 0
    places.append(start..<start + operand.fixed[axis])
  }
  var range = wanted.ranges[axis]
  var obstacle: String?
  func touched() -> [Int] { places.indices.filter { places[$0].overlaps(range) } }
  // The frames of the result come from a part that has them.
  if hasFrames, !touched().contains(where: { operands[$0].frames != nil }) {
    let framed = places.indices.filter { operands[$0].frames != nil }
    if let next = framed.first(where: { places[$0].lowerBound >= range.upperBound }) {
      range = range.lowerBound..<places[next].lowerBound + 1
    } else if let last = framed.last {
      range = places[last].upperBound - 1..<range.upperBound
    }
    obstacle = "the parts that are read have no frames"
  }
  let region = wanted.with(axis, range)
  let parts = touched()
  let reads = places.indices.map { index in
    parts.contains(index)
      ? region.with(axis, range.clamped(to: places[index]).moved(by: -places[index].lowerBound)) : nil
  }
  return Narrowing(
    region: region, op: parts.count == 1 ? nil : .concatenate(axis: axis), reads: reads, obstacle: obstacle)
}

private func gathered(_ wanted: Region, _ x: Shape, _ index: Shape, axis: Int) -> Narrowing {
  let indices = axis..<axis + index.fixed.count
  var read = wanted
  read.ranges.replaceSubrange(indices, with: [0..<x.fixed[axis]])
  return Narrowing(
    region: wanted, op: .gather(axis: axis), reads: [read, Region(Array(wanted.ranges[indices]))])
}

private func padded(_ wanted: Region, _ operand: Shape, along axis: Int, before: Int) -> Narrowing {
  let inside = before..<before + operand.fixed[axis]
  var range = wanted.ranges[axis]
  var obstacle: String?
  if !range.overlaps(inside) {
    // Zeros need a value to stand beside.
    obstacle = "what is read is padding only"
    range =
      range.lowerBound < before
      ? range.lowerBound..<before + 1 : inside.upperBound - 1..<range.upperBound
  }
  let read = range.clamped(to: inside)
  let (left, right) = (read.lowerBound - range.lowerBound, range.upperBound - read.upperBound)
  return Narrowing(
    region: wanted.with(axis, range),
    op: left + right == 0 ? nil : .pad(axis: axis, before: left, after: right),
    reads: [wanted.with(axis, read.moved(by: -before))], obstacle: obstacle)
}

extension Convolution {
  fileprivate func narrowed(to wanted: Region, _ operands: [Shape], _ result: Shape) -> Narrowing {
    let channels = channelAxis(of: operands[0])
    let outputs = result.fixed[channels] / groups
    let inputs = operands[1].fixed[1]
    var rows = wanted.ranges[channels]
    let touched = rows.lowerBound / outputs..<(rows.upperBound + outputs - 1) / outputs
    var obstacle: String?
    if touched.count > 1 {
      let aligned = touched.lowerBound * outputs..<touched.upperBound * outputs
      if aligned != rows { obstacle = "a convolution computes its groups whole" }
      rows = aligned
    }
    var region = wanted.with(channels, rows)
    var read = region.with(channels, touched.lowerBound * inputs..<touched.upperBound * inputs)
    var op = self
    op.groups = touched.count
    for (axis, walk) in fixedWalks {
      let window = wanted.ranges[axis]
      read.ranges[axis] =
        window.lowerBound * walk.stride..<(window.upperBound - 1) * walk.stride + walk.span + 1
      region.ranges[axis] = window
    }
    let reads = [read, Region(whole: operands[1]).with(0, rows), Region([rows])]
    return Narrowing(
      region: region, op: .convolution(op), reads: Array(reads.prefix(operands.count)), obstacle: obstacle)
  }
}
