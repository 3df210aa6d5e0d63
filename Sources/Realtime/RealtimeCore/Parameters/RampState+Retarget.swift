// SPDX-License-Identifier: Apache-2.0

extension RampState {
  /// A parameter that rests at a value.
  @_noLocks package init(settledAt value: Float) {
    self.init()
    start = value
    target = value
  }

  /// The value at the last of so many executed frames.
  @_noLocks package func value(after elapsed: Int32) -> Float {
    elapsed >= length ? target : start.addingProduct(Float(elapsed), step).withoutDenormals
  }

  /// Glides to a value, beginning at another one.
  ///
  /// Over 0 frames it jumps.
  @_noLocks package init(from start: Float, to value: Float, over frames: Int32) {
    self.init(settledAt: value)
    guard frames > 0 else { return }
    self.start = start
    step = ((value - start) / Float(frames)).withoutDenormals
    length = frames
  }

  /// Sets out anew from where it is, to land where it would have landed.
  @_noLocks package mutating func restart(after elapsed: Int32) {
    self = RampState(from: value(after: elapsed), to: target, over: max(length - elapsed, 0))
  }
}
