// SPDX-License-Identifier: Apache-2.0

/// The order in which numbers are others: a walk through those, the slowest axis first.
///
///     w [2, 3] = 1 2 3 4 5 6        transposed: from 0, 3 steps of 1, in each 2 steps of 3: 1 4 2 5 3 6
struct NumberView: Sendable {
  let numbers: Numbers
  let first: Int
  let axes: [Numbers.Axis]

  var count: Int { axes.reduce(1) { $0 * $1.extent } }

  /// Whether all numbers are known to be finite, since all are of which they are some.
  var isFinite: Bool { numbers.firstNonFinite == nil }

  func isSame(as other: NumberView) -> Bool {
    numbers === other.numbers && first == other.first && axes == other.axes
  }

  /// The numbers in memory of their own.
  func memory() throws(Numbers.Unavailable) -> NumberMemory {
    try unsafe NumberMemory(count) { bytes throws(Numbers.Unavailable) in
      let own = unsafe bytes.bindMemory(to: Float.self)
      var span = unsafe own.mutableSpan
      try numbers.copy(from: first, axes, to: 0, of: &span)
    }
  }

  /// The walk through the others that a walk through these is; nil where it is none, as one that goes from the end of a row
  /// on into the next one.
  ///
  ///     every second number of a transposed w, 1 2 3:   from 0, 3 steps of 1
  func walk(from start: Int, _ loops: [Numbers.Axis]) -> (first: Int, axes: [Numbers.Axis])? {
    guard axes.allSatisfy({ $0.room == $0.extent }) else { return nil }
    let extents = axes.map(\.extent)
    let strides = extents.rowMajorStrides
    let beginning = zip(strides, extents).map { start / $0 % $1 }
    // The furthest position along each axis.
    var reach = beginning

    /// The loops that one is along the axes of the others.
    func steps(_ loop: Numbers.Axis) -> [Numbers.Axis]? {
      guard loop.extent > 1, loop.stride != 0 else {
        return [Numbers.Axis(extent: loop.extent, stride: 0, room: loop.room)]
      }
      // The slowest axis along which it goes by whole positions.
      guard loop.stride > 0,
        let axis = strides.indices.first(where: { extents[$0] > 1 && loop.stride % strides[$0] == 0 })
      else { return nil }
      let step = loop.stride / strides[axis]
      let last = reach[axis] + step * (loop.extent - 1)
      if last < extents[axis] {
        reach[axis] = last
        return [
          Numbers.Axis(extent: loop.extent, stride: step * axes[axis].stride, room: loop.room)
        ]
      }
      // Whole rows, one after the other.
      guard step == 1, reach[axis] == 0, loop.room == loop.extent, loop.extent.isMultiple(of: extents[axis])
      else {
        return nil
      }
      reach[axis] = extents[axis] - 1
      let rows = Numbers.Axis(extent: loop.extent / extents[axis], stride: loop.stride * extents[axis])
      return steps(rows).map { $0 + [Numbers.Axis(extent: extents[axis], stride: axes[axis].stride)] }
    }

    var result: [Numbers.Axis] = []
    for loop in loops {
      guard let own = steps(loop) else { return nil }
      result += own
    }
    guard zip(reach, extents).allSatisfy(<) else { return nil }
    return (first + zip(beginning, axes).reduce(0) { $0 + $1.0 * $1.1.stride }, result)
  }
}
