// SPDX-License-Identifier: Apache-2.0

package import GraphIR

/// A memory area in the workspace, named before it has an address.
package struct BufferID: Hashable, Sendable, Comparable {
  package let index: Int

  package init(_ index: Int) { self.index = index }

  package static func < (a: BufferID, b: BufferID) -> Bool { a.index < b.index }
}

/// The id of a history: earlier frames (or steps) of one value.
package struct HistoryID: Hashable, Sendable {
  package let index: Int

  package init(_ index: Int) { self.index = index }
}

/// A place in memory.
package enum Location: Hashable, Sendable {
  /// The caller's input or output. In a stream rows of frames, else one row of elements.
  case input(Int)
  case output(Int)
  /// Memory of the workspace.
  case buffer(BufferID)
  /// Packed weights, so many elements from their beginning.
  case weights(Int)
  /// The target of a parameter.
  case parameter(Int)
  /// A history: rows of frames, or elements of one frame (or step).
  case history(HistoryID)
}

/// A strided access: the offset at which it begins, and the stride of each loop.
///
/// Distances count rows where the numbers are rows of frames, and elements otherwise. An access to rows of frames
/// moves along them with the innermost loop; an access to elements moves by `innerStride`.
package struct Access: Hashable, Sendable {
  package var location: Location
  package var offset: Int
  /// One for each fixed axis of the space, then one for each axis that is reduced.
  package var strides: [Int]
  package var innerStride: Int
  /// For a history: the delay in frames (or steps).
  package var delay: Int
  /// For a history: how many fewer frames earlier with each round of a loop, as `strides`.
  package var delayStrides: [Int]
  /// The index, one for each number, that is added to the walk's place; nil where there is none.
  package var index: Index?

  /// A value of the same kernel by which a place is read.
  package struct Index: Hashable, Sendable {
    package var value: ValueID
    package var reach: Reach

    package enum Reach: Hashable, Sendable {
      /// For a history: so many frames earlier; `delay` is then the least.
      case frames(Tap)
      /// Positions further on, from 0 to below the count, each `stride` from the next.
      case positions(count: Int, stride: Int)
    }

    /// The furthest that it may read beyond the walk, in numbers or rows.
    package var furthest: Int {
      switch reach {
      case .frames: 0
      case .positions(let count, let stride): (count - 1) * stride
      }
    }

    /// Whether positions beyond its range are counted.
    package var isCounted: Bool {
      switch reach {
      case .frames: true
      case .positions: false
      }
    }
  }

  package init(
    _ location: Location, offset: Int = 0, strides: [Int], innerStride: Int, delay: Int = 0,
    delayStrides: [Int]? = nil
  ) {
    self.location = location
    self.offset = offset
    self.strides = strides
    self.innerStride = innerStride
    self.delay = delay
    self.delayStrides = delayStrides ?? strides.map { _ in 0 }
  }
}

extension Access {
  /// Whether positions beyond its range are counted.
  package var isCounted: Bool { index?.isCounted ?? false }

  /// Whether a vector is read at once along a fixed innermost axis: its numbers are one, lie side by side, or so little
  /// apart that they are picked from some vectors.
  package var isReadInVectors: Bool {
    (0...1).contains(innerStride) || index == nil && (2...Self.mostApart).contains(innerStride)
  }

  /// Whether a vector is written at once.
  package var isWrittenInVectors: Bool { (0...1).contains(innerStride) }

  /// The distance of numbers from which on each is read by itself.
  package static let mostApart = 4

  /// Whether a read of a history finds what a write has put there in the same round, some frames before.
  package func readsThePast(of write: Access) -> Bool {
    index == nil && offset == write.offset && strides == write.strides && delayStrides.allSatisfy { $0 == 0 }
      && delay > 0
  }

  /// The same walk so many frames earlier.
  package func remembering(_ delay: Int) -> Access {
    var result = self
    result.delay = delay
    return result
  }
}
