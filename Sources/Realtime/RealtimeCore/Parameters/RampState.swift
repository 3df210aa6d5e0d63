// SPDX-License-Identifier: Apache-2.0

/// A parameter on its way to a target, as native code reads it: 16 bytes in the workspace.
///
///     target                     ╭───────
///                             ╱
///     start  ●             ╱
///            ├── length ─────┤
///
/// With `elapsed` frames behind it since all ramps began, the value at the next frame is
/// `fma(elapsed + 1, step, start)`, and `target` itself once `elapsed + 1 >= length`. A settled parameter has `length`
/// 0, `step` 0 and `start` equal to `target`. Native code settles the ramp where it lands.
public struct RampState: Hashable, Sendable {
  public var start: Float = 0
  public var step: Float = 0
  public var target: Float = 0
  /// Frames from the common beginning of all ramps to where this one lands; 0 where the parameter rests.
  public var length: Int32 = 0

  @_noLocks public init() {}
}

/// When the ramps began and when the next one lands: 16 bytes in the workspace, in frames of the stream.
///
/// All ramps count from one beginning, so that code which computes several of them numbers its frames once. Where
/// another target arrives, those that move set out anew from where they are.
public struct RampSpan: Hashable, Sendable {
  /// The position of the frame before which the ramps began.
  public var beginning: Int64 = 0
  /// The position of the frame at which a ramp arrives at its target, the first one to come. No parameter moves at a
  /// position that is not below it.
  public var landing: Int64 = 0

  @_noLocks public init() {}
}
