// SPDX-License-Identifier: Apache-2.0

/// A copy as a mapping of places: the position in another place of each number of one.
///
///     copy of 2 × 3 numbers         buffer 1, number 3i + j   ←   buffer 0, number 2j + i
///     a reader of row 1             buffer 1, number 3 + k    →   buffer 0, number 1 + 2k
///
/// A place whose numbers a walk comes to once each is a number system: the strides are what its digits are worth. A
/// distance within the place is a number in that system, and its digits say how far to go in the other place. That is
/// exact as long as no digit carries when the loops add them up; where one would, there is no such walk.
struct View {
  private struct Axis {
    var extent: Int
    /// The stride of the axis in the place that is read.
    var stride: Int
    /// The stride of the axis in the other place.
    var target: Int
    var targetDelay: Int
  }

  /// The most significant first.
  private var axes: [Axis]
  private let isRows: Bool
  private let other: Access

  /// - Parameters:
  ///   - place: the walk over the place that is looked up; it has so many numbers (or rows) as `count` says.
  ///   - other: the walk over the other place, in the same loops.
  init?(from place: Access, to other: Access, over space: Space, count: Int) {
    self.other = other
    isRows = space.inner == .frames
    axes = space.extents.indices.map {
      Axis(
        extent: space.extents[$0], stride: place.strides[$0], target: other.strides[$0],
        targetDelay: other.delayStrides[$0])
    }
    switch space.inner {
    case .frames: guard place.innerStride == 1 else { return nil }
    case .count(let count):
      axes.append(
        Axis(extent: count, stride: place.innerStride, target: other.innerStride, targetDelay: 0))
    }
    axes = axes.filter { $0.extent > 1 }.sorted { $0.stride > $1.stride }
    var worth = 1
    for axis in axes.reversed() {
      guard axis.stride == worth else { return nil }
      worth *= axis.extent
    }
    guard worth == count, place.offset == 0, place.delay == 0 else { return nil }
    join()
  }

  /// Joins digits that the other place counts on in as well: a walk over both carries without harm.
  private mutating func join() {
    for index in axes.indices.dropLast().reversed() {
      let (high, low) = (axes[index], axes[index + 1])
      guard high.target == low.target * low.extent, high.targetDelay == low.targetDelay * low.extent else {
        continue
      }
      axes[index] = low
      axes[index].extent *= high.extent
      axes.remove(at: index + 1)
    }
  }

  /// The same numbers as a walk over the first place finds, walked over in the other one; nil where there is no such
  /// walk.
  func translate(_ walk: Access, _ loops: Loops) -> Access? {
    let goesAlong = loops.inner == .frames && walk.innerStride == 1
    // A walk from column to column finds its numbers nowhere else.
    if loops.inner == .frames, walk.innerStride > 1 { return nil }
    guard isRows == goesAlong, walk.delay == 0, walk.delayStrides.allSatisfy({ $0 == 0 }), walk.index == nil
    else { return nil }
    var room = axes.map { $0.extent - 1 }
    /// How far `distance` goes in the other place, where loops come to it `times` times.
    func digits(_ distance: Int, times: Int) -> (stride: Int, delay: Int)? {
      guard times > 0, distance != 0 else { return (0, 0) }
      guard distance > 0 else { return nil }
      var (rest, stride, delay) = (distance, 0, 0)
      for (index, axis) in axes.enumerated() {
        let digit = rest / axis.stride
        rest %= axis.stride
        room[index] -= digit * times
        guard room[index] >= 0 else { return nil }
        stride += digit * axis.target
        delay += digit * axis.targetDelay
      }
      return rest == 0 ? (stride, delay) : nil
    }
    guard let begin = digits(walk.offset, times: 1) else { return nil }
    var result = other
    result.offset += begin.stride
    result.delay += begin.delay
    (result.strides, result.delayStrides) = ([], [])
    for (extent, stride) in zip(loops.extents, walk.strides) {
      guard let step = digits(stride, times: extent - 1) else { return nil }
      result.strides.append(step.stride)
      result.delayStrides.append(step.delay)
    }
    if case .count(let count) = loops.inner {
      guard let step = digits(walk.innerStride, times: count - 1), step.delay == 0 else { return nil }
      result.innerStride = step.stride
    } else if !isRows {
      result.innerStride = 0
    }
    return result
  }
}
