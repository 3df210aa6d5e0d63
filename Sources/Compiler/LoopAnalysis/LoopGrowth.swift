// SPDX-License-Identifier: Apache-2.0

/// How a linear loop grows without end.
struct LoopGrowth {
  /// How long the way around is.
  var frames: Int
  /// How much louder it is after it; 1 where that is not found.
  var gain: Double
  /// Of what grows most: radians a frame, 0 to π.
  var frequency: Double
}
