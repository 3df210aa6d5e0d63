// SPDX-License-Identifier: Apache-2.0

public import CRealtime

/// A parameter on its way to a target, as native code reads it: 16 bytes in the workspace.
///
/// What it means, and what is done with it, stands in LegatoRamps.h, which exported objects use as well.
public typealias RampState = legato_ramp

/// The frames of the stream at which the ramps began and the next one lands: 16 bytes in the workspace.
public typealias RampSpan = legato_ramp_span

extension RampState {
  /// A parameter that rests at a value.
  @_noLocks package init(settledAt value: Float) {
    self.init()
    unsafe legato_ramp_rest(&self, value)
  }

  /// Glides to a value, beginning at another one; over 0 frames it jumps.
  @_noLocks package init(from start: Float, to value: Float, over frames: Int32) {
    self.init()
    unsafe legato_ramp_glide(&self, start, value, frames)
  }
}
