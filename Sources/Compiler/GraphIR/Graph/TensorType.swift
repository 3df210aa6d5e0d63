// SPDX-License-Identifier: Apache-2.0

/// The kinds of number a value can hold.
package enum NumberType: Hashable, Sendable {
  case float32
}

/// The type of a value: the kind of its numbers and its shape.
package struct TensorType: Hashable, Sendable, CustomStringConvertible {
  package var element: NumberType
  package var shape: Shape

  package init(_ shape: Shape, element: NumberType = .float32) {
    self.element = element
    self.shape = shape
  }

  package var description: String { shape.description }
}

/// The extents of a value: fixed axes, then in a stream perhaps the frames.
///
/// Memory is planar: the last axis is contiguous. The axis `frames` is always the last one and has no extent; it is
/// never sliced, reshaped or reduced over.
package struct Shape: Hashable, Sendable, CustomStringConvertible {
  /// The axis of time: one position for each `hop` frames of the stream, counted from the absolute position.
  package struct FramesAxis: Hashable, Sendable {
    package var hop: Int

    package init(hop: Int = 1) { self.hop = hop }
  }

  package var fixed: [Int]
  package var frames: FramesAxis?

  package init(_ fixed: [Int], frames: FramesAxis? = nil) {
    self.fixed = fixed
    self.frames = frames
  }

  package static let scalar = Shape([])
  package static let frames = Shape([], frames: FramesAxis())

  package var rank: Int { fixed.count + (frames == nil ? 0 : 1) }

  /// Numbers in the value, or rows of frames where it has that axis; `Int.max` stands for more than that.
  package var count: Int {
    var result = 1
    for extent in fixed {
      let (product, overflow) = result.multipliedReportingOverflow(by: extent)
      guard !overflow else { return .max }
      result = product
    }
    return result
  }

  package var description: String {
    var axes = fixed.map(String.init)
    if let frames { axes.append(frames.hop == 1 ? "frames" : "frames/\(frames.hop)") }
    return "[" + axes.joined(separator: ", ") + "]"
  }

  /// The shape that holds both, after NumPy's rule: aligned at the last fixed axis, 1 stretches.
  ///
  /// An operand without frames first gains a trailing 1, so that `[2]` and `[2, frames]` meet channel by channel.
  package func broadcast(with other: Shape) -> Shape? {
    if let a = frames, let b = other.frames, a != b { return nil }
    var result: [Int] = []
    for back in 0..<max(fixed.count, other.fixed.count) {
      let a = back < fixed.count ? fixed[fixed.count - 1 - back] : 1
      let b = back < other.fixed.count ? other.fixed[other.fixed.count - 1 - back] : 1
      guard a == b || a == 1 || b == 1 else { return nil }
      result.append(a == 1 ? b : a)
    }
    return Shape(result.reversed(), frames: frames ?? other.frames)
  }

  /// The reason why nothing can have this shape, as the predicate of a sentence; nil where something can.
  ///
  /// Whatever is given to a graph has to pass: who computes with shapes relies on extents that are positive and on
  /// products that fit.
  package var flaw: String? {
    guard rank <= Limits.rank else { return "would have \(rank) axes; \(Limits.rank) are the most" }
    guard fixed.product != nil else {
      return "would have the shape \(self); \(fixed.limit)"
    }
    guard frames == nil || frames == FramesAxis() else {
      return "would have the shape \(self); the axis of time is 'frames'"
    }
    return nil
  }
}

extension [Int] {
  /// The product of positive extents, or nil where one is not possible or the product is above the limit.
  var product: Int? {
    var result = 1
    for extent in self {
      guard 1...Limits.extent ~= extent, result <= Limits.elements / extent else { return nil }
      result *= extent
    }
    return result
  }

  /// The limit that extents without a product are not within, as a clause.
  package var limit: String {
    if contains(where: { $0 < 1 }) { return "every extent must be at least 1" }
    if contains(where: { $0 > Limits.extent }) {
      return "\(Limits.extent) positions along one axis are the most"
    }
    return "\(Limits.elements) numbers are the most"
  }

  /// The row-major strides of these extents: the last axis is contiguous.
  package var rowMajorStrides: [Int] {
    var strides = [Int](repeating: 1, count: count)
    for axis in indices.dropLast().reversed() { strides[axis] = strides[axis + 1] * self[axis + 1] }
    return strides
  }
}
