// SPDX-License-Identifier: Apache-2.0

extension RampState {
  /// A parameter that rests at a value.
  @_noLocks package init(settledAt value: Float) {
    self.init()
    start = value
    target = value
  }

  /// The value at the last executed frame.
  package var current: Float {
    @_noLocks get {
      elapsed >= length ? target : start.addingProduct(Float(elapsed), step).withoutDenormals
    }
  }

  /// Glides to a value, beginning at the current one, so that a change in the middle of a ramp makes no jump.
  ///
  /// Over 0 frames it jumps.
  @_noLocks package mutating func retarget(to value: Float, over frames: Int32) {
    let from = current
    self = RampState(settledAt: value)
    guard frames > 0 else { return }
    start = from
    step = ((value - from) / Float(frames)).withoutDenormals
    length = frames
  }
}
