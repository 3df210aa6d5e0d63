// SPDX-License-Identifier: Apache-2.0

/// How a delay by a signal reads what it remembers.
///
///     by       2.25 frames
///     frames   … 4    3    2    1    0 (the present one)
///                     └─┬──┘
///     linear            three quarters of the frame 2 back and a quarter of the one 3 back
///
/// The signal is kept between the minimum and the maximum, and what is no number counts as the minimum. No frame
/// outside them is read: at an end, a cubic repeats the last frame that it may read.
package struct Tap: Hashable, Sendable {
  package enum Interpolation: String, CaseIterable, Hashable, Sendable {
    /// Along the line between two frames.
    case linear
    /// Along the cubic through two frames that has the slopes of their neighbours (Catmull and Rom 1974).
    case cubic
    /// The frame before: so many whole frames.
    case none

    /// How many frames are read for one.
    package var reads: Int {
      switch self {
      case .linear: 2
      case .cubic: 4
      case .none: 1
      }
    }
  }

  package var minimum: Int
  package var maximum: Int
  package var interpolation: Interpolation

  package init(minimum: Int, maximum: Int, interpolation: Interpolation) {
    self.minimum = minimum
    self.maximum = maximum
    self.interpolation = interpolation
  }

  /// Floats count no further one by one.
  package static let furthest = (1 << 24) - 2

  func resultShape(_ operands: [Shape], clock: Clock) throws(TypingError) -> Shape {
    try clock.checkStream("a delay by a signal")
    guard maximum >= 1, maximum <= Self.furthest else {
      throw TypingError(
        "the maximum of a delay by a signal must lie in 1…\(Self.furthest) frames; it is \(maximum)")
    }
    guard (0...maximum).contains(minimum) else {
      throw TypingError(
        "the minimum of a delay by a signal must lie in 0…\(maximum) frames, its maximum; it is \(minimum)")
    }
    let both = try operands[0].broadcasting(operands[1])
    return Shape(both.fixed, frames: both.frames ?? .init())
  }
}
